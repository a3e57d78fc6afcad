/*
 * The solver on hand-written traces: every yes has a no for a twin.
 */
#include "predict/solver.h"
#include "support/property.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

struct asked {
    struct fw_trace *trace;
    struct fw_index *index;
    struct fw_core *core;
    struct fw_solver *solver;
    struct fw_verifier *verifier;
};

static struct asked begin(const char *text, const struct fw_core_options *options,
                          const struct fw_budget *budget)
{
    struct asked asked = { .trace = fw_load_line(text) };

    asked.index = fw_index_create(asked.trace);
    asked.core = fw_core_create(asked.index, options);
    asked.solver = fw_solver_create(asked.core, budget);
    asked.verifier = fw_verifier_create(asked.trace);
    fw_verifier_use_values(asked.verifier, options && options->values);
    return asked;
}

static void end(struct asked *asked)
{
    fw_verifier_destroy(asked->verifier);
    fw_solver_destroy(asked->solver);
    fw_core_destroy(asked->core);
    fw_index_destroy(asked->index);
    fw_trace_destroy(asked->trace);
}

/* The answer; a witness must be accepted. */
static enum fw_answer ask(struct asked *asked, enum fw_claim claim, const uint32_t *events,
                          uint32_t count)
{
    enum fw_answer answer = fw_solver_ask(asked->solver, claim, events, count);
    struct fw_witness witness = { claim, events, count, NULL, 0 };

    if (answer == FW_FEASIBLE) {
        witness.order = fw_solver_witness(asked->solver, &witness.order_count);
        assert_true(fw_verify(asked->verifier, &witness).accepted);
    }
    return answer;
}

static enum fw_answer race(const char *text, uint32_t a, uint32_t b)
{
    struct asked asked = begin(text, NULL, NULL);
    enum fw_answer answer = ask(&asked, FW_CLAIM_RACE, (uint32_t[]) { a, b }, 2);

    end(&asked);
    return answer;
}

static enum fw_answer order(const char *text, uint32_t a, uint32_t b)
{
    struct asked asked = begin(text, NULL, NULL);
    enum fw_answer answer = ask(&asked, FW_CLAIM_ORDER, (uint32_t[]) { a, b }, 2);

    end(&asked);
    return answer;
}

static void a_race_behind_sections_in_the_other_order(void **state)
{
    (void)state;
    /* T0's section is open at its event, so T1's comes first. */
    assert_int_equal(race("T0|acq(l) T0|w(x) T0|rel(l) T1|acq(l) T1|rel(l) T1|w(x)", 1, 5),
                     FW_FEASIBLE);
    assert_int_equal(race("T0|acq(l) T0|w(x) T0|rel(l) T1|acq(l) T1|w(x) T1|rel(l)", 1, 4),
                     FW_INFEASIBLE);
    /* ... unless T1 has to see what T0 wrote inside its section. */
    assert_int_equal(
        race("T0|acq(l) T0|w(y) T0|w(x) T0|rel(l) T1|acq(l) T1|r(y) T1|rel(l) T1|w(x)", 2, 7),
        FW_INFEASIBLE);
}

static void a_section_that_nobody_needs_stays_open(void **state)
{
    const char *forks = "T0|fork(T1) T0|fork(T2) T0|fork(T3) T3|acq(l) T3|w(x) ";
    char open[512], needed[512];

    (void)state;
    /* T3's release comes after its join of T1, which comes after the race. */
    snprintf(open, sizeof open, "%sT1|r(x) T1|w(z) T2|w(z) T1|w(u) T3|join(T1) T3|rel(l)", forks);
    assert_int_equal(race(open, 6, 7), FW_FEASIBLE);
    /* The twin: T2 needs the lock, after T3 has it. */
    snprintf(needed, sizeof needed,
             "%sT3|w(v) T1|r(x) T1|w(z) T1|w(u) T3|join(T1) T3|rel(l) T2|acq(l) T2|r(v) T2|w(z)",
             forks);
    assert_int_equal(race(needed, 7, 13), FW_INFEASIBLE);
}

static void taint_goes_through_writes(void **state)
{

    (void)state;
    /* T2's branch looks at what T1 computed from x; without the branch it may be anything. */
    assert_int_equal(order("T0|w(x) T1|r(x) T1|w(y) T2|r(y) T2|br T2|w(z)", 5, 0), FW_INFEASIBLE);
    assert_int_equal(order("T3|br T0|w(x) T1|r(x) T1|w(y) T2|r(y) T2|w(z)", 5, 1), FW_FEASIBLE);
}

/* A changed read taints its thread, the fork its child, the join its joiner: also if the child has
 * no event. */
static void taint_goes_through_a_thread_without_events(void **state)
{
    (void)state;
    assert_int_equal(order("T1|w(y) T3|r(y) T3|fork(T4) T0|join(T4) T0|br T0|r(y)", 4, 0),
                     FW_INFEASIBLE);
    assert_int_equal(order("T1|w(y) T3|r(x) T3|fork(T4) T0|join(T4) T0|br T0|r(y)", 4, 0),
                     FW_FEASIBLE);
}

static void choices_of_three_threads(void **state)
{
    /* T0's and T1's sections are unordered; T2 must see both writes and the pair is outside. */
    const char *text = "T0|acq(l) T0|w(x) T0|rel(l) T1|acq(l) T1|w(y) T1|rel(l) "
                       "T2|acq(l) T2|r(x) T2|r(y) T2|rel(l) T2|w(z) T0|w(z)";

    (void)state;
    assert_int_equal(race(text, 10, 11), FW_FEASIBLE);
    assert_int_equal(order(text, 5, 0), FW_FEASIBLE);
    assert_int_equal(order(text, 6, 0), FW_INFEASIBLE);
}

static void a_try_fails_only_while_another_holds(void **state)
{
    const char *text = "T0|acq(l) T1|tryfail(l) T0|rel(l) T1|w(x) T0|w(x)";

    (void)state;
    assert_int_equal(race(text, 3, 4), FW_FEASIBLE);
    assert_int_equal(order(text, 2, 1), FW_INFEASIBLE);
    assert_int_equal(order(text, 3, 0), FW_INFEASIBLE);
}

static void values_loosen_reads(void **state)
{
    static const struct fw_core_options options = { .values = true };
    const char *text = "T0|w(x)||val=1 T1|w(x)||val=1 T0|r(x)||val=1 T0|w(y) T1|w(y)";
    struct asked plain = begin(text, NULL, NULL), loose = begin(text, &options, NULL);
    uint32_t order[] = { 3, 1 };

    (void)state;
    assert_int_equal(ask(&plain, FW_CLAIM_ORDER, order, 2), FW_INFEASIBLE);
    assert_int_equal(ask(&loose, FW_CLAIM_ORDER, order, 2), FW_FEASIBLE);
    /* A write of the same value changes nothing. */
    assert_int_equal(ask(&plain, FW_CLAIM_NONDETERMINISM, (uint32_t[]) { 2, 0 }, 2), FW_FEASIBLE);
    assert_int_equal(ask(&loose, FW_CLAIM_NONDETERMINISM, (uint32_t[]) { 2, 0 }, 2),
                     FW_INFEASIBLE);
    end(&plain);
    end(&loose);
}

static void a_budget_and_a_stop_leave_questions_open(void **state)
{
    const char *text = "T0|acq(l) T0|w(x) T0|rel(l) T1|acq(l) T1|rel(l) T1|w(x)";
    atomic_bool stop = false;
    struct fw_budget little = { .steps = 1 }, stopped = { .stop = &stop };
    struct asked asked = begin(text, NULL, &little);
    uint32_t pair[] = { 1, 5 };

    (void)state;
    assert_int_equal(ask(&asked, FW_CLAIM_RACE, pair, 2), FW_UNDECIDED);
    assert_int_equal(fw_solver_stats(asked.solver).undecided, 1);
    end(&asked);
    asked = begin(text, NULL, &stopped);
    assert_int_equal(ask(&asked, FW_CLAIM_RACE, pair, 2), FW_FEASIBLE);
    atomic_store(&stop, true);
    assert_int_equal(ask(&asked, FW_CLAIM_RACE, pair, 2), FW_UNDECIDED);
    atomic_store(&stop, false);
    assert_int_equal(ask(&asked, FW_CLAIM_RACE, pair, 2), FW_FEASIBLE);
    end(&asked);
}

static void must_order_is_what_no_reordering_can_turn_round(void **state)
{
    struct asked asked = begin("T0|w(x) T0|fork(T1) T1|r(x) T1|w(y) T0|w(y) T0|join(T1)", NULL,
                               NULL);

    (void)state;
    assert_true(fw_core_must_precede(asked.core, 0, 3));
    assert_true(fw_core_must_precede(asked.core, 3, 5));
    assert_false(fw_core_must_precede(asked.core, 3, 4));
    assert_false(fw_core_must_precede(asked.core, 4, 3));
    assert_false(fw_core_must_precede(asked.core, 3, 3));
    end(&asked);
}

/* A chain of threads that pass a lock on: more threads than rows are kept for. */
static void very_many_threads(void **state)
{
    enum { THREADS = 5000 };
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    struct asked asked;

    (void)state;
    for (int i = 0; i < THREADS; i++)
        fprintf(out, "%sT%d|acq(l) T%d|r(x) T%d|w(x) T%d|rel(l) T%d|w(y)", i ? " " : "", i, i, i, i,
                i);
    fclose(out);
    asked = begin(text, NULL, NULL);
    assert_int_equal(ask(&asked, FW_CLAIM_RACE, (uint32_t[]) { 4, 5 * THREADS - 1 }, 2),
                     FW_FEASIBLE);
    assert_int_equal(ask(&asked, FW_CLAIM_RACE, (uint32_t[]) { 2, 5 * THREADS - 4 }, 2),
                     FW_INFEASIBLE);
    assert_true(fw_core_must_precede(asked.core, 5 * THREADS - 13, 5 * THREADS - 1));
    assert_false(fw_core_must_precede(asked.core, 4, 5 * THREADS - 1));
    end(&asked);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_race_behind_sections_in_the_other_order),
        cmocka_unit_test(a_section_that_nobody_needs_stays_open),
        cmocka_unit_test(taint_goes_through_writes),
        cmocka_unit_test(taint_goes_through_a_thread_without_events),
        cmocka_unit_test(choices_of_three_threads),
        cmocka_unit_test(a_try_fails_only_while_another_holds),
        cmocka_unit_test(values_loosen_reads),
        cmocka_unit_test(a_budget_and_a_stop_leave_questions_open),
        cmocka_unit_test(must_order_is_what_no_reordering_can_turn_round),
        cmocka_unit_test(very_many_threads),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
