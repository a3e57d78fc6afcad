/*
 * locks.h - a mutex that a thread has just taken, and can give back as if it had not come to it.
 *
 * A thread that waits with a mutex may keep away the very access that it waits for.  If it has done
 * nothing since it took the mutex that others could see or that depends on what others do (no
 * access at a site that is watched, no call of an interceptor), then giving the mutex back, waiting
 * and taking it again is the same as rolling the thread back to before the call and running it
 * again: the region holds nothing to be undone.
 */
#ifndef FW_GUARD_LOCKS_H
#define FW_GUARD_LOCKS_H

#include <pthread.h>
#include <stdbool.h>

/* Looks for the real functions. */
void fw_guard_locks_begin(void);

/* The thread calls an interceptor (fw_calls_follow). */
void fw_guard_locks_call(const char *name, const void *object);
extern __thread bool fw_guard_calls_own; /* what is called is our own doing */
/* It has made an access at a site that is watched, or does something else. */
extern __thread pthread_mutex_t *fw_guard_lock_latest;
static inline void fw_guard_locks_pass(void)
{
    fw_guard_lock_latest = NULL;
}

/* Can the thread take the mutex and give it back, and has it not yet? */
bool fw_guard_lock_is_free(const pthread_mutex_t *lock);
/* Has it, once? */
bool fw_guard_lock_is_own(const pthread_mutex_t *lock);

/* The mutex that it has just taken and holds once; NULL: there is none. */
pthread_mutex_t *fw_guard_lock_fresh(void);
void fw_guard_lock_give(pthread_mutex_t *lock);
void fw_guard_lock_take(pthread_mutex_t *lock);

#endif
