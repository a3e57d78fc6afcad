/*
 * test_heal_lock.c - healing's locks exclude, are fair, and are waited for by nobody for ever: not
 * beyond the bound, not in a circle of threads, not when healing is switched off.
 */
#include "atomrace/heal_lock.h"

#include "runtime/futex.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#define FOR_EVER (600ull * FW_SECOND) /* longer than the test may take */

static _Atomic uint32_t off;

/* A thread that does one thing at a time, when it is told to. */
struct actor {
    pthread_t thread;
    struct fw_healer *healer;
    struct fw_heal_lock *lock;
    pthread_mutex_t *mutex;
    struct fw_heal_lock *released;
    enum fw_heal_got got;
    enum { NOTHING, WAIT, LOCK, UNLOCK, STOP } todo;
    pthread_barrier_t begin, end;
};

static void *play(void *argument)
{
    struct actor *a = argument;
    int32_t tid = (int32_t)fw_call(SYS_gettid, 0, 0, 0, 0);

    a->healer = fw_healer_take((uint32_t)tid, tid, fw_now());
    pthread_barrier_wait(&a->end);
    for (;;) {
        pthread_barrier_wait(&a->begin);
        if (a->todo == STOP)
            break;
        if (a->todo == WAIT)
            a->got = fw_heal_wait(a->lock, a->healer);
        if (a->todo == LOCK) {
            a->released = fw_heal_mutex(a->healer, a->mutex);
            pthread_mutex_lock(a->mutex);
        }
        if (a->todo == UNLOCK)
            pthread_mutex_unlock(a->mutex);
        pthread_barrier_wait(&a->end);
    }
    fw_healer_give(a->healer, fw_now());
    return NULL;
}

static void actor_start(struct actor *a)
{
    pthread_barrier_init(&a->begin, NULL, 2);
    pthread_barrier_init(&a->end, NULL, 2);
    assert_int_equal(pthread_create(&a->thread, NULL, play, a), 0);
    pthread_barrier_wait(&a->end);
    assert_non_null(a->healer);
}

static void actor_stop(struct actor *a)
{
    a->todo = STOP;
    pthread_barrier_wait(&a->begin);
    pthread_join(a->thread, NULL);
    pthread_barrier_destroy(&a->begin);
    pthread_barrier_destroy(&a->end);
}

static void wait_begin(struct actor *a, struct fw_heal_lock *lock)
{
    a->todo = WAIT;
    a->lock = lock;
    pthread_barrier_wait(&a->begin);
}

static void act(struct actor *a, int todo, pthread_mutex_t *mutex)
{
    a->todo = todo;
    a->mutex = mutex;
    pthread_barrier_wait(&a->begin);
}

static void done(struct actor *a)
{
    pthread_barrier_wait(&a->end);
}

/* Until somebody waits for it. */
static void await_waiter(struct fw_heal_lock *lock)
{
    while (!(atomic_load(&lock->owner) >> 31))
        sched_yield();
}

static struct actor one, two, three;
static uintptr_t next_word = 0x1000;

static struct fw_heal_lock *fresh(void)
{
    struct fw_heal_lock *lock = fw_heal_make(next_word += 8);

    assert_non_null(lock);
    assert_ptr_equal(fw_heal_find(next_word), lock);
    return lock;
}

static int begin(void **state)
{
    (void)state;
    atomic_store(&off, 0);
    fw_heal_patience(FOR_EVER, &off);
    actor_start(&one);
    actor_start(&two);
    actor_start(&three);
    return 0;
}

static int end(void **state)
{
    (void)state;
    actor_stop(&one);
    actor_stop(&two);
    actor_stop(&three);
    return 0;
}

/* --- locks ----------------------------------------------------------------------------------- */

#define ROUNDS 20000u

static struct fw_heal_lock *counted;
static uint64_t count, sum;

static void *count_up(void *unused)
{
    struct fw_healer *me = fw_healer_take(0, 0, fw_now());

    for (unsigned i = 0; i < ROUNDS; i++) {
        if (!fw_heal_try(counted, me))
            assert_int_equal(fw_heal_wait(counted, me), FW_HEAL_GOT);
        assert_true(fw_heal_owns(counted, me));
        *(volatile uint64_t *)&count += 1;
        *(volatile uint64_t *)&sum += count;
        fw_heal_release(counted, me);
    }
    fw_healer_give(me, fw_now());
    return unused;
}

static void one_owner_at_a_time(void **state)
{
    pthread_t threads[4];

    (void)state;
    fw_heal_patience(FOR_EVER, &off);
    counted = fresh();
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, count_up, NULL), 0);
    for (unsigned i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(count, 4 * ROUNDS);
    assert_int_equal(sum, count * (count + 1) / 2);
    assert_int_equal(fw_heal_owner(counted), 0);
}

static void who_waits_for_longest_is_next(void **state)
{
    struct fw_heal_lock *lock = fresh();

    (void)state;
    assert_true(fw_heal_try(lock, one.healer));
    wait_begin(&two, lock);
    await_waiter(lock);
    wait_begin(&three, lock);
    fw_heal_release(lock, one.healer);
    done(&two);
    assert_int_equal(two.got, FW_HEAL_GOT);
    assert_true(fw_heal_owns(lock, two.healer));
    assert_false(fw_heal_try(lock, one.healer));
    fw_heal_release(lock, two.healer);
    done(&three);
    assert_true(fw_heal_owns(lock, three.healer));
    fw_heal_release(lock, three.healer);
    assert_int_equal(atomic_load(&lock->owner), 0);
}

static void nobody_waits_beyond_the_bound(void **state)
{
    struct fw_heal_lock *lock = fresh();

    (void)state;
    fw_heal_patience(1000000, &off);
    assert_true(fw_heal_try(lock, one.healer));
    assert_int_equal(fw_heal_wait(lock, two.healer), FW_HEAL_GOT_LATE);
    assert_true(fw_heal_owns(lock, two.healer));
    fw_heal_release(lock, one.healer); /* it is not its lock any more */
    assert_true(fw_heal_owns(lock, two.healer));
    fw_heal_release(lock, two.healer);
    assert_int_equal(atomic_load(&lock->owner), 0);
}

static void nobody_waits_when_it_is_off(void **state)
{
    struct fw_heal_lock *lock = fresh();

    (void)state;
    assert_true(fw_heal_try(lock, one.healer));
    wait_begin(&two, lock);
    await_waiter(lock);
    atomic_store(&off, 1);
    done(&two);
    assert_int_equal(two.got, FW_HEAL_NOT);
    assert_true(fw_heal_owns(lock, one.healer));
    fw_heal_release(lock, one.healer);
    assert_int_equal(atomic_load(&lock->owner), 0);
}

/* --- circles --------------------------------------------------------------------------------- */

static void two_that_want_each_others_locks(void **state)
{
    struct fw_heal_lock *a = fresh(), *b = fresh();

    (void)state;
    assert_true(fw_heal_try(a, one.healer));
    assert_true(fw_heal_try(b, two.healer));
    wait_begin(&one, b);
    await_waiter(b);
    assert_int_equal(fw_heal_wait(a, two.healer), FW_HEAL_GOT_CIRCLE);
    assert_true(fw_heal_owns(a, two.healer));
    fw_heal_release(b, two.healer);
    done(&one);
    assert_int_equal(one.got, FW_HEAL_GOT);
    fw_heal_release(b, one.healer);
    fw_heal_release(a, two.healer);
}

static void ones_own_lock_is_a_circle(void **state)
{
    struct fw_heal_lock *lock = fresh();

    (void)state;
    assert_true(fw_heal_try(lock, one.healer));
    assert_int_equal(fw_heal_wait(lock, one.healer), FW_HEAL_GOT_CIRCLE);
    fw_heal_release(lock, one.healer);
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
    assert_true(fw_heal_try(lock, one.healer));
    assert_null(fw_heal_mutex(one.healer, &mutex)); /* no circle yet */
    wait_begin(&two, lock);
    done(&two);
    assert_int_equal(two.got, FW_HEAL_GOT_CIRCLE);
    assert_true(fw_heal_owns(lock, two.healer));
    fw_heal_release(lock, two.healer);
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
    assert_true(fw_heal_try(lock, one.healer));
    wait_begin(&two, lock);
    await_waiter(lock);
    act(&one, LOCK, &mutex); /* waits for it in earnest */
    done(&two);
    assert_int_equal(two.got, FW_HEAL_GOT);
    assert_true(fw_heal_owns(lock, two.healer));
    fw_heal_release(lock, two.healer);
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
    assert_true(fw_heal_try(lock, one.healer));
    act(&three, LOCK, &second);
    act(&one, LOCK, &first);
    wait_begin(&two, lock);
    done(&two);
    /* whichever of them came last */
    assert_true(two.got == FW_HEAL_GOT_CIRCLE || two.got == FW_HEAL_GOT);
    assert_true(fw_heal_owns(lock, two.healer));
    fw_heal_release(lock, two.healer);
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
        assert_true(fw_heal_try(lock, one.healer));
        wait_begin(&two, lock);
        await_waiter(lock);
        assert_null(fw_heal_mutex(one.healer, mutexes[i]));
        assert_true(fw_heal_owns(lock, one.healer));
        fw_heal_release(lock, one.healer);
        done(&two);
        assert_int_equal(two.got, FW_HEAL_GOT);
        fw_heal_release(lock, two.healer);
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
    struct fw_healer *all[512];
    unsigned count_taken = 0;

    (void)state;
    while (count_taken < 512 && (all[count_taken] = fw_healer_take(7, 7, 0)))
        count_taken++;
    assert_in_range(count_taken, 64, 511);
    for (unsigned i = 0; i < count_taken; i++)
        fw_healer_give(all[i], 10);
    assert_non_null(all[0] = fw_healer_take(7, 7, 0));
    fw_healer_give(all[0], 10);
    assert_true(fw_healers_time(0) >= 10 * count_taken);
}

static void a_child_starts_with_all_of_them_free(void **state)
{
    struct fw_healer *me = fw_healer_take(1, 1, 0);
    struct fw_heal_lock *lock = fw_heal_find(0x100000);

    (void)state;
    assert_true(fw_heal_try(lock, me));
    fw_heal_locks_forked();
    assert_int_equal(fw_heal_owner(lock), 0);
    assert_ptr_equal(fw_heal_find(0x100000), lock);
    me = fw_healer_take(1, 1, 0);
    assert_true(fw_heal_try(lock, me));
    fw_heal_release(lock, me);
    fw_healer_give(me, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_owner_at_a_time),
        cmocka_unit_test_setup_teardown(who_waits_for_longest_is_next, begin, end),
        cmocka_unit_test_setup_teardown(nobody_waits_beyond_the_bound, begin, end),
        cmocka_unit_test_setup_teardown(nobody_waits_when_it_is_off, begin, end),
        cmocka_unit_test_setup_teardown(two_that_want_each_others_locks, begin, end),
        cmocka_unit_test_setup_teardown(ones_own_lock_is_a_circle, begin, end),
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
