/*
 * locks.h - mutexes that a thread has taken, and can give back when it goes back over a region.
 *
 * Only what the machine code shows to be all that a thread has done since (region.h) makes that the
 * same as not having come to the mutex yet: that no place which is watched was passed says nothing,
 * for calls at all others were made nothing.
 */
#ifndef FW_GUARD_LOCKS_H
#define FW_GUARD_LOCKS_H

#include <pthread.h>
#include <stdbool.h>

/* Looks for the real functions. */
void fw_guard_locks_begin(void);

/* The thread calls an interceptor (fw_calls_follow).  `pass`: where nothing is learnt, and there is
 * no noise. */
void fw_guard_locks_call(const char *name, const void *object);
void fw_guard_locks_pass(const char *name, const void *object);
extern __thread bool fw_guard_calls_own; /* what is called is our own doing */

/* Can the thread take the mutex and give it back, and has it not yet? */
bool fw_guard_lock_is_free(const pthread_mutex_t *lock);
/* Has it, once? */
bool fw_guard_lock_is_own(const pthread_mutex_t *lock);

void fw_guard_lock_give(pthread_mutex_t *lock);

#endif
