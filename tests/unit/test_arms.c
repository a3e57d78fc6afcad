/* test_arms.c - what the rounds of a campaign that seeks iRoots are for. */
#include "explore/arms.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* One round; brings so many new iRoots with 10 runs. */
static enum fw_arm round_of(struct fw_arms *arms, uint64_t fresh)
{
    fw_arms_choose(arms);
    fw_arms_learn(arms, 10, fresh, false);
    return arms->now;
}

static void test_hunt_comes_first_and_all_are_tried(void **state)
{
    struct fw_arms arms = { 0 };
    bool tried[FW_ARMS] = { 0 };

    (void)state;
    assert_int_equal(round_of(&arms, 5), FW_ARM_HUNT);
    for (unsigned i = 1; i < FW_ARMS; i++)
        tried[round_of(&arms, 1)] = true;
    for (unsigned i = 1; i < FW_ARMS; i++)
        assert_true(tried[i]);
    assert_int_equal(round_of(&arms, 5), FW_ARM_HUNT);
}

static void test_nothing_comes_between_what_is_possible(void **state)
{
    struct fw_arms arms = { 0 };

    (void)state;
    for (unsigned i = 0; i < 20; i++) {
        fw_arms_choose(&arms);
        assert_int_equal(arms.now, FW_ARM_HUNT);
        fw_arms_learn(&arms, 10, 0, i < 19);
    }
    assert_int_not_equal(round_of(&arms, 0), FW_ARM_HUNT);
}

static void test_what_brings_more_goes_on(void **state)
{
    struct fw_arms arms = { 0 };
    unsigned rounds[FW_ARMS] = { 0 };

    (void)state;
    for (unsigned i = 0; i < 80; i++) {
        fw_arms_choose(&arms);
        fw_arms_learn(&arms, 10, arms.now == FW_ARM_POS ? 7 : 1, false);
        rounds[arms.now]++;
    }
    assert_true(rounds[FW_ARM_POS] > 60);
    for (unsigned i = 0; i < FW_ARMS; i++)
        assert_true(rounds[i] > 0);
}

static void test_all_have_turns_when_nothing_is_new(void **state)
{
    struct fw_arms arms = { 0 };
    unsigned rounds[FW_ARMS] = { 0 };

    (void)state;
    for (unsigned i = 0; i < 10 * FW_ARMS; i++)
        rounds[round_of(&arms, 0)]++;
    for (unsigned i = 0; i < FW_ARMS; i++)
        assert_in_range(rounds[i], 9, 11);
}

static void test_a_hunt_that_is_over_stays_over(void **state)
{
    struct fw_arms arms = { 0 };

    (void)state;
    fw_arms_choose(&arms);
    assert_int_equal(arms.now, FW_ARM_HUNT);
    fw_arms_end(&arms);
    for (unsigned i = 0; i < 40; i++) {
        assert_int_not_equal(arms.now, FW_ARM_HUNT);
        assert_int_not_equal(fw_arms_strategy(&arms), FW_STRATEGY_IROOT);
        round_of(&arms, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hunt_comes_first_and_all_are_tried),
        cmocka_unit_test(test_nothing_comes_between_what_is_possible),
        cmocka_unit_test(test_what_brings_more_goes_on),
        cmocka_unit_test(test_all_have_turns_when_nothing_is_new),
        cmocka_unit_test(test_a_hunt_that_is_over_stays_over),
    };

    return cmocka_run_group_tests_name("arms", tests, NULL, NULL);
}
