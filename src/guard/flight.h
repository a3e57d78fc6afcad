/*
 * flight.h - which access each thread is about to make.
 *
 * A hook comes before its access, so what is known of a word does not tell whether who passed the
 * hook has already made its access.  Who wants to be able to take a write back has to know: every
 * thread shows the address of its latest access at a site that is watched, from before it looks at
 * the word until it comes to the next one, calls an interceptor, or waits.
 *
 * Of a thread that shows its access and then looks at the word, and one that notes its write there
 * and then looks at what others show (fw_flight_any), one sees the other.  What is shown may be
 * over already; there is no harm in taking it for an access that is still to come.
 *
 * A handler of the program that comes between a hook and its access shows its own: what the thread
 * was about to do is shown beside it, until the handler returns.  If it never does, that stays:
 * some words are not taken back which could be.
 *
 * Only where there are regions (region.h), and until a place was retired (hot.h): then nothing that
 * was written is taken back any more.  Else nothing is shown, and it costs nothing.
 */
#ifndef FW_GUARD_FLIGHT_H
#define FW_GUARD_FLIGHT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FW_FLIGHTS         256u        /* threads that can show */
#define FW_FLIGHT_BYTES    16u         /* the longest access that is shown by its address */
#define FW_FLIGHT_ANYWHERE UINTPTR_MAX /* a longer one */

struct fw_flight {
    _Alignas(64) _Atomic uintptr_t address; /* 0: none */
    _Atomic uintptr_t interrupted; /* by a handler; 0: none */
    _Atomic bool taken;
};

extern _Atomic bool fw_flights_on; /* off when nothing is taken back any more (region.h) */
extern __thread struct fw_flight *fw_flight_own; /* NULL: the thread shows nothing */

/* relaxed: a switch, seen sooner or later */
static inline bool fw_flights_are_on(void)
{
    return atomic_load_explicit(&fw_flights_on, memory_order_relaxed);
}

static inline void fw_flight_show(uintptr_t address, size_t bytes)
{
    /* seq_cst: before the word is looked at */
    if (__builtin_expect(fw_flights_are_on(), 0) && fw_flight_own)
        atomic_exchange(&fw_flight_own->address,
                        bytes > FW_FLIGHT_BYTES ? FW_FLIGHT_ANYWHERE : address);
}

/* It was made, or is not made yet: then what this returns is shown again before the word is looked
 * at. */
static inline uintptr_t fw_flight_hide(void)
{
    uintptr_t was = 0;

    if (__builtin_expect(fw_flights_are_on(), 0) && fw_flight_own) {
        was = atomic_load_explicit(&fw_flight_own->address, memory_order_relaxed); /* its own */
        atomic_store_explicit(&fw_flight_own->address, 0, memory_order_release); /* behind it */
    }
    return was;
}

static inline void fw_flight_show_again(uintptr_t was)
{
    fw_flight_show(was, 0);
}

/* A thread that takes part begins, and ends. */
void fw_flight_begin(void);
void fw_flight_end(void);

/* A handler of the program begins on the thread; and has returned, with what that gave. */
struct fw_flight_kept {
    struct fw_flight *own;
    uintptr_t address, interrupted;
};
struct fw_flight_kept fw_flight_handler_begin(void);
void fw_flight_handler_end(const struct fw_flight_kept *kept);

/* May another thread be about to access one of these bytes, or words that they lie in? */
bool fw_flight_any(uintptr_t address, size_t bytes);

#endif
