/*
 * test_wellformed.c - what a trace must obey while it is read: every rule with
 * a trace that breaks just this rule (one clear error) and one that does not.
 */
#include "trace/trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

struct sample {
    const char *text;  /* the trace */
    const char *error; /* what reading it says; NULL: nothing */
};

static void check_all(const struct sample *samples, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct fw_error err = { { 0 } };
        struct fw_trace *trace = NULL;
        int got = fw_trace_load_memory(&trace, samples[i].text, strlen(samples[i].text), "t.std",
                                       NULL, &err);

        if (samples[i].error) {
            assert_string_equal(err.message, samples[i].error);
            assert_int_equal(got, -1);
        } else {
            assert_string_equal(err.message, "");
            assert_int_equal(got, 0);
            fw_trace_destroy(trace);
        }
    }
}

#define CHECK(samples) check_all(samples, sizeof(samples) / sizeof *(samples))

static void locks_have_one_holder(void **state)
{
    static const struct sample samples[] = {
        { "T1|acq(L)|\nT1|rel(L)|\nT2|acq(L)|\n", NULL },
        { "T1|acq(L)|\nT2|acq(L)|\n", "t.std:2: 'acq(L)' by T2, but T1 holds L" },
        { "T1|acq(L)|\nT2|tryacq(L)|\n", "t.std:2: 'tryacq(L)' by T2, but T1 holds L" },
        { "T1|acq(L)|\nT2|rel(L)|\n", "t.std:2: 'rel(L)' by T2, but T1 holds L" },
        { "T1|rel(L)|\n", "t.std:1: 'rel(L)' by T1, but nobody holds L" },
        { "T1|acq(L)|\nT1|acq(L)|\nT1|rel(L)|\nT1|rel(L)|\nT2|acq(L)|\n", NULL },
        { "T1|acq(L)|\nT1|acq(L)|\nT1|rel(L)|\nT2|acq(L)|\n",
          "t.std:4: 'acq(L)' by T2, but T1 holds L" },
    };

    (void)state;
    CHECK(samples);
}

static void shared_locks_exclude_writers_only(void **state)
{
    static const struct sample samples[] = {
        { "T1|racq(L)|\nT2|racq(L)|\nT1|rrel(L)|\nT2|rrel(L)|\nT1|acq(L)|\n", NULL },
        { "T1|racq(L)|\nT2|acq(L)|\n", "t.std:2: 'acq(L)' by T2, but T1 holds L" },
        { "T1|acq(L)|\nT2|tryracq(L)|\n", "t.std:2: 'tryracq(L)' by T2, but T1 holds L" },
        { "T1|racq(L)|\nT1|acq(L)|\n",
          "t.std:2: 'acq(L)' by T1, but it already holds L in shared mode" },
        { "T1|acq(L)|\nT1|racq(L)|\n",
          "t.std:2: 'racq(L)' by T1, but it already holds L exclusively" },
        { "T1|acq(L)|\nT1|rrel(L)|\n",
          "t.std:2: 'rrel(L)' by T1, but it does not hold L in shared mode" },
        { "T1|rrel(L)|\n", "t.std:1: 'rrel(L)' by T1, but nobody holds L" },
        { "T1|racq(L)|\nT2|tryfail(L)|\n", NULL },
        { "T1|acq(L)|\nT2|tryfail(L)|\n", NULL },
        { "T1|acq(L)|\nT1|tryfail(L)|\n",
          "t.std:2: 'tryfail(L)' by T1, but no other thread holds L" },
    };

    (void)state;
    CHECK(samples);
}

static void threads_run_between_fork_and_join(void **state)
{
    static const struct sample samples[] = {
        { "T0|fork(T1)|\nT1|w(x)|\nT0|join(T1)|\nT0|r(x)|\n", NULL },
        { "T0|fork(T1)|\nT0|join(T1)|\nT1|w(x)|\n",
          "t.std:3: 'w(x)' by T1, but T1 was already joined" },
        { "T1|w(x)|\nT0|fork(T1)|\n",
          "t.std:2: 'fork(T1)' by T0, but T1 has already run before its fork" },
        { "T0|fork(T1)|\nT0|fork(T1)|\n", "t.std:2: 'fork(T1)' by T0, but T1 was already forked" },
        { "T0|fork(T0)|\n", "t.std:1: 'fork(T0)' by T0, but a thread cannot fork itself" },
        { "T0|join(T0)|\n", "t.std:1: 'join(T0)' by T0, but a thread cannot join itself" },
        { "T0|join(T1)|\nT0|fork(T1)|\n",
          "t.std:2: 'fork(T1)' by T0, but T1 was already joined" },
    };

    (void)state;
    CHECK(samples);
}

static void answers_have_a_cause(void **state)
{
    static const struct sample samples[] = {
        { "T1|acq(m)|\nT1|rel(m)|\nT2|notify(c)|\nT1|wake(c)|\nT1|acq(m)|\n", NULL },
        { "T2|notify(c)|\nT1|acq(m)|\nT1|rel(m)|\nT1|wake(c)|\n",
          "t.std:4: 'wake(c)' by T1, but nobody notified c since it began to wait" },
        { "T2|notify(c)|\nT1|wake(c)|\n",
          "t.std:2: 'wake(c)' by T1, but it has released no lock to wait" },
        { "T1|acq(m)|\nT1|rel(m)|\nT2|notify(c)|\nT2|notify(c)|\nT1|wake(c)||rf=2\n", NULL },
        { "T1|acq(m)|\nT1|rel(m)|\nT2|notify(c)|\nT1|wake(c)||rf=1\n",
          "t.std:4: 'wake(c)' by T1, but rf=1 is no notify of c since it began to wait" },
        { "T1|pend(s)|\n", NULL },
        { "T1|post(s)|\nT1|post(s)|\nT2|pend(s)||rf=1\nT2|pend(s)||rf=0\n", NULL },
        { "T1|post(s)|\nT2|pend(s)||rf=0\nT2|pend(s)||rf=0\n",
          "t.std:3: 'pend(s)' by T2, but rf=0 is no unanswered post of s" },
        { "T1|w(x)|\nT2|r(x)||rf=0\n", NULL },
        { "T1|w(x)|\nT1|w(x)|\nT2|r(x)||rf=0\n",
          "t.std:3: 'r(x)' by T2, but rf=0 is not the latest write of x, event 1" },
        { "T2|r(x)||rf=0\n", "t.std:1: 'r(x)' by T2, but rf=0, and nothing has written x" },
    };

    (void)state;
    CHECK(samples);
}

static void barriers_and_blocks_pair_up(void **state)
{
    static const struct sample samples[] = {
        { "T1|barin(b)|\nT2|barin(b)|\nT1|barout(b)|\nT1|barin(b)|\nT2|barout(b)|\n", NULL },
        { "T1|barout(b)|\n", "t.std:1: 'barout(b)' by T1, but it never entered b" },
        { "T1|barin(b)|\nT1|barin(b)|\n",
          "t.std:2: 'barin(b)' by T1, but it is still inside b" },
        { "T1|begin(a)|\nT1|begin(b)|\nT1|end(b)|\nT1|end(a)|\n", NULL },
        { "T1|begin|\nT1|end|\n", NULL },
        { "T1|end(a)|\n", "t.std:1: 'end(a)' by T1, but it has no open block" },
        { "T1|begin(a)|\nT1|begin(b)|\nT1|end(a)|\n",
          "t.std:3: 'end(a)' by T1, but its innermost open block is 'b'" },
    };

    (void)state;
    CHECK(samples);
}

static struct fw_trace *load(const char *text, bool repair)
{
    struct fw_read_options options = { .repair = repair };
    struct fw_error err = { { 0 } };
    struct fw_trace *trace = NULL;
    int got = fw_trace_load_memory(&trace, text, strlen(text), "t.std", &options, &err);

    assert_string_equal(err.message, "");
    assert_int_equal(got, 0);
    return trace;
}

static void assert_event(const struct fw_trace *trace, uint32_t at, const char *text,
                         uint64_t index)
{
    char buffer[64];

    assert_true(at < trace->count);
    assert_string_equal(
        fw_event_text(trace->symbols, &trace->events[at], buffer, sizeof buffer), text);
    assert_int_equal(fw_trace_index(trace, at), index);
}

static void reentrant_pairs_are_filtered_but_keep_their_indices(void **state)
{
    struct fw_trace *trace =
        load("T1|acq(L)|\nT1|acq(L)|\nT1|w(x)|\nT1|rel(L)|\nT1|rel(L)|\n", false);

    (void)state;
    assert_int_equal(trace->count, 3);
    assert_event(trace, 0, "acq(L)", 0);
    assert_event(trace, 1, "w(x)", 2);
    assert_event(trace, 2, "rel(L)", 4);
    assert_int_equal(trace->status.reentrant, 2);
    assert_int_equal(fw_trace_position(trace, 4, 0), 2);
    assert_int_equal(fw_trace_position(trace, 3, 0), FW_NO_EVENT);
    fw_trace_destroy(trace);
}

static void posts_are_answered_in_any_order(void **state)
{
    static const struct sample samples[] = {
        { "T1|post(s)|\nT1|post(s)|\nT1|post(s)|\n"
          "T2|pend(s)||rf=1\nT2|pend(s)|\nT2|pend(s)||rf=2\n",
          NULL },
        { "T1|post(s)|\nT1|post(s)|\nT1|post(s)|\n"
          "T2|pend(s)||rf=1\nT2|pend(s)|\nT2|pend(s)||rf=0\n",
          "t.std:6: 'pend(s)' by T2, but rf=0 is no unanswered post of s" },
    };

    (void)state;
    CHECK(samples);
}

static void a_byte_order_mark_is_no_part_of_a_name(void **state)
{
    struct fw_trace *trace = load("\xef\xbb\xbfT0|w(x)|\nT0|r(x)|\n", false);

    (void)state;
    assert_int_equal(fw_trace_thread_count(trace), 1);
    assert_string_equal(fw_thread_name(trace->symbols, 0), "T0");
    fw_trace_destroy(trace);
}

static void what_stands_before_a_bad_event_is_delivered(void **state)
{
    static const char text[] = "T1|acq(L)|\nT1|w(x)|\nT2|rel(L)|\nT1|rel(L)|\n";
    struct fw_reader *reader;
    struct fw_batch batch;
    struct fw_error err = { { 0 } };

    (void)state;
    assert_int_equal(
        fw_reader_open_memory(&reader, text, sizeof text - 1, "t.std", NULL, &err), 0);
    assert_int_equal(fw_reader_next(reader, &batch, &err), 1);
    assert_int_equal(batch.count, 2);
    assert_int_equal(fw_reader_next(reader, &batch, &err), -1);
    assert_string_equal(err.message, "t.std:3: 'rel(L)' by T2, but T1 holds L");
    assert_int_equal(fw_reader_next(reader, &batch, &err), -1);
    fw_reader_close(reader);
}

static void repair_drops_and_counts_what_is_ill_formed(void **state)
{
    struct fw_trace *trace = load("T1|acq(L)|\nT2|rel(L)|\nnonsense\nT1|rel(L)|\n", true);

    (void)state;
    assert_int_equal(trace->count, 2);
    assert_event(trace, 1, "rel(L)", 3);
    assert_int_equal(trace->status.dropped, 2);
    assert_int_equal(trace->status.lines, 4);
    assert_string_equal(trace->status.first_drop, "t.std:2: 'rel(L)' by T2, but T1 holds L");
    fw_trace_destroy(trace);
}

static void a_wait_of_one_line_is_release_wake_and_acquire(void **state)
{
    struct fw_trace *trace = load("T1|acq(L)|\nT1|wait(L)|\nT2|acq(L)|\nT2|notify(L)|\n"
                                  "T2|rel(L)|\nT1|w(x)|\nT1|rel(L)|\n",
                                  false);

    (void)state;
    assert_int_equal(trace->count, 9);
    assert_event(trace, 1, "rel(L)", 1);
    assert_event(trace, 5, "wake(L)", 1);
    assert_event(trace, 6, "acq(L)", 1);
    assert_event(trace, 7, "w(x)", 5);
    assert_int_equal(fw_trace_position(trace, 1, 0), 1);
    assert_int_equal(fw_trace_position(trace, 1, 1), 5);
    assert_int_equal(fw_trace_position(trace, 1, 2), 6);
    assert_int_equal(fw_trace_position(trace, 1, 3), FW_NO_EVENT);
    fw_trace_destroy(trace);
}

static void a_timed_wait_of_one_line_has_no_wake(void **state)
{
    struct fw_trace *trace = load("T1|acq(L)|\nT1|wait(L)|\nT1|rel(L)|\n", false);

    (void)state;
    assert_int_equal(trace->count, 4);
    assert_event(trace, 1, "rel(L)", 1);
    assert_event(trace, 2, "acq(L)", 1);
    assert_event(trace, 3, "rel(L)", 2);
    fw_trace_destroy(trace);
}

static void a_wait_of_one_line_needs_its_lock(void **state)
{
    static const struct sample samples[] = {
        { "T1|wait(L)|\n", "t.std:1: 'wait(L)' by T1, but nobody holds L" },
        { "T1|acq(L)|\nT1|wait(L)|\nT2|acq(L)|\nT1|w(x)|\n",
          "t.std:4: 'w(x)' by T1, but it waits for L, which T2 holds" },
        { "T1|acq(L)|\nT1|wait(L)|\nT2|acq(L)|\nT2|notify(L)|\nT2|rel(L)|\nT1|acq(L)|\n"
          "T1|rel(L)|\nT2|acq(L)|\n",
          NULL },
    };

    (void)state;
    CHECK(samples);
}

static void requests_mean_nothing_but_count(void **state)
{
    struct fw_trace *trace = load("T1|req(L)|\nT1|acq(L)|\nT1|rel(L)|\n", false);

    (void)state;
    assert_int_equal(trace->count, 2);
    assert_event(trace, 0, "acq(L)", 1);
    assert_int_equal(trace->status.ignored, 1);
    fw_trace_destroy(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(locks_have_one_holder),
        cmocka_unit_test(shared_locks_exclude_writers_only),
        cmocka_unit_test(threads_run_between_fork_and_join),
        cmocka_unit_test(answers_have_a_cause),
        cmocka_unit_test(barriers_and_blocks_pair_up),
        cmocka_unit_test(reentrant_pairs_are_filtered_but_keep_their_indices),
        cmocka_unit_test(posts_are_answered_in_any_order),
        cmocka_unit_test(a_byte_order_mark_is_no_part_of_a_name),
        cmocka_unit_test(what_stands_before_a_bad_event_is_delivered),
        cmocka_unit_test(repair_drops_and_counts_what_is_ill_formed),
        cmocka_unit_test(a_wait_of_one_line_is_release_wake_and_acquire),
        cmocka_unit_test(a_timed_wait_of_one_line_has_no_wake),
        cmocka_unit_test(a_wait_of_one_line_needs_its_lock),
        cmocka_unit_test(requests_mean_nothing_but_count),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
