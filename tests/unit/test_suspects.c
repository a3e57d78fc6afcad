/*
 * test_suspects.c - what the predictors prove about small traces, and what
 * they must stay silent about.
 *
 * Each case has a twin that differs in one thing.  Events are named by their
 * position, from 0.  With --pairs=all unless a test says otherwise.
 */
#include "predict/cycles.h"
#include "support/expect.h"
#include "support/predicted.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static const struct fw_predict_options every = { .pairs_all = true };

static void says_with(const struct fw_predictor *predictor,
                      const struct fw_predict_options *options, const char *trace_text,
                      const char *expected)
{
    struct fw_trace *trace = fw_load_line(trace_text);
    char *answer = fw_predicted_answer(predictor, trace, options, true);

    assert_string_equal(answer, expected);
    free(answer);
    fw_trace_destroy(trace);
}

static void says(const struct fw_predictor *predictor, const char *trace_text, const char *expected)
{
    says_with(predictor, &every, trace_text, expected);
}

#define RACE      &fw_predictor_race
#define DEADLOCK  &fw_predictor_deadlock
#define ATOMICITY &fw_predictor_atomicity
#define NONDET    &fw_predictor_nondet

/* --- example traces ---------------------------------------------------------------------- */

static char *say_predictor(const struct fw_trace *trace, void *context)
{
    const struct fw_predictor *predictor = context;
    /* The examples are about accesses at most a hundred own events apart, in one activation. */
    struct fw_predict_options near = { .cap = UINT32_MAX / 4 };

    return fw_predicted_answer(predictor, trace,
                               predictor->claim == FW_CLAIM_ATOMICITY ? &near : &every, false);
}

static void example_traces_get_their_answers(void **state)
{
    static const struct fw_predictor *const all[] = { RACE, DEADLOCK, ATOMICITY, NONDET };

    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        assert_int_equal(fw_expect_traces(all[i]->name, say_predictor, (void *)(uintptr_t)all[i]),
                         0);
}

/* --- race -------------------------------------------------------------------------------- */

static void conflicting_accesses_race_unless_a_lock_is_held(void **state)
{
    (void)state;
    says(RACE, "T1|w(x) T2|w(x)", "(0,1)");
    says(RACE, "T1|r(x) T2|r(x)", "none");
    says(RACE, "T1|acq(l) T1|w(x) T1|rel(l) T2|acq(l) T2|w(x) T2|rel(l)", "none");
    says(RACE, "T1|acq(l) T1|w(x) T1|rel(l) T2|acq(m) T2|w(x) T2|rel(m)", "(1,4)");
}

static void readers_of_a_lock_race_with_each_other_only(void **state)
{
    (void)state;
    says(RACE, "T1|racq(l) T1|w(x) T1|rrel(l) T2|racq(l) T2|w(x) T2|rrel(l)", "(1,4)");
    says(RACE, "T1|racq(l) T1|w(x) T1|rrel(l) T2|acq(l) T2|w(x) T2|rel(l)", "none");
}

static void fork_and_join_order_accesses(void **state)
{
    (void)state;
    says(RACE, "T0|w(x) T0|fork(T1) T1|w(x) T0|join(T1) T0|w(x)", "none");
    says(RACE, "T0|fork(T1) T0|w(x) T1|w(x) T0|join(T1)", "(1,2)");
    says(RACE, "T0|fork(T1) T1|w(x) T0|w(x) T0|join(T1)", "(1,2)");
}

/* The load needs the store, but is next without it: the must-order is not asked about it. */
static void a_synchronised_load_races_before_its_store(void **state)
{
    (void)state;
    says(RACE, "T1|w(x) T1|ast(x) T2|ald(x)", "(0,2)");
    says(RACE, "T1|w(x) T1|ast(f) T2|ald(f) T2|ald(x)", "none");
    says(RACE, "T1|w(x) T1|ast(f)|a|ord=rlx T2|ald(f) T2|ald(x)", "none"); /* strict */
}

static void a_free_against_an_access_is_a_use_after_free(void **state)
{
    (void)state;
    says(RACE, "T1|alloc(x) T1|fork(T2) T2|r(x) T1|free(x)", "use-after-free(2,3)");
    says(RACE, "T1|alloc(x) T1|fork(T2) T2|r(x) T1|join(T2) T1|free(x)", "none");
    says(RACE, "T1|fork(T2) T2|free(x) T1|free(x)", "double-free(1,2)");
}

/* Figure 1 of Cai et al.: e2 and e9 race if no branch depends on the read of x. */
static void figure_1_races_with_branches_only(void **state)
{
    (void)state;
    says(RACE, "T2|acq(l) T2|r(y) T2|w(x) T2|rel(l) T1|acq(l) T1|r(x) T1|w(x) T1|rel(l) T1|w(y)",
         "none");
    says(RACE,
         "T2|acq(l) T2|r(y) T2|w(x) T2|rel(l) T2|br T1|acq(l) T1|r(x) T1|w(x) T1|rel(l) T1|w(y)",
         "(1,9)");
    says(RACE,
         "T2|acq(l) T2|r(y) T2|w(x) T2|rel(l) T1|acq(l) T1|r(x) T1|br T1|w(x) T1|rel(l) T1|w(y)",
         "none");
}

/* --- deadlock ---------------------------------------------------------------------------- */

static void opposite_orders_deadlock_unless_a_gate_is_held(void **state)
{
    (void)state;
    says(DEADLOCK,
         "T1|acq(a) T1|acq(b) T1|rel(b) T1|rel(a) T2|acq(b) T2|acq(a) T2|rel(a) T2|rel(b)",
         "(1,5)");
    says(DEADLOCK,
         "T1|acq(a) T1|acq(b) T1|rel(b) T1|rel(a) T2|acq(a) T2|acq(b) T2|rel(b) T2|rel(a)", "none");
    says(DEADLOCK,
         "T1|acq(g) T1|acq(a) T1|acq(b) T1|rel(b) T1|rel(a) T1|rel(g) T2|acq(g) T2|acq(b) "
         "T2|acq(a) T2|rel(a) T2|rel(b) T2|rel(g)",
         "none");
    says(DEADLOCK,
         "T1|racq(g) T1|acq(a) T1|acq(b) T1|rel(b) T1|rel(a) T1|rrel(g) T2|racq(g) T2|acq(b) "
         "T2|acq(a) T2|rel(a) T2|rel(b) T2|rrel(g)",
         "(2,8)");
}

static void readers_do_not_wait_for_readers(void **state)
{
    (void)state;
    says(DEADLOCK,
         "T1|racq(a) T1|acq(b) T1|rel(b) T1|rrel(a) T2|acq(b) T2|racq(a) T2|rrel(a) T2|rel(b)",
         "none");
    says(DEADLOCK,
         "T1|racq(a) T1|acq(b) T1|rel(b) T1|rrel(a) T2|acq(b) T2|acq(a) T2|rel(a) T2|rel(b)",
         "(1,5)");
}

static void tries_do_not_wait(void **state)
{
    (void)state;
    says(DEADLOCK,
         "T1|acq(a) T1|tryacq(b) T1|rel(b) T1|rel(a) T2|acq(b) T2|acq(a) T2|rel(a) T2|rel(b)",
         "none");
    says(DEADLOCK,
         "T1|tryacq(a) T1|acq(b) T1|rel(b) T1|rel(a) T2|acq(b) T2|acq(a) T2|rel(a) T2|rel(b)",
         "(1,5)");
}

/* Both readers of a keep T3 waiting, but each pair is a deadlock without the other. */
static void only_minimal_sets_are_deadlocks(void **state)
{
    (void)state;
    says(DEADLOCK,
         "T1|racq(a) T1|acq(b) T1|rel(b) T1|rrel(a) T2|racq(a) T2|acq(b) T2|rel(b) T2|rrel(a) "
         "T3|acq(b) T3|acq(a) T3|rel(a) T3|rel(b)",
         "(1,9) (5,9)");
    says(DEADLOCK,
         "T1|acq(a) T1|acq(b) T1|rel(b) T1|rel(a) T2|acq(b) T2|acq(c) T2|rel(c) T2|rel(b) "
         "T3|acq(c) T3|acq(a) T3|rel(a) T3|rel(c)",
         "(1,5,9)");
}

/* T1 waits for both readers of x, of which T3 waits for T1: T2 between them is not needed. */
static void a_chord_makes_a_longer_cycle_superfluous(void **state)
{
    (void)state;
    says(DEADLOCK,
         "T1|acq(z) T1|acq(x) T1|rel(x) T1|rel(z) T2|racq(x) T2|acq(y) T2|rel(y) T2|rrel(x) "
         "T3|racq(x) T3|acq(y) T3|acq(z) T3|rel(z) T3|rel(y) T3|rrel(x)",
         "(1,10)");
    says(DEADLOCK,
         "T2|racq(x) T2|acq(y) T2|rel(y) T2|rrel(x) T1|acq(z) T1|acq(x) T1|rel(x) T1|rel(z) "
         "T3|racq(x) T3|acq(y) T3|acq(z) T3|rel(z) T3|rel(y) T3|rrel(x)",
         "(5,10)");
    says(DEADLOCK,
         "T1|acq(z) T1|acq(x) T1|rel(x) T1|rel(z) T2|racq(x) T2|acq(y) T2|rel(y) T2|rrel(x) "
         "T3|acq(y) T3|acq(z) T3|rel(z) T3|rel(y)",
         "(1,5,9)");
}

static uint32_t count_cycles(const struct fw_index *index, const struct fw_lanes *lanes,
                             uint64_t slice)
{
    struct fw_cycles *cycles = fw_cycles_create(index, lanes, NULL, NULL);
    uint64_t budget = slice;
    const uint32_t *found;
    uint32_t count, sum = 0;

    fw_cycles_start(cycles, 0);
    do {
        budget = budget ? budget : slice;
        while (fw_cycles_next(cycles, &found, &count, slice ? &budget : NULL))
            sum += count;
    } while (slice && budget == 0);
    fw_cycles_destroy(cycles);
    return sum;
}

/* Three threads, each of which takes every two of three locks in both orders. */
static void a_search_for_cycles_can_be_interrupted(void **state)
{
    struct fw_lanes lanes = { 0 };
    struct fw_trace *trace;
    struct fw_index *index;
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    uint32_t whole;

    (void)state;
    for (int i = 0; i < 27; i++)
        if (i / 3 % 3 != i % 3)
            fprintf(stream, "%sT%d|acq(l%d) T%d|acq(l%d) T%d|rel(l%d) T%d|rel(l%d)",
                    ftell(stream) ? " " : "", i / 9, i / 3 % 3, i / 9, i % 3, i / 9, i % 3, i / 9,
                    i / 3 % 3);
    fclose(stream);
    trace = fw_load_line(text);
    index = fw_index_create(trace);
    for (uint32_t i = 1; i < trace->count; i += 4) {
        struct fw_lane_key key = { .thread = trace->events[i].thread,
                                   .locks = index->lock_set[i],
                                   .sites = { 0, trace->events[i].target * 2 } };

        fw_lanes_add(&lanes, &key, (struct fw_span) { i, i });
    }
    fw_lanes_finish(&lanes);
    whole = count_cycles(index, &lanes, 0);
    assert_int_equal(whole, 3 * 2 * 3 * 2 + 3 * 12); /* pairs: 18; of three: 12 */
    assert_int_equal(count_cycles(index, &lanes, 1), whole);
    assert_int_equal(count_cycles(index, &lanes, 3), whole);
    fw_lanes_release(&lanes);
    fw_index_destroy(index);
    fw_trace_destroy(trace);
    free(text);
}

/* One deadlock has one name, whichever thread came first in the trace. */
static void a_deadlock_begins_at_its_first_site_by_name(void **state)
{
    struct fw_predict_options by_site = { .cap = 8 };

    (void)state;
    says_with(DEADLOCK, &by_site,
              "T1|acq(b)|s1 T1|acq(a)|s2 T1|rel(a) T1|rel(b) T2|acq(a)|s3 T2|acq(b)|s1 T2|rel(b) "
              "T2|rel(a)",
              "(5,1)");
}

/* --- atomicity --------------------------------------------------------------------------- */

static void the_four_patterns_are_violations(void **state)
{
    (void)state;
    says(ATOMICITY, "T1|r(x) T1|r(x) T2|w(x)", "(0,2,1)");
    says(ATOMICITY, "T1|w(x) T1|r(x) T2|w(x)", "(0,2,1)");
    says(ATOMICITY, "T1|w(x) T1|w(x) T2|r(x)", "(0,2,1)");
    says(ATOMICITY, "T1|r(x) T1|w(x) T2|w(x)", "(0,2,1)");
    says(ATOMICITY, "T1|r(x) T1|r(x) T2|r(x)", "none");
    says(ATOMICITY, "T1|w(x) T1|w(x) T2|w(x)", "none");
    says(ATOMICITY, "T1|r(x) T1|w(x) T2|r(x)", "none");
    says(ATOMICITY, "T1|w(x) T1|r(x) T2|r(x)", "none");
}

static void a_lock_protects_only_if_it_is_held_throughout(void **state)
{
    (void)state;
    says(ATOMICITY, "T1|acq(l) T1|r(x) T1|w(x) T1|rel(l) T2|acq(l) T2|w(x) T2|rel(l)", "none");
    says(ATOMICITY,
         "T1|acq(l) T1|r(x) T1|rel(l) T1|acq(l) T1|w(x) T1|rel(l) T2|acq(l) T2|w(x) T2|rel(l)",
         "(1,7,4)");
    says(ATOMICITY,
         "T1|acq(m) T1|acq(l) T1|r(x) T1|rel(l) T1|acq(l) T1|w(x) T1|rel(l) T1|rel(m) T2|acq(m) "
         "T2|w(x) T2|rel(m)",
         "none");
}

static void only_accesses_of_one_scope_belong_together(void **state)
{
    struct fw_predict_options by_site = { .cap = 8 }, window = { .window = 1 };

    (void)state;
    says(ATOMICITY, "T1|begin(a) T1|r(x) T1|w(x) T1|end(a) T2|w(x)", "(1,4,2)");
    says(ATOMICITY, "T1|begin(a) T1|r(x) T1|end(a) T1|w(x) T2|w(x)", "none");
    says_with(ATOMICITY, &by_site, "T1|call(f) T1|r(x) T1|ret(f) T1|w(x) T2|w(x)", "none");
    says_with(ATOMICITY, &by_site, "T1|call(f) T1|r(x) T1|w(x) T1|ret(f) T2|w(x)", "(1,4,2)");
    says(ATOMICITY, "T1|call(f) T1|r(x) T1|ret(f) T1|w(x) T2|w(x)", "(1,4,3)");
    says_with(ATOMICITY, &window, "T1|r(x) T1|w(x) T2|w(x)", "(0,2,1)");
    says_with(ATOMICITY, &window, "T1|r(x) T1|r(y) T1|w(x) T2|w(x)", "none");
}

/* Algorithm 5 and figure 5 (c) of Cai et al. */
static void a_read_in_a_third_thread_counts_on_request(void **state)
{
    static const char trace[] = "T1|acq(l) T1|w(x) T1|rel(l) T2|acq(l) T2|w(x) T2|rel(l) T3|acq(l) "
                                "T3|r(x) T3|rel(l)";
    struct fw_predict_options third = { .pairs_all = true, .third_thread = true };

    (void)state;
    says(ATOMICITY, trace, "none");
    says_with(ATOMICITY, &third, trace, "read-in-a-third-thread(4,1,7)");
    says_with(ATOMICITY, &third, "T1|w(x) T1|fork(T2) T2|w(x) T2|fork(T3) T3|r(x) T3|br T3|w(y)",
              "none");
}

static void two_variables_belong_together_on_request(void **state)
{
    static const char trace[] = "T1|w(x)|a T1|w(y)|b T2|r(x)|c T2|r(y)|d";
    struct fw_predict_options two = { .pairs_all = true, .two_variables = true };
    struct fw_predict_options by_site = { .two_variables = true };

    (void)state;
    says(ATOMICITY, trace, "none");
    says_with(ATOMICITY, &two, trace, "two-variables(0,2,3,1)");
    says_with(ATOMICITY, &by_site, trace, "two-variables(0,2,3,1)");
    says_with(ATOMICITY, &two, "T1|r(x) T1|w(y) T2|r(x) T2|r(y)", "none");
    says_with(ATOMICITY, &two,
              "T1|acq(l) T1|w(x) T1|w(y) T1|rel(l) T2|acq(l) T2|r(x) T2|r(y) T2|rel(l)", "none");
    says_with(ATOMICITY, &two,
              "T1|acq(l) T1|w(x) T1|rel(l) T1|acq(l) T1|w(y) T1|rel(l) T2|acq(l) T2|r(y) T2|r(x) "
              "T2|rel(l) T2|br",
              "two-variables(1,7,8,4)");
    says_with(ATOMICITY, &two,
              "T1|begin(a) T1|w(x) T1|end(a) T1|w(y) T2|begin(b) T2|r(x) T2|r(y) T2|end(b)",
              "none");
}

/* --- nondeterminism ---------------------------------------------------------------------- */

static void a_read_may_see_another_write_or_none(void **state)
{
    (void)state;
    says(NONDET, "T1|w(x) T2|r(x)", "1:-");
    says(NONDET, "T1|w(x) T1|fork(T2) T2|r(x)", "none");
    says(NONDET, "T2|r(x) T1|w(x)", "0:1");
    says(NONDET, "T1|w(x) T2|w(x) T3|r(x)", "2:- 2:0");
    says(NONDET, "T1|w(x) T1|r(x)", "none");
}

static void a_read_may_see_the_write_of_its_own_thread(void **state)
{
    (void)state;
    says(NONDET, "T1|w(x) T2|w(x) T1|r(x)", "2:0");
    says(NONDET, "T1|w(x) T1|w(x) T2|w(x) T1|r(x)", "3:1");
}

/* The source orders the challenger before the read, but not that nothing comes between. */
static void a_read_sees_no_write_behind_a_later_one(void **state)
{
    (void)state;
    says(NONDET, "T1|w(x) T1|w(x) T1|fork(T2) T3|w(x) T2|r(x)", "4:1");
    says(NONDET, "T1|w(x) T1|fork(T2) T1|w(x) T3|w(x) T2|r(x)", "4:0 4:2");
}

/* The source orders whole sections, also where only the beginning of one is needed. */
static void a_section_need_not_be_complete(void **state)
{
    (void)state;
    says(NONDET, "T2|r(x) T2|acq(l) T2|w(y) T2|rel(l) T1|acq(l) T1|w(x) T1|r(y) T1|rel(l)",
         "0:5 6:-");
    says(NONDET, "T2|acq(l) T2|r(x) T2|w(y) T2|rel(l) T1|acq(l) T1|r(y) T1|w(x) T1|rel(l)", "5:-");
}

static void a_load_that_synchronised_is_determined(void **state)
{
    (void)state;
    says(NONDET, "T1|ast(x) T2|ald(x)", "none");
    says(NONDET, "T1|ast(x)|a|ord=rlx T2|ald(x)", "1:-");
}

/* --- orders ------------------------------------------------------------------------------ */

/* Figure 2 of Cai et al.: e6, e18, e12 can come in this order; e18 never before e6. */
static void figure_2_has_its_order(void **state)
{
    struct fw_trace *trace = fw_load_line(
        "T2|acq(l2) T2|w(x) T2|rel(l2) T3|w(y) T3|acq(l2) T3|w(p) T3|w(x) T3|rel(l2) T1|acq(l1) "
        "T1|r(x) T1|br T1|w(p) T1|w(y) T1|rel(l1) T2|acq(l1) T2|r(x) T2|br T2|r(p) T2|acq(l2) "
        "T2|r(y) T2|rel(l2) T2|rel(l1)");
    struct fw_index *index = fw_index_create(trace);
    struct fw_core *core = fw_core_create(index, NULL);
    struct fw_solver *solver = fw_solver_create(core, NULL);
    static const uint32_t can[] = { 5, 17, 11 }, cannot[] = { 17, 5, 11 };

    (void)state;
    assert_int_equal(fw_solver_ask(solver, FW_CLAIM_ORDER, can, 3), FW_FEASIBLE);
    assert_int_equal(fw_solver_ask(solver, FW_CLAIM_ORDER, cannot, 3), FW_INFEASIBLE);
    fw_solver_destroy(solver);
    fw_core_destroy(core);
    fw_index_destroy(index);
    fw_trace_destroy(trace);
}

/* --- default mode ------------------------------------------------------------------------ */

/* Three variables at one pair of sites, two pairs on each: one of each comes first. */
static const char many[] = "T1|w(x)|a T1|w(y)|a T1|w(z)|a T2|w(x)|b T2|w(y)|b T2|w(z)|b "
                           "T2|w(x)|b T2|w(y)|b T2|w(z)|b";

static struct fw_core *core_of(struct fw_trace **trace, struct fw_index **index, const char *text)
{
    *trace = fw_load_line(text);
    *index = fw_index_create(*trace);
    return fw_core_create(*index, NULL);
}

static void check_units(const char *text, uint32_t cap, const uint32_t (*suspects)[2], size_t count,
                        uint64_t left, uint64_t left_out)
{
    struct fw_predict_options options = { .cap = cap };
    struct fw_unit unit = { 0 };
    struct fw_trace *trace;
    struct fw_index *index;
    struct fw_core *core = core_of(&trace, &index, text);
    void *race = fw_predictor_race.create(core, &options);
    uint64_t sum = 0;

    assert_true(fw_predictor_race.next(race, &unit));
    assert_int_equal(unit.suspects.len, count);
    for (size_t i = 0; i < count; i++) {
        assert_memory_equal(unit.events.at + unit.suspects.at[i].first, suspects[i],
                            sizeof suspects[i]);
        sum += unit.suspects.at[i].left;
    }
    assert_int_equal(sum, left);
    sum = unit.left;
    while (fw_predictor_race.next(race, &unit)) {
        assert_int_equal(unit.suspects.len, 0);
        sum += unit.left;
    }
    assert_int_equal(sum, left_out);
    fw_predictor_race.destroy(race);
    fw_predicted_release(&unit);
    fw_core_destroy(core);
    fw_index_destroy(index);
    fw_trace_destroy(trace);
}

static void a_unit_has_one_suspect_of_each_variable_first(void **state)
{
    static const uint32_t all[][2] = { { 0, 3 }, { 1, 4 }, { 2, 5 }, { 0, 6 }, { 1, 7 }, { 2, 8 } };

    (void)state;
    check_units(many, 0, all, 6, 0, 0);
    check_units(many, 4, all, 4, 2, 0); /* left: one of y, one of z */
    check_units(many, 2, all, 2, 2, 2); /* left: one of x, one of y, and z altogether */
}

/* A hot variable: few suspects, the others are counted. */
static void a_hot_variable_gives_few_suspects(void **state)
{
    struct fw_predict_options options = { .cap = 0 };
    struct fw_unit all = { 0 };
    size_t size;
    char *text = NULL;
    FILE *stream = open_memstream(&text, &size);
    struct fw_trace *trace;
    struct fw_index *index;
    struct fw_core *core;

    (void)state;
    for (int i = 0; i < 2000; i++)
        fprintf(stream, "%sT%d|w(x)|s%d", i ? " " : "", i % 2, i % 2);
    fclose(stream);
    core = core_of(&trace, &index, text);
    fw_predicted_collect(&fw_predictor_race, core, &options, &all);
    assert_int_equal(all.suspects.len, FW_PREDICT_CAP);
    assert_int_equal(all.suspects.at[0].left + all.suspects.len, 1000000);
    fw_predicted_release(&all);
    fw_core_destroy(core);
    fw_index_destroy(index);
    fw_trace_destroy(trace);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(example_traces_get_their_answers),
        cmocka_unit_test(conflicting_accesses_race_unless_a_lock_is_held),
        cmocka_unit_test(readers_of_a_lock_race_with_each_other_only),
        cmocka_unit_test(fork_and_join_order_accesses),
        cmocka_unit_test(a_synchronised_load_races_before_its_store),
        cmocka_unit_test(a_free_against_an_access_is_a_use_after_free),
        cmocka_unit_test(figure_1_races_with_branches_only),
        cmocka_unit_test(opposite_orders_deadlock_unless_a_gate_is_held),
        cmocka_unit_test(readers_do_not_wait_for_readers),
        cmocka_unit_test(tries_do_not_wait),
        cmocka_unit_test(only_minimal_sets_are_deadlocks),
        cmocka_unit_test(a_chord_makes_a_longer_cycle_superfluous),
        cmocka_unit_test(a_search_for_cycles_can_be_interrupted),
        cmocka_unit_test(a_deadlock_begins_at_its_first_site_by_name),
        cmocka_unit_test(the_four_patterns_are_violations),
        cmocka_unit_test(a_lock_protects_only_if_it_is_held_throughout),
        cmocka_unit_test(only_accesses_of_one_scope_belong_together),
        cmocka_unit_test(a_read_in_a_third_thread_counts_on_request),
        cmocka_unit_test(two_variables_belong_together_on_request),
        cmocka_unit_test(a_read_may_see_another_write_or_none),
        cmocka_unit_test(a_read_may_see_the_write_of_its_own_thread),
        cmocka_unit_test(a_read_sees_no_write_behind_a_later_one),
        cmocka_unit_test(a_section_need_not_be_complete),
        cmocka_unit_test(a_load_that_synchronised_is_determined),
        cmocka_unit_test(figure_2_has_its_order),
        cmocka_unit_test(a_unit_has_one_suspect_of_each_variable_first),
        cmocka_unit_test(a_hot_variable_gives_few_suspects),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
