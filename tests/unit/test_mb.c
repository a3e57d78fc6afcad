/* test_mb.c - must-before: the example traces, and where figure 15.1 differs. */
#include "support/expect.h"
#include "support/property.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The pairs reported, and how the note begins. */
static void check(const char *text, const char *wanted, const char *note)
{
    struct fw_analysis_setup setup = { .pairs_all = true };
    struct fw_trace *trace = fw_load_line(text);
    struct fw_engine *engine = fw_run_analysis(trace, &fw_analysis_mb, &setup, 2);
    char *got = fw_answer_events(trace, engine);

    assert_string_equal(got, wanted);
    assert_memory_equal(fw_engine_outcome(engine, 0)->note, note, strlen(note) + !*note);
    free(got);
    fw_engine_destroy(engine);
    fw_trace_destroy(trace);
}

static void corpus_expectations_are_met(void **state)
{
    struct fw_analysis_setup setup = { .pairs_all = true };

    (void)state;
    assert_int_equal(fw_expect_corpus(&fw_analysis_mb, &setup, fw_answer_events), 0);
}

static void no_soundness_is_claimed(void **state)
{
    (void)state;
    assert_int_equal(fw_analysis_mb.guarantee, FW_HEURISTIC);
}

/* Figure 15.1 takes the event before the acquire for the acquire. */
static void an_edge_needs_the_acquire_not_what_is_before_it(void **state)
{
    (void)state;
    check("T1|w(x) T1|acq(m) T1|rel(m) T2|acq(m) T2|r(x) T2|rel(m)", "(0,4)", "");
    check("T1|acq(m) T1|w(x) T1|rel(m) T2|acq(m) T2|r(x) T2|rel(m)", "none", "");
}

/* Figure 15.1 decides about the inner section when that is released. */
static void an_edge_found_late_orders_sections_closed_inside(void **state)
{
    (void)state;
    check("T1|acq(m) T1|acq(l) T1|rel(l) T1|w(x) T1|rel(m) "
          "T2|acq(l) T2|acq(m) T2|rel(m) T2|w(x) T2|rel(l)",
          "none", "");
    check("T1|acq(m) T1|acq(l) T1|rel(l) T1|w(x) T1|rel(m) "
          "T2|acq(m) T2|rel(m) T2|acq(l) T2|w(x) T2|rel(l)",
          "(3,8)", "");
}

static void pairs_are_judged_when_no_lock_is_held(void **state)
{
    (void)state;
    check("T3|acq(k) T1|w(x) T1|acq(m) T1|rel(m) T2|acq(m) T2|rel(m) T2|w(x) T3|rel(k)", "(1,6)",
          "");
    check("T3|acq(k) T1|w(x) T1|acq(m) T1|rel(m) T2|acq(m) T2|rel(m) T2|w(x)", "none",
          "1 pair after the last moment at which no lock was held");
}

/* They need no judging. */
static void races_of_happens_before_are_reported_at_once(void **state)
{
    (void)state;
    check("T3|acq(k) T1|w(x) T2|w(x)", "(1,2)", "");
    check("T3|acq(k) T1|w(x) T1|fork(T2) T2|w(x)", "none", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(corpus_expectations_are_met),
        cmocka_unit_test(no_soundness_is_claimed),
        cmocka_unit_test(an_edge_needs_the_acquire_not_what_is_before_it),
        cmocka_unit_test(an_edge_found_late_orders_sections_closed_inside),
        cmocka_unit_test(pairs_are_judged_when_no_lock_is_held),
        cmocka_unit_test(races_of_happens_before_are_reported_at_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
