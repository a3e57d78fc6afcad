/*
 * heal_actors.h - for tests of healing's locks: seats, and threads that do one thing at a time.
 */
#ifndef FW_TESTS_HEAL_ACTORS_H
#define FW_TESTS_HEAL_ACTORS_H

#include "atomrace/heal_state.h"

#include "runtime/futex.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#define LONGEST  1000u
#define FOR_EVER (600ull * FW_SECOND) /* longer than the test may take */

static _Atomic uint32_t off;

/* --- seats: a healer has one at each lock that it takes or waits for ------------------------- */

static inline struct fw_heal_seat *seat_at(struct fw_healer *me, const struct fw_heal_lock *lock)
{
    struct fw_heal_seat *seats = fw_healer_seats(me);
    unsigned i = 0;

    while (i < FW_HEAL_SEATS && atomic_load(&seats[i].lock) != lock)
        i++;
    return i < FW_HEAL_SEATS ? &seats[i] : NULL;
}

static inline void sit(struct fw_heal_lock *lock, struct fw_healer *me)
{
    if (!seat_at(me, lock))
        fw_heal_sit(seat_at(me, NULL), lock, 0);
}

static inline bool take(struct fw_heal_lock *lock, struct fw_healer *me)
{
    sit(lock, me);
    if (fw_heal_try(lock, me))
        return true;
    fw_heal_stand(seat_at(me, lock));
    return false;
}

static inline bool claim(struct fw_heal_lock *lock, struct fw_healer *me)
{
    sit(lock, me);
    if (fw_heal_claim(lock, me))
        return true;
    fw_heal_stand(seat_at(me, lock));
    return false;
}

static inline enum fw_heal_got wait_for(struct fw_heal_lock *lock, struct fw_healer *me)
{
    sit(lock, me);
    return fw_heal_wait(lock, me);
}

static inline void release(struct fw_heal_lock *lock, struct fw_healer *me)
{
    if (seat_at(me, lock))
        fw_heal_stand(seat_at(me, lock));
    fw_heal_release(lock, me);
}

/* --- actors ---------------------------------------------------------------------------------- */

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

static inline void *play(void *argument)
{
    struct actor *a = argument;
    int32_t tid = (int32_t)fw_call(SYS_gettid, 0, 0, 0, 0);

    a->healer = fw_healer_take((uint32_t)tid, tid, fw_now(), NULL);
    pthread_barrier_wait(&a->end);
    for (;;) {
        pthread_barrier_wait(&a->begin);
        if (a->todo == STOP)
            break;
        if (a->todo == WAIT)
            a->got = wait_for(a->lock, a->healer);
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

static inline void actor_start(struct actor *a)
{
    pthread_barrier_init(&a->begin, NULL, 2);
    pthread_barrier_init(&a->end, NULL, 2);
    assert_int_equal(pthread_create(&a->thread, NULL, play, a), 0);
    pthread_barrier_wait(&a->end);
    assert_non_null(a->healer);
}

static inline void actor_stop(struct actor *a)
{
    a->todo = STOP;
    pthread_barrier_wait(&a->begin);
    pthread_join(a->thread, NULL);
    pthread_barrier_destroy(&a->begin);
    pthread_barrier_destroy(&a->end);
}

static inline void wait_begin(struct actor *a, struct fw_heal_lock *lock)
{
    a->todo = WAIT;
    a->lock = lock;
    pthread_barrier_wait(&a->begin);
}

static inline void act(struct actor *a, int todo, pthread_mutex_t *mutex)
{
    a->todo = todo;
    a->mutex = mutex;
    pthread_barrier_wait(&a->begin);
}

static inline void done(struct actor *a)
{
    pthread_barrier_wait(&a->end);
}

/* Until somebody waits for it, and has looked for a circle, before it has left the gate. */
static inline void await_waiter(struct fw_heal_lock *lock)
{
    while (!(atomic_load(&lock->owner) >> 31))
        sched_yield();
    fw_heal_gate_enter();
    fw_heal_gate_leave();
}

static struct actor one, two, three;
static uintptr_t next_word = 0x1000;

static inline struct fw_heal_lock *fresh(void)
{
    struct fw_heal_lock *lock = fw_heal_make(next_word += 8);

    assert_non_null(lock);
    assert_ptr_equal(fw_heal_find(next_word), lock);
    return lock;
}

static inline int begin(void **state)
{
    (void)state;
    atomic_store(&off, 0);
    fw_heal_patience(FOR_EVER, LONGEST, &off);
    actor_start(&one);
    actor_start(&two);
    actor_start(&three);
    return 0;
}

static inline int end(void **state)
{
    (void)state;
    actor_stop(&one);
    actor_stop(&two);
    actor_stop(&three);
    return 0;
}

#endif
