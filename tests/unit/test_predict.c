/*
 * test_predict.c - the driver of the predictors: what is asked, counted, kept and published.
 *
 * The solver is a stand-in, linked here in place of the real one: it answers as the brute-force
 * oracle does, or as the test wants it to.
 */
#include "predict/predict.h"
#include "support/oracle.h"
#include "support/property.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* --- the stand-in ------------------------------------------------------------------------ */

static struct {
    bool lie;           /* the witness lacks its first step */
    uint32_t undecided; /* the question about this first event is; FW_NO_EVENT: none */
    atomic_bool *stop;  /* raised by ... */
    uint32_t stop_at;   /* ... the question about this first event */
} behaviour;

static void behave(void)
{
    memset(&behaviour, 0, sizeof behaviour);
    behaviour.undecided = behaviour.stop_at = FW_NO_EVENT;
}

struct fw_solver {
    struct fw_oracle *oracle;
    struct fw_oracle_findings races;
    const struct fw_oracle_finding *answer;
    struct fw_solver_stats stats;
};

struct fw_solver *fw_solver_create(const struct fw_core *core, const struct fw_budget *budget)
{
    struct fw_solver *solver = fw_xcalloc(1, sizeof *solver);

    (void)budget;
    solver->oracle = fw_oracle_create(fw_core_index(core)->trace);
    assert_int_equal(fw_oracle_explore(solver->oracle, FW_ORACLE_STATES), 0);
    fw_oracle_find(solver->oracle, FW_CLAIM_RACE, true, &solver->races);
    return solver;
}

void fw_solver_destroy(struct fw_solver *solver)
{
    if (!solver)
        return;
    fw_oracle_findings_release(&solver->races);
    fw_oracle_destroy(solver->oracle);
    free(solver);
}

enum fw_answer fw_solver_ask(struct fw_solver *solver, enum fw_claim claim, const uint32_t *events,
                             uint32_t count)
{
    assert_int_equal(claim, FW_CLAIM_RACE);
    assert_int_equal(count, 2);
    solver->stats.asked++;
    if (events[0] == behaviour.stop_at)
        atomic_store(behaviour.stop, true);
    if (events[0] == behaviour.undecided || events[0] == behaviour.stop_at)
        return FW_UNDECIDED;
    for (size_t i = 0; i < solver->races.len; i++) {
        solver->answer = &solver->races.at[i];
        if (solver->answer->events[0] == events[0] && solver->answer->events[1] == events[1])
            return FW_FEASIBLE;
    }
    return FW_INFEASIBLE;
}

const uint32_t *fw_solver_witness(struct fw_solver *solver, uint32_t *count)
{
    *count = solver->answer->order_count - behaviour.lie;
    return solver->answer->order + behaviour.lie;
}

struct fw_solver_stats fw_solver_stats(const struct fw_solver *solver)
{
    return solver->stats;
}

/* --- a predictor for tests: all conflicting pairs, a unit for each first event's line ------ */

struct pairs {
    const struct fw_core *core;
    uint32_t next; /* the first event of the next unit */
    uint32_t left;
};

static uint32_t left_over; /* that the first suspect of each unit is said to have left */

static void *pairs_create(const struct fw_core *core, const struct fw_predict_options *options)
{
    struct pairs *pairs = fw_xcalloc(1, sizeof *pairs);

    (void)options;
    pairs->core = core;
    return pairs;
}

static void add_pair(struct fw_unit *unit, const struct fw_trace *trace, uint32_t a, uint32_t b)
{
    if (trace->events[a].thread == trace->events[b].thread ||
        trace->events[a].target != trace->events[b].target ||
        !fw_kinds_conflict(trace->events[a].kind, trace->events[b].kind))
        return;
    fw_vec_push(&unit->suspects, ((struct fw_suspect) { .first = (uint32_t)unit->events.len,
                                                        .count = 2,
                                                        .variable = trace->events[a].target,
                                                        .claim = FW_CLAIM_RACE }));
    fw_vec_push(&unit->events, a);
    fw_vec_push(&unit->events, b);
}

/* Events of one site are one unit: the earlier partner's. */
static bool pairs_next(void *state, struct fw_unit *unit)
{
    struct pairs *pairs = state;
    const struct fw_trace *trace = fw_core_index(pairs->core)->trace;
    uint32_t sites = fw_symbols_count(trace->symbols, FW_SPACE_SITE);

    fw_vec_clear(&unit->events);
    fw_vec_clear(&unit->suspects);
    unit->left = unit->refuted = 0;
    if (pairs->next == sites)
        return false;
    for (uint32_t a = 0; a < trace->count; a++)
        for (uint32_t b = a + 1; trace->events[a].site == pairs->next && b < trace->count; b++)
            add_pair(unit, trace, a, b);
    pairs->next++;
    if (unit->suspects.len)
        unit->suspects.at[0].left = left_over;
    return true;
}

static const struct fw_predictor pairs_predictor = { "pairs", FW_CLAIM_RACE, pairs_create,
                                                     pairs_next, NULL, free };

/* --- running ----------------------------------------------------------------------------- */

struct run {
    struct fw_trace *trace;
    struct fw_index *index;
    struct fw_core *core;
    struct fw_predictions *predictions;
    struct fw_prediction **list;
    size_t count;
    struct fw_predict_counts counts;
    atomic_bool stop;
};

static void run_on(struct run *run, struct fw_trace *trace, uint32_t jobs, bool pairs_all)
{
    struct fw_core_options core_options = { .values = false };
    struct fw_predict_options options = { .pairs_all = pairs_all };
    struct fw_team_setup setup = { .options = &options, .jobs = jobs };
    struct fw_team *team;

    memset(run, 0, sizeof *run);
    run->trace = trace;
    run->index = fw_index_create(trace);
    setup.core = run->core = fw_core_create(run->index, &core_options);
    setup.budget.stop = behaviour.stop = &run->stop;
    team = fw_team_create(&setup);
    run->predictions = fw_predictions_create();
    fw_team_run(team, &pairs_predictor, run->predictions);
    run->count = fw_predictions_get(run->predictions, &run->list, &run->counts);
    fw_team_destroy(team);
}

static void run_end(struct run *run)
{
    free(run->list);
    fw_predictions_destroy(run->predictions);
    fw_core_destroy(run->core);
    fw_index_destroy(run->index);
    fw_trace_destroy(run->trace);
}

/* Two threads, three variables, the same two sites: nothing orders anything. */
static const char same_sites[] = "T1|w(x)|a T1|w(y)|a T1|w(z)|a T2|w(x)|b T2|w(y)|b T2|w(z)|b "
                                 "T2|w(x)|b";

static void every_variable_is_proved_once(void **state)
{
    struct run run;

    (void)state;
    behave();
    run_on(&run, fw_load_line(same_sites), 1, false);
    assert_int_equal(run.count, 3);
    assert_int_equal(run.counts.asked, 3); /* the second pair on x is skipped */
    assert_int_equal(run.counts.proved, 3);
    assert_true(run.counts.finished);
    run_end(&run);
}

static void all_pairs_are_asked_about_if_wanted(void **state)
{
    struct run run;

    (void)state;
    behave();
    run_on(&run, fw_load_line(same_sites), 1, true);
    assert_int_equal(run.counts.asked, 4);
    assert_int_equal(run.count, 4);
    for (size_t i = 0; i < run.count; i++)
        assert_true(run.list[i]->witness.steps >= 2);
    run_end(&run);
}

static void only_the_earliest_of_equal_ones_keeps_its_witness(void **state)
{
    struct run run;

    (void)state;
    behave();
    run_on(&run, fw_load_line(same_sites), 1, false);
    for (size_t i = 0; i < run.count; i++)
        assert_int_equal(run.list[i]->witness.steps != 0, run.list[i]->events[1] == 3);
    run_end(&run);
}

static void without_sites_all_keep_theirs(void **state)
{
    struct run run;

    (void)state;
    behave();
    run_on(&run, fw_load_line("T1|w(x) T1|w(y) T2|w(x) T2|w(y)"), 1, false);
    assert_int_equal(run.count, 2);
    assert_true(run.list[0]->witness.steps && run.list[1]->witness.steps);
    run_end(&run);
}

static void what_is_open_is_counted_unless_its_variable_is_proved(void **state)
{
    struct run run;

    (void)state;
    behave();
    left_over = 5;
    run_on(&run, fw_load_line(same_sites), 1, false);
    assert_int_equal(run.counts.left, 0);
    run_end(&run);
    behaviour.undecided = 1; /* the write of y */
    run_on(&run, fw_load_line(same_sites), 1, false);
    assert_int_equal(run.count, 2);
    assert_int_equal(run.counts.undecided, 1);
    run_end(&run);
    behaviour.undecided = 0; /* x: all its pairs, and those left */
    run_on(&run, fw_load_line(same_sites), 1, false);
    assert_int_equal(run.counts.undecided, 2);
    assert_int_equal(run.counts.left, 5);
    run_end(&run);
    left_over = 0;
}

static void what_is_not_reached_is_counted(void **state)
{
    struct run run;

    (void)state;
    behave();
    behaviour.stop_at = 1;
    run_on(&run, fw_load_line("T1|w(x)|a T1|w(y)|b T1|w(z)|c T2|w(x)|d T2|w(y)|d T2|w(z)|d"), 1,
           false);
    assert_int_equal(run.count, 1);
    assert_int_equal(run.counts.asked, 1);
    assert_int_equal(run.counts.unreached, 2);
    assert_false(run.counts.more_unreached);
    run_end(&run);
}

static void a_wrong_witness_is_rejected_and_kept_as_such(void **state)
{
    struct run run;
    const struct fw_rejection *rejection;

    (void)state;
    behave();
    behaviour.lie = true;
    run_on(&run, fw_load_line("T1|w(q)|a T1|w(x)|b T1|w(y)|c T2|w(x)|d T2|w(y)|e"), 3, false);
    assert_int_equal(run.count, 0);
    rejection = fw_predictions_rejection(run.predictions);
    assert_non_null(rejection);
    assert_int_equal(rejection->events[0], 1); /* the earliest one, whoever came first */
    assert_true(rejection->reason[0]);
    run_end(&run);
    behaviour.lie = false;
    run_on(&run, fw_load_line("T1|w(q)|a T1|w(x)|b T1|w(y)|c T2|w(x)|d T2|w(y)|e"), 3, false);
    assert_int_equal(run.count, 2);
    assert_null(fw_predictions_rejection(run.predictions));
    run_end(&run);
}

/* --- the same for any number of workers -------------------------------------------------- */

static bool same_schedule(const struct fw_schedule *a, const struct fw_schedule *b)
{
    return a->size == b->size && a->steps == b->steps &&
           (!a->size || memcmp(a->bytes, b->bytes, a->size) == 0);
}

static void assert_same(const struct run *a, const struct run *b)
{
    assert_int_equal(a->count, b->count);
    for (size_t i = 0; i < a->count; i++) {
        assert_int_equal(a->list[i]->unit, b->list[i]->unit);
        assert_int_equal(a->list[i]->suspect, b->list[i]->suspect);
        assert_memory_equal(a->list[i]->events, b->list[i]->events, 2 * sizeof(uint32_t));
        assert_true(same_schedule(&a->list[i]->witness, &b->list[i]->witness));
    }
    assert_memory_equal(&a->counts, &b->counts, sizeof a->counts);
}

static void any_number_of_workers_gives_the_same(void **state)
{
    static const uint32_t jobs[] = { 2, 3, 8 };
    struct fw_generated g = { 0 };

    (void)state;
    behave();
    for (uint64_t seed = 1; seed <= 60; seed++) {
        const char *profile = seed % 2 ? "everything" : "branches";
        char why[256];
        struct run one;

        fw_generate(&g, fw_generate_profile(profile), seed);
        run_on(&one, fw_load_text(g.text, g.size, "t.std", false, why, sizeof why), 1, seed % 3);
        for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) {
            struct run many;

            run_on(&many, fw_load_text(g.text, g.size, "t.std", false, why, sizeof why), jobs[i],
                   seed % 3);
            assert_same(&one, &many);
            run_end(&many);
        }
        run_end(&one);
    }
    fw_generated_release(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_variable_is_proved_once),
        cmocka_unit_test(all_pairs_are_asked_about_if_wanted),
        cmocka_unit_test(only_the_earliest_of_equal_ones_keeps_its_witness),
        cmocka_unit_test(without_sites_all_keep_theirs),
        cmocka_unit_test(what_is_open_is_counted_unless_its_variable_is_proved),
        cmocka_unit_test(what_is_not_reached_is_counted),
        cmocka_unit_test(a_wrong_witness_is_rejected_and_kept_as_such),
        cmocka_unit_test(any_number_of_workers_gives_the_same),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
