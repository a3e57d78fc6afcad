/* touch.c - see touch.h. */
#include "guard/touch.h"
#include "guard/flight.h"
#include "guard/guard.h"
#include "guard/lifetx.h"
#include "guard/locks.h"
#include "guard/region.h"
#include "guard/transactions.h"
#include "guard/violation.h"
#include "runtime/rt.h"

#define WORDS 64u /* of a longer range none is looked at */

/* A claim that nobody is about to give back is one that a fork has left behind. */
static void await_claim(_Atomic uint64_t *cell, unsigned round)
{
    uint64_t left = fw_guard_tx ? (uint64_t)FW_TX_CLAIMED << 32 : FW_WORD_CLAIMED;

    if (!fw_regions_busy())
        atomic_compare_exchange_strong(cell, &left, 0);
    fw_guard_pause(round);
}

static void touch_word(uintptr_t word)
{
    _Atomic uint64_t *cell = fw_word_cell(word);

    for (unsigned round = 0; fw_guard_tx ? !fw_tx_touch(cell, word, fw_guard_self)
                                         : !fw_word_touch(word, fw_guard_self);
         round++)
        await_claim(cell, round);
}

static void touch_range(const volatile void *address, size_t bytes)
{
    uintptr_t first = (uintptr_t)address & ~(uintptr_t)3, end = (uintptr_t)address + bytes;

    if (!address)
        return;
    for (uintptr_t word = first; word < end; word += 4)
        touch_word(word);
}

void fw_touch_around(const volatile void *to, const volatile void *from, size_t bytes)
{
    if (!fw_flights_are_on() || fw_guard_calls_own)
        return;
    if (!to) {
        fw_flight_hide();
        return;
    }
    /* A thread that gets no number shows nothing, but then nothing is taken back any more. */
    if (FW_LIKELY(fw_guard_self != 0) || fw_guard_self_new())
        fw_flight_show((uintptr_t)to, from ? SIZE_MAX : bytes);
    if (!fw_guard_self || bytes > WORDS * 4) {
        fw_regions_disturb();
        return;
    }
    touch_range(to, bytes);
    touch_range(from, bytes);
}
