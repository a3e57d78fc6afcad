/*
 * test_chess.c - systematic search misses nothing and repeats nothing: on random small programs,
 * compared with all their interleavings.
 *
 * A program is some threads with a list of operations each: reads and writes, of one object or of
 * all; what everything depends on; and the end of a wait with a limit.  It is run here as the
 * runtime would (src/runtime/strategy_choices.c): choices are followed, then nobody is interrupted,
 * and who sleeps is left alone.
 */
#include "explore/chess.h"
#include "explore/states.h"
#include "support/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>

#define THREADS 3u
#define OPS     4u
#define ALL     (THREADS * OPS)
#define OBJECTS 2u

struct program {
    uint32_t threads;
    uint32_t lengths[THREADS];
    struct fw_control_candidate ops[THREADS][OPS];
};

/* An order of dependent operations, as one of the interleavings that have it: the first one in the
 * order of threads. */
struct trace {
    uint8_t order[ALL];
    uint32_t preemptions; /* least that shows it */
};

FW_VEC_TYPE(trace_vec, struct trace);

/* --- all interleavings ----------------------------------------------------------------------- */

static struct fw_control_candidate make_op(struct fw_random *random, uint32_t thread)
{
    struct fw_control_candidate op = {
        .thread = thread,
        .object = 64 + 64 * fw_random_below(random, OBJECTS),
        .size = 8,
        .flags = fw_random_below(random, 3) ? FW_CANDIDATE_WRITES : 0,
    };

    switch (fw_random_below(random, 8)) {
    case 0: /* all objects */
        op.object = 64;
        op.size = 64 * OBJECTS;
        break;
    case 1:
        op.flags |= FW_CANDIDATE_GLOBAL;
        break;
    case 2:
        op.flags = FW_CANDIDATE_WRITES | FW_CANDIDATE_GLOBAL | FW_CANDIDATE_EXPIRES;
        break;
    default:
        break;
    }
    return op;
}

static struct program make_program(struct fw_random *random)
{
    struct program program = { .threads = 2 + (uint32_t)fw_random_below(random, THREADS - 1) };

    for (uint32_t t = 0; t < program.threads; t++) {
        program.lengths[t] = 1 + (uint32_t)fw_random_below(random, program.threads == 2 ? OPS : 3);
        for (uint32_t i = 0; i < program.lengths[t]; i++)
            program.ops[t][i] = make_op(random, t);
    }
    return program;
}

static bool has_ended(const struct program *program, const uint32_t *done, uint32_t thread)
{
    return done[thread] == program->lengths[thread];
}

/* Does it wait with a limit? */
static bool waits(const struct program *program, const uint32_t *done, uint32_t thread)
{
    return program->ops[thread][done[thread]].flags & FW_CANDIDATE_EXPIRES;
}

/* Who goes on if nobody decides: who could, or if all wait the first one; THREADS: that is free. */
static uint32_t who_goes_on(const struct program *program, const uint32_t *done, uint32_t current)
{
    uint32_t first = THREADS;

    if (current < THREADS && !has_ended(program, done, current) && !waits(program, done, current))
        return current;
    for (uint32_t t = program->threads; t-- > 0;) {
        if (has_ended(program, done, t))
            continue;
        if (!waits(program, done, t))
            return THREADS;
        first = t;
    }
    return first;
}

static uint32_t length_of(const struct program *program)
{
    uint32_t sum = 0;

    for (uint32_t t = 0; t < program->threads; t++)
        sum += program->lengths[t];
    return sum;
}

/* Could the operation stand first among those that are left? */
static bool may_be_first(const struct fw_control_candidate *const ops[ALL], const bool gone[ALL],
                         uint32_t at)
{
    for (uint32_t i = 0; i < at; i++)
        if (!gone[i] &&
            (ops[i]->thread == ops[at]->thread || fw_candidates_depend(ops[i], ops[at])))
            return false;
    return true;
}

/* The least of all interleavings with the same order of dependent operations: the lowest thread
 * that may goes first. */
static void make_least(const struct program *program, uint8_t order[ALL])
{
    const struct fw_control_candidate *ops[ALL] = { NULL };
    uint32_t done[THREADS] = { 0 }, length = length_of(program);
    bool gone[ALL] = { false };

    for (uint32_t i = 0; i < length; i++)
        ops[i] = &program->ops[order[i]][done[order[i]]++];
    for (uint32_t place = 0; place < length; place++) {
        uint32_t first = length;

        for (uint32_t i = 0; i < length; i++)
            if (!gone[i] && may_be_first(ops, gone, i) &&
                (first == length || ops[i]->thread < ops[first]->thread))
                first = i;
        gone[first] = true;
        order[place] = (uint8_t)ops[first]->thread;
    }
}

static struct trace *find(struct trace_vec *traces, const uint8_t order[ALL])
{
    struct trace trace = { .preemptions = UINT32_MAX };

    for (size_t i = 0; i < traces->len; i++)
        if (memcmp(traces->at[i].order, order, ALL) == 0)
            return &traces->at[i];
    memcpy(trace.order, order, ALL);
    fw_vec_push(traces, trace);
    return &fw_vec_last(traces);
}

struct walk {
    const struct program *program;
    struct trace_vec *traces;
    uint8_t order[ALL];
    uint32_t done[THREADS];
};

static void walk_all(struct walk *walk, uint32_t at, uint32_t current, uint32_t preemptions)
{
    const struct program *program = walk->program;

    if (at == length_of(program)) {
        uint8_t least[ALL];
        struct trace *trace;

        memcpy(least, walk->order, ALL);
        make_least(program, least);
        trace = find(walk->traces, least);
        if (preemptions < trace->preemptions)
            trace->preemptions = preemptions;
        return;
    }
    for (uint32_t t = 0; t < program->threads; t++) {
        uint32_t goes_on = who_goes_on(program, walk->done, current);
        bool costs;

        if (has_ended(program, walk->done, t))
            continue;
        costs = goes_on < THREADS ? t != goes_on : waits(program, walk->done, t);
        walk->order[at] = (uint8_t)t;
        walk->done[t]++;
        walk_all(walk, at + 1, t, preemptions + costs);
        walk->done[t]--;
    }
}

/* --- one run --------------------------------------------------------------------------------- */

struct machine {
    const struct program *program;
    const struct fw_run_order *order;
    uint32_t done[THREADS], made, current;
    struct fw_control_candidate asleep[THREADS];
    uint32_t sleeping;
    FW_VEC(char) decisions;
    uint8_t executed[ALL];
    uint32_t count;
};

static bool is_asleep(const struct machine *machine, uint32_t thread)
{
    for (uint32_t i = 0; i < machine->sleeping; i++)
        if (machine->asleep[i].thread == thread)
            return true;
    return false;
}

static void tell(struct machine *machine, const struct fw_decision *decision)
{
    const char *head = (const char *)&decision->head;
    const char *candidates = (const char *)decision->candidates;

    for (size_t i = 0; i < sizeof decision->head; i++)
        fw_vec_push(&machine->decisions, head[i]);
    for (size_t i = 0; i < decision->head.count * sizeof *decision->candidates; i++)
        fw_vec_push(&machine->decisions, candidates[i]);
}

/* The place of who runs; FW_CONTROL_NONE: all sleep. */
static uint32_t choose(const struct machine *machine, const struct fw_decision *decision)
{
    const struct fw_run_order *order = machine->order;
    uint32_t chosen = decision->head.current;

    if (decision->head.count > 1 && machine->made < order->choice_count) {
        for (uint32_t i = 0; i < decision->head.count; i++)
            if (decision->candidates[i].thread == order->choices[machine->made])
                return i;
        fail_msg("a choice is no candidate");
    }
    if (chosen != FW_CONTROL_NONE && !is_asleep(machine, decision->candidates[chosen].thread))
        return chosen;
    for (uint32_t expires = 0; expires <= FW_CANDIDATE_EXPIRES; expires += FW_CANDIDATE_EXPIRES)
        for (uint32_t i = 0; i < decision->head.count; i++)
            if ((decision->candidates[i].flags & FW_CANDIDATE_EXPIRES) == expires &&
                !is_asleep(machine, decision->candidates[i].thread))
                return i;
    return FW_CONTROL_NONE;
}

static void sleep_or_wake(struct machine *machine, const struct fw_decision *decision,
                          const struct fw_control_candidate *runs)
{
    const struct fw_run_order *order = machine->order;
    uint32_t left = 0;

    for (uint32_t i = 0; i < machine->sleeping; i++)
        if (!fw_candidates_depend(&machine->asleep[i], runs))
            machine->asleep[left++] = machine->asleep[i];
    machine->sleeping = left;
    if (decision->head.count < 2 || ++machine->made != order->choice_count)
        return;
    for (uint32_t i = 0; i < order->sleep_count; i++)
        for (uint32_t k = 0; k < decision->head.count; k++)
            if (decision->candidates[k].thread == order->choices[order->choice_count + i])
                machine->asleep[machine->sleeping++] = decision->candidates[k];
}

/* One step; false: everybody has ended, or sleeps. */
static bool step(struct machine *machine)
{
    const struct program *program = machine->program;
    struct fw_control_candidate candidates[THREADS];
    struct fw_decision decision = { .head.current = FW_CONTROL_NONE, .candidates = candidates };
    uint32_t goes_on = who_goes_on(program, machine->done, machine->current);
    const struct fw_control_candidate *runs;

    for (uint32_t t = 0; t < program->threads; t++) {
        if (has_ended(program, machine->done, t))
            continue;
        if (t == goes_on)
            decision.head.current = decision.head.count;
        candidates[decision.head.count++] = program->ops[t][machine->done[t]];
    }
    if (!decision.head.count)
        return false;
    decision.head.chosen = choose(machine, &decision);
    if (decision.head.chosen == FW_CONTROL_NONE)
        return false;
    tell(machine, &decision);
    runs = &candidates[decision.head.chosen];
    sleep_or_wake(machine, &decision, runs);
    machine->current = runs->thread;
    machine->done[runs->thread]++;
    machine->executed[machine->count++] = (uint8_t)runs->thread;
    return true;
}

/* Runs a slot of the search's round; true: to its end. */
static bool run_slot(struct fw_chess *chess, size_t slot, const struct program *program,
                     uint8_t executed[ALL])
{
    struct fw_run_order order = { 0 };
    struct machine machine = { .program = program, .order = &order, .current = FW_CONTROL_NONE };
    struct fw_trial trial = { .number = 2 };

    fw_chess_order(chess, slot, &order);
    while (step(&machine))
        ;
    trial.decisions = machine.decisions.at;
    trial.decision_bytes = machine.decisions.len;
    assert_true(fw_chess_learn(chess, slot, &trial));
    memcpy(executed, machine.executed, ALL);
    fw_vec_release(&machine.decisions);
    return machine.count == length_of(program);
}

/* --- comparing ------------------------------------------------------------------------------- */

struct search {
    struct trace_vec found;
    unsigned runs, complete;
};

static struct search search(const struct program *program, uint32_t bound, size_t round)
{
    struct fw_chess *chess = fw_chess_create(bound);
    struct search result = { 0 };
    uint8_t executed[ALL];
    size_t count;

    while ((count = fw_chess_plan(chess, round)) > 0)
        for (size_t slot = 0; slot < count; slot++) {
            bool complete = run_slot(chess, slot, program, executed);

            result.runs++;
            result.complete += complete;
            if (!complete)
                continue;
            make_least(program, executed);
            find(&result.found, executed);
        }
    fw_chess_destroy(chess);
    return result;
}

static struct trace_vec all_traces(const struct program *program)
{
    struct trace_vec traces = { 0 };
    struct walk walk = { .program = program, .traces = &traces };

    walk_all(&walk, 0, THREADS, 0);
    return traces;
}

static struct program program_of(uint64_t seed)
{
    struct fw_random random;

    fw_random_init(&random, seed);
    return make_program(&random);
}

#define PROGRAMS 300u

static void test_without_a_bound_every_trace_is_run_once(void **unused)
{
    (void)unused;
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
        struct program program = program_of(seed);
        struct trace_vec all = all_traces(&program);
        struct search found = search(&program, FW_ANY_PREEMPTIONS, 1 + seed % 5);

        if (found.complete != all.len || found.found.len != all.len)
            fail_msg("seed %u: %zu traces, %zu found in %u runs", (unsigned)seed, all.len,
                     found.found.len, found.complete);
        fw_vec_release(&all);
        fw_vec_release(&found.found);
    }
}

static void test_within_a_bound_no_trace_is_missed(void **unused)
{
    (void)unused;
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++)
        for (uint32_t bound = 0; bound < 4; bound++) {
            struct program program = program_of(seed);
            struct trace_vec all = all_traces(&program);
            struct search found = search(&program, bound, 1 + seed % 5);

            for (size_t i = 0; i < all.len; i++) {
                size_t before = found.found.len;

                find(&found.found, all.at[i].order);
                if (all.at[i].preemptions <= bound && found.found.len > before)
                    fail_msg("seed %u: a trace with %u preemptions is missed with a bound of %u",
                             (unsigned)seed, all.at[i].preemptions, bound);
            }
            fw_vec_release(&all);
            fw_vec_release(&found.found);
        }
}

/* States that are the same are planned once: there are fewer runs than interleavings. */
static void test_within_a_bound_states_are_not_searched_again(void **unused)
{
    struct program program = { .threads = 3, .lengths = { 3, 3, 3 } };
    struct search found;

    (void)unused;
    for (uint32_t t = 0; t < 3; t++)
        for (uint32_t i = 0; i < 3; i++)
            program.ops[t][i] = (struct fw_control_candidate) {
                .thread = t, .object = 64 + 64 * t, .size = 8, .flags = FW_CANDIDATE_WRITES
            };
    found = search(&program, 9, 1); /* of 1680 interleavings, with 64 states */
    assert_true(found.runs < 400);
    assert_int_equal(found.found.len, 1);
    fw_vec_release(&found.found);
}

/* --- hashes ---------------------------------------------------------------------------------- */

static uint64_t hash_of(const struct fw_control_candidate *ops, const unsigned *order,
                        unsigned count)
{
    struct fw_decision none = { .head = { .count = 0 } };
    struct fw_trace_hash hash;
    uint64_t state;

    fw_trace_hash_init(&hash);
    for (unsigned i = 0; i < count; i++)
        fw_trace_hash_add(&hash, &ops[order[i]]);
    state = fw_trace_hash_state(&hash, &none);
    fw_trace_hash_release(&hash);
    return state;
}

static void test_equal_traces_have_equal_hashes_and_others_have_not(void **unused)
{
    static const struct fw_control_candidate ops[] = {
        { .thread = 0, .object = 64, .size = 8, .flags = FW_CANDIDATE_WRITES },
        { .thread = 1, .object = 64, .size = 8 },
        { .thread = 2, .object = 64, .size = 8 },
        { .thread = 3, .object = 128, .size = 8, .flags = FW_CANDIDATE_WRITES },
        { .thread = 4, .flags = FW_CANDIDATE_GLOBAL },
        { .thread = 5, .flags = FW_CANDIDATE_NOTHING },
    };
    uint64_t plain = hash_of(ops, (unsigned[]) { 0, 1, 2, 3 }, 4);

    (void)unused;
    assert_int_equal(plain, hash_of(ops, (unsigned[]) { 3, 0, 2, 1 }, 4)); /* reads commute */
    assert_int_not_equal(plain, hash_of(ops, (unsigned[]) { 1, 0, 2, 3 }, 4));
    assert_int_not_equal(plain, hash_of(ops, (unsigned[]) { 1, 2, 0, 3 }, 4));
    assert_int_not_equal(hash_of(ops, (unsigned[]) { 3, 4 }, 2),
                         hash_of(ops, (unsigned[]) { 4, 3 }, 2));
    assert_int_equal(hash_of(ops, (unsigned[]) { 0, 5 }, 2),
                     hash_of(ops, (unsigned[]) { 5, 0 }, 2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_without_a_bound_every_trace_is_run_once),
        cmocka_unit_test(test_within_a_bound_no_trace_is_missed),
        cmocka_unit_test(test_within_a_bound_states_are_not_searched_again),
        cmocka_unit_test(test_equal_traces_have_equal_hashes_and_others_have_not),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
