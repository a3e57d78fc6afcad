/*
 * libc_state.c - what libc keeps for all threads, out of the program's sight: the state of random
 * numbers, the environment, the locale, the list of what is run in the end.  In controlled runs
 * whoever changes it, or finds it as others have left it, is at a point (effect.h).
 *
 * Each calls the real function as the program's own code.
 */
#include "runtime/control.h"
#include "runtime/effect.h"
#include "runtime/intercept.h"

#include <locale.h>
#include <pthread.h>
#include <stdlib.h>
#include <threads.h>

int __cxa_atexit(void (*function)(void *), void *argument, void *library);
int __cxa_at_quick_exit(void (*function)(void *), void *library);

#define STATE(what, type, name, parameters, call)                                                  \
    FW_EXPORT type name parameters                                                                 \
    {                                                                                              \
        fw_effect(what);                                                                           \
        return REAL(name) call;                                                                    \
    }
#define STATE_ONLY(what, name, parameters, call)                                                   \
    FW_EXPORT void name parameters                                                                 \
    {                                                                                              \
        fw_effect(what);                                                                           \
        REAL(name) call;                                                                           \
    }

/* --- random numbers -------------------------------------------------------------------------- */

#define RANDOM FW_ON_LIBC(FW_LIBC_RANDOM)

STATE(RANDOM, int, rand, (void), ())
STATE_ONLY(RANDOM, srand, (unsigned seed), (seed))
STATE(RANDOM, long, random, (void), ())
STATE_ONLY(RANDOM, srandom, (unsigned seed), (seed))
STATE(RANDOM, char *, initstate, (unsigned seed, char *state, size_t bytes), (seed, state, bytes))
STATE(RANDOM, char *, setstate, (char *state), (state))
STATE(RANDOM, double, drand48, (void), ())
STATE(RANDOM, long, lrand48, (void), ())
STATE(RANDOM, long, mrand48, (void), ())
STATE_ONLY(RANDOM, srand48, (long seed), (seed))
STATE(RANDOM, unsigned short *, seed48, (unsigned short seed[3]), (seed))
STATE_ONLY(RANDOM, lcong48, (unsigned short values[7]), (values))

/* Since glibc 2.36. */
uint32_t arc4random(void);
uint32_t arc4random_uniform(uint32_t bound);
void arc4random_buf(void *to, size_t bytes);

FW_EXPORT uint32_t arc4random(void)
{
    fw_chance_random();
    return REAL(arc4random)();
}

FW_EXPORT uint32_t arc4random_uniform(uint32_t bound)
{
    fw_chance_random();
    return REAL(arc4random_uniform)(bound);
}

FW_EXPORT void arc4random_buf(void *to, size_t bytes)
{
    struct fw_thread *t;

    fw_chance_random();
    REAL(arc4random_buf)(to, bytes);
    t = fw_tell_after();
    fw_writes(t, to, bytes, FW_PC);
    fw_done(t);
}

/* --- environment, locale --------------------------------------------------------------------- */

#define ENVIRONMENT FW_ON_LIBC(FW_LIBC_ENVIRONMENT)
#define LOOK_AT_ENVIRONMENT FW_LOOK_AT_LIBC(FW_LIBC_ENVIRONMENT)

STATE(LOOK_AT_ENVIRONMENT, char *, getenv, (const char *name), (name))
STATE(LOOK_AT_ENVIRONMENT, char *, secure_getenv, (const char *name), (name))
STATE(ENVIRONMENT, int, setenv, (const char *name, const char *value, int replaces),
      (name, value, replaces))
STATE(ENVIRONMENT, int, unsetenv, (const char *name), (name))
STATE(ENVIRONMENT, int, putenv, (char *text), (text))
STATE(ENVIRONMENT, int, clearenv, (void), ())

STATE(FW_ON_LIBC(FW_LIBC_LOCALE), char *, setlocale, (int what, const char *name), (what, name))

/* --- keys of threads' own values (threads_about.c has those that make them) ------------------- */

STATE(FW_ON_LIBC(FW_LIBC_KEYS), int, pthread_key_delete, (pthread_key_t key), (key))
STATE_ONLY(FW_ON_LIBC(FW_LIBC_KEYS), tss_delete, (tss_t key), (key))

/* --- what is run in the end ------------------------------------------------------------------- */

#define ENDING FW_ON_LIBC(FW_LIBC_ENDING)

STATE(ENDING, int, __cxa_atexit, (void (*function)(void *), void *argument, void *library),
      (function, argument, library))
STATE(ENDING, int, __cxa_at_quick_exit, (void (*function)(void *), void *library),
      (function, library))
STATE(ENDING, int, on_exit, (void (*function)(int, void *), void *argument), (function, argument))
