/* locks.c - see locks.h. */
#include "guard/locks.h"
#include "guard/calls.h"
#include "guard/guard.h"
#include "guard/flight.h"
#include "guard/learning.h"
#include "guard/region.h"
#include "runtime/futex.h"
#include "runtime/rt.h"

#include <string.h>

#define KIND 0x7f /* of a mutex: normal, recursive, checked, adaptive are 0 to 3 */

__thread bool fw_guard_calls_own;

static __typeof__(&pthread_mutex_unlock) real_unlock;

void fw_guard_locks_begin(void)
{
    real_unlock = (__typeof__(real_unlock))fw_real_symbol("pthread_mutex_unlock");
}

/* An interceptor's name is the same text every time, so the first look at its letters is enough. */
static inline bool is_lock(const char *name)
{
    static const char *known;

    if (FW_LIKELY(name == known))
        return true;
    if (known || strcmp(name, "pthread_mutex_lock") != 0)
        return false;
    known = name;
    return true;
}

void fw_guard_locks_pass(const char *name, const void *object)
{
    (void)name;
    (void)object;
    if (FW_UNLIKELY(fw_guard_calls_own))
        return;
    fw_guard_calls_look();
    fw_flight_hide();
    fw_region_end();
}

void fw_guard_locks_call(const char *name, const void *object)
{
    bool locks = object && is_lock(name);

    if (FW_UNLIKELY(fw_guard_calls_own))
        return;
    if (fw_guard->mode == FW_GUARD_LEARN)
        fw_guard_learnt();
    fw_flight_hide();
    if (!locks)
        fw_region_end();
    if (locks && FW_UNLIKELY(fw_guard->noise) && fw_guard_self)
        fw_guard_dwell();
}

static bool is_plain(const pthread_mutex_t *lock)
{
    return real_unlock && (lock->__data.__kind & KIND) <= 3;
}

static int tid(void)
{
    return (int)fw_call(SYS_gettid, 0, 0, 0, 0);
}

/* A call may have failed: who owns it says the mutex itself. */
bool fw_guard_lock_is_own(const pthread_mutex_t *lock)
{
    return is_plain(lock) && lock->__data.__owner == tid() && lock->__data.__count <= 1;
}

bool fw_guard_lock_is_free(const pthread_mutex_t *lock)
{
    /* Most mutexes are nobody's. */
    return is_plain(lock) && (!lock->__data.__owner || lock->__data.__owner != tid());
}

void fw_guard_lock_give(pthread_mutex_t *lock)
{
    real_unlock(lock);
}
