/*
 * threads_about.c - attributes of threads and their objects, which live in the program's memory.
 */
#include "runtime/processor.h"
#include "runtime/told.h"

#include <pthread.h>
#include <sched.h>
#include <threads.h>

#define DONE (result == 0)

/* --- attributes ----------------------------------------------------------------------------- */

#define OBJECT(kind)                                                                               \
    TOLD(int, kind##_init, (kind##_t * object), (object), DONE, W(object))                         \
    TOLD(int, kind##_destroy, (kind##_t * object), (object), DONE, W(object))
#define GET(kind, what, type)                                                                      \
    TOLD(int, kind##_get##what, (const kind##_t *restrict object, type *restrict value),           \
         (object, value), DONE, R(object); W(value))
#define SET(kind, what, type)                                                                      \
    TOLD(int, kind##_set##what, (kind##_t * object, type value), (object, value), DONE, R(object); \
         W(object))
#define BOTH(kind, what, type) GET(kind, what, type) SET(kind, what, type)

OBJECT(pthread_attr)
BOTH(pthread_attr, detachstate, int)
BOTH(pthread_attr, guardsize, size_t)
BOTH(pthread_attr, stacksize, size_t)
BOTH(pthread_attr, inheritsched, int)
BOTH(pthread_attr, schedpolicy, int)
BOTH(pthread_attr, scope, int)
GET(pthread_attr, schedparam, struct sched_param)
TOLD(int, pthread_attr_setschedparam,
     (pthread_attr_t *restrict object, const struct sched_param *restrict value), (object, value),
     DONE, R(value); W(object))
TOLD(int, pthread_attr_getstack,
     (const pthread_attr_t *restrict object, void **restrict stack, size_t *restrict bytes),
     (object, stack, bytes), DONE, R(object); W(stack); W(bytes))
TOLD(int, pthread_attr_setstack, (pthread_attr_t * object, void *stack, size_t bytes),
     (object, stack, bytes), DONE, W(object))
TOLD_SERIAL(int, pthread_getattr_np, (pthread_t thread, pthread_attr_t *object), (thread, object),
            DONE, W(object))

OBJECT(pthread_mutexattr)
BOTH(pthread_mutexattr, type, int)
BOTH(pthread_mutexattr, pshared, int)
BOTH(pthread_mutexattr, protocol, int)
BOTH(pthread_mutexattr, robust, int)
OBJECT(pthread_condattr)
BOTH(pthread_condattr, clock, clockid_t)
BOTH(pthread_condattr, pshared, int)
OBJECT(pthread_rwlockattr)
BOTH(pthread_rwlockattr, pshared, int)
OBJECT(pthread_barrierattr)
BOTH(pthread_barrierattr, pshared, int)

/* --- threads -------------------------------------------------------------------------------- */

TOLD_SERIAL(int, pthread_getschedparam,
            (pthread_t thread, int *restrict policy, struct sched_param *restrict value),
            (thread, policy, value), DONE, W(policy); W(value))
TOLD(int, pthread_getaffinity_np, (pthread_t thread, size_t bytes, cpu_set_t *set),
     (thread, bytes, set), DONE && fw_processor_told(bytes, set), WS(set, bytes))
TOLD(int, pthread_attr_getaffinity_np, (const pthread_attr_t *object, size_t bytes, cpu_set_t *set),
     (object, bytes, set), DONE && fw_processor_told(bytes, set), R(object);
     WS(set, bytes))

FW_EXPORT int pthread_setaffinity_np(pthread_t thread, size_t bytes, const cpu_set_t *set)
{
    fw_processor_end();
    return REAL(pthread_setaffinity_np)(thread, bytes, set);
}

FW_EXPORT int pthread_attr_setaffinity_np(pthread_attr_t *object, size_t bytes,
                                          const cpu_set_t *set)
{
    fw_processor_end();
    return REAL(pthread_attr_setaffinity_np)(object, bytes, set);
}

TOLD_SERIAL(int, pthread_getname_np, (pthread_t thread, char *to, size_t most),
            (thread, to, most), DONE, WT(to))
TOLD(int, pthread_getcpuclockid, (pthread_t thread, clockid_t *clock), (thread, clock), DONE,
     W(clock))
#define KEYS FW_ON_LIBC(FW_LIBC_KEYS) /* numbers that are given out in turn */

TOLD_EFFECT(KEYS, int, tss_create, (tss_t * key, tss_dtor_t destroy), (key, destroy), DONE, W(key))
TOLD_EFFECT(KEYS, int, pthread_key_create, (pthread_key_t * key, void (*destroy)(void *)),
            (key, destroy), DONE, W(key))
