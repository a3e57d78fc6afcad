/* test_cp.c - cp on the example traces, and its modes. */
#include "support/expect.h"
#include "support/pairs.h"
#include "support/property.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void every_expectation_of_the_corpus_is_met(void **state)
{
    struct fw_analysis_setup setup = { .pairs_all = true };

    (void)state;
    assert_int_equal(fw_expect_corpus(&fw_analysis_cp, &setup, fw_answer_events), 0);
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

static void sections_that_are_open_at_the_end_still_exclude_each_other(void **state)
{
    static const char locked[] = "T1|acq(l)|1\nT1|w(x)|2\nT1|rel(l)|3\nT2|acq(l)|4\nT2|w(x)|5\n";
    static const char other[] = "T1|acq(l)|1\nT1|w(x)|2\nT1|rel(l)|3\nT2|acq(m)|4\nT2|w(x)|5\n";

    (void)state;
    assert_int_equal(count(locked, true), 0);
    assert_int_equal(count(other, true), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_expectation_of_the_corpus_is_met),
        cmocka_unit_test(a_reported_pair_counts_as_ordered),
        cmocka_unit_test(sections_that_are_open_at_the_end_still_exclude_each_other),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
