/* test_sidetrack.c - BEFORE-, IN- and AFTER-errors and their blame. */
#include "support/expect.h"
#include "support/property.h"

#include "base/alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct fw_analysis_setup all = { .pairs_all = true };
static const struct fw_analysis_setup functions = { .pairs_all = true, .atomic_functions = true };

static void check(const struct fw_analysis_setup *setup, const char *text, const char *wanted)
{
    struct fw_trace *trace = fw_load_line(text);
    struct fw_engine *engine = fw_run_analysis(trace, &fw_analysis_sidetrack, setup, 2);
    char *got = fw_answer_labelled(trace, engine);

    assert_string_equal(got, wanted);
    free(got);
    fw_engine_destroy(engine);
    fw_trace_destroy(trace);
}

/* The detail of the only finding with this label. */
static void check_detail(const struct fw_analysis_setup *setup, const char *text, const char *label,
                         const char *wanted)
{
    struct fw_trace *trace = fw_load_line(text);
    struct fw_engine *engine = fw_run_analysis(trace, &fw_analysis_sidetrack, setup, 0);
    const struct fw_findings *findings = fw_engine_findings(engine, 0);
    int seen = 0;

    for (uint64_t i = 0; i < fw_findings_count(findings); i++) {
        const struct fw_finding *finding = fw_findings_get(findings, i);

        if (strcmp(finding->label, label) != 0)
            continue;
        seen++;
        assert_string_equal(finding->detail, wanted);
    }
    assert_int_equal(seen, 1);
    fw_engine_destroy(engine);
    fw_trace_destroy(trace);
}

/* Sections of one lock, by thread; shared ones; blocks that have two. */
#define S1  "T1|acq(m) T1|rel(m) "
#define S2  "T2|acq(m) T2|rel(m) "
#define S3  "T3|acq(m) T3|rel(m) "
#define R1  "T1|racq(m) T1|rrel(m) "
#define R2  "T2|racq(m) T2|rrel(m) "
#define A   "T1|begin(a) "
#define END "T1|end(a) "
#define ASS A S1 S1 END
#define BSS "T2|begin(b) " S2 S2 "T2|end(b) "
#define L1  "T1|acq(l) T1|rel(l) "
#define L2  "T2|acq(l) T2|rel(l) "

static void test_every_example_is_met(void **state)
{
    (void)state;
    assert_int_equal(fw_expect_corpus(&fw_analysis_sidetrack, &all, fw_answer_labelled), 0);
}

static void test_culprit_before_in_and_after_the_window_is_reported(void **state)
{
    (void)state;
    check(&all, S2 ASS, "before(3,5,0)");
    check(&all, A S1 S2 S1 END, "in(1,5,3)");
    check(&all, ASS S2, "after(1,3,6)");
}

static void test_a_lock_taken_once_a_block_is_silent(void **state)
{
    (void)state;
    check(&all, S2 A S1 END S2, "none");
    check(&all, S1 S1 S2, "none");
}

static void test_two_threads_that_both_take_it_twice_are_both_reported(void **state)
{
    (void)state;
    check(&all, ASS BSS, "after(1,3,7) before(7,9,3)");
}

static void test_the_third_acquire_opens_a_second_window(void **state)
{
    (void)state;
    check(&all, S2 A S1 S1 S1 END, "before(3,5,0) before(5,7,0)");
}

static void test_what_enables_the_culprit_is_no_error(void **state)
{
    (void)state;
    check(&all, ASS "T1|fork(T2) " S2, "none");
    check(&all, ASS "T1|post(s) T2|pend(s) " S2, "none");
    check(&all, ASS "T1|barin(b) T2|barin(b) T2|barout(b) " S2, "none");
    check(&all, ASS "T1|ast(f) T2|ald(f) " S2, "none");
}

static void test_what_does_not_enable_the_culprit_is_no_excuse(void **state)
{
    (void)state;
    check(&all, "T1|fork(T2) " ASS S2, "after(2,4,7)");
    check(&all, "T1|post(s) T2|pend(s) " ASS S2, "after(3,5,8)");
    check(&all, ASS "T1|barin(b) T2|barin(b) T1|barout(b) " S2, "after(1,3,9)");
    check(&all, ASS "T1|ast(f)||ord=rlx T2|ald(f) " S2, "after(1,3,8)");
    check(&all, ASS "T1|ast(f) T3|w(f) T2|ald(f) " S2, "after(1,3,9)");
}

static void test_an_edge_of_another_lock_enables_what_comes_behind_it(void **state)
{
    (void)state;
    check(&all, ASS L1 L2 S2, "none");
    check(&all, ASS L1 "T2|acq(k) T2|rel(k) " S2, "after(1,3,10)");
}

/* The rule asks whether the release is unknown; here the lock l has told of it. */
static void test_in_error_needs_a_release_the_thread_does_not_know_of(void **state)
{
    (void)state;
    check(&all, A S1 S2 L2 L1 S1 END, "none");
    check(&all, A S1 S2 L1 L2 S1 END, "in(1,9,3)");
}

/* --- blame ------------------------------------------------------------------------------- */

#define BETWEEN "the acquire of 'm' by T2 came between the two acquires"
#define FROM_BEFORE                                                                                \
    "the acquire of 'm' by T2 came before the two acquires and may come between them"
#define FROM_BEHIND "the acquire of 'm' by T2 came after the two acquires and may come between them"

static void test_blame_is_the_common_prefix_of_both_stacks(void **state)
{
    static const char text[] = "T1|begin(a)|f.c:1 T1|begin(b)|f.c:2 T1|begin(d)|f.c:3 " S1
                               "T1|end(d) T1|begin(c)|f.c:4 T1|begin(d)|f.c:3 " S1
                               "T1|end(d) T1|end(c) T1|end(b) T1|end(a) " S2;

    (void)state;
    check_detail(&all, text, "after-error",
                 "block 'a', begun at f.c:1, is not atomic\n"
                 "block 'b', begun at f.c:2, is not atomic\n" FROM_BEHIND);
}

static void test_blocks_without_name_or_site_are_blamed(void **state)
{
    (void)state;
    check_detail(&all, "T1|begin " S1 S2 S1 "T1|end ", "in-error",
                 "unnamed block is not atomic\n" BETWEEN);
}

/* For the inner block the culprit comes before its first acquire, for the outer one between. */
static void test_inner_blocks_have_culprits_of_their_own(void **state)
{
    static const char text[] = A S1 S2 "T1|begin(inner) " S1 S1 "T1|end(inner) " END;

    (void)state;
    check(&all, text, "before(6,8,3) in(1,6,3)");
    check_detail(&all, text, "before-error", "block 'inner' is not atomic\n" FROM_BEFORE);
    check_detail(&all, text, "in-error", "block 'a' is not atomic\n" BETWEEN);
}

static void test_a_suspect_of_an_ended_block_is_forgotten(void **state)
{
    (void)state;
    check(&all, A S1 S2 "T1|begin(inner) " S1 "T1|end(inner) " S1 END, "in(1,6,3)");
}

static void test_functions_are_blocks_if_so_asked(void **state)
{
    static const char text[] = "T1|call(f)|f.c:1 " S1 "T1|call(g) T1|ret(g) " S1 "T1|ret(f) " S2;

    (void)state;
    check(&all, text, "none");
    check(&functions, text, "after(1,5,8)");
    check_detail(&functions, text, "after-error",
                 "function 'f', called at f.c:1, is not atomic\n" FROM_BEHIND);
    check(&functions, ASS S2, "none");
    check(&functions, "T1|call(f) " S1 "T1|ret(f) T1|call(f) " S1 "T1|ret(f) " S2, "none");
}

/* A return ends the calls inside its own; a return of what was never called ends nothing. */
static void test_lost_returns_are_made_up_for(void **state)
{
    (void)state;
    check(&functions, "T1|call(f) T1|call(g) " S1 "T1|ret(f) " S1 S2, "none");
    check(&functions, "T1|call(f) " S1 "T1|ret(g) " S1 "T1|ret(f) " S2, "after(1,4,7)");
}

static void test_deep_recursion_is_blamed_in_few_lines(void **state)
{
    static const char start[] = "nor are the 24 around these:\nfunction 'f' is not atomic\n";
    char *text = fw_xstrdup(S1 S1 S2);
    struct fw_trace *trace;
    struct fw_engine *engine;
    const struct fw_finding *finding;

    (void)state;
    for (int i = 0; i < 40; i++) {
        char *longer = fw_xasprintf("T1|call(f) %s", text);

        free(text);
        text = longer;
    }
    trace = fw_load_line(text);
    engine = fw_run_analysis(trace, &fw_analysis_sidetrack, &functions, 0);
    assert_int_equal(fw_findings_count(fw_engine_findings(engine, 0)), 1);
    finding = fw_findings_get(fw_engine_findings(engine, 0), 0);
    assert_int_equal(strncmp(finding->detail, start, sizeof start - 1), 0);
    fw_engine_destroy(engine);
    fw_trace_destroy(trace);
    free(text);
}

/* --- locks of other kinds ---------------------------------------------------------------- */

static void test_shared_culprits_do_not_disturb_shared_windows(void **state)
{
    (void)state;
    check(&all, A R1 R1 END R2, "none");
    check(&all, A R1 R2 R1 END, "none");
    check(&all, R2 A R1 R1 END, "none");
}

static void test_exclusive_culprits_disturb_shared_windows(void **state)
{
    (void)state;
    check(&all, A R1 R1 END S2, "after(1,3,6)");
    check(&all, A R1 S2 R1 END, "in(1,5,3)");
    check(&all, S2 A R1 R1 END, "before(3,5,0)");
}

static void test_shared_culprits_disturb_exclusive_windows(void **state)
{
    (void)state;
    check(&all, ASS R2, "after(1,3,6)");
    check(&all, A S1 R2 S1 END, "in(1,5,3)");
    check(&all, R2 ASS, "before(3,5,0)");
    /* a shared acquire of the block itself is no end of such a window */
    check(&all, A S1 R2 R1 S1 END, "in(1,7,3)");
}

/* T3 has heard of T2's window, which is the later one, not of T1's. */
static void test_windows_of_two_readers_are_both_remembered(void **state)
{
    (void)state;
    check(&all, A R1 R1 END "T2|begin(b) " R2 R2 "T2|end(b) T2|post(s) T3|pend(s) " S3,
          "after(1,3,14)");
}

static void test_a_try_that_got_the_lock_is_an_acquire(void **state)
{
    (void)state;
    check(&all, A "T1|tryacq(m) T1|rel(m) T1|tryacq(m) T1|rel(m) " END "T2|tryacq(m) T2|rel(m) ",
          "after(1,3,6)");
    check(&all, A "T1|acq(m) T2|tryfail(m) T1|rel(m) T1|acq(m) T2|tryfail(m) T1|rel(m) " END,
          "none");
}

static void test_reentrant_acquires_open_no_window(void **state)
{
    (void)state;
    check(&all, A "T1|acq(m) T1|acq(m) T1|rel(m) T1|rel(m) " END S2, "none");
}

/* The lock is free while the thread waits: a block that waits has a window. */
static void test_a_condition_wait_in_a_block_is_a_window(void **state)
{
#define WAIT S1 "T2|acq(m) T2|notify(c) T2|rel(m) T1|wake(c) " S1
    (void)state;
    check(&all, A WAIT END, "in(1,7,3)");
    check_detail(&all, A WAIT END, "in-error",
                 "block 'a' is not atomic\n" BETWEEN "\nthe second acquire ends a condition wait");
    check(&all, WAIT, "none");
}

/* --- merging ----------------------------------------------------------------------------- */

static void test_equal_sites_are_one_finding_with_a_count(void **state)
{
#define SITED                                                                                      \
    "T1|begin(a)|1 T1|acq(m)|2 T1|rel(m)|3 T1|acq(m)|4 T1|rel(m)|5 T1|end(a)|6 "                   \
    "T2|acq(m)|7 T2|rel(m)|8 "
    struct fw_trace *trace = fw_load_line(SITED SITED);
    struct fw_engine *engine = fw_run_analysis(trace, &fw_analysis_sidetrack, NULL, 0);
    const struct fw_findings *findings = fw_engine_findings(engine, 0);

    (void)state;
    assert_int_equal(fw_findings_count(findings), 2); /* after, and before the second block */
    assert_string_equal(fw_findings_get(findings, 0)->label, "after-error");
    assert_int_equal(fw_findings_get(findings, 0)->count, 2);
    assert_int_equal(fw_findings_get(findings, 0)->events.at[2].index, 6);
    assert_string_equal(fw_findings_get(findings, 1)->label, "before-error");
    assert_int_equal(fw_findings_get(findings, 1)->count, 1);
    fw_engine_destroy(engine);
    fw_trace_destroy(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_example_is_met),
        cmocka_unit_test(test_culprit_before_in_and_after_the_window_is_reported),
        cmocka_unit_test(test_a_lock_taken_once_a_block_is_silent),
        cmocka_unit_test(test_two_threads_that_both_take_it_twice_are_both_reported),
        cmocka_unit_test(test_the_third_acquire_opens_a_second_window),
        cmocka_unit_test(test_what_enables_the_culprit_is_no_error),
        cmocka_unit_test(test_what_does_not_enable_the_culprit_is_no_excuse),
        cmocka_unit_test(test_an_edge_of_another_lock_enables_what_comes_behind_it),
        cmocka_unit_test(test_in_error_needs_a_release_the_thread_does_not_know_of),
        cmocka_unit_test(test_blame_is_the_common_prefix_of_both_stacks),
        cmocka_unit_test(test_blocks_without_name_or_site_are_blamed),
        cmocka_unit_test(test_inner_blocks_have_culprits_of_their_own),
        cmocka_unit_test(test_a_suspect_of_an_ended_block_is_forgotten),
        cmocka_unit_test(test_functions_are_blocks_if_so_asked),
        cmocka_unit_test(test_lost_returns_are_made_up_for),
        cmocka_unit_test(test_deep_recursion_is_blamed_in_few_lines),
        cmocka_unit_test(test_shared_culprits_do_not_disturb_shared_windows),
        cmocka_unit_test(test_exclusive_culprits_disturb_shared_windows),
        cmocka_unit_test(test_shared_culprits_disturb_exclusive_windows),
        cmocka_unit_test(test_windows_of_two_readers_are_both_remembered),
        cmocka_unit_test(test_a_try_that_got_the_lock_is_an_acquire),
        cmocka_unit_test(test_reentrant_acquires_open_no_window),
        cmocka_unit_test(test_a_condition_wait_in_a_block_is_a_window),
        cmocka_unit_test(test_equal_sites_are_one_finding_with_a_count),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
