/* predicted.c - see predicted.h. */
#include "support/predicted.h"

#include "support/expect.h"
#include "support/oracle_internal.h"

#include "base/bug.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define STATES 200000u /* of the oracle; traces with more are left out */
#define SMALL  14u     /* events of a trace of which every tuple is tried */

/* What is being compared; the property is a plain function, so this is no argument of it. */
static const struct fw_predictor *compared;
static uint64_t suspected, proved, missed, left_out, refuted, orders;

struct run {
    const struct fw_trace *trace;
    struct fw_core *core;
    struct fw_solver *solver;
    struct fw_verifier *verifier;
    struct fw_oracle_findings findings;
    bool exact;  /* a miss is a failure */
    bool values; /* reads may see another write of their value */
    char *why;
    size_t size;
};

void fw_predicted_release(struct fw_unit *unit)
{
    fw_vec_release(&unit->events);
    fw_vec_release(&unit->suspects);
}

void fw_predicted_collect(const struct fw_predictor *predictor, const struct fw_core *core,
                          const struct fw_predict_options *options, struct fw_unit *all)
{
    void *state = predictor->create(core, options);
    struct fw_unit unit = { 0 };

    while (predictor->next(state, &unit)) {
        for (size_t i = 0; i < unit.suspects.len; i++) {
            struct fw_suspect suspect = unit.suspects.at[i];
            const uint32_t *events = unit.events.at + suspect.first;

            suspect.first = (uint32_t)all->events.len;
            for (uint32_t k = 0; k < suspect.count; k++)
                fw_vec_push(&all->events, events[k]);
            fw_vec_push(&all->suspects, suspect);
        }
        all->left += unit.left;
        all->refuted += unit.refuted;
    }
    predictor->destroy(state);
    fw_predicted_release(&unit);
}

static bool fail(struct run *run, const uint32_t *events, uint32_t count, const char *what)
{
    int len = snprintf(run->why, run->size, "%s, events", what);

    for (uint32_t i = 0; i < count; i++)
        len += snprintf(run->why + len, run->size - (size_t)len, " %u", events[i]);
    return false;
}

static bool has(const uint32_t *events, uint32_t count, uint32_t event)
{
    for (uint32_t i = 0; i < count; i++)
        if (events[i] == event)
            return true;
    return false;
}

/* The acquires of a deadlock are a set, everything else is a list. */
static bool same_events(enum fw_claim claim, const uint32_t *a, uint32_t a_count, const uint32_t *b,
                        uint32_t b_count)
{
    if (a_count != b_count)
        return false;
    if (claim != FW_CLAIM_DEADLOCK)
        return memcmp(a, b, a_count * sizeof *a) == 0;
    for (uint32_t i = 0; i < a_count; i++)
        if (!has(b, b_count, a[i]))
            return false;
    return true;
}

static size_t find_finding(const struct run *run, const uint32_t *events, uint32_t count)
{
    size_t i = 0;

    while (i < run->findings.len && !same_events(compared->claim, run->findings.at[i].events,
                                                 run->findings.at[i].event_count, events, count))
        i++;
    return i;
}

/* Is the suspect proved?  False and a reason in run->why if the proof is none. */
static bool ask(struct run *run, const struct fw_suspect *suspect, const uint32_t *events,
                bool *feasible)
{
    struct fw_witness witness = { suspect->claim, events, suspect->count, NULL, 0 };
    enum fw_answer answer = fw_solver_ask(run->solver, suspect->claim, events, suspect->count);
    struct fw_verdict verdict;

    *feasible = answer == FW_FEASIBLE;
    if (!*feasible)
        return true;
    witness.order = fw_solver_witness(run->solver, &witness.order_count);
    verdict = fw_verify(run->verifier, &witness);
    return verdict.accepted || fail(run, events, suspect->count, verdict.reason);
}

/* --- every pair -------------------------------------------------------------------------- */

/* Asks about one suspect; known[i]: finding i was a suspect already. */
static bool check_suspect(struct run *run, const struct fw_unit *all, size_t i, bool *known)
{
    const struct fw_suspect *suspect = &all->suspects.at[i];
    const uint32_t *events = all->events.at + suspect->first;
    size_t finding = find_finding(run, events, suspect->count);
    bool feasible;

    if (suspect->claim != compared->claim)
        return fail(run, events, suspect->count, "another claim");
    for (size_t k = 0; k < i; k++)
        if (same_events(compared->claim, events, suspect->count,
                        all->events.at + all->suspects.at[k].first, all->suspects.at[k].count))
            return fail(run, events, suspect->count, "suspected twice");
    if (!ask(run, suspect, events, &feasible))
        return false;
    if (finding == run->findings.len)
        return !feasible || fail(run, events, suspect->count, "proved, but no finding");
    known[finding] = true;
    proved += feasible;
    missed += !feasible;
    return feasible || !run->exact || fail(run, events, suspect->count, "missed");
}

static bool all_pairs_agree(struct run *run)
{
    struct fw_predict_options options = { .pairs_all = true, .values = run->values };
    bool *known = fw_xcalloc(run->findings.len + 1, sizeof *known), good = true;
    struct fw_unit all = { 0 };

    fw_predicted_collect(compared, run->core, &options, &all);
    suspected += all.suspects.len;
    refuted += all.refuted;
    for (size_t i = 0; good && i < all.suspects.len; i++)
        good = check_suspect(run, &all, i, known);
    for (size_t i = 0; good && i < run->findings.len; i++)
        if (!known[i])
            good = fail(run, run->findings.at[i].events, run->findings.at[i].event_count,
                        "not even suspected");
    fw_predicted_release(&all);
    free(known);
    return good;
}

/* --- on request -------------------------------------------------------------------------- */

static bool is_access(const struct run *run, uint32_t event)
{
    return fw_is_class(run->trace->events[event].kind, FW_CLASS_READ | FW_CLASS_WRITE);
}

/* Two accesses of a thread to two variables in one scope, and to neither between them? */
static bool is_pair(const struct run *run, const struct fw_oracle *oracle, uint32_t a, uint32_t b)
{
    const struct fw_event *x = &run->trace->events[a], *y = &run->trace->events[b];

    if (a >= b || x->thread != y->thread || !is_access(run, a) || !is_access(run, b) ||
        x->target == y->target || !oracle_in_scope(oracle, a, b, true))
        return false;
    for (uint32_t i = a + 1; i < b; i++) {
        const struct fw_event *z = &run->trace->events[i];

        if (z->thread == x->thread && is_access(run, i) &&
            (z->target == x->target || z->target == y->target))
            return false;
    }
    return true;
}

/* Accesses to one variable, one of which writes? */
static bool clash(const struct run *run, uint32_t a, uint32_t b)
{
    const struct fw_event *x = &run->trace->events[a], *y = &run->trace->events[b];

    return x->target == y->target && (fw_is_write(x->kind) || fw_is_write(y->kind));
}

/* Is a, b, c, d a pattern over two variables? */
static bool is_two(const struct run *run, const struct fw_oracle *oracle, const uint32_t *e)
{
    return is_pair(run, oracle, e[0], e[3]) && is_pair(run, oracle, e[1], e[2]) &&
           run->trace->events[e[0]].thread != run->trace->events[e[1]].thread &&
           ((clash(run, e[0], e[1]) && clash(run, e[3], e[2])) ||
            (clash(run, e[0], e[2]) && clash(run, e[3], e[1])));
}

/* Is w2, w1, r the source's pattern with the read in a third thread? */
static bool is_third(const struct run *run, const struct fw_oracle *oracle, const uint32_t *e)
{
    const struct fw_event *x = &run->trace->events[e[0]], *y = &run->trace->events[e[1]];
    const struct fw_event *z = &run->trace->events[e[2]];

    for (uint32_t i = e[0] + 1; i < e[2]; i++)
        if (fw_is_write(run->trace->events[i].kind) && run->trace->events[i].target == z->target)
            return false;
    return fw_is_write(x->kind) && fw_is_write(y->kind) && fw_is_read(z->kind) &&
           x->target == z->target && y->target == z->target && x->thread != y->thread &&
           x->thread != z->thread && y->thread != z->thread && e[0] < e[2] &&
           fw_oracle_writer(oracle, e[2]) == e[0];
}

static bool is_suspected(const struct fw_unit *all, const uint32_t *events, uint32_t count)
{
    for (size_t i = 0; i < all->suspects.len; i++)
        if (all->suspects.at[i].claim == FW_CLAIM_ORDER &&
            same_events(FW_CLAIM_ORDER, all->events.at + all->suspects.at[i].first,
                        all->suspects.at[i].count, events, count))
            return true;
    return false;
}

/* A pattern that is not suspected must not be feasible. */
static bool none_is_dropped(struct run *run, struct fw_oracle *oracle, const struct fw_unit *all,
                            const uint32_t *events, uint32_t count)
{
    struct fw_oracle_finding finding = { 0 };
    bool feasible =
        !is_suspected(all, events, count) && fw_oracle_order(oracle, events, count, &finding);

    fw_oracle_finding_release(&finding);
    return !feasible || fail(run, events, count, "order not even suspected");
}

static bool all_orders_are_suspected(struct run *run, struct fw_oracle *oracle,
                                     const struct fw_unit *all)
{
    uint32_t n = run->trace->count, e[4];

    if (n > SMALL)
        return true;
    for (uint32_t i = 0; i < n * n * n * n; i++) {
        e[0] = i % n;
        e[1] = i / n % n;
        e[2] = i / n / n % n;
        e[3] = i / n / n / n;
        if (is_two(run, oracle, e) && !none_is_dropped(run, oracle, all, e, 4))
            return false;
        if (e[3] == 0 && is_third(run, oracle, e) && !none_is_dropped(run, oracle, all, e, 3))
            return false;
    }
    return true;
}

/* Suspects that are orders: the oracle knows whether they are feasible. */
static bool orders_agree(struct run *run, struct fw_oracle *oracle)
{
    struct fw_predict_options options = { .pairs_all = true, .values = run->values };
    struct fw_unit all = { 0 };
    bool good = true;

    options.third_thread = options.two_variables = true;
    fw_predicted_collect(compared, run->core, &options, &all);
    for (size_t i = 0; good && i < all.suspects.len; i++) {
        const struct fw_suspect *suspect = &all.suspects.at[i];
        const uint32_t *events = all.events.at + suspect->first;
        struct fw_oracle_finding finding = { 0 };
        bool feasible, truth;

        if (suspect->claim != FW_CLAIM_ORDER)
            continue;
        orders++;
        truth = fw_oracle_order(oracle, events, suspect->count, &finding);
        good = ask(run, suspect, events, &feasible);
        if (good && feasible != truth)
            good = fail(run, events, suspect->count, truth ? "order missed" : "order proved");
        fw_oracle_finding_release(&finding);
    }
    good = good && all_orders_are_suspected(run, oracle, &all);
    fw_predicted_release(&all);
    return good;
}

/* --- by sites ---------------------------------------------------------------------------- */

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

/* What makes findings equal: sites in order (a race's and a deadlock's in any), and, where one is
 * missing, what they are about. */
struct key {
    uint32_t parts[64];
    uint32_t count;
};

static void key_of(const struct run *run, const uint32_t *events, uint32_t count, struct key *key)
{
    bool bare = false,
         any = compared->claim == FW_CLAIM_RACE || compared->claim == FW_CLAIM_DEADLOCK;

    memset(key, 0, sizeof *key);
    FW_ASSERT(count * 2 < sizeof key->parts / sizeof *key->parts);
    for (uint32_t i = 0; i < count; i++) {
        key->parts[key->count++] = run->trace->events[events[i]].site;
        bare |= run->trace->events[events[i]].site == 0;
    }
    for (uint32_t i = 0; bare && i < count; i++)
        key->parts[key->count++] = run->trace->events[events[i]].target;
    if (any) {
        qsort(key->parts, count, sizeof *key->parts, by_number);
        qsort(key->parts + count, key->count - count, sizeof *key->parts, by_number);
    }
}

/* What is known about one finding in default mode. */
struct fate {
    struct key key;
    uint32_t variable;
    bool has_unit, suspected, proved, left;
};

static struct fate *make_fates(const struct run *run)
{
    struct fate *fates = fw_xcalloc(run->findings.len + 1, sizeof *fates);

    for (size_t i = 0; i < run->findings.len; i++) {
        const struct fw_oracle_finding *finding = &run->findings.at[i];

        key_of(run, finding->events, finding->event_count, &fates[i].key);
        fates[i].variable = compared->claim == FW_CLAIM_DEADLOCK
                                ? FW_NO_EVENT
                                : run->trace->events[finding->events[0]].target;
    }
    return fates;
}

/* Updates the fates of the findings with the suspect's key. */
static void tell_fates(const struct run *run, struct fate *fates, const struct fw_unit *unit,
                       const struct fw_suspect *suspect, bool feasible)
{
    struct key key;

    key_of(run, unit->events.at + suspect->first, suspect->count, &key);
    for (size_t i = 0; i < run->findings.len; i++) {
        bool same = memcmp(&key, &fates[i].key, sizeof key) == 0;

        fates[i].has_unit |= same;
        fates[i].left |= same && unit->left > 0;
        if (!same || suspect->variable != fates[i].variable)
            continue;
        fates[i].suspected = true;
        fates[i].proved |= feasible;
        fates[i].left |= suspect->left > 0;
    }
}

static bool check_unit(struct run *run, struct fate *fates, const struct fw_unit *unit,
                       uint32_t cap)
{
    if (unit->suspects.len > cap)
        return fail(run, NULL, 0, "more suspects than the cap");
    for (size_t i = 0; i < unit->suspects.len; i++) {
        const struct fw_suspect *suspect = &unit->suspects.at[i];
        bool feasible;

        if (!ask(run, suspect, unit->events.at + suspect->first, &feasible))
            return false;
        tell_fates(run, fates, unit, suspect, feasible);
    }
    return true;
}

static bool judge_fates(struct run *run, const struct fate *fates, uint64_t left)
{
    for (size_t i = 0; i < run->findings.len; i++) {
        const struct fw_oracle_finding *finding = &run->findings.at[i];
        const char *what = NULL;

        if (!fates[i].has_unit)
            what = "no unit by default";
        else if (!fates[i].proved && !fates[i].left && !left && run->exact)
            what = "neither proved nor left by default";
        if (what)
            return fail(run, finding->events, finding->event_count, what);
    }
    return true;
}

static bool default_agrees(struct run *run, uint32_t cap)
{
    struct fw_predict_options options = { .cap = cap, .values = run->values };
    void *state = compared->create(run->core, &options);
    struct fate *fates = make_fates(run);
    struct fw_unit unit = { 0 };
    uint64_t left = 0; /* of units without suspects */
    bool good = true;

    while (good && compared->next(state, &unit)) {
        good = check_unit(run, fates, &unit, cap ? cap : FW_PREDICT_CAP);
        left += unit.suspects.len ? 0 : unit.left;
    }
    good = good && judge_fates(run, fates, left);
    compared->destroy(state);
    fw_predicted_release(&unit);
    free(fates);
    return good;
}

/* --- what is proved ---------------------------------------------------------------------- */

static void say(FILE *stream, const struct fw_trace *trace, const struct fw_suspect *suspect,
                const uint32_t *events, bool labels)
{
    bool nondet = suspect->claim == FW_CLAIM_NONDETERMINISM;

    fprintf(stream, " ");
    for (const char *c = labels && suspect->label ? suspect->label : ""; *c; c++)
        fputc(*c == ' ' ? '-' : *c, stream);
    for (uint32_t i = 0; i < suspect->count; i++)
        fprintf(stream, "%s%" PRIu64, nondet ? (i ? ":" : "") : (i ? "," : "("),
                fw_trace_index(trace, events[i]));
    fprintf(stream, "%s", nondet ? (suspect->count == 1 ? ":-" : "") : ")");
}

char *fw_predicted_answer(const struct fw_predictor *predictor, const struct fw_trace *trace,
                          const struct fw_predict_options *options, bool labels)
{
    struct fw_index *index = fw_index_create(trace);
    struct fw_core *core = fw_core_create(index, NULL);
    char why[512] = "", *text = NULL, *sorted;
    struct run run = { .trace = trace, .core = core, .why = why, .size = sizeof why };
    struct fw_unit all = { 0 };
    size_t size;
    FILE *stream = open_memstream(&text, &size);

    run.solver = fw_solver_create(core, NULL);
    run.verifier = fw_verifier_create(trace);
    fw_predicted_collect(predictor, core, options, &all);
    for (size_t i = 0; i < all.suspects.len; i++) {
        const uint32_t *events = all.events.at + all.suspects.at[i].first;
        bool feasible;

        if (!ask(&run, &all.suspects.at[i], events, &feasible))
            FW_BUG("%s", why);
        if (feasible)
            say(stream, trace, &all.suspects.at[i], events, labels);
    }
    fclose(stream);
    sorted = fw_sort_words(text);
    free(text);
    fw_predicted_release(&all);
    fw_verifier_destroy(run.verifier);
    fw_solver_destroy(run.solver);
    fw_core_destroy(core);
    fw_index_destroy(index);
    return sorted;
}

/* --- the property ------------------------------------------------------------------------ */

static bool compare(struct run *run, struct fw_oracle *oracle)
{
    bool good;

    run->exact =
        fw_trace_thread_count(run->trace) <= 2 || compared->claim == FW_CLAIM_NONDETERMINISM;
    fw_oracle_find(oracle, compared->claim, true, &run->findings);
    good = all_pairs_agree(run);
    fw_oracle_findings_release(&run->findings);
    if (!good)
        return false;
    fw_oracle_find(oracle, compared->claim, false, &run->findings);
    good = default_agrees(run, 0) && default_agrees(run, 2);
    if (good && compared->claim == FW_CLAIM_ATOMICITY)
        good = orders_agree(run, oracle);
    fw_oracle_findings_release(&run->findings);
    return good;
}

static bool agrees(const struct fw_sample *sample, char *why, size_t size)
{
    struct fw_trace *trace = fw_load_sample(sample, why, size);
    struct run run = { .trace = trace, .why = why, .size = size };
    struct fw_core_options options = { .values = sample->seed / 32 % 2 };
    struct fw_oracle *oracle;
    struct fw_index *index;
    bool good = true;

    if (!trace)
        return false;
    oracle = fw_oracle_create(trace);
    fw_oracle_use_values(oracle, options.values);
    if (fw_oracle_explore(oracle, STATES) < 0) {
        left_out++;
    } else {
        index = fw_index_create(trace);
        run.values = options.values;
        run.core = fw_core_create(index, &options);
        run.solver = fw_solver_create(run.core, NULL);
        run.verifier = fw_verifier_create(trace);
        fw_verifier_use_values(run.verifier, options.values);
        good = compare(&run, oracle);
        fw_verifier_destroy(run.verifier);
        fw_solver_destroy(run.solver);
        fw_core_destroy(run.core);
        fw_index_destroy(index);
    }
    fw_oracle_destroy(oracle);
    fw_trace_destroy(trace);
    return good;
}

int fw_predicted_run(const char *program, const struct fw_predictor *predictor, uint64_t count)
{
    static const char *const profiles[] = { "two",      "locks",      "branches", "forks",
                                            "shared",   "waits",      "monitors", "semaphores",
                                            "barriers", "atomics",    "blocks",   "heap",
                                            "two",      "everything", "tiny",     "nested",
                                            "sections", "deadlocks",  "values",   NULL };
    int status;

    compared = predictor;
    status = fw_property_run(program, profiles, count, agrees);
    printf("%s: %" PRIu64 " suspects, %" PRIu64 " findings proved, %" PRIu64 " missed; %" PRIu64
           " pairs refuted by filters; %" PRIu64 " traces too large for the oracle\n",
           program, suspected, proved, missed, refuted, left_out);
    if (orders)
        printf("%s: %" PRIu64 " orders on request\n", program, orders);
    if (missed * 200 > proved + missed) {
        printf("%s: less than 99.5 percent proved\n", program);
        return EXIT_FAILURE;
    }
    return status;
}
