/*
 * test_heal_lock.c - healing's locks exclude, are fair, and are waited for by nobody for ever: not
 * beyond the bound, not in a circle of threads, not when healing is switched off.
 */
#include "heal_actors.h"

/* --- locks ----------------------------------------------------------------------------------- */

#define ROUNDS 20000u

static struct fw_heal_lock *counted;
static uint64_t count, sum;

static void *count_up(void *unused)
{
    struct fw_healer *me = fw_healer_take(0, 0, fw_now(), NULL);

    for (unsigned i = 0; i < ROUNDS; i++) {
        if (!take(counted, me) && !claim(counted, me))
            assert_int_equal(wait_for(counted, me), FW_HEAL_GOT);
        assert_true(fw_heal_owns(counted, me));
        *(volatile uint64_t *)&count += 1;
        *(volatile uint64_t *)&sum += count;
        release(counted, me);
    }
    fw_healer_give(me, fw_now());
    return unused;
}

static void one_owner_at_a_time(void **state)
{
    pthread_t threads[4];

    (void)state;
    fw_heal_patience(FOR_EVER, LONGEST, &off);
    counted = fresh();
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, count_up, NULL), 0);
    for (unsigned i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(count, 4 * ROUNDS);
    assert_int_equal(sum, count * (count + 1) / 2);
}

static void who_waits_for_longest_is_next(void **state)
{
    struct fw_heal_lock *lock = fresh();

    (void)state;
    assert_true(take(lock, one.healer));
    wait_begin(&two, lock);
    await_waiter(lock);
    wait_begin(&three, lock);
    release(lock, one.healer);
    done(&two);
    assert_int_equal(two.got, FW_HEAL_GOT);
    assert_true(fw_heal_owns(lock, two.healer));
    assert_false(take(lock, one.healer));
    release(lock, two.healer);
    done(&three);
    assert_true(fw_heal_owns(lock, three.healer));
    release(lock, three.healer);
    assert_int_equal(atomic_load(&lock->owner), 0);
}

static void time_that_the_owner_dwells_is_excused(void **state)
{
    struct fw_heal_lock *lock = fresh();

    (void)state;
    fw_healer_dwells(one.healer, 1);
    fw_healer_dwelt(one.healer, 1000001); /* before anybody waits */
    assert_true(take(lock, one.healer));
    wait_begin(&two, lock);
    await_waiter(lock);
    fw_healer_dwells(one.healer, 10);
    fw_healer_dwelt(one.healer, 510);
    release(lock, one.healer);
    done(&two);
    assert_int_equal(fw_healer_excused(two.healer), 500);
    release(lock, two.healer);
    assert_int_equal(wait_for(lock, two.healer), FW_HEAL_GOT); /* at once */
    assert_int_equal(fw_healer_excused(two.healer), 0);
    release(lock, two.healer);
}

static void nobody_waits_beyond_the_bound(void **state)
{
    struct fw_heal_lock *lock = fresh();

    (void)state;
    fw_heal_patience(1000000, LONGEST, &off);
    assert_true(take(lock, one.healer));
    assert_int_equal(wait_for(lock, two.healer), FW_HEAL_GOT_LATE);
    assert_true(fw_heal_owns(lock, two.healer));
    release(lock, one.healer); /* it is not its lock any more */
    assert_true(fw_heal_owns(lock, two.healer));
    release(lock, two.healer);
    assert_int_equal(atomic_load(&lock->owner), 0);
}

static void nobody_waits_when_it_is_off(void **state)
{
    struct fw_heal_lock *lock = fresh();

    (void)state;
    assert_true(take(lock, one.healer));
    wait_begin(&two, lock);
    await_waiter(lock);
    atomic_store(&off, 1);
    done(&two);
    assert_int_equal(two.got, FW_HEAL_NOT);
    assert_true(fw_heal_owns(lock, one.healer));
    release(lock, one.healer);
    assert_int_equal(atomic_load(&lock->owner), 0);
}

/* --- circles --------------------------------------------------------------------------------- */

static void two_that_want_each_others_locks(void **state)
{
    struct fw_heal_lock *a = fresh(), *b = fresh();

    (void)state;
    assert_true(take(a, one.healer));
    assert_true(take(b, two.healer));
    wait_begin(&one, b);
    await_waiter(b);
    assert_int_equal(wait_for(a, two.healer), FW_HEAL_GOT_CIRCLE);
    assert_true(fw_heal_owns(a, two.healer));
    release(b, two.healer);
    done(&one);
    assert_int_equal(one.got, FW_HEAL_GOT);
    release(b, one.healer);
    release(a, two.healer);
}

static void ones_own_lock_is_not_waited_for(void **state)
{
    struct fw_heal_lock *lock = fresh();

    (void)state;
    assert_true(take(lock, one.healer));
    assert_int_equal(wait_for(lock, one.healer), FW_HEAL_GOT);
    wait_begin(&two, lock);
    await_waiter(lock);
    assert_int_equal(wait_for(lock, one.healer), FW_HEAL_GOT);
    release(lock, one.healer);
    done(&two);
    assert_int_equal(two.got, FW_HEAL_GOT);
    release(lock, two.healer);
    assert_int_equal(atomic_load(&lock->owner), 0);
}

/* One has the lock and wants the mutex, the other the other way round: whoever comes last. */
static void a_mutex_that_is_waited_for_first(void **state)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    struct fw_heal_lock *lock = fresh();

    (void)state;
    act(&two, LOCK, &mutex);
    done(&two);
    assert_true(take(lock, one.healer));
    assert_null(fw_heal_mutex(one.healer, &mutex)); /* no circle yet */
    wait_begin(&two, lock);
    done(&two);
    assert_int_equal(two.got, FW_HEAL_GOT_CIRCLE);
    assert_true(fw_heal_owns(lock, two.healer));
    release(lock, two.healer);
    fw_heal_mutex(one.healer, NULL);
    act(&two, UNLOCK, &mutex);
    done(&two);
}

static void a_mutex_that_is_waited_for_last(void **state)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    struct fw_heal_lock *lock = fresh();

    (void)state;
    act(&two, LOCK, &mutex);
    done(&two);
    assert_true(take(lock, one.healer));
    wait_begin(&two, lock);
    await_waiter(lock);
    act(&one, LOCK, &mutex); /* waits for it in earnest */
    done(&two);
    assert_int_equal(two.got, FW_HEAL_GOT);
    assert_true(fw_heal_owns(lock, two.healer));
    release(lock, two.healer);
    act(&two, UNLOCK, &mutex);
    done(&two);
    done(&one);
    assert_ptr_equal(one.released, lock);
    act(&one, UNLOCK, &mutex);
    done(&one);
}

/* one has the lock → first (three's) → second (two's) → the lock */
static void a_circle_over_a_thread_without_locks(void **state)
{
    pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
    struct fw_heal_lock *lock = fresh();

    (void)state;
    act(&three, LOCK, &first);
    done(&three);
    act(&two, LOCK, &second);
    done(&two);
    assert_true(take(lock, one.healer));
    act(&three, LOCK, &second);
    act(&one, LOCK, &first);
    wait_begin(&two, lock);
    done(&two);
    /* whichever of them came last */
    assert_true(two.got == FW_HEAL_GOT_CIRCLE || two.got == FW_HEAL_GOT);
    assert_true(fw_heal_owns(lock, two.healer));
    release(lock, two.healer);
    act(&two, UNLOCK, &second);
    done(&two);
    done(&three);
    act(&three, UNLOCK, &second);
    done(&three);
    act(&three, UNLOCK, &first);
    done(&three);
    done(&one);
    act(&one, UNLOCK, &first);
    done(&one);
}

/* Its owner waits for nothing, or is not known, or it is gone, or it is one's own. */
static void a_mutex_that_closes_no_circle(void **state)
{
    void *gone = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, own = PTHREAD_MUTEX_INITIALIZER;
    const void *mutexes[] = { gone, &mutex, &own };
    struct fw_heal_lock *lock = fresh();

    (void)state;
    munmap(gone, 4096);
    pthread_mutex_lock(&mutex);
    act(&one, LOCK, &own);
    done(&one);
    for (unsigned i = 0; i < 3; i++) {
        assert_true(take(lock, one.healer));
        wait_begin(&two, lock);
        await_waiter(lock);
        assert_null(fw_heal_mutex(one.healer, mutexes[i]));
        assert_true(fw_heal_owns(lock, one.healer));
        release(lock, one.healer);
        done(&two);
        assert_int_equal(two.got, FW_HEAL_GOT);
        release(lock, two.healer);
    }
    act(&one, UNLOCK, &own);
    done(&one);
    pthread_mutex_unlock(&mutex);
}

/* --- room ------------------------------------------------------------------------------------ */

static void words_are_known_until_there_is_no_room(void **state)
{
    unsigned made = 0;

    (void)state;
    for (uintptr_t word = 0x100000; word < 0x200000 && fw_heal_make(word); word += 8)
        made++;
    assert_in_range(made, 4000, 8192);
    assert_non_null(fw_heal_find(0x100000));
    assert_null(fw_heal_find(0x300000));
}

static void threads_come_and_go_until_there_is_no_room(void **state)
{
    struct fw_healer *all[FW_HEALERS + 1];
    struct fw_heal_lock *lock = fw_heal_find(0x100000);
    unsigned count_taken = 0;

    (void)state;
    while (count_taken <= FW_HEALERS && (all[count_taken] = fw_healer_take(7, 7, 0, NULL)))
        count_taken++;
    assert_int_equal(count_taken, FW_HEALERS);
    for (unsigned k = 2; k <= FW_HEALERS; k *= 2) { /* what is kept for one is not for another */
        atomic_store(&lock->owner, 0);
        for (unsigned i = 0; i < FW_HEAL_KEEP + 2; i++) {
            assert_true(take(lock, all[k - 1]));
            release(lock, all[k - 1]);
        }
        for (unsigned i = 0; i < FW_HEALERS; i++)
            assert_int_equal(fw_heal_is_kept(lock, fw_healer_id(all[i])), i == k - 1);
    }
    atomic_store(&lock->owner, 0);
    for (unsigned i = 0; i < count_taken; i++)
        fw_healer_give(all[i], 10);
    assert_non_null(all[0] = fw_healer_take(7, 7, 0, NULL));
    fw_healer_give(all[0], 10);
    assert_true(fw_healers_time(0) >= 10 * count_taken);
}

static void a_child_starts_with_all_of_them_free(void **state)
{
    struct fw_healer *me = fw_healer_take(1, 1, 0, NULL);
    struct fw_heal_lock *lock = fw_heal_find(0x100000);

    (void)state;
    assert_true(take(lock, me));
    fw_heal_locks_forked();
    assert_int_equal(fw_heal_owner(lock), 0);
    assert_ptr_equal(fw_heal_find(0x100000), lock);
    me = fw_healer_take(1, 1, 0, NULL);
    assert_true(take(lock, me));
    release(lock, me);
    fw_healer_give(me, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_owner_at_a_time),
        cmocka_unit_test_setup_teardown(who_waits_for_longest_is_next, begin, end),
        cmocka_unit_test_setup_teardown(time_that_the_owner_dwells_is_excused, begin, end),
        cmocka_unit_test_setup_teardown(nobody_waits_beyond_the_bound, begin, end),
        cmocka_unit_test_setup_teardown(nobody_waits_when_it_is_off, begin, end),
        cmocka_unit_test_setup_teardown(two_that_want_each_others_locks, begin, end),
        cmocka_unit_test_setup_teardown(ones_own_lock_is_not_waited_for, begin, end),
        cmocka_unit_test_setup_teardown(a_mutex_that_is_waited_for_first, begin, end),
        cmocka_unit_test_setup_teardown(a_mutex_that_is_waited_for_last, begin, end),
        cmocka_unit_test_setup_teardown(a_circle_over_a_thread_without_locks, begin, end),
        cmocka_unit_test_setup_teardown(a_mutex_that_closes_no_circle, begin, end),
        cmocka_unit_test(words_are_known_until_there_is_no_room),
        cmocka_unit_test(threads_come_and_go_until_there_is_no_room),
        cmocka_unit_test(a_child_starts_with_all_of_them_free),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
