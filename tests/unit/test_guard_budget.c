/* test_guard_budget.c - how long threads may wait: in the last ten seconds, and no sooner. */
#include "guard/budget.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define MS     UINT64_C(1000000)
#define SECOND (1000 * MS)

static bool is_spent(const struct fw_budget *budget, uint64_t now)
{
    return fw_budget_is_spent(budget, now, 5, 2); /* a second of ten, of two threads */
}

static void what_a_program_waits_for_in_its_first_second_is_not_all_it_has(void **state)
{
    struct fw_budget budget = { 0 };
    uint64_t now = 123 * SECOND;

    (void)state;
    for (int i = 0; i < 20; i++) /* a second of waiting, by several threads, in half of one */
        fw_budget_add(&budget, now + (uint64_t)i * 20 * MS, 50 * MS);
    assert_false(is_spent(&budget, now + 500 * MS));
    fw_budget_add(&budget, now + 500 * MS, 1 * MS);
    assert_true(is_spent(&budget, now + 500 * MS));
    assert_false(fw_budget_is_spent(&budget, now + 500 * MS, 6, 2));
    assert_false(fw_budget_is_spent(&budget, now + 500 * MS, 5, 3));
}

static void what_is_longer_ago_does_not_count(void **state)
{
    struct fw_budget budget = { 0 };
    uint64_t now = 10 * SECOND;

    (void)state;
    for (int i = 0; i < 3600; i++, now += SECOND) { /* a tenth of a second in each: just enough */
        fw_budget_add(&budget, now, 100 * MS);
        assert_false(is_spent(&budget, now));
    }
    fw_budget_add(&budget, now - SECOND, 2 * MS);
    assert_true(is_spent(&budget, now - SECOND));
    assert_false(is_spent(&budget, now + 9 * SECOND));
}

/* However long it has run without. */
static void a_day_of_peace_is_not_saved_up(void **state)
{
    struct fw_budget budget = { 0 };
    uint64_t now = 86400 * SECOND;

    (void)state;
    fw_budget_add(&budget, SECOND, 10 * SECOND);
    assert_false(is_spent(&budget, now));
    fw_budget_add(&budget, now, 1001 * MS);
    assert_true(is_spent(&budget, now));
    fw_budget_add(&budget, now, UINT64_MAX); /* too long for a slice */
    assert_true(is_spent(&budget, now));
}

/* A hundred threads, one of which waits while the others cannot go on. */
static void one_of_many_threads_must_not_hold_all_up(void **state)
{
    struct fw_budget budget = { 0 };
    uint64_t now = 50 * SECOND;

    (void)state;
    for (int i = 0; i < 5000; i++, now += 2 * MS) /* half of ten seconds */
        fw_budget_add(&budget, now, MS);
    assert_false(fw_budget_is_spent(&budget, now - 2 * MS, 5, 100));
    fw_budget_add(&budget, now - MS, MS);
    assert_true(fw_budget_is_spent(&budget, now - MS, 5, 100));
    assert_false(fw_budget_is_spent(&budget, now - MS, 51, 100));
    assert_false(fw_budget_is_spent(&budget, now + 9 * SECOND, 5, 100));
}

/* What many wait for at once is that long, not longer. */
static void waits_at_once_hold_up_once(void **state)
{
    struct fw_budget budget = { 0 };
    uint64_t now = 50 * SECOND;

    (void)state;
    for (int i = 0; i < 40; i++) {
        fw_budget_add(&budget, now, 4 * SECOND);
        fw_budget_add(&budget, now - SECOND, SECOND); /* long since told */
    }
    assert_false(fw_budget_is_spent(&budget, now, 5, 1000));
    fw_budget_add(&budget, now + 2 * SECOND, 6 * SECOND); /* two of them are new */
    assert_true(fw_budget_is_spent(&budget, now + 2 * SECOND, 5, 1000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_program_waits_for_in_its_first_second_is_not_all_it_has),
        cmocka_unit_test(what_is_longer_ago_does_not_count),
        cmocka_unit_test(a_day_of_peace_is_not_saved_up),
        cmocka_unit_test(one_of_many_threads_must_not_hold_all_up),
        cmocka_unit_test(waits_at_once_hold_up_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
