/* test_cp.c - cp on the example traces, and its modes. */
#include "base/output.h"
#include "support/expect.h"
#include "support/pairs.h"
#include "support/property.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void every_expectation_of_the_corpus_is_met(void **state)
{
    struct fw_analysis_setup setup = { .pairs_all = true };

    (void)state;
    assert_int_equal(fw_expect_corpus(&fw_analysis_cp, &setup, fw_answer_events), 0);
}

/* Findings only, so traces may be long; frees the text. */
static uint64_t count_text(struct fw_output *text, bool relation)
{
    struct fw_analysis_setup setup = { .cp_relation = relation };
    char why[256];
    struct fw_trace *trace =
        fw_load_text(text->buffer, text->used, "t.std", false, why, sizeof why);
    struct fw_engine *engine;
    uint64_t findings;

    assert_non_null(trace);
    engine = fw_run_analysis(trace, &fw_analysis_cp, &setup, 0);
    findings = fw_findings_count(fw_engine_findings(engine, 0));
    fw_engine_destroy(engine);
    fw_trace_destroy(trace);
    fw_output_abandon(text);
    return findings;
}

static uint64_t count(const char *text, bool relation)
{
    struct fw_analysis_setup setup = { .cp_relation = relation };
    char why[256];
    struct fw_trace *trace = fw_load_text(text, strlen(text), "t.std", false, why, sizeof why);
    struct fw_pairs pairs;

    assert_non_null(trace);
    fw_pairs_run(&pairs, &fw_analysis_cp, trace, false, &setup);
    fw_pairs_release(&pairs);
    fw_trace_destroy(trace);
    return pairs.findings;
}

/* The second pair is only unordered because of the first: T2 may have read another y. */
static void a_reported_pair_counts_as_ordered(void **state)
{
    static const char text[] = "T1|w(x)|1\nT1|w(y)|2\nT2|r(y)|3\nT2|w(x)|4\n";

    (void)state;
    assert_int_equal(count(text, false), 1);
    assert_int_equal(count(text, true), 2);
}

/* T0's write of y is after T3's read of it, and T1's after T0's: so is all of T1's section. */
static void what_was_reported_orders_what_comes_after(void **state)
{
    static const char text[] = "T3|acq(l)|1\nT3|r(y)|2\nT0|w(y)|3\nT3|w(x)|4\nT1|w(y)|5\n"
                               "T3|rel(l)|6\nT1|acq(l)|7\nT1|rel(l)|8\nT1|r(x)|9\n";

    (void)state;
    assert_int_equal(count(text, false), 2);
    assert_int_equal(count(text, true), 4);
}

/* Rule (b) needs the release: without it the sections of l are in no order. */
static void an_open_section_has_no_release(void **state)
{
    static const char text[] = "T1|w(y)|1\nT1|acq(l)|2\nT1|rel(l)|3\nT1|acq(m)|4\nT1|w(x)|5\n"
                               "T1|rel(m)|6\nT2|acq(l)|7\nT2|r(y)|8\nT2|acq(m)|9\nT2|w(x)|10\n"
                               "T2|rel(m)|11\n%s";
    char open[512], closed[512];

    (void)state;
    snprintf(open, sizeof open, text, "");
    snprintf(closed, sizeof closed, text, "T2|rel(l)|12\n");
    assert_int_equal(count(open, true), 1);
    assert_int_equal(count(closed, true), 0);
}

/* How many pairs the proof covers; *findings: how many there are. */
static uint64_t count_proven(const char *text, uint64_t *findings)
{
    char why[256];
    struct fw_trace *trace = fw_load_text(text, strlen(text), "t.std", false, why, sizeof why);
    struct fw_pairs pairs;
    uint64_t proven = 0;

    assert_non_null(trace);
    fw_pairs_run(&pairs, &fw_analysis_cp, trace, false, NULL);
    for (size_t i = 0; i < (size_t)trace->count * trace->count; i++)
        proven += pairs.proven[i];
    *findings = pairs.findings;
    fw_pairs_release(&pairs);
    fw_trace_destroy(trace);
    return proven;
}

static void assert_unproven(const char *text)
{
    uint64_t findings;

    assert_int_equal(count_proven(text, &findings), 0);
    assert_int_equal(findings, 1);
}

static void assert_proven(const char *text)
{
    uint64_t findings;

    assert_int_equal(count_proven(text, &findings), 1);
    assert_int_equal(findings, 1);
}

/* T2 would have to go through l before T1 takes it, but then it keeps m, which T1 needs first. */
static void the_proof_needs_releases_in_order(void **state)
{
    (void)state;
    assert_unproven("T1|acq(m)|1\nT1|acq(l)|2\nT1|rel(m)|3\nT1|w(x)|4\nT1|rel(l)|5\n"
                    "T2|acq(m)|6\nT2|acq(l)|7\nT2|rel(l)|8\nT2|r(x)|9\n");
    assert_proven("T1|acq(l)|2\nT1|acq(m)|1\nT1|rel(m)|3\nT1|w(x)|4\nT1|rel(l)|5\n"
                  "T2|acq(n)|6\nT2|acq(l)|7\nT2|rel(l)|8\nT2|r(x)|9\n");
    assert_proven("T1|w(x)|1\nT2|w(x)|2\nT1|acq(m)|3\nT1|acq(l)|4\nT1|rel(m)|5\n");
}

static void the_proof_needs_acquires_that_wait(void **state)
{
    (void)state;
    assert_unproven("T1|acq(l)|1\nT1|tryacq(m)|2\nT1|rel(m)|3\nT1|r(y)|4\nT1|rel(l)|5\n"
                    "T2|acq(m)|6\nT2|tryacq(l)|7\nT2|rel(l)|8\nT2|w(y)|9\n");
    assert_proven("T1|tryacq(l)|1\nT1|r(y)|4\nT1|rel(l)|5\n"
                  "T2|tryacq(l)|7\nT2|rel(l)|8\nT2|w(y)|9\n");
    assert_unproven("T1|acq(l)|1\nT2|tryfail(l)|2\nT1|rel(l)|3\nT1|w(y)|4\nT2|w(y)|5\n");
}

static void the_proof_needs_atomics_that_order(void **state)
{
    (void)state;
    assert_unproven("T1|w(x)|1\nT1|ast(f)|2|ord=rlx\nT2|ald(f)|3|ord=rlx\nT2|r(x)|4\n");
    assert_proven("T1|ast(f)|2\nT1|w(x)|1\nT2|ald(f)|3\nT2|r(x)|4\n");
    /* T2's section cannot come first: T1 would load what T2 stored. */
    assert_unproven("T1|acq(l)|1\nT1|ald(f)|2\nT1|r(x)|3\nT1|rel(l)|4\n"
                    "T2|ast(f)|5\nT2|acq(l)|6\nT2|rel(l)|7\nT2|w(x)|8\n");
    assert_proven("T1|acq(l)|1\nT1|ald(f)|2\nT1|r(x)|3\nT1|rel(l)|4\n"
                  "T2|ast(g)|5\nT2|acq(l)|6\nT2|rel(l)|7\nT2|w(x)|8\n");
}

/* Rounds keep their order, so who enters the second one comes after all who entered the first. */
static void a_late_comer_is_after_the_round_before(void **state)
{
    (void)state;
    assert_int_equal(count("T0|w(x)|1\nT0|barin(b)|2\nT0|barout(b)|3\nT3|barin(b)|4\n"
                           "T3|r(x)|5\n",
                           true),
                     0);
    assert_int_equal(count("T0|w(x)|1\nT0|barin(b)|2\nT3|barin(b)|4\nT3|r(x)|5\n", true), 1);
}

static void sections_that_are_open_at_the_end_still_exclude_each_other(void **state)
{
    static const char locked[] = "T1|acq(l)|1\nT1|w(x)|2\nT1|rel(l)|3\nT2|acq(l)|4\nT2|w(x)|5\n";
    static const char other[] = "T1|acq(l)|1\nT1|w(x)|2\nT1|rel(l)|3\nT2|acq(m)|4\nT2|w(x)|5\n";

    (void)state;
    assert_int_equal(count(locked, true), 0);
    assert_int_equal(count(other, true), 1);
}

/* Takes seconds at most; looking at everything again and again took minutes. */
static void sections_that_nothing_orders_are_swept_quickly(void **state)
{
    enum { SECTIONS = 150000 };
    struct fw_output text;

    (void)state;
    fw_output_open_memory(&text);
    for (int i = 0; i < SECTIONS; i++)
        fw_output_printf(&text, "T%d|acq(m)|1\nT%d|r(z)|2\nT%d|rel(m)|3\n", i % 5, i % 5, i % 5);
    fw_output_printf(&text, "T9|w(z)|4\n");
    assert_int_equal(count_text(&text, false), 1);
}

/* The same for many locks inside of one that is held, and from one lock to the next. */
static void many_locks_do_not_wait_for_each_other(void **state)
{
    enum { LOCKS = 400 };
    struct fw_output text;

    (void)state;
    fw_output_open_memory(&text);
    for (int t = 1; t <= 2; t++) {
        for (int i = 0; i < LOCKS; i++)
            fw_output_printf(&text, "T%d|acq(l%d)|1\n", t, i);
        for (int i = LOCKS; i-- > 0;)
            fw_output_printf(&text, "T%d|rel(l%d)|2\n", t, i);
    }
    for (int t = 3; t <= 4; t++) {
        for (int i = 1; i < LOCKS; i++)
            fw_output_printf(&text, "T%d|acq(l%d)|3\n", t, i);
        for (int i = 1; i < LOCKS; i++)
            fw_output_printf(&text, "T%d|rel(l%d)|4\n", t, i);
    }
    assert_int_equal(count_text(&text, false), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_expectation_of_the_corpus_is_met),
        cmocka_unit_test(a_reported_pair_counts_as_ordered),
        cmocka_unit_test(what_was_reported_orders_what_comes_after),
        cmocka_unit_test(an_open_section_has_no_release),
        cmocka_unit_test(the_proof_needs_releases_in_order),
        cmocka_unit_test(the_proof_needs_acquires_that_wait),
        cmocka_unit_test(the_proof_needs_atomics_that_order),
        cmocka_unit_test(a_late_comer_is_after_the_round_before),
        cmocka_unit_test(sections_that_nothing_orders_are_swept_quickly),
        cmocka_unit_test(many_locks_do_not_wait_for_each_other),
        cmocka_unit_test(sections_that_are_open_at_the_end_still_exclude_each_other),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
