/*
 * test_heal_mutex.c - a lock that is always taken under the same mutex of the program becomes the
 * mutex's, and excludes all the same, whoever comes without it.
 */
#include "heal_actors.h"

#include <string.h>

/* --- a thread that holds mutexes ------------------------------------------------------------- */

static void locked(struct fw_healer *me, const void *mutex)
{
    struct fw_heal_mutexes *mutexes = fw_healer_mutexes(me);

    assert_in_range(mutexes->count, 0, FW_HEAL_MUTEXES - 1);
    mutexes->at[mutexes->count++] = mutex;
}

static void unlocked(struct fw_healer *me)
{
    fw_healer_mutexes(me)->count--;
}

static bool sit_under(struct fw_heal_lock *lock, struct fw_healer *me)
{
    struct fw_heal_seat *seat = seat_at(me, NULL);

    if (fw_heal_sit_under(seat, lock, 0, fw_healer_mutexes(me)))
        return true;
    fw_heal_stand(seat);
    return false;
}

/* Taken and released under the mutex, as often as it takes. */
static struct fw_heal_lock *fresh_under(struct fw_healer *me, const void *mutex)
{
    struct fw_heal_lock *lock = fresh();

    for (unsigned i = 0; i < FW_HEAL_UNDERS; i++) {
        assert_false(fw_heal_is_mutexs(lock));
        assert_true(take(lock, me));
        locked(me, mutex);
        release(lock, me);
        unlocked(me);
    }
    assert_true(fw_heal_is_mutexs(lock));
    return lock;
}

/* --- one at a time --------------------------------------------------------------------------- */

static int a_mutex, another;

static void whoever_holds_the_mutex_is_in(void **state)
{
    struct fw_heal_lock *lock = fresh_under(one.healer, &a_mutex);

    (void)state;
    assert_false(sit_under(lock, two.healer));
    locked(two.healer, &another);
    assert_false(sit_under(lock, two.healer));
    locked(two.healer, &a_mutex);
    assert_true(sit_under(lock, two.healer));
    assert_true(fw_heal_owns(lock, two.healer));
    assert_false(fw_heal_owns(lock, one.healer));
    release(lock, two.healer);
    assert_true(fw_heal_is_mutexs(lock));
    unlocked(two.healer);
    unlocked(two.healer);
}

static void who_comes_without_it_has_it_when_nobody_is_there(void **state)
{
    struct fw_heal_lock *lock = fresh_under(one.healer, &a_mutex);

    (void)state;
    assert_false(take(lock, two.healer));
    assert_true(claim(lock, two.healer));
    locked(one.healer, &a_mutex);
    assert_false(sit_under(lock, one.healer));
    unlocked(one.healer);
    release(lock, two.healer);
    assert_int_equal(atomic_load(&lock->owner), 0);
}

static void who_comes_without_it_waits_for_who_is_there(void **state)
{
    struct fw_heal_lock *lock = fresh_under(one.healer, &a_mutex);

    (void)state;
    locked(one.healer, &a_mutex);
    assert_true(sit_under(lock, one.healer));
    assert_false(claim(lock, three.healer));
    assert_true(fw_heal_owns(lock, one.healer)); /* by its own name now */
    assert_false(fw_heal_is_mutexs(lock));
    wait_begin(&two, lock);
    await_waiter(lock);
    assert_true(fw_heal_owns(lock, one.healer));
    release(lock, one.healer);
    unlocked(one.healer);
    done(&two);
    assert_int_equal(two.got, FW_HEAL_GOT);
    assert_true(fw_heal_owns(lock, two.healer));
    release(lock, two.healer);
}

/* Not by way of fw_heal_claim. */
static void who_waits_at_once_waits_as_well(void **state)
{
    struct fw_heal_lock *lock = fresh_under(one.healer, &a_mutex);

    (void)state;
    assert_int_equal(wait_for(lock, two.healer), FW_HEAL_GOT);
    release(lock, two.healer);
    lock = fresh_under(one.healer, &a_mutex);
    locked(one.healer, &a_mutex);
    assert_true(sit_under(lock, one.healer));
    wait_begin(&two, lock);
    await_waiter(lock);
    release(lock, one.healer);
    unlocked(one.healer);
    done(&two);
    assert_int_equal(two.got, FW_HEAL_GOT);
    release(lock, two.healer);
}

static void another_mutex_makes_it_begin_anew(void **state)
{
    struct fw_heal_lock *lock = fresh();

    (void)state;
    for (unsigned i = 0; i < 4 * FW_HEAL_UNDERS; i++) {
        assert_true(take(lock, one.healer));
        locked(one.healer, i % 2 ? &a_mutex : &another);
        release(lock, one.healer);
        unlocked(one.healer);
        assert_false(fw_heal_is_mutexs(lock));
    }
}

static void what_is_its_mutexs_in_vain_is_not_any_more(void **state)
{
    struct fw_heal_lock *lock = fresh_under(one.healer, &a_mutex);

    (void)state;
    for (unsigned k = 0; k < FW_HEAL_IN_VAIN; k++) {
        assert_true(fw_heal_is_mutexs(lock));
        assert_true(claim(lock, two.healer));
        release(lock, two.healer);
        for (unsigned i = 0; i < FW_HEAL_UNDERS; i++) {
            assert_true(take(lock, one.healer));
            locked(one.healer, &a_mutex);
            release(lock, one.healer);
            unlocked(one.healer);
        }
    }
    assert_false(fw_heal_is_mutexs(lock));
}

/* --- all at once ----------------------------------------------------------------------------- */

#define LOCKS  3u
#define ROUNDS 6000u

static struct fw_heal_lock *shared[LOCKS];
static pthread_mutex_t guards[LOCKS];
static uint64_t counts[LOCKS];
static _Atomic uint64_t counted_up[LOCKS], under_mutex;

static void count_one(struct fw_healer *me, unsigned i)
{
    uint64_t before;

    if (sit_under(shared[i], me))
        atomic_fetch_add(&under_mutex, 1);
    else if (!take(shared[i], me) && !claim(shared[i], me))
        assert_int_equal(wait_for(shared[i], me), FW_HEAL_GOT);
    before = *(volatile uint64_t *)&counts[i];
    for (unsigned k = 0; k < 20; k++)
        __builtin_ia32_pause();
    *(volatile uint64_t *)&counts[i] = before + 1;
    atomic_fetch_add(&counted_up[i], 1);
    release(shared[i], me);
}

/* Mostly under the lock's mutex, sometimes under another one or none; what is in vain is
 * forgotten. */
static void *count_with_and_without(void *seed)
{
    struct fw_healer *me = fw_healer_take(0, 0, fw_now(), NULL);
    uint32_t random = (uint32_t)(uintptr_t)seed * 2654435761u + 1;

    for (unsigned round = 0; round < ROUNDS; round++) {
        unsigned which, guard;

        random = random * 1664525u + 1013904223u;
        which = (random >> 24) % LOCKS;
        guard = random >> 20 & 15 ? which : (which + 1) % LOCKS;
        if (random >> 16 & 7) {
            pthread_mutex_lock(&guards[guard]);
            locked(me, &guards[guard]);
            count_one(me, which);
            unlocked(me);
            pthread_mutex_unlock(&guards[guard]);
        } else {
            count_one(me, which);
            atomic_store(&shared[which]->past, 0);
        }
        if (!(random >> 8 & 63))
            sched_yield();
    }
    fw_healer_give(me, fw_now());
    return NULL;
}

static void one_owner_at_a_time_with_mutexes_and_without(void **state)
{
    pthread_t threads[4];

    (void)state;
    for (unsigned round = 0; round < 2; round++) {
        fw_heal_patience(FOR_EVER, LONGEST, &off);
        fw_heal_asymmetric &= round == 0;
        for (unsigned i = 0; i < LOCKS; i++) {
            pthread_mutex_init(&guards[i], NULL);
            shared[i] = fresh();
        }
        for (uintptr_t i = 0; i < 4; i++)
            assert_int_equal(pthread_create(&threads[i], NULL, count_with_and_without,
                                            (void *)(4 * round + i)),
                             0);
        for (unsigned i = 0; i < 4; i++)
            pthread_join(threads[i], NULL);
    }
    for (unsigned i = 0; i < LOCKS; i++)
        assert_int_equal(counts[i], atomic_load(&counted_up[i]));
    assert_in_range(atomic_load(&under_mutex), 100, UINT64_MAX);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(whoever_holds_the_mutex_is_in),
        TEST(who_comes_without_it_has_it_when_nobody_is_there),
        TEST(who_comes_without_it_waits_for_who_is_there),
        TEST(who_waits_at_once_waits_as_well),
        TEST(another_mutex_makes_it_begin_anew),
        TEST(what_is_its_mutexs_in_vain_is_not_any_more),
        cmocka_unit_test(one_owner_at_a_time_with_mutexes_and_without),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
