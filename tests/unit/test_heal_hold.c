/*
 * test_heal_hold.c - a thread has the lock of a word from the entry of a section until it is seen
 * behind its end, and not when it has left the section in some other way.
 */
#include "heal_thread.h"

/* --- sections -------------------------------------------------------------------------------- */

static void until_it_is_seen_behind_the_end(void **state)
{
    (void)state;
    visit(A_ENTRY, 0, false);
    assert_true(held(0));
    assert_int_not_equal(fw_hot.regions, 0);
    assert_int_not_equal(fw_watched((uintptr_t)&words[0]) & FW_WATCH_HEALED, 0);
    visit(ELSEWHERE, 1, true);
    assert_true(held(0));
    forced = 0;
    visit(A_OTHER_END, 0, true);
    assert_true(held(0)); /* the access comes now */
    assert_int_not_equal(forced, 0);
    visit(ELSEWHERE, 1, true);
    assert_false(held(0));
    assert_int_equal(fw_hot.regions, 0);
    assert_int_equal(counted(FW_HEAL_ENTERED), 1);
    assert_int_equal(counted(FW_HEAL_ENDED), 1);
}

/* gcc copies a struct behind both hooks. */
static void until_what_is_copied_is_written(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        if (i == 0)
            visit(A_ENTRY, 0, false);
        visit(i == 0 ? A_END : ELSEWHERE, 0, true);
        visit((i == 0 ? A_END : ELSEWHERE) + COPY, 1, false);
        assert_true(held(0));
        visit((i == 0 ? A_END : ELSEWHERE) + 2 * COPY, 1, false);
        assert_false(held(0));
    }
    visit(ELSEWHERE, 0, true);
    visit(ELSEWHERE + COPY, 1, true); /* not what is copied */
    assert_false(held(0));
    visit(ELSEWHERE, 0, true);
    visit(ELSEWHERE + COPY, 1, false);
    call(); /* it was made */
    assert_false(held(0));
}

static void an_end_is_of_the_same_word(void **state)
{
    (void)state;
    visit(A_ENTRY, 0, false);
    visit(A_END, 1, true);
    visit(ELSEWHERE, 2, true);
    assert_true(held(0));
    assert_false(held(1));
}

static void until_the_function_is_left(void **state)
{
    (void)state;
    visit(A_ENTRY, 0, false);
    call();
    leave();
    assert_true(held(0));
    leave();
    assert_false(held(0));
    assert_int_equal(counted(FW_HEAL_LEFT), 1);
}

/* longjmp, and a call that is as deep as the one that was left. */
static void until_its_frame_is_gone(void **state)
{
    (void)state;
    visit(A_ENTRY, 0, false);
    fw_hot.top--;
    *fw_hot.top = (struct fw_frame){ .stack = 0x500 };
    fw_hot.top++;
    fw_holds_settle(NULL);
    assert_false(held(0));
}

static void until_an_exit(void **state)
{
    (void)state;
    visit(A_ENTRY, 0, false);
    visit(A_EXIT, 1, false);
    assert_false(held(0));
}

static void not_for_ever(void **state)
{
    (void)state;
    visit(A_ENTRY, 0, false);
    for (unsigned i = 0; i < 900; i++)
        visit(ELSEWHERE, 1, true);
    assert_true(held(0));
    for (unsigned i = 0; i < 200; i++)
        visit(ELSEWHERE, 1, true);
    assert_false(held(0));
    assert_int_equal(counted(FW_HEAL_LONG), 1);
}

static void an_inner_call_ends_its_own(void **state)
{
    (void)state;
    visit(A_ENTRY, 0, false);
    call();
    visit(A_ENTRY, 0, false);
    visit(A_END, 0, true);
    leave();
    assert_true(held(0)); /* the outer one goes on */
    visit(A_END, 0, true);
    leave();
    assert_false(held(0));
    assert_int_equal(counted(FW_HEAL_ENDED), 2);
}

static void what_begins_where_another_ends(void **state)
{
    (void)state;
    entry_count = 2;
    visit(A_ENTRY, 0, false);
    visit(A_END, 0, true);
    visit(ELSEWHERE, 1, true);
    assert_true(held(0));
    visit(B_END, 0, true);
    assert_true(held(0));
    visit(ELSEWHERE, 1, true);
    assert_false(held(0));
    assert_int_equal(counted(FW_HEAL_ENDED), 2);
}

static void what_begins_together_ends_with_the_last(void **state)
{
    (void)state;
    entry_count = 3;
    visit(A_ENTRY, 0, false);
    visit(A_OTHER_END, 0, true);
    visit(ELSEWHERE, 1, true);
    assert_true(held(0));
    visit(C_END, 0, true);
    visit(ELSEWHERE, 1, true);
    assert_false(held(0));
    assert_int_equal(counted(FW_HEAL_ENDED), 2);
}

static void round_and_round(void **state)
{
    (void)state;
    entry_count = 4;
    for (unsigned i = 0; i < 10; i++)
        visit(ROUND, 0, true);
    assert_true(held(0));
    assert_int_equal(counted(FW_HEAL_ENDED), 9);
    leave();
    assert_false(held(0));
}

/* Who waits gets its turn, and it is told. */
static void round_and_round_but_not_for_ever(void **state)
{
    (void)state;
    entry_count = 4;
    visit(ROUND, 0, true);
    atomic_fetch_or(&fw_heal_find((uintptr_t)&words[0])->owner, FW_HEAL_QUEUED);
    for (unsigned i = 0; i < 60; i++)
        visit(ROUND, 0, true);
    assert_int_equal(counted(FW_HEAL_LONG), 0);
    for (unsigned i = 0; i < 20; i++)
        visit(ROUND, 0, true);
    assert_int_equal(counted(FW_HEAL_LONG), 1);
    assert_int_equal(counted(FW_HEAL_ENTERED), 81);
}

/* --- other accesses -------------------------------------------------------------------------- */

static void others_take_the_lock_for_themselves(void **state)
{
    (void)state;
    visit(ELSEWHERE, 20, true);
    assert_false(held(20)); /* no section was entered yet */
    visit(A_ENTRY, 20, false);
    visit(A_END, 20, true);
    visit(ELSEWHERE, 20, true);
    assert_true(held(20));
    visit(ELSEWHERE, 21, true);
    assert_false(held(20));
    visit(ELSEWHERE, 20, false); /* reads are allowed */
    assert_false(held(20));
    entry_count = 5;
    visit(NO_READS, 22, false);
    visit(NO_READS_END, 22, false);
    visit(ELSEWHERE, 22, false);
    assert_true(held(22));
    call();
    assert_false(held(22));
}

static void a_range_takes_all_of_its_words(void **state)
{
    struct fw_overlap_access access = { &thread, (uintptr_t)&words[24], ELSEWHERE, 32, true,
                                        false };

    (void)state;
    for (unsigned i = 25; i < 29; i += 2) {
        visit(A_ENTRY, i, false);
        visit(A_END, i, true);
    }
    fw_holds_settle(NULL);
    fw_holds_access(&access);
    assert_false(held(24));
    assert_true(held(25));
    assert_true(held(27));
}

static void all_are_let_go_before_it_synchronises(void **state)
{
    (void)state;
    visit(A_ENTRY, 0, false);
    visit(A_ENTRY, 1, false);
    visit(A_END, 1, true);
    fw_holds_let_go(&thread);
    assert_false(held(0));
    assert_false(held(1));
    assert_int_equal(counted(FW_HEAL_LET_GO), 1); /* the other was over */
    assert_int_equal(atomic_load(&wire.logged), 1);
}

static void there_is_room_for_some(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 32; i++)
        visit(A_ENTRY, i, false);
    assert_true(held(0));
    assert_true(held(15));
    assert_false(held(31));
    assert_int_equal(counted(FW_HEAL_NO_ROOM), 16);
    visit(ELSEWHERE, 31, true); /* no section, but it might come into another's */
    assert_int_equal(counted(FW_HEAL_NO_ROOM), 17);
    assert_int_equal(counted(FW_HEAL_ENTERED), 32);
}

static void a_child_holds_nothing(void **state)
{
    (void)state;
    visit(A_ENTRY, 0, false);
    fw_holds_forked();
    assert_false(held(0));
    assert_int_equal(fw_hot.regions, 0);
    visit(A_ENTRY, 0, false);
    assert_true(held(0));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(until_it_is_seen_behind_the_end),
        TEST(until_what_is_copied_is_written),
        TEST(an_end_is_of_the_same_word),
        TEST(until_the_function_is_left),
        TEST(until_its_frame_is_gone),
        TEST(until_an_exit),
        TEST(not_for_ever),
        TEST(an_inner_call_ends_its_own),
        TEST(what_begins_where_another_ends),
        TEST(what_begins_together_ends_with_the_last),
        TEST(round_and_round),
        TEST(round_and_round_but_not_for_ever),
        TEST(others_take_the_lock_for_themselves),
        TEST(a_range_takes_all_of_its_words),
        TEST(all_are_let_go_before_it_synchronises),
        TEST(there_is_room_for_some),
        TEST(a_child_holds_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
