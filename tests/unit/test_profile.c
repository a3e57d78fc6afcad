/*
 * test_profile.c - what the profiler guesses from small traces, and what it must not guess.
 */
#include "iroot/profile.h"
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

/* The iRoots of the idiom as "A,B A,B", where sites are letters; sorted. */
static char *list(const struct fw_iroot_set *set, const struct fw_strtab *accesses, unsigned idiom)
{
    char found[2048] = "";
    size_t used = 0;

    for (uint32_t i = 0; i < fw_iroot_set_count(set); i++) {
        const struct fw_iroot *iroot = fw_iroot_set_get(set, i);

        if (iroot->idiom != idiom)
            continue;
        used += (size_t)snprintf(found + used, sizeof found - used, " %s", iroot->waits ? "!" : "");
        for (unsigned k = 0; k < fw_idiom_accesses(idiom); k++) {
            const char *text = strchr(fw_strtab_text(accesses, iroot->access[k]), ' ') + 1;

            used += (size_t)snprintf(found + used, sizeof found - used, "%s%s", k ? "," : "", text);
        }
    }
    return fw_sort_words(found);
}

static void check_with(const struct fw_profile_options *options, unsigned idiom,
                       const char *trace_text, const char *expected, const char *from_outside)
{
    struct fw_iroot_set *set = fw_iroot_set_create(), *outside = fw_iroot_set_create();
    struct fw_trace *trace = fw_load_line(trace_text);
    struct fw_strtab accesses;
    char *found, *found_outside;

    fw_strtab_init(&accesses);
    fw_profile_trace(trace, &accesses, options, set, outside);
    found = list(set, &accesses, idiom);
    found_outside = list(outside, &accesses, idiom);
    assert_string_equal(found, expected);
    assert_string_equal(found_outside, from_outside);
    free(found);
    free(found_outside);
    fw_strtab_release(&accesses);
    fw_trace_destroy(trace);
    fw_iroot_set_destroy(set);
    fw_iroot_set_destroy(outside);
}

static void check(unsigned idiom, const char *trace, const char *expected)
{
    struct fw_profile_options options = { 0 };

    check_with(&options, idiom, trace, expected, "none");
}

static void conflicting_accesses_may_swap(void **state)
{
    (void)state;
    check(1, "T1|w(x)|a T2|r(x)|b", "a,b b,a");
    check(1, "T1|r(x)|a T2|r(x)|b", "none");
    check(1, "T1|w(x)|a T1|r(x)|b", "none");
    check(1, "T1|acq(l)|a T1|rel(l)|b T2|acq(l)|c T2|rel(l)|d", "b,c d,a");
    check(1, "T1|racq(l)|a T1|rrel(l)|b T2|racq(l)|c T2|rrel(l)|d", "none");
}

/* All synchronisation but that of locks keeps its order. */
static void what_happens_before_stays_before(void **state)
{
    struct fw_profile_options free_atomics = { .free_atomics = true };
    const char *flag = "T1|w(x)|a T1|ast(f)|b T2|ald(f)|c T2|r(x)|d";

    (void)state;
    check(1, "T0|w(x)|a T0|fork(T1)|f T1|r(x)|b", "a,b");
    check(1, "T0|fork(T1)|f T0|w(x)|a T1|r(x)|b", "a,b b,a");
    check(1, "T0|fork(T1)|f T1|r(x)|b T0|join(T1)|j T0|w(x)|a", "b,a");
    check(1, "T1|w(x)|a T1|post(s)|p T2|pend(s)|q T2|r(x)|b", "a,b");
    check(1, "T1|w(x)|a T1|barin(b)|i T2|barin(b)|i T1|barout(b)|o T2|barout(b)|o T2|r(x)|b",
          "a,b");
    check(1, flag, "a,d b,c");
    check_with(&free_atomics, 1, flag, "a,d b,c c,b d,a", "none");
}

/* In a section others see the last access only, and come before the first only. */
static void sections_hide_what_is_inside(void **state)
{
    const char *both = "T1|acq(m) T1|w(x)|a T1|w(x)|b T1|rel(m) T2|acq(m) T2|r(x)|c T2|rel(m)";

    (void)state;
    check(1, both, "(m),(m) b,c c,a");
    check(1, "T1|acq(m) T1|w(x)|a T1|w(x)|b T1|rel(m) T2|r(x)|c", "a,c b,c c,a c,b");
    check(1, "T1|acq(m) T1|w(x)|a T1|rel(m) T1|acq(m) T1|w(x)|b T1|rel(m) T2|acq(m) T2|r(x)|c "
             "T2|rel(m)",
          "(m),(m) a,c b,c c,a c,b");
    /* Shared by both, it hides nothing. */
    check(1, "T1|racq(m) T1|w(x)|a T1|w(x)|b T1|rrel(m) T2|racq(m) T2|r(x)|c T2|rrel(m)",
          "a,c b,c c,a c,b");
    /* Locks behind a gate. */
    check(1, "T1|acq(g)|1 T1|acq(l)|a T1|rel(l)|b T1|acq(l)|c T1|rel(l)|d T1|rel(g)|2 "
             "T2|acq(g)|3 T2|acq(l)|e T2|rel(l)|f T2|rel(g)|4",
          "2,3 4,1 d,e f,a");
}

static void compound_idioms_need_both(void **state)
{
    (void)state;
    check(2, "T1|r(x)|a T1|r(x)|c T2|w(x)|b", "a,b,c");
    check(2, "T1|acq(m) T1|r(x)|a T1|r(x)|c T1|rel(m) T2|acq(m) T2|w(x)|b T2|rel(m)", "none");
    check(3, "T1|w(x)|a T1|r(x)|d T2|r(x)|b T2|w(x)|c", "a,b,c,d b,a,d,c");
    check(4, "T1|w(x)|a T1|r(y)|d T2|r(x)|b T2|w(y)|c", "a,b,c,d b,a,d,c");
    check(4, "T1|w(x)|a T1|r(y)|e T1|r(y)|d T2|r(x)|b T2|w(y)|c", "a,b,c,e b,a,d,c b,a,e,c");
    check(5, "T1|w(x)|a T1|r(y)|d T2|w(y)|c T2|r(x)|b", "a,b,c,d");
    check(6, "T1|w(x)|a T1|w(y)|c T2|r(x)|b T2|r(y)|d", "a,b,c,d b,a,d,c");
}

static void deadlocks(void **state)
{
    const char *gate = "T1|acq(g) T1|acq(l)|a T1|acq(m)|d T1|rel(m) T1|rel(l) T1|rel(g) "
                       "T2|acq(g) T2|acq(m)|c T2|acq(l)|b T2|rel(l) T2|rel(m) T2|rel(g)";

    (void)state;
    check(5,
          "T1|acq(l)|a T1|acq(m)|d T1|rel(m)|e T1|rel(l)|f "
          "T2|acq(m)|c T2|acq(l)|b T2|rel(l)|g T2|rel(m)|h",
          "!a,b,c,d");
    check(5, gate, "none");
    check(5,
          "T1|acq(l)|a T1|tryacq(m)|d T1|rel(m)|e T1|rel(l)|f "
          "T2|acq(m)|c T2|acq(l)|b T2|rel(l)|g T2|rel(m)|h",
          "none");
}

/* A token that nobody posted: what comes behind it hangs on the world. */
static void what_comes_from_outside_is_marked(void **state)
{
    struct fw_profile_options options = { 0 };

    (void)state;
    check_with(&options, 1, "T1|w(x)|a T2|pend(s)|p T2|r(x)|b", "a,b b,a", "a,b b,a");
    check_with(&options, 1, "T2|r(x)|b T1|w(x)|a T2|pend(s)|p", "a,b b,a", "none");
    check_with(&options, 1, "T1|post(s) T1|w(x)|a T2|pend(s)|p T2|r(x)|b", "a,b b,a", "none");
    check_with(&options, 1, "T2|pend(s)|p T2|fork(T3)|f T1|w(x)|a T3|r(x)|b", "a,b b,a", "a,b b,a");
}

static void shared_accesses_are_learnt(void **state)
{
    struct fw_shared *shared = fw_shared_create();

    (void)state;
    fw_shared_touch(shared, 1, 10, 0);
    fw_shared_touch(shared, 1, 10, 1);
    fw_shared_touch(shared, 1, 11, 2);
    assert_false(fw_shared_has(shared, 0));
    fw_shared_touch(shared, 2, 10, 3);
    fw_shared_touch(shared, 1, 10, 4);
    for (uint32_t access = 0; access < 6; access++)
        assert_int_equal(fw_shared_has(shared, access), access != 2 && access < 5);
    fw_shared_begin(shared);
    fw_shared_touch(shared, 2, 11, 2); /* another object than that of the former run */
    assert_false(fw_shared_has(shared, 2));
    assert_true(fw_shared_has(shared, 3));
    fw_shared_destroy(shared);
}

/* A section of so many accesses between a and d; T2 reads in one of its own. */
static char *guess_long_section(uint32_t length, uint64_t *hurried)
{
    struct fw_trace *trace = fw_load_line("T1|acq(l) T1|w(x)|a T1|r(y)|c T1|w(x)|d T1|rel(l) "
                                          "T2|acq(l) T2|r(x)|b T2|rel(l)");
    struct fw_profile_options options = { .simple = true };
    struct fw_iroot_set *set = fw_iroot_set_create();
    struct fw_batch batch = fw_trace_batch(trace);
    struct fw_profiler *profiler;
    struct fw_strtab accesses;
    char *found;

    fw_strtab_init(&accesses);
    profiler = fw_profiler_create(trace->symbols, &accesses, &options);
    for (uint32_t i = 0; i < trace->count; i++) {
        uint32_t times = i == 2 ? length : 1;

        batch.events = &trace->events[i];
        batch.count = 1;
        while (times-- > 0)
            fw_profiler_batch(profiler, &batch);
    }
    fw_profiler_finish(profiler, set, NULL);
    *hurried = fw_profiler_hurried(profiler);
    found = list(set, &accesses, 1);
    fw_profiler_destroy(profiler);
    fw_strtab_release(&accesses);
    fw_iroot_set_destroy(set);
    fw_trace_destroy(trace);
    return found;
}

/* What is in a section that is too long may count as its last access, and that is said. */
static void long_sections_are_not_kept(void **state)
{
    uint64_t hurried;
    char *found = guess_long_section(1000, &hurried);

    (void)state;
    assert_string_equal(found, "(l),(l) b,a d,b");
    assert_int_equal(hurried, 0);
    free(found);
    found = guess_long_section(FW_PROFILE_LATE, &hurried);
    assert_string_equal(found, "(l),(l) a,b b,a d,b");
    assert_int_equal(hurried, FW_PROFILE_LATE);
    free(found);
}

/* T1 writes and T2 reads pairs of neighbours, of so many: one pair of places, many of objects. */
static bool overlooks_with(unsigned objects, const struct fw_profile_options *options)
{
    struct fw_iroot_set *set = fw_iroot_set_create();
    struct fw_strtab accesses;
    struct fw_trace *trace;
    struct fw_profile_limits limits;
    char text[4096];
    size_t used = 0;

    for (unsigned thread = 1; thread <= 2; thread++)
        for (unsigned i = 0; i < objects; i++)
            used += (size_t)snprintf(text + used, sizeof text - used, "%sT%u|%c(x%u)|%c",
                                     used ? " " : "", thread, thread == 1 ? 'w' : 'r', i,
                                     thread == 1 ? 'a' : 'b');
    trace = fw_load_line(text);
    fw_strtab_init(&accesses);
    limits = fw_profile_trace(trace, &accesses, options, set, NULL);
    fw_strtab_release(&accesses);
    fw_trace_destroy(trace);
    fw_iroot_set_destroy(set);
    return limits.overlooks;
}

static bool overlooks(unsigned objects, uint32_t most)
{
    struct fw_profile_options options = { .most = most };

    return overlooks_with(objects, &options);
}

static void what_may_be_overlooked_is_said(void **state)
{
    (void)state;
    assert_false(overlooks(4, 0));
    assert_false(overlooks(4, 6)); /* so many pairs are there */
    assert_true(overlooks(4, 5));
    assert_true(overlooks(20, 0));
    assert_false(overlooks(20, UINT32_MAX));
}

/* So many variables, each with a lock of its own, which two threads take twice; what is guessed of
 * idiom 4 if about so many of them are looked at. */
static char *guess_guarded(unsigned objects, uint32_t guarded, bool *overlooks)
{
    struct fw_profile_options options = { .guarded = guarded, .most = UINT32_MAX };
    struct fw_iroot_set *set = fw_iroot_set_create();
    struct fw_profile_limits limits;
    struct fw_strtab accesses;
    struct fw_trace *trace;
    char text[8192], *found;
    size_t used = 0;

    for (unsigned thread = 1; thread <= 2; thread++)
        for (unsigned i = 0; i < objects; i++)
            used += (size_t)snprintf(text + used, sizeof text - used,
                                     "%sT%u|acq(l%u)|l T%u|r(x%u)|a T%u|rel(l%u)|u T%u|acq(l%u)|l "
                                     "T%u|w(x%u)|b T%u|rel(l%u)|u",
                                     used ? " " : "", thread, i, thread, i, thread, i, thread, i,
                                     thread, i, thread, i);
    trace = fw_load_line(text);
    fw_strtab_init(&accesses);
    limits = fw_profile_trace(trace, &accesses, &options, set, NULL);
    *overlooks = limits.overlooks;
    found = list(set, &accesses, 4);
    fw_strtab_release(&accesses);
    fw_trace_destroy(trace);
    fw_iroot_set_destroy(set);
    return found;
}

/* Where all are treated alike, some are enough; where there are only some, all are looked at. */
static void of_many_that_are_guarded_some_are_enough(void **state)
{
    bool overlooks;
    char *all = guess_guarded(12, 12, &overlooks), *some, *few;

    (void)state;
    assert_false(overlooks);
    assert_string_equal(all, "b,a,b,a b,a,u,l b,b,b,a b,b,u,l u,l,b,a u,l,u,l");
    some = guess_guarded(12, 5, &overlooks);
    assert_true(overlooks);
    assert_string_equal(some, all);
    few = guess_guarded(4, 4, &overlooks);
    assert_false(overlooks);
    assert_string_equal(few, all);
    free(all);
    free(some);
    free(few);
}

/* Six groups of two couples each: what one of them does not use is there for the others. */
static void looks_are_bounded(void **state)
{
    struct fw_profile_options few = { .looks = 10 }, enough = { .looks = 1000 };

    (void)state;
    assert_true(overlooks_with(4, &few));
    assert_false(overlooks_with(4, &enough));
}

static void who_is_stopped_has_overlooked_something(void **state)
{
    atomic_bool stop = true, go_on = false;
    struct fw_profile_options stopped = { .stop = &stop }, at_ease = { .stop = &go_on };

    (void)state;
    assert_true(overlooks_with(4, &stopped));
    assert_false(overlooks_with(4, &at_ease));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conflicting_accesses_may_swap),
        cmocka_unit_test(what_happens_before_stays_before),
        cmocka_unit_test(sections_hide_what_is_inside),
        cmocka_unit_test(compound_idioms_need_both),
        cmocka_unit_test(deadlocks),
        cmocka_unit_test(what_comes_from_outside_is_marked),
        cmocka_unit_test(shared_accesses_are_learnt),
        cmocka_unit_test(long_sections_are_not_kept),
        cmocka_unit_test(what_may_be_overlooked_is_said),
        cmocka_unit_test(of_many_that_are_guarded_some_are_enough),
        cmocka_unit_test(looks_are_bounded),
        cmocka_unit_test(who_is_stopped_has_overlooked_something),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
