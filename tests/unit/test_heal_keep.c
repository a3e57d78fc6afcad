/*
 * test_heal_keep.c - a lock that one thread takes again and again is kept for it, and excludes all
 * the same; who waits for one whose owner's hooks are counted sees when it is done.
 */
#include "heal_actors.h"

/* Sometimes one thread for long, so that it is kept, sometimes all of them, on several locks; with
 * the process's barrier and without. */
#define PHASES 300u

static struct fw_heal_lock *shared[3];
static uint64_t counts[3];
static _Atomic uint64_t counted_up[3];

static void count_one(struct fw_healer *me, unsigned i)
{
    if (!take(shared[i], me) && !claim(shared[i], me))
        assert_int_equal(wait_for(shared[i], me), FW_HEAL_GOT);
    *(volatile uint64_t *)&counts[i] += 1;
    atomic_fetch_add(&counted_up[i], 1);
    release(shared[i], me);
}

static void *count_in_phases(void *seed)
{
    struct fw_healer *me = fw_healer_take(0, 0, fw_now(), NULL);
    uint32_t random = (uint32_t)(uintptr_t)seed * 2654435761u + 1;

    for (unsigned phase = 0; phase < PHASES; phase++) {
        unsigned which, length;

        random = random * 1664525u + 1013904223u;
        which = (random >> 24) % 3;
        length = random >> 16 & 1 ? 40 : 2;
        for (unsigned i = 0; i < length; i++)
            count_one(me, which);
        if (random >> 12 & 1)
            sched_yield();
    }
    fw_healer_give(me, fw_now());
    return NULL;
}

static void one_owner_at_a_time_of_kept_ones(void **state)
{
    pthread_t threads[4];

    (void)state;
    for (unsigned round = 0; round < 2; round++) {
        fw_heal_patience(FOR_EVER, LONGEST, &off);
        fw_heal_asymmetric &= round == 0;
        for (unsigned i = 0; i < 3; i++)
            shared[i] = fresh();
        for (uintptr_t i = 0; i < 4; i++)
            assert_int_equal(
                pthread_create(&threads[i], NULL, count_in_phases, (void *)(4 * round + i)), 0);
        for (unsigned i = 0; i < 4; i++)
            pthread_join(threads[i], NULL);
    }
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(counts[i], atomic_load(&counted_up[i]));
}

static void keep(struct fw_heal_lock *lock, struct fw_healer *me)
{
    for (unsigned i = 0; i < FW_HEAL_KEEP + 2; i++) {
        assert_true(take(lock, me));
        release(lock, me);
    }
}

static void what_one_thread_takes_again_and_again_is_kept_for_it(void **state)
{
    struct fw_heal_lock *lock = fresh();

    (void)state;
    assert_true(take(lock, one.healer));
    release(lock, one.healer);
    assert_int_equal(atomic_load(&lock->owner), 0); /* not yet */
    keep(lock, one.healer);
    assert_true(fw_heal_owns(lock, one.healer));
    assert_false(take(lock, two.healer));
    assert_true(claim(lock, two.healer)); /* nobody is there */
    assert_false(take(lock, one.healer));
    assert_false(claim(lock, one.healer)); /* somebody is */
    release(lock, two.healer);
    assert_true(take(lock, one.healer));
    release(lock, one.healer);
    assert_int_equal(atomic_load(&lock->owner), 0);
}

/* Who is inside is waited for, kept or not. */
static void a_kept_lock_excludes(void **state)
{
    struct fw_heal_lock *lock = fresh();

    (void)state;
    keep(lock, one.healer);
    assert_true(take(lock, one.healer));
    assert_false(claim(lock, two.healer));
    wait_begin(&two, lock);
    await_waiter(lock);
    assert_true(fw_heal_owns(lock, one.healer));
    release(lock, one.healer);
    done(&two);
    assert_int_equal(two.got, FW_HEAL_GOT);
    assert_true(fw_heal_owns(lock, two.healer));
    release(lock, two.healer);
}

static void what_is_kept_in_vain_is_not_kept_any_more(void **state)
{
    struct fw_heal_lock *lock = fresh();

    (void)state;
    for (unsigned i = 0; i < FW_HEAL_IN_VAIN; i++) {
        keep(lock, one.healer);
        assert_true(claim(lock, two.healer));
        release(lock, two.healer);
    }
    assert_false(fw_heal_is_wanted(lock)); /* never at the same time */
    keep(lock, one.healer);
    assert_int_equal(atomic_load(&lock->owner), 0);
}

/* Its owner's hooks are counted: it is done with the second one behind the end, or after many. */
static void who_waits_sees_that_the_owner_has_gone_on(void **state)
{
    int32_t ticks = 5000;
    struct fw_healer *owner = fw_healer_take(9, 9, 0, &ticks);
    struct fw_heal_lock *lock = fresh();

    (void)state;
    fw_heal_sit(seat_at(owner, NULL), lock, fw_heal_seat_state(0, ticks, false));
    assert_true(fw_heal_try(lock, owner));
    ticks -= LONGEST;
    assert_false(claim(lock, two.healer)); /* it is inside */
    fw_heal_sit_over(seat_at(owner, lock), 0, ticks);
    assert_false(claim(lock, two.healer)); /* it has not made the access yet, perhaps */
    __atomic_fetch_sub(&ticks, 1, __ATOMIC_RELEASE);
    assert_false(claim(lock, two.healer)); /* a copy is made behind two hooks */
    wait_begin(&two, lock);
    await_waiter(lock);
    __atomic_fetch_sub(&ticks, 1, __ATOMIC_RELEASE);
    done(&two);
    assert_int_equal(two.got, FW_HEAL_GOT);
    assert_true(fw_heal_owns(lock, two.healer));
    release(lock, owner); /* it is not its lock any more */
    assert_true(fw_heal_owns(lock, two.healer));
    release(lock, two.healer);

    fw_heal_sit(seat_at(owner, NULL), lock, fw_heal_seat_state(0, ticks, false));
    assert_true(fw_heal_try(lock, owner));
    wait_begin(&two, lock);
    await_waiter(lock);
    __atomic_fetch_sub(&ticks, LONGEST + 1, __ATOMIC_RELEASE);
    done(&two);
    assert_int_equal(two.got, FW_HEAL_GOT);
    release(lock, owner);
    release(lock, two.healer);
    fw_healer_give(owner, 0);
}

/* A handler that jumps away leaves its seat. */
static void who_has_ended_is_at_no_lock(void **state)
{
    struct fw_healer *gone = fw_healer_take(9, 9, 0, NULL);
    struct fw_heal_lock *lock = fresh();

    (void)state;
    assert_true(take(lock, gone));
    assert_false(claim(lock, two.healer));
    fw_healer_give(gone, 0);
    assert_true(claim(lock, two.healer));
    release(lock, two.healer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_owner_at_a_time_of_kept_ones),
        cmocka_unit_test_setup_teardown(what_one_thread_takes_again_and_again_is_kept_for_it,
                                        begin, end),
        cmocka_unit_test_setup_teardown(a_kept_lock_excludes, begin, end),
        cmocka_unit_test_setup_teardown(what_is_kept_in_vain_is_not_kept_any_more, begin, end),
        cmocka_unit_test_setup_teardown(who_waits_sees_that_the_owner_has_gone_on, begin, end),
        cmocka_unit_test_setup_teardown(who_has_ended_is_at_no_lock, begin, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
