/*
 * test_heal_quick.c - the quick way of healing is taken where it should be, and is right when
 * others come at any moment of it.
 */
#include "heal_quickly.h"

#include <signal.h>
#include <stdlib.h>
#include <ucontext.h>

/* --- step by step ---------------------------------------------------------------------------- */

static void a_known_section_is_entered_and_ends(void **state)
{
    uint64_t entered = counted(FW_HEAL_ENTERED), ended = counted(FW_HEAL_ENDED);

    (void)state;
    for (unsigned i = 1; i <= FW_HEAL_KEEP + 2; i++) { /* free at first, kept at last */
        assert_true(come(A_ENTRY, 1, false));
        assert_true(held(1));
        assert_false(fw_holds.at[0].over);
        assert_true(come(A_END, 1, true));
        assert_true(held(1));
        assert_true(fw_holds.at[0].over);
        assert_true(fw_holds_go_quickly());
        assert_false(fw_holds_go_quickly());
        assert_false(has_seats());
        assert_int_equal(fw_hot.regions, 0);
        assert_int_equal(counted(FW_HEAL_ENTERED), entered + i);
        assert_int_equal(counted(FW_HEAL_ENDED), ended + i);
    }
    assert_true(fw_heal_is_kept(lock_of(1), fw_holds.id));
}

static void what_follows_at_the_same_word_goes_on_with_the_lock(void **state)
{
    uint16_t habit;

    (void)state;
    pass_section(1);
    habit = atomic_load(&lock_of(1)->habit);
    assert_true(come(A_ENTRY, 1, false));
    assert_true(come(A_END, 1, true));
    assert_true(come(ELSEWHERE, 1, true));
    assert_int_equal(atomic_load(&lock_of(1)->habit), habit); /* it was not released */
    assert_true(held(1));
}

static void what_follows_at_another_releases_the_former(void **state)
{
    (void)state;
    pass_section(1);
    assert_true(come(A_ENTRY, 2, false));
    assert_int_equal(fw_heal_owner(lock_of(1)), 0);
    assert_true(held(2));
    assert_false(come(A_END, 1, true)); /* not its end */
    assert_true(held(2));
    assert_true(held(1)); /* a single access */
}

static void single_accesses(void **state)
{
    (void)state;
    assert_true(come(ELSEWHERE, 1, true));
    assert_true(held(1));
    assert_true(fw_holds.at[0].over);
    assert_true(come(FURTHER, 2, false)); /* reads are allowed */
    assert_false(held(1));
    assert_false(held(2));
    assert_true(come(ELSEWHERE, 2, true));
    assert_true(come(ELSEWHERE, 30, true)); /* it has no lock */
    assert_false(has_seats());
    atomic_store(&lock_of(2)->past, FW_HEAL_WANTED << 4);
    assert_false(come(ELSEWHERE, 2, true)); /* so that it goes at the next hook */
    assert_true(held(2));
    assert_int_equal(fw_hot.ticks, -1);
}

static void what_is_copied_is_written_behind_its_read(void **state)
{
    (void)state;
    assert_true(come(A_ENTRY, 1, false));
    assert_true(come(A_END, 1, true));
    assert_false(come(A_END + COPY, 2, false));
    assert_true(held(1));
    assert_true(come(FURTHER, 2, false));
    assert_false(held(1));
    assert_true(come(ELSEWHERE, 1, true));
    assert_false(come(ELSEWHERE + COPY, 30, false));
    assert_true(held(1));
    assert_true(come(FURTHER, 30, false));
    assert_false(has_seats());
    atomic_store(&lock_of(1)->past, FW_HEAL_WANTED << 4);
    assert_false(come(ELSEWHERE, 1, true));
    assert_false(come(ELSEWHERE + COPY, 30, false)); /* it was forced */
    assert_true(held(1));
    assert_false(come(FURTHER, 30, false));
    assert_false(has_seats());
}

static void ends_of_the_same_call_and_word_only(void **state)
{
    struct fw_overlap_access wide = { &thread, (uintptr_t)&words[1] + 4, A_END, 8, true, false };
    unsigned before;

    (void)state;
    assert_true(come(A_ENTRY, 1, false));
    call();
    assert_false(come(A_END, 1, true));
    leave();
    assert_false(fw_holds.at[0].over);
    fw_holds_drop();
    assert_true(come(A_ENTRY, 1, false));
    before = long_ways;
    hook(&wide);
    assert_int_equal(long_ways, before + 1);
}

static void not_when_it_is_off_or_ticks_ran_out(void **state)
{
    (void)state;
    fw_hot.ticks = 0;
    assert_false(come(A_ENTRY, 1, false));
    fw_holds_drop();
    is_long_way_closed = true;
    atomic_store(&wire.off, FW_HEAL_OFF_ASKED);
    assert_false(come(A_ENTRY, 1, false));
    assert_false(come(ELSEWHERE, 1, true));
    assert_false(has_seats());
}

/* It is released soon behind its end, which only the long way sees to. */
static void a_lock_that_is_wanted_has_no_quick_end(void **state)
{
    (void)state;
    atomic_store(&lock_of(1)->past, FW_HEAL_WANTED << 4);
    assert_true(come(A_ENTRY, 1, false));
    assert_true(held(1));
    assert_false(come(A_END, 1, true));
    assert_true(fw_holds.at[0].over);
    assert_int_equal(fw_hot.ticks, -1);
    assert_false(come(FURTHER, 2, false));
    assert_int_equal(fw_heal_owner(lock_of(1)), 0);
}

static void nothing_goes_while_a_handler_runs(void **state)
{
    (void)state;
    pass_section(1);
    fw_holds.handlers = 1;
    assert_false(fw_holds_go_quickly());
    assert_true(held(1));
    fw_holds.handlers = 0;
    assert_true(fw_holds_go_quickly());
    assert_false(held(1));
}

static void a_section_without_reads_tells_the_lock(void **state)
{
    (void)state;
    entry_count = 5;
    mark_sites();
    come(NO_READS, 1, false);
    come(NO_READS_END, 1, false);
    assert_true(come(NO_READS, 1, false));
    assert_true(come(NO_READS_END, 1, false));
    come(NO_READS, 2, false);
    assert_int_equal(lock_of(2)->reads_wait, 1);
    come(NO_READS_END, 2, false);
    assert_true(come(ELSEWHERE, 1, false));
    assert_true(held(1));
    assert_false(held(2));
}

/* Words whose first places are the same: the later one is elsewhere. */
static void a_lock_that_is_not_at_its_first_place(void **state)
{
    uintptr_t word = (uintptr_t)&words[16], other = word ^ 1u << 17 ^ 1u << 3;

    (void)state;
    assert_ptr_equal(fw_heal_place(word, 0), fw_heal_place(other, 0));
    fw_holds_prepare(other, false);
    atomic_store(&fw_heal_find(other)->owner, fw_holds.id); /* not that word's */
    assert_true(come(ELSEWHERE, 16, true));
    assert_false(has_seats());
    fw_holds_prepare(word, false);
    assert_ptr_not_equal(fw_heal_find(word), fw_heal_place(word, 0));
    assert_true(come(A_ENTRY, 16, false));
    assert_true(held(16));
    assert_true(come(A_END, 16, true));
    fw_holds_drop();
    assert_true(come(ELSEWHERE, 16, true));
    assert_true(held(16));
}

static void mutexes_that_are_held(void **state)
{
    static int mutexes[FW_HEAL_MUTEXES + 1];
    const struct fw_heal_mutexes *held_now = fw_healer_mutexes(fw_holds.me);

    (void)state;
    for (unsigned i = 0; i < COUNT(mutexes); i++) /* the last one is not known */
        fw_holds_locked(&mutexes[i]);
    fw_holds_unlocks(&mutexes[1]);
    for (unsigned i = 0; i < COUNT(mutexes); i++)
        assert_int_equal(fw_heal_holds(held_now, &mutexes[i]), i != 1 && i < FW_HEAL_MUTEXES);
    assert_int_equal(held_now->count, FW_HEAL_MUTEXES - 1);
    fw_holds_locked(&mutexes[0]);
    fw_holds_unlocks(&mutexes[0]);
    assert_true(fw_heal_holds(held_now, &mutexes[0])); /* it was locked twice */
    for (unsigned i = 0; i < FW_HEAL_MUTEXES; i++) {
        fw_holds_unlocks(&mutexes[i]);
        assert_false(fw_heal_holds(held_now, &mutexes[i]));
    }
    assert_int_equal(held_now->count, 0);
    fw_holds.handlers = 1;
    fw_holds_locked(&mutexes[0]); /* a handler's */
    assert_int_equal(held_now->count, 0);
    fw_holds.handlers = 0;
}

/* --- others ---------------------------------------------------------------------------------- */

static struct fw_healer *stranger(unsigned word)
{
    struct fw_healer *healer = fw_healer_take(7, 7, 0, NULL);

    fw_heal_sit(fw_healer_seats(healer), lock_of(word), 0);
    return healer;
}

static void what_is_anothers_is_left_to_the_long_way(void **state)
{
    struct fw_healer *other = stranger(2);

    (void)state;
    assert_true(fw_heal_try(lock_of(2), other));
    is_long_way_closed = true;
    for (unsigned i = 0; i < 2; i++) {
        assert_true(come(ELSEWHERE, 1, true));
        assert_false(i ? come(ELSEWHERE, 2, true) : come(A_ENTRY, 2, false));
        assert_false(has_seats());
        assert_int_equal(fw_heal_owner(lock_of(1)), 0);
        assert_int_equal(fw_holds.count, 0);
        assert_true(fw_heal_owns(lock_of(2), other));
    }
}

static void what_was_taken_meanwhile_has_no_quick_end(void **state)
{
    struct fw_healer *other = stranger(1);

    (void)state;
    assert_true(come(A_ENTRY, 1, false));
    atomic_store(&lock_of(1)->owner, fw_healer_id(other)); /* it had waited for too long */
    is_long_way_closed = true;
    assert_false(come(A_END, 1, true));
    assert_false(fw_holds.at[0].over);
    fw_holds_drop();
    assert_true(fw_heal_owns(lock_of(1), other));
}

/* As often as it takes. */
static void make_it_the_mutexs(unsigned word, const void *mutex)
{
    fw_holds_follow_mutex(mutex, true);
    for (unsigned i = 0; i < FW_HEAL_UNDERS; i++) {
        assert_false(fw_heal_is_mutexs(lock_of(word)));
        pass_section(word);
        fw_holds_go_quickly();
    }
    assert_true(fw_heal_is_mutexs(lock_of(word)));
}

static void under_its_mutex(void **state)
{
    static int mutex;
    struct fw_healer *other;

    (void)state;
    make_it_the_mutexs(1, &mutex);
    assert_true(come(A_ENTRY, 1, false));
    assert_true(fw_heal_sits_under(&fw_holds.seats[0]));
    assert_true(come(A_END, 1, true));
    assert_true(come(ELSEWHERE, 1, true));
    assert_true(fw_holds_go_quickly());
    assert_true(fw_heal_is_mutexs(lock_of(1)));
    assert_true(come(A_ENTRY, 1, false));
    other = stranger(1);
    assert_false(fw_heal_claim(lock_of(1), other));
    assert_false(fw_heal_is_mutexs(lock_of(1)));
    assert_true(come(A_END, 1, true)); /* the lock is the thread's own now */
    assert_true(fw_holds_go_quickly());
    assert_true(fw_heal_try(lock_of(1), other));
}

static void under_its_mutex_and_taken_meanwhile(void **state)
{
    static int mutex;
    struct fw_healer *other;

    (void)state;
    make_it_the_mutexs(1, &mutex);
    assert_true(come(A_ENTRY, 1, false));
    other = stranger(1);
    atomic_store(&lock_of(1)->owner, fw_healer_id(other));
    is_long_way_closed = true;
    assert_false(come(A_END, 1, true));
    assert_false(fw_holds.at[0].over);
    fw_holds_drop();
    assert_true(fw_heal_owns(lock_of(1), other));
    fw_holds_follow_mutex(&mutex, false);
    assert_false(come(A_ENTRY, 1, false));
    assert_false(has_seats());
}

/* Its time was over, and who took it has given it to a mutex that the thread does not hold. */
static void taken_meanwhile_and_the_mutexs_then(void **state)
{
    static int mutex;

    (void)state;
    assert_true(come(A_ENTRY, 1, false));
    atomic_store(&lock_of(1)->mutex, &mutex);
    atomic_store(&lock_of(1)->owner, FW_HEAL_MUTEXS);
    is_long_way_closed = true;
    assert_false(come(A_END, 1, true));
    assert_false(fw_holds.at[0].over);
    fw_holds_drop();
    assert_true(fw_heal_is_mutexs(lock_of(1)));
}

static void under_its_mutex_behind_what_is_to_be_released(void **state)
{
    static int mutex;

    (void)state;
    make_it_the_mutexs(1, &mutex);
    assert_true(come(ELSEWHERE, 2, true));
    assert_true(come(A_ENTRY, 1, false));
    assert_int_equal(fw_heal_owner(lock_of(2)), 0);
    assert_true(fw_heal_sits_under(&fw_holds.seats[0]));
    assert_true(held(1));
    assert_true(fw_heal_is_mutexs(lock_of(1)));
}

/* --- between any two instructions ------------------------------------------------------------ */

static struct fw_healer *thief; /* it claims word 1's lock after so many instructions */
static volatile int instructions;
static volatile bool steps, claimed, got;

static void step_on(int number, siginfo_t *info, void *context)
{
    greg_t *flags = &((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL];

    (void)number;
    (void)info;
    if (steps && instructions-- == 0) {
        claimed = true;
        got = fw_heal_claim(lock_of(1), thief);
    }
    *flags = steps && !claimed ? *flags | 0x100 : *flags & ~0x100; /* the trap flag */
}

/* False: it was done before so many. */
static bool is_claimed_at(int instruction, uintptr_t pc, bool write)
{
    bool quick;

    instructions = instruction;
    claimed = false;
    steps = true;
    raise(SIGTRAP);
    quick = come(pc, 1, write);
    steps = false;
    if (!claimed)
        return false;
    assert_int_equal(quick, !got);
    assert_int_equal(held(1), !got);
    assert_true(fw_heal_owns(lock_of(1), got ? thief : fw_holds.me));
    return true;
}

static void make_it_own(const void *mutex)
{
    fw_holds_drop();
    atomic_store(&lock_of(1)->past, 0);
    atomic_store(&lock_of(1)->habit, fw_heal_habit(fw_holds.id, FW_HEAL_KEEP));
    atomic_store(&lock_of(1)->mutex, mutex);
    atomic_store(&lock_of(1)->owner, mutex ? FW_HEAL_MUTEXS : fw_holds.id);
}

static void claim_everywhere(uintptr_t pc, bool write, const void *mutex)
{
    unsigned lost = 0, kept = 0;

    is_long_way_closed = true;
    for (int i = 0;; i++) {
        make_it_own(mutex);
        fw_heal_sit(fw_healer_seats(thief), lock_of(1), 0);
        if (!is_claimed_at(i, pc, write))
            break;
        lost += got;
        kept += !got;
    }
    assert_in_range(lost, 10, UINT32_MAX);
    assert_in_range(kept, 10, UINT32_MAX);
}

static void a_lock_is_lost_or_kept(void **state)
{
    static int mutex;
    struct sigaction action = { .sa_sigaction = step_on, .sa_flags = SA_SIGINFO }, former;
    const char *sanitizer = getenv("FOREWEAVE_SANITIZE");

    (void)state;
    if (sanitizer && strcmp(sanitizer, "thread") == 0)
        skip(); /* most instructions are not ours then, and there are far too many */
    sigaction(SIGTRAP, &action, &former);
    thief = fw_healer_take(7, 7, 0, NULL);
    claim_everywhere(A_ENTRY, false, NULL);
    claim_everywhere(ELSEWHERE, true, NULL);
    fw_holds_follow_mutex(&mutex, true);
    claim_everywhere(A_ENTRY, false, &mutex);
    claim_everywhere(ELSEWHERE, true, &mutex);
    sigaction(SIGTRAP, &former, NULL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin_quickly, end_quickly)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_known_section_is_entered_and_ends),
        TEST(what_follows_at_the_same_word_goes_on_with_the_lock),
        TEST(what_follows_at_another_releases_the_former),
        TEST(single_accesses),
        TEST(what_is_copied_is_written_behind_its_read),
        TEST(ends_of_the_same_call_and_word_only),
        TEST(not_when_it_is_off_or_ticks_ran_out),
        TEST(a_lock_that_is_wanted_has_no_quick_end),
        TEST(nothing_goes_while_a_handler_runs),
        TEST(a_section_without_reads_tells_the_lock),
        TEST(a_lock_that_is_not_at_its_first_place),
        TEST(what_is_anothers_is_left_to_the_long_way),
        TEST(what_was_taken_meanwhile_has_no_quick_end),
        TEST(mutexes_that_are_held),
        TEST(under_its_mutex),
        TEST(under_its_mutex_and_taken_meanwhile),
        TEST(taken_meanwhile_and_the_mutexs_then),
        TEST(under_its_mutex_behind_what_is_to_be_released),
        TEST(a_lock_is_lost_or_kept),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
