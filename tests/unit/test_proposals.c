/*
 * test_proposals.c - what is tried first: preemptions where they may have an effect and nowhere
 * else, and every proposal once.
 */
#include "explore/conflicts.h"
#include "explore/proposals.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define START "T0|fork(T1)|0\nT0|fork(T2)|0\n" /* events 0 and 1 */

/* The conflicts of a trace, as "3 7". */
static void check(const char *text, const char *wanted)
{
    struct fw_conflicts list = { 0 };
    struct fw_trace *trace;
    struct fw_error err;
    char got[128] = "";

    assert_int_equal(
        fw_trace_load_memory(&trace, text, strlen(text), "t.std", &(struct fw_read_options){ 0 },
                             &err),
        0);
    fw_conflicts_find(trace, NULL, &list);
    for (size_t i = 0; i < list.len; i++)
        snprintf(got + strlen(got), sizeof got - strlen(got), "%s%d", i ? " " : "",
                 (int)list.at[i]);
    assert_string_equal(got, wanted);
    fw_vec_release(&list);
    fw_trace_destroy(trace);
}

/* Read and written back: between the two.  Both threads have the same lines. */
static void test_lost_update(void **state)
{
    (void)state;
    check(START "T1|r(x)|1\nT1|w(x)|2\nT2|r(x)|1\nT2|w(x)|2\n", "3 5");
}

/* The same in one section each: nobody can come between. */
static void test_guarded(void **state)
{
    (void)state;
    check(START "T1|acq(l)|1\nT1|r(x)|2\nT1|w(x)|3\nT1|rel(l)|4\n"
                "T2|acq(l)|1\nT2|r(x)|2\nT2|w(x)|3\nT2|rel(l)|4\n",
          "");
}

/* Two sections: before the second one. */
static void test_two_sections(void **state)
{
    (void)state;
    check(START "T1|acq(l)|1\nT1|r(x)|2\nT1|rel(l)|3\nT1|acq(l)|4\nT1|w(x)|5\nT1|rel(l)|6\n"
                "T2|acq(l)|7\nT2|w(x)|8\nT2|rel(l)|9\n",
          "5");
}

/* What both only read, what one alone uses, and what forks and joins order. */
static void test_nothing_between(void **state)
{
    (void)state;
    check("T0|w(x)|1\nT0|w(z)|2\nT0|fork(T1)|3\nT0|fork(T2)|4\n"
          "T1|r(x)|5\nT1|r(x)|6\nT1|w(y)|7\nT1|w(y)|8\nT1|w(z)|9\nT1|w(z)|10\n"
          "T2|r(x)|11\nT2|r(x)|12\nT0|join(T1)|13\nT0|join(T2)|14\nT0|r(z)|15\nT0|w(x)|16\n",
          "");
}

/* Threads that are joined before the other one begins could still have met it. */
static void test_joined_meanwhile(void **state)
{
    (void)state;
    check(START "T1|r(x)|1\nT1|w(x)|2\nT0|join(T1)|9\nT2|w(x)|3\nT0|join(T2)|9\n", "3");
}

/* Patterns come before other conflicts; loops once more by their last round. */
static void test_order(void **state)
{
    (void)state;
    check(START "T1|w(a)|1\nT1|w(b)|2\nT1|r(a)|3\nT1|r(a)|3\nT2|w(a)|4\nT2|w(b)|5\n", "4 3 7 5");
}

/* The acquire of a wait that is told in one line with its release. */
static void test_wait_of_one_line(void **state)
{
    (void)state;
    check(START "T1|acq(l)|1\nT1|wait(l)|2\nT2|acq(l)|4\nT2|notify(l)|5\nT2|rel(l)|6\n"
                "T1|rel(l)|3\n",
          "3");
}

static void test_every_proposal_once(void **state)
{
    struct fw_shown shown[7] = { 0 };
    uint64_t events[9];

    (void)state;
    for (size_t predicted = 0; predicted <= 7; predicted++)
        for (size_t preemptions = 0; preemptions <= 9; preemptions++) {
            struct fw_proposals proposals = { .predicted = shown,
                                              .predicted_count = predicted,
                                              .first_count = predicted / 2,
                                              .preemptions = events,
                                              .preemption_count = preemptions };
            unsigned met[7][10] = { 0 }, held[9] = { 0 };
            struct fw_proposal proposal;
            uint64_t n = 0;

            for (size_t i = 0; i < 9; i++)
                events[i] = i;
            for (; fw_proposals_get(&proposals, n, &proposal); n++)
                if (proposal.shown)
                    met[proposal.shown - shown][proposal.variant]++;
                else
                    held[proposal.event]++;
            assert_int_equal(n, 10 * predicted + preemptions);
            for (size_t i = 0; i < predicted; i++)
                for (size_t j = 0; j < 10; j++)
                    assert_int_equal(met[i][j], 1);
            for (size_t i = 0; i < preemptions; i++)
                assert_int_equal(held[i], 1);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lost_update),
        cmocka_unit_test(test_guarded),
        cmocka_unit_test(test_two_sections),
        cmocka_unit_test(test_nothing_between),
        cmocka_unit_test(test_joined_meanwhile),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_wait_of_one_line),
        cmocka_unit_test(test_every_proposal_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
