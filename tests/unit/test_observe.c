/*
 * test_observe.c - one small trace for each idiom and each of its conditions: with it there is an
 * instance, and without it none.
 */
#include "iroot/observe_trace.h"
#include "support/expect.h"
#include "support/property.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The trace's iRoots of the idiom, as "A,B,C A,B,C", where sites are letters; sorted. */
static void check_window(unsigned idiom, uint32_t window, const char *trace_text,
                         const char *expected)
{
    struct fw_observe_options options = { .window = window };
    struct fw_iroot_set *set = fw_iroot_set_create();
    struct fw_trace *trace = fw_load_line(trace_text);
    struct fw_strtab accesses;
    char found[1024] = "", *sorted;
    size_t used = 0;

    fw_strtab_init(&accesses);
    fw_observe_trace(trace, &accesses, set, &options);
    for (uint32_t i = 0; i < fw_iroot_set_count(set); i++) {
        const struct fw_iroot *iroot = fw_iroot_set_get(set, i);

        if (iroot->idiom != idiom)
            continue;
        used += (size_t)snprintf(found + used, sizeof found - used, " %s", iroot->waits ? "!" : "");
        for (unsigned k = 0; k < fw_idiom_accesses(idiom); k++) {
            const char *text = strchr(fw_strtab_text(&accesses, iroot->access[k]), ' ') + 1;

            used += (size_t)snprintf(found + used, sizeof found - used, "%s%s", k ? "," : "", text);
        }
    }
    sorted = fw_sort_words(found);
    assert_string_equal(sorted, expected);
    free(sorted);
    fw_strtab_release(&accesses);
    fw_trace_destroy(trace);
    fw_iroot_set_destroy(set);
}

static void check(unsigned idiom, const char *trace, const char *expected)
{
    check_window(idiom, 0, trace, expected);
}

static void dependencies_are_immediate(void **state)
{
    (void)state;
    check(1, "T1|w(x)|a T2|r(x)|b", "a,b");
    check(1, "T1|r(x)|a T2|w(x)|b", "a,b");
    check(1, "T1|w(x)|a T2|w(x)|b", "a,b");
    check(1, "T1|r(x)|a T2|r(x)|b", "none");
    check(1, "T1|w(x)|a T1|r(x)|b", "none");
    check(1, "T1|w(x)|a T2|w(y)|b", "none");
    check(1, "T1|ast(x)|a T2|ald(x)|b T1|armw(x)|c", "a,b b,c");
    check(1, "T1|w(x)|a T2|free(x)|b T1|r(x)|c", "a,b b,c");
    /* Another write, or one of the two threads, lies between. */
    check(1, "T1|w(x)|a T3|w(x)|c T2|r(x)|b", "a,c c,b");
    check(1, "T1|w(x)|a T1|r(x)|c T2|r(x)|b", "none");
    check(1, "T1|w(x)|a T2|r(x)|c T2|r(x)|b", "a,c");
    check(1, "T1|r(x)|a T2|r(x)|c T2|w(x)|b", "none");
    /* A read of a third thread breaks two writes only. */
    check(1, "T1|w(x)|a T3|r(x)|c T2|r(x)|b", "a,b a,c");
    check(1, "T1|r(x)|a T3|r(x)|c T2|w(x)|b", "a,b c,b");
    check(1, "T1|w(x)|a T3|r(x)|c T2|w(x)|b", "a,c c,b");
}

static void locks_are_given_and_taken(void **state)
{
    (void)state;
    check(1, "T1|acq(l)|a T1|rel(l)|b T2|acq(l)|c T2|rel(l)|d", "b,c");
    check(1, "T1|racq(l)|a T1|rrel(l)|b T2|racq(l)|c", "none");
    check(1, "T1|racq(l)|a T3|racq(l)|e T1|rrel(l)|b T3|rrel(l)|f T2|acq(l)|c", "b,c f,c");
    check(1, "T1|acq(l)|a T1|rel(l)|b T2|racq(l)|c T3|racq(l)|d", "b,c b,d");
    /* A lock is no variable of the same name. */
    check(1, "T1|acq(x)|a T1|rel(x)|b T2|w(x)|c", "none");
    check(1, "T1|acq(l)|a T2|tryfail(l)|b T1|rel(l)|c", "none");
}

static void an_allocated_name_is_another_object(void **state)
{
    (void)state;
    check(1, "T1|alloc(x)|a T1|w(x)|b T2|r(x)|c", "b,c");
    check(1, "T1|alloc(x)|a T1|w(x)|b T1|alloc(x)|d T2|r(x)|c", "none");
}

static void idiom_2(void **state)
{
    (void)state;
    check(2, "T1|r(x)|a T2|w(x)|b T1|r(x)|c", "a,b,c");
    check(2, "T1|r(x)|a T2|w(x)|b T3|r(x)|c", "none");
    check(2, "T1|r(x)|a T2|w(x)|b T2|w(x)|d T1|r(x)|c", "none");
    check_window(2, 2, "T1|r(x)|a T2|w(x)|b T1|r(y)|d T1|r(x)|c", "a,b,c");
    check_window(2, 1, "T1|r(x)|a T2|w(x)|b T1|r(y)|d T1|r(x)|c", "none");
}

static void idiom_3(void **state)
{
    (void)state;
    check(3, "T1|w(x)|a T2|r(x)|b T2|w(x)|c T1|r(x)|d", "a,b,c,d");
    check(3, "T1|w(x)|a T2|r(x)|b T2|r(x)|e T2|w(x)|c T1|r(x)|d", "a,b,c,d");
    check(3, "T1|w(x)|a T2|r(x)|b T1|r(x)|e T2|w(x)|c T1|r(x)|d", "none");
    check(3, "T1|w(x)|a T2|r(x)|b T3|w(x)|c T1|r(x)|d", "none");
    check(3, "T1|acq(l) T1|rel(l)|a T2|acq(l)|b T2|rel(l)|c T1|acq(l)|d", "a,b,c,d");
    check_window(3, 1, "T1|w(x)|a T2|r(x)|b T2|r(y)|e T2|w(x)|c T1|r(x)|d", "none");
    check_window(3, 2, "T1|w(x)|a T2|r(x)|b T2|r(y)|e T2|w(x)|c T1|r(x)|d", "a,b,c,d");
}

static void idiom_4(void **state)
{
    (void)state;
    check(4, "T1|w(x)|a T2|r(x)|b T2|w(y)|c T1|r(y)|d", "a,b,c,d");
    check(4, "T1|w(x)|a T2|r(x)|b T2|w(y)|c T1|r(z)|e T1|r(y)|d", "a,b,c,d");
    /* S accesses x or y in between. */
    check(4, "T1|w(x)|a T2|r(x)|b T1|r(x)|e T2|w(y)|c T1|r(y)|d", "none");
    check(4, "T1|w(x)|a T1|r(y)|e T2|r(x)|b T2|w(y)|c T1|r(y)|d", "none");
    check(4, "T1|w(x)|a T2|r(x)|b T3|w(y)|c T1|r(y)|d", "none");
    check_window(4, 1, "T1|w(x)|a T2|r(x)|b T2|w(y)|c T1|r(z)|e T1|r(y)|d", "none");
    /* What T does behind C does not count. */
    check_window(4, 1, "T1|w(x)|a T2|r(x)|b T2|w(y)|c T2|r(z)|e T2|r(z)|f T1|r(y)|d", "a,b,c,d");
}

static void idiom_5(void **state)
{
    (void)state;
    check(5, "T1|w(x)|a T2|w(y)|c T1|r(y)|d T2|r(x)|b", "a,b,c,d");
    check(5, "T1|w(x)|a T2|w(y)|c T2|r(x)|b T1|r(y)|d", "a,b,c,d");
    check(5, "T1|w(x)|a T2|w(y)|c T2|r(x)|b T3|r(y)|d", "none");
    check_window(5, 1, "T1|w(x)|a T2|w(y)|c T2|r(z)|e T2|r(x)|b T1|r(y)|d", "none");
}

static void idiom_5_as_a_deadlock(void **state)
{
    (void)state;
    check(5, "T1|acq(l)|a T2|acq(m)|c T1|req(m)|d T2|req(l)|b", "!a,b,c,d");
    check(5, "T1|acq(l)|a T2|acq(m)|c T1|req(m)|d T2|req(l)|b T2|rel(m)|e", "none");
    check(5, "T1|acq(l)|a T2|acq(m)|c T1|req(m)|d", "none");
    check(5, "T1|racq(l)|a T2|acq(m)|c T1|req(m)|d T2|req(l)|b", "!a,b,c,d");
    check(5, "T1|acq(l)|a T2|acq(m)|c T3|acq(n)|e T1|req(m)|d T2|req(n)|b T3|req(l)|f", "none");
    check_window(5, 1, "T1|acq(l)|a T1|r(z)|e T2|acq(m)|c T1|req(m)|d T2|req(l)|b", "none");
}

static void idiom_6(void **state)
{
    (void)state;
    check(6, "T1|w(x)|a T1|w(y)|c T2|r(x)|b T2|r(y)|d", "a,b,c,d");
    check(6, "T1|w(y)|c T1|w(x)|a T2|r(x)|b T2|r(y)|d", "none");
    check(6, "T1|w(x)|a T2|r(x)|b T1|w(y)|c T2|r(y)|d", "a,b,c,d");
    check_window(6, 1, "T1|w(x)|a T1|w(z)|e T1|w(y)|c T2|r(x)|b T2|r(y)|d", "none");
    /* S may be far ahead. */
    check_window(6, 1, "T1|w(x)|a T1|w(y)|c T1|w(z) T1|w(z) T2|r(x)|b T2|r(y)|d", "a,b,c,d");
}

/* Of ten thousand objects, forgotten in any order, the rest is still known, and only that. */
static void forgotten_objects_leave_the_others(void **state)
{
    enum { OBJECTS = 10000 };
    struct fw_iroot_set *set = fw_iroot_set_create();
    struct fw_observe_options options = { .simple = true };
    struct fw_observer *observer = fw_observer_create(set, &options);
    uint32_t expected = 0;

    (void)state;
    for (uint32_t i = 0; i < OBJECTS; i++)
        fw_observer_access(observer, &(struct fw_observed) { 0, i, i * UINT64_C(7919), true,
                                                             FW_DOES_WRITE });
    for (uint32_t i = 0; i < OBJECTS; i += 1 + i % 3)
        fw_observer_forget(observer, i * UINT64_C(7919));
    for (uint32_t i = 0; i < OBJECTS; i++)
        fw_observer_access(observer, &(struct fw_observed) { 1, OBJECTS + i, i * UINT64_C(7919),
                                                             false, FW_DOES_READ });
    fw_observer_finish(observer);
    for (uint32_t i = 0, next = 0; i < OBJECTS; i++) {
        struct fw_iroot iroot = { .idiom = 1, .access = { i, OBJECTS + i } };

        expected += i != next;
        assert_int_equal(fw_iroot_set_has(set, &iroot), i != next);
        next = i == next ? i + 1 + i % 3 : next;
    }
    assert_int_equal(fw_iroot_set_count(set), expected);
    fw_observer_destroy(observer);
    fw_iroot_set_destroy(set);
}

/* Thread after thread writes what the one before has read, and ends. */
static void threads_come_and_go(void **state)
{
    enum { THREADS = 3000 };
    struct fw_iroot_set *set = fw_iroot_set_create();
    struct fw_observe_options options = { .window = 4 };
    struct fw_observer *observer = fw_observer_create(set, &options);

    (void)state;
    for (uint32_t t = 0; t < THREADS; t++) {
        fw_observer_access(observer, &(struct fw_observed) { t, 0, 1, true, FW_DOES_WRITE });
        fw_observer_access(observer, &(struct fw_observed) { t, 1, 2, true, FW_DOES_WRITE });
        fw_observer_end_thread(observer, t);
    }
    fw_observer_finish(observer);
    assert_int_equal(fw_iroot_set_of_idiom(set, 1), 2);
    assert_int_equal(fw_iroot_set_of_idiom(set, 6), 1);
    assert_int_equal(fw_iroot_set_count(set), 3);
    fw_observer_destroy(observer);
    fw_iroot_set_destroy(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dependencies_are_immediate),
        cmocka_unit_test(locks_are_given_and_taken),
        cmocka_unit_test(an_allocated_name_is_another_object),
        cmocka_unit_test(idiom_2),
        cmocka_unit_test(idiom_3),
        cmocka_unit_test(idiom_4),
        cmocka_unit_test(idiom_5),
        cmocka_unit_test(idiom_5_as_a_deadlock),
        cmocka_unit_test(idiom_6),
        cmocka_unit_test(forgotten_objects_leave_the_others),
        cmocka_unit_test(threads_come_and_go),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
