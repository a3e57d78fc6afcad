/* test_velodrome.c - traces that are not serialisable, and the cycles shown for them. */
#include "support/expect.h"
#include "support/property.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct fw_analysis_setup all = { .pairs_all = true };
static const struct fw_analysis_setup functions = { .pairs_all = true, .atomic_functions = true };

static struct fw_trace *load(const char *text)
{
    char why[256] = "";
    struct fw_trace *trace = fw_load_text(text, strlen(text), "test.std", false, why, sizeof why);

    if (!trace)
        fail_msg("%s", why);
    return trace;
}

/* The cycles, as the indices of their events. */
static void check(const struct fw_analysis_setup *setup, const char *text, const char *wanted)
{
    struct fw_trace *trace = load(text);
    struct fw_engine *engine = fw_run_analysis(trace, &fw_analysis_velodrome, setup, 2);
    char *got = fw_answer_events(trace, engine);

    assert_string_equal(got, wanted);
    free(got);
    fw_engine_destroy(engine);
    fw_trace_destroy(trace);
}

static void check_detail(const struct fw_analysis_setup *setup, const char *text,
                         const char *wanted)
{
    struct fw_trace *trace = load(text);
    struct fw_engine *engine = fw_run_analysis(trace, &fw_analysis_velodrome, setup, 0);
    const struct fw_findings *findings = fw_engine_findings(engine, 0);

    assert_int_equal(fw_findings_count(findings), 1);
    assert_string_equal(fw_findings_get(findings, 0)->detail, wanted);
    fw_engine_destroy(engine);
    fw_trace_destroy(trace);
}

static void test_every_example_is_met(void **state)
{
    (void)state;
    assert_int_equal(fw_expect_corpus(&fw_analysis_velodrome, NULL, fw_answer_serialisable), 0);
    assert_int_equal(fw_expect_corpus(&fw_analysis_velodrome, &all, fw_answer_serialisable), 0);
}

static void test_a_write_between_two_reads_is_a_cycle(void **state)
{
    (void)state;
    check(&all, "T1|begin(a)\nT1|r(x)\nT2|w(x)\nT1|r(x)\nT1|end(a)\n", "(1,2,3)");
    check(&all, "T1|begin(a)\nT1|r(x)\nT2|r(x)\nT1|r(x)\nT1|end(a)\n", "none");
    check(&all, "T1|begin(a)\nT1|r(x)\nT2|w(y)\nT1|r(x)\nT1|end(a)\n", "none");
    check(&all, "T1|begin(a)\nT1|r(x)\nT1|end(a)\nT2|w(x)\nT1|r(x)\n", "none");
    check(&all, "T1|r(x)\nT2|w(x)\nT1|r(x)\n", "none");
}

static void test_all_conflicts_make_edges(void **state)
{
    (void)state;
    check(&all, "T1|begin(a)\nT1|w(x)\nT2|r(x)\nT1|w(x)\nT1|end(a)\n", "(1,2,3)");
    check(&all, "T1|begin(a)\nT1|w(x)\nT2|w(x)\nT1|r(x)\nT1|end(a)\n", "(1,2,3)");
    check(&all, "T1|begin(a)\nT1|w(x)\nT2|w(x)\nT1|w(x)\nT1|end(a)\n", "(1,2,3)");
    check(&all, "T1|begin(a)\nT1|ald(x)\nT2|armw(x)\nT1|ald(x)\nT1|end(a)\n", "(1,2,3)");
    check(&all, "T1|begin(a)\nT1|r(x)\nT2|free(x)\nT2|w(y)\nT1|r(y)\nT1|end(a)\n", "(1,2,3,4)");
}

static void test_all_synchronisation_makes_edges(void **state)
{
    (void)state;
    check(&all,
          "T1|begin(a)\nT1|acq(m)\nT1|rel(m)\nT2|acq(m)\nT2|rel(m)\nT1|acq(m)\nT1|rel(m)\n"
          "T1|end(a)\n",
          "(2,3,4,5)");
    check(&all,
          "T1|begin(a)\nT1|racq(m)\nT1|rrel(m)\nT2|racq(m)\nT2|rrel(m)\nT1|racq(m)\nT1|rrel(m)\n"
          "T1|end(a)\n",
          "none");
    check(&all,
          "T1|begin(a)\nT1|racq(m)\nT1|rrel(m)\nT2|acq(m)\nT2|rel(m)\nT1|racq(m)\nT1|rrel(m)\n"
          "T1|end(a)\n",
          "(2,3,4,5)");
    check(&all, "T1|begin(a)\nT1|fork(T2)\nT2|w(x)\nT1|join(T2)\nT1|end(a)\n", "(1,2,3)");
    check(&all, "T1|begin(a)\nT1|fork(T2)\nT2|br\nT1|join(T2)\nT1|end(a)\n", "(1,2,3)");
    check(&all, "T1|begin(a)\nT3|begin(b)\nT1|fork(T2)\nT3|join(T2)\nT3|w(x)\nT1|r(x)\n",
          "(2,3,4,5)");
    check(&all, "T1|begin(a)\nT1|post(s)\nT2|pend(s)\nT2|post(u)\nT1|pend(u)\nT1|end(a)\n",
          "(1,2,3,4)");
    check(&all,
          "T1|begin(a)\nT1|acq(m)\nT1|rel(m)\nT2|acq(m)\nT2|notify(c)\nT2|rel(m)\nT1|wake(c)\n"
          "T1|acq(m)\nT1|rel(m)\nT1|end(a)\n",
          "(2,3,4,6)");
    check(&all, "T1|begin(a)\nT1|barin(b)\nT2|barin(b)\nT2|barout(b)\nT1|barout(b)\nT1|end(a)\n",
          "none");
    check(&all, "T1|begin(a)\nT2|begin(b)\nT1|barin(b)\nT2|barin(b)\nT2|barout(b)\nT1|barout(b)\n",
          "(2,4,3,5)");
}

static void test_what_nobody_did_is_no_edge(void **state)
{
    (void)state;
    check(&all, "T1|begin(a)\nT1|fork(T2)\nT1|join(T2)\nT1|end(a)\n", "none");
    check(&all, "T1|begin(a)\nT1|post(s)\nT1|pend(s)\nT1|end(a)\n", "none");
}

/* D1 -> D2 comes after D2 -> D3, and D3 -> D1 closes it. */
static void test_an_edge_into_a_block_with_edges_out_is_passed_on(void **state)
{
    (void)state;
    check(&all,
          "T1|begin(a)\nT2|begin(b)\nT3|begin(c)\nT2|w(y)\nT3|r(y)\nT1|w(x)\nT2|r(x)\nT3|w(z)\n"
          "T1|r(z)\n",
          "(5,6,3,4,7,8)");
    check(&all,
          "T1|begin(a)\nT2|begin(b)\nT2|w(y)\nT3|r(y)\nT2|end(b)\nT1|w(x)\nT2|r(x)\nT3|w(z)\n"
          "T1|r(z)\n",
          "none");
}

static void test_events_outside_blocks_are_apart(void **state)
{
    (void)state;
    /* T2's read of y is before its read of x: nothing leads from T1 to it. */
    check(&all, "T1|begin(a)\nT2|w(y)\nT1|w(x)\nT2|r(x)\nT1|r(y)\n", "none");
    check(&all, "T1|begin(a)\nT1|w(x)\nT2|r(x)\nT2|w(y)\nT1|r(y)\n", "(1,2,3,4)");
    check(&all, "T1|begin(a)\nT2|begin(b)\nT2|w(y)\nT1|w(x)\nT2|r(x)\nT1|r(y)\n", "(3,4,2,5)");
}

static void test_a_block_that_never_ends_counts(void **state)
{
    (void)state;
    check(&all, "T1|begin(a)\nT1|r(x)\nT2|w(x)\nT1|r(x)\n", "(1,2,3)");
    check(&all, "T1|fork(T2)\nT2|begin(a)\nT2|w(x)\nT1|r(x)\nT1|join(T2)\nT1|w(x)\n", "none");
}

/* The block goes on as a new transaction: one report for what has been seen. */
static void test_after_a_cycle_the_rest_of_the_block_is_looked_at(void **state)
{
    (void)state;
    check(&all, "T1|begin(a)\nT1|r(x)\nT2|w(x)\nT1|r(x)\nT1|r(x)\nT1|end(a)\n", "(1,2,3)");
    check(&all, "T1|begin(a)\nT1|r(x)\nT2|w(x)\nT1|r(x)\nT2|w(x)\nT1|r(x)\nT1|end(a)\n",
          "(1,2,3) (3,4,5)");
}

/* --- texts ------------------------------------------------------------------------------- */

static void test_the_blocks_around_both_ends_are_blamed(void **state)
{
    (void)state;
    check_detail(&all,
                 "T1|begin(a)|f.c:1\nT1|begin(b)|f.c:2\nT1|r(x)|f.c:3\nT2|w(x)|f.c:9\n"
                 "T1|begin(c)|f.c:4\nT1|r(x)|f.c:5\n",
                 "block 'a', begun at f.c:1, is not atomic\n"
                 "block 'b', begun at f.c:2, is not atomic\n"
                 "T1 in block 'a': r(x) at f.c:3 (event 2) before "
                 "T2 outside blocks: w(x) at f.c:9 (event 3)\n"
                 "T2 outside blocks: w(x) at f.c:9 (event 3) before "
                 "T1 in block 'a': r(x) at f.c:5 (event 5)");
}

static void test_fork_and_join_are_told(void **state)
{
    (void)state;
    check_detail(&all, "T1|begin\nT1|fork(T2)\nT2|w(x)\nT1|join(T2)\nT1|end\n",
                 "unnamed block is not atomic\n"
                 "T1 in unnamed block: fork(T2) (event 1) before T2\n"
                 "T2 before T1 in unnamed block: join(T2) (event 3)");
}

static void test_one_finding_a_block_and_pair_of_sites(void **state)
{
#define ROUND "T1|begin(a)|1\nT1|r(x)|2\nT2|w(x)|3\nT1|r(x)|4\nT1|end(a)|5\n"
    struct fw_trace *trace = load(ROUND ROUND ROUND);
    struct fw_engine *engine = fw_run_analysis(trace, &fw_analysis_velodrome, NULL, 0);
    const struct fw_findings *findings = fw_engine_findings(engine, 0);

    (void)state;
    assert_int_equal(fw_findings_count(findings), 1);
    assert_int_equal(fw_findings_get(findings, 0)->count, 3);
    assert_int_equal(fw_findings_get(findings, 0)->variables.len, 1);
    assert_int_equal(fw_findings_get(findings, 0)->events.at[2].index, 3);
    fw_engine_destroy(engine);
    fw_trace_destroy(trace);
}

/* --- functions --------------------------------------------------------------------------- */

static void test_functions_are_transactions_if_so_asked(void **state)
{
    static const char text[] = "T1|call(f)\nT1|r(x)\nT2|w(x)\nT1|r(x)\nT1|ret(f)\n";

    (void)state;
    check(&all, text, "none");
    check(&functions, text, "(1,2,3)");
    check(&functions, "T1|call(f)\nT1|r(x)\nT1|ret(f)\nT2|w(x)\nT1|call(f)\nT1|r(x)\nT1|ret(f)\n",
          "none");
    check(&functions, "T1|begin(a)\nT1|r(x)\nT2|w(x)\nT1|r(x)\nT1|end(a)\n", "none");
}

/* Once main is known not to be atomic, what it calls is looked at. */
static void test_functions_inside_a_refuted_one_are_looked_at(void **state)
{
#define INTERRUPTED(x) "T1|call(f)\nT1|r(" x ")\nT2|w(" x ")\nT1|r(" x ")\nT1|ret(f)\n"
    (void)state;
    check(&functions,
          "T1|call(main)\nT1|r(x)\nT2|w(x)\nT1|r(x)\n" INTERRUPTED("y") INTERRUPTED("z"),
          "(1,2,3) (5,6,7)");
    check(&functions,
          "T1|call(main)\nT1|r(x)\nT2|w(x)\nT1|r(x)\nT1|call(f)\nT1|r(y)\nT1|ret(f)\nT2|w(y)\n"
          "T1|call(f)\nT1|r(y)\nT1|ret(f)\n",
          "(1,2,3)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_example_is_met),
        cmocka_unit_test(test_a_write_between_two_reads_is_a_cycle),
        cmocka_unit_test(test_all_conflicts_make_edges),
        cmocka_unit_test(test_all_synchronisation_makes_edges),
        cmocka_unit_test(test_what_nobody_did_is_no_edge),
        cmocka_unit_test(test_an_edge_into_a_block_with_edges_out_is_passed_on),
        cmocka_unit_test(test_events_outside_blocks_are_apart),
        cmocka_unit_test(test_a_block_that_never_ends_counts),
        cmocka_unit_test(test_after_a_cycle_the_rest_of_the_block_is_looked_at),
        cmocka_unit_test(test_the_blocks_around_both_ends_are_blamed),
        cmocka_unit_test(test_fork_and_join_are_told),
        cmocka_unit_test(test_one_finding_a_block_and_pair_of_sites),
        cmocka_unit_test(test_functions_are_transactions_if_so_asked),
        cmocka_unit_test(test_functions_inside_a_refuted_one_are_looked_at),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
