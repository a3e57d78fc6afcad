/* test_arms.c - what the rounds of a campaign that seeks iRoots are for. */
#include "explore/arms.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

/* One round; brings so many new iRoots with 10 runs. */
static enum fw_arm round_of(struct fw_arms *arms, uint64_t fresh)
{
    fw_arms_choose(arms, false);
    fw_arms_learn(arms, 10, fresh);
    return arms->now;
}

static void test_hunt_comes_first_and_both_are_tried(void **state)
{
    struct fw_arms arms = { 0 };

    (void)state;
    assert_int_equal(round_of(&arms, 5), FW_ARM_HUNT);
    assert_int_equal(round_of(&arms, 1), FW_ARM_DRAW);
    assert_int_equal(round_of(&arms, 5), FW_ARM_HUNT);
}

static void test_nothing_comes_between_what_is_possible(void **state)
{
    struct fw_arms arms = { 0 };

    (void)state;
    fw_arms_profiled(&arms);
    for (unsigned i = 0; i < 20; i++)
        assert_int_equal(round_of(&arms, 0), FW_ARM_HUNT);
    fw_arms_choose(&arms, false);
    fw_arms_end(&arms); /* nothing with a witness is left: the rest has its turn */
    assert_false(arms.sure);
    assert_false(arms.over);
}

static void test_profiles_wait_until_draws_are_dry(void **state)
{
    struct fw_arms arms = { 0 };

    (void)state;
    for (unsigned i = 0; i < 20; i++) {
        assert_false(fw_arms_want_profile(&arms, false));
        fw_arms_choose(&arms, true);
        assert_int_equal(arms.now, FW_ARM_DRAW);
        fw_arms_learn(&arms, 64, 32);
    }
    assert_true(fw_arms_want_profile(&arms, true)); /* unless it is late */
    fw_arms_choose(&arms, true);
    fw_arms_learn(&arms, 4, 0); /* too few to tell */
    assert_false(fw_arms_want_profile(&arms, false));
    fw_arms_choose(&arms, true);
    fw_arms_learn(&arms, 64, 1);
    assert_true(fw_arms_want_profile(&arms, false));
}

static void test_no_profile_is_made_while_draws_are_rich(void **state)
{
    struct fw_arms arms = { 0 };

    (void)state;
    assert_false(fw_arms_want_profile(&arms, true)); /* nobody knows yet */
    fw_arms_choose(&arms, true);
    fw_arms_learn(&arms, 8, 80);
    assert_false(fw_arms_want_profile(&arms, true));
    fw_arms_choose(&arms, true);
    fw_arms_learn(&arms, 8, 8); /* not any more */
    assert_true(fw_arms_want_profile(&arms, true));
    assert_false(fw_arms_want_profile(&arms, false));
}

/* Witnesses first, then one round of something else, then the next profile. */
static void test_profiles_take_turns_with_rounds(void **state)
{
    struct fw_arms arms = { 0 };

    (void)state;
    fw_arms_choose(&arms, true);
    fw_arms_learn(&arms, 10, 5);
    fw_arms_profiled(&arms);
    assert_int_equal(round_of(&arms, 3), FW_ARM_HUNT);
    assert_false(fw_arms_want_profile(&arms, true));
    fw_arms_choose(&arms, false);
    fw_arms_end(&arms);
    fw_arms_learn(&arms, 10, 0);
    assert_true(fw_arms_want_profile(&arms, false));
}

static void test_what_brings_more_goes_on(void **state)
{
    struct fw_arms arms = { 0 };
    unsigned rounds[FW_ARMS] = { 0 };

    (void)state;
    for (unsigned i = 0; i < 80; i++) {
        fw_arms_choose(&arms, false);
        fw_arms_learn(&arms, 10, arms.now == FW_ARM_HUNT ? 7 : 1);
        rounds[arms.now]++;
    }
    assert_true(rounds[FW_ARM_HUNT] > 60);
    assert_true(rounds[FW_ARM_DRAW] > 5);
}

static void test_both_have_turns_when_nothing_is_new(void **state)
{
    struct fw_arms arms = { 0 };
    unsigned rounds[FW_ARMS] = { 0 };

    (void)state;
    for (unsigned i = 0; i < 20; i++)
        rounds[round_of(&arms, 0)]++;
    assert_in_range(rounds[FW_ARM_HUNT], 4, 7);
}

static void test_what_brings_nothing_has_a_turn_ever_less_often(void **state)
{
    struct fw_arms arms = { 0 };
    unsigned hunts[3] = { 0 };

    (void)state;
    for (unsigned i = 0; i < 400; i++) {
        fw_arms_choose(&arms, false);
        fw_arms_learn(&arms, 10, arms.now == FW_ARM_DRAW);
        hunts[i >= 200] += arms.now == FW_ARM_HUNT;
    }
    assert_in_range(hunts[0], 3, 8);
    assert_in_range(hunts[1], 1, 2);
    while (arms.now != FW_ARM_HUNT)
        fw_arms_choose(&arms, false);
    fw_arms_learn(&arms, 10, 1); /* it does after all */
    for (unsigned i = 0; i < 10; i++) {
        fw_arms_choose(&arms, false);
        fw_arms_learn(&arms, 10, arms.now == FW_ARM_DRAW ? 2 : 0);
        hunts[2] += arms.now == FW_ARM_HUNT;
    }
    assert_int_equal(hunts[2], 1);
}

/* Draws of 64 runs; pos brings so many new iRoots in each and costs so much, the others one in
 * eight, at a cost of 1. */
static void draw(struct fw_arms *arms, uint64_t rounds, uint64_t fresh, double cost,
                 unsigned runs[FW_STRATEGY_COUNT])
{
    for (uint64_t number = 0; number < 64 * rounds; number++) {
        enum fw_control_strategy strategy;

        if (number % 64 == 0)
            fw_arms_choose(arms, true);
        strategy = fw_arms_strategy(arms, number);
        runs[strategy]++;
        if (strategy == FW_STRATEGY_POS)
            fw_arms_credit(arms, number, fresh, cost);
        else
            fw_arms_credit(arms, number, number % 8 == 0, 1);
    }
}

static void test_the_strategy_that_shows_most_has_most_runs(void **state)
{
    struct fw_arms arms = { 0 };
    unsigned runs[FW_STRATEGY_COUNT] = { 0 };

    (void)state;
    draw(&arms, 10, 3, 1, runs);
    assert_true(runs[FW_STRATEGY_POS] > 400);
    assert_true(runs[FW_STRATEGY_RANDOM] > 4);
    assert_true(runs[FW_STRATEGY_PCT] > 4);
    assert_true(runs[FW_STRATEGY_PCT_LARGE] > 4);
    assert_true(runs[FW_STRATEGY_DELAY] > 4);
}

static void test_of_equal_strategies_pos_has_more(void **state)
{
    struct fw_arms arms = { 0 };
    unsigned runs[FW_STRATEGY_COUNT] = { 0 };

    (void)state;
    draw(&arms, 1, 0, 1, runs);
    assert_in_range(runs[FW_STRATEGY_POS], 26, 34);
    assert_in_range(runs[FW_STRATEGY_PCT_LARGE], 8, 14);
    assert_in_range(runs[FW_STRATEGY_DELAY], 2, 6);
    assert_in_range(runs[FW_STRATEGY_PCT], 1, 4);
}

/* What is new counts for what it costs. */
static void test_a_strategy_that_costs_more_has_fewer_runs(void **state)
{
    struct fw_arms arms = { 0 };
    unsigned cheap[FW_STRATEGY_COUNT] = { 0 }, dear[FW_STRATEGY_COUNT] = { 0 };

    (void)state;
    draw(&arms, 20, 1, 1, cheap);
    arms = (struct fw_arms) { 0 };
    draw(&arms, 20, 1, 16, dear); /* seldom as much as the others */
    assert_true(cheap[FW_STRATEGY_POS] > 800);
    assert_true(dear[FW_STRATEGY_POS] < 400);
    arms = (struct fw_arms) { 0 };
    draw(&arms, 20, 1, 0, dear); /* as of a run that a journal tells */
    assert_true(dear[FW_STRATEGY_POS] > 800);
}

static void test_a_hunt_that_is_over_stays_over(void **state)
{
    struct fw_arms arms = { 0 };

    (void)state;
    fw_arms_choose(&arms, false);
    assert_int_equal(arms.now, FW_ARM_HUNT);
    fw_arms_end(&arms);
    for (unsigned i = 0; i < 40; i++) {
        assert_int_equal(arms.now, FW_ARM_DRAW);
        round_of(&arms, 0);
    }
    fw_arms_profiled(&arms); /* until there is something to hunt again */
    assert_int_equal(round_of(&arms, 0), FW_ARM_HUNT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hunt_comes_first_and_both_are_tried),
        cmocka_unit_test(test_nothing_comes_between_what_is_possible),
        cmocka_unit_test(test_profiles_wait_until_draws_are_dry),
        cmocka_unit_test(test_no_profile_is_made_while_draws_are_rich),
        cmocka_unit_test(test_profiles_take_turns_with_rounds),
        cmocka_unit_test(test_what_brings_more_goes_on),
        cmocka_unit_test(test_both_have_turns_when_nothing_is_new),
        cmocka_unit_test(test_the_strategy_that_shows_most_has_most_runs),
        cmocka_unit_test(test_of_equal_strategies_pos_has_more),
        cmocka_unit_test(test_a_strategy_that_costs_more_has_fewer_runs),
        cmocka_unit_test(test_what_brings_nothing_has_a_turn_ever_less_often),
        cmocka_unit_test(test_a_hunt_that_is_over_stays_over),
    };

    return cmocka_run_group_tests_name("arms", tests, NULL, NULL);
}
