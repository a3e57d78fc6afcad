/*
 * mutexes.h - what calls of pthread_mutex_lock and pthread_mutex_unlock mean where threads are
 * guarded.
 *
 * Programs make more of these calls than of any other that is intercepted, and nearly all of them
 * mean nothing: where no place is watched, none does, and they only call libc's.  Else one that
 * locks may begin a region, which is known of the call beforehand, and both end the thread's region
 * and hide its latest access, if it has or shows any.  Who locks sees that the guard was switched
 * (calls.h).
 */
#ifndef FW_GUARD_MUTEXES_H
#define FW_GUARD_MUTEXES_H

/* A module was loaded, and what is told of calls is decided. */
void fw_guard_mutexes_follow(void);

#endif
