/* mutexes.c - see mutexes.h; src/runtime/sync_mutex_calls.c is for threads that are not guarded. */
#include "guard/mutexes.h"
#include "guard/calls.h"
#include "guard/flight.h"
#include "guard/guard.h"
#include "guard/locks.h"
#include "guard/region.h"
#include "runtime/rt.h"

#include <pthread.h>

static struct {
    __typeof__(&pthread_mutex_lock) lock;
    __typeof__(&pthread_mutex_unlock) unlock;
} real;

static enum {
    NOTHING, /* no place is watched */
    PASSING, /* fw_guard_locks_pass is all that calls are told to */
    TOLD,
} calls;
static bool regions; /* there are some, which calls that lock may begin */

void fw_guard_mutexes_follow(void)
{
    regions |= fw_flights_on;
    if (fw_calls_place || (fw_calls_follow && fw_calls_follow != fw_guard_locks_pass))
        calls = TOLD;
    else
        calls = fw_calls_follow ? PASSING : NOTHING;
}

/* Has the thread neither a region that ends here, nor an access to hide? */
static inline bool is_calm(void)
{
    return calls == NOTHING ||
           (calls == PASSING && !fw_flights_are_on() && !fw_region_live && !fw_region_pending);
}

/* Does the call that returns there certainly begin no region, and is the switch as it was?  What
 * begins while the calls of hooks are nothing is never gone back over. */
static inline bool is_plain(uintptr_t pc)
{
    uintptr_t at = pc - fw_guard_tables[0].begin;

    return calls == NOTHING ||
           (!fw_guard_calls_differ() &&
            (fw_guard_is_asleep() || (at < fw_guard_tables[0].length &&
                                      !(fw_guard_tables[0].sites[at] & FW_GUARD_REGION))));
}

static __attribute__((noinline)) void before_lock(pthread_mutex_t *mutex, const char *name,
                                                  uintptr_t pc, uintptr_t stack)
{
    FW_REAL(real.lock, "pthread_mutex_lock");
    if (calls == TOLD || !regions)
        fw_enter_at(pc, name, mutex);
    if (regions)
        fw_region_lock(mutex, pc, stack);
}

static __attribute__((noinline)) void before_unlock(pthread_mutex_t *mutex, const char *name,
                                                    uintptr_t pc)
{
    FW_REAL(real.unlock, "pthread_mutex_unlock");
    fw_enter_at(pc, name, mutex);
}

FW_EXPORT int pthread_mutex_lock(pthread_mutex_t *mutex)
{
    if (FW_UNLIKELY(!is_calm() || !is_plain(FW_PC) || !real.lock))
        before_lock(mutex, __func__, FW_PC, (uintptr_t)__builtin_dwarf_cfa());
    return real.lock(mutex);
}

FW_EXPORT int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    if (FW_UNLIKELY(!is_calm() || !real.unlock))
        before_unlock(mutex, __func__, FW_PC);
    return real.unlock(mutex);
}
