/* test_lockset.c - Eraser's state machine. */
#include "support/expect.h"
#include "support/property.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The pairs reported: the latest access of the thread before, and the access that is too much. */
static void check(const char *text, const char *wanted)
{
    struct fw_trace *trace = fw_load_line(text);
    struct fw_engine *engine = fw_run_analysis(trace, &fw_analysis_lockset, NULL, 2);
    char *got = fw_answer_events(trace, engine);

    assert_string_equal(got, wanted);
    free(got);
    fw_engine_destroy(engine);
    fw_trace_destroy(trace);
}

static void expected_answers_of_the_corpus_are_met(void **state)
{
    (void)state;
    assert_int_equal(fw_expect_corpus(&fw_analysis_lockset, NULL, fw_answer_variables), 0);
}

static void a_second_thread_without_the_lock_is_reported(void **state)
{
    (void)state;
    check("T1|acq(l) T1|w(x) T1|rel(l) T2|w(x)", "(1,3)");
    check("T1|acq(l) T1|w(x) T1|rel(l) T2|acq(l) T2|w(x) T2|rel(l)", "none");
}

/* The owner's locks do not count; those of the first access by another thread do. */
static void candidates_start_where_the_exclusive_state_ends(void **state)
{
    (void)state;
    check("T1|w(x) T2|acq(l) T2|w(x) T2|rel(l)", "none");
    check("T1|w(x) T2|acq(l) T2|w(x) T2|rel(l) T1|w(x)", "(2,4)");
}

static void reads_alone_are_never_reported(void **state)
{
    (void)state;
    check("T1|w(x) T2|r(x) T3|r(x) T1|r(x)", "none");
    check("T1|w(x) T2|r(x) T3|r(x) T1|r(x) T1|w(x)", "(2,4)");
}

/* In the shared-modified state a read can be the access that is too much. */
static void reads_without_the_lock_are_reported_after_a_write(void **state)
{
    (void)state;
    check("T1|w(x) T2|acq(l) T2|w(x) T2|rel(l) T2|r(x)", "(0,4)");
    check("T1|w(x) T2|acq(l) T2|w(x) T2|r(x) T2|rel(l)", "none");
}

static void shared_locks_protect_reads_only(void **state)
{
    (void)state;
    check("T1|w(x) T2|acq(l) T2|w(x) T2|rel(l) T1|racq(l) T1|r(x) T1|rrel(l)", "none");
    check("T1|w(x) T2|acq(l) T2|w(x) T2|rel(l) T1|racq(l) T1|w(x) T1|rrel(l)", "(2,5)");
}

/* The same locks in the same hands, but a read before: the write is no repetition. */
static void a_write_behind_a_read_with_the_same_locks_counts(void **state)
{
    (void)state;
    check("T1|w(x) T2|racq(l) T2|r(x) T2|w(x) T2|rrel(l)", "(0,3)");
    check("T1|w(x) T2|acq(l) T2|r(x) T2|w(x) T2|rel(l)", "none");
}

static void a_free_is_a_write(void **state)
{
    (void)state;
    check("T1|alloc(x) T1|w(x) T2|free(x)", "(1,2)");
    check("T1|alloc(x) T1|w(x) T1|free(x)", "none");
}

static void an_alloc_starts_a_virgin_variable(void **state)
{
    (void)state;
    check("T1|alloc(x) T1|w(x) T1|free(x) T2|alloc(x) T2|w(x)", "none");
    check("T1|alloc(x) T1|w(x) T1|free(x) T2|alloc(x) T2|w(x) T1|w(x)", "(4,5)");
    check("T1|w(x) T2|w(x) T2|alloc(x) T2|w(x)", "(0,1)");
}

static void atomic_accesses_are_no_accesses(void **state)
{
    (void)state;
    check("T1|ast(x) T2|ast(x) T1|w(x)", "none");
    check("T1|ast(x) T2|w(x) T1|w(x)", "(1,2)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expected_answers_of_the_corpus_are_met),
        cmocka_unit_test(a_second_thread_without_the_lock_is_reported),
        cmocka_unit_test(candidates_start_where_the_exclusive_state_ends),
        cmocka_unit_test(reads_alone_are_never_reported),
        cmocka_unit_test(reads_without_the_lock_are_reported_after_a_write),
        cmocka_unit_test(shared_locks_protect_reads_only),
        cmocka_unit_test(a_write_behind_a_read_with_the_same_locks_counts),
        cmocka_unit_test(a_free_is_a_write),
        cmocka_unit_test(an_alloc_starts_a_virgin_variable),
        cmocka_unit_test(atomic_accesses_are_no_accesses),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
