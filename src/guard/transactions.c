/* transactions.c - see transactions.h. */
#include "guard/transactions.h"

#define SETS 4096u
#define WAYS 4u

#define SITE_BITS 20u /* FW_GUARD_SITES fit */
#define NOTES     32u /* words of a thread whose site is known */

struct fw_tx_thread fw_tx_threads[FW_TX_THREADS + 1];
_Atomic uint32_t fw_tx_all;

/* The word's number above the site; 0: free.  Words that fall together forget each other. */
static _Atomic uint64_t notes[FW_TX_THREADS + 1][NOTES];

/* Readers beside the latest: a part of the word's address above the transaction; 0: free. */
static _Atomic uint64_t sets[SETS][WAYS];

static _Atomic uint64_t *set_of(uintptr_t word, uint64_t *tag)
{
    uint64_t hash = (word >> 2) * 0x9e3779b97f4a7c15u;

    *tag = hash << 32;
    return sets[hash >> 52];
}

/* In the place of who is the latest now, or of one that does not run any more, or of the first. */
static void add_reader(uintptr_t word, uint32_t reader, uint32_t latest)
{
    uint64_t tag;
    _Atomic uint64_t *set = set_of(word, &tag);
    unsigned at = 0;

    for (unsigned i = 0; i < WAYS; i++) {
        /* relaxed: an entry is one word, which says all */
        uint64_t entry = atomic_load_explicit(&set[i], memory_order_relaxed);

        if (entry == (tag | reader))
            return;
        if (entry == (tag | latest)) {
            at = i;
            break;
        }
        if (!fw_tx_runs((uint32_t)entry))
            at = i;
    }
    atomic_store_explicit(&set[at], tag | reader, memory_order_relaxed);
}

/* A reader of the word that still runs, other than the thread of `me`. */
static uint32_t other_reader(uintptr_t word, uint32_t me)
{
    uint64_t tag;
    const _Atomic uint64_t *set = set_of(word, &tag);

    for (unsigned i = 0; i < WAYS; i++) {
        uint64_t entry = atomic_load_explicit(&set[i], memory_order_relaxed);
        uint32_t reader = (uint32_t)entry;

        if ((entry & ~UINT64_C(0xffffffff)) == tag && fw_tx_thread(reader) != fw_tx_thread(me) &&
            fw_tx_runs(reader))
            return reader;
    }
    return 0;
}

static bool is_in_the_way(uint32_t tx, uint32_t me)
{
    return tx && fw_tx_thread(tx) != fw_tx_thread(me) && fw_tx_runs(tx);
}

uint32_t fw_tx_access(_Atomic uint64_t *cell, uintptr_t word, uint32_t me, bool write)
{
    uint64_t was = atomic_load_explicit(cell, memory_order_relaxed), now;

    do {
        uint32_t writer = (uint32_t)(was >> 32), reader = (uint32_t)was;

        if (fw_tx_repeats(was, me, write))
            return 0;
        if (writer == FW_TX_CLAIMED || is_in_the_way(writer, me))
            return writer;
        if (write) {
            if (is_in_the_way(reader, me))
                return reader;
            reader = other_reader(word, me);
            if (reader)
                return reader;
            now = (uint64_t)me << 32;
        } else {
            if (is_in_the_way(reader, me))
                add_reader(word, reader, me);
            now = (writer == me ? (uint64_t)writer << 32 : 0) | me;
        }
        /* seq_cst: pairs with the claims of undo.c */
    } while (!atomic_compare_exchange_weak(cell, &was, now));
    return 0;
}

static _Atomic uint64_t *note_of(uint32_t thread, uintptr_t word, uint64_t *number)
{
    *number = (uint64_t)(word >> 2) << SITE_BITS;
    return &notes[thread][(word >> 2) * 0x9e3779b97f4a7c15u >> 59];
}

void fw_tx_note(uint32_t thread, uintptr_t word, uint32_t site)
{
    uint64_t number;
    _Atomic uint64_t *note = note_of(thread, word, &number);

    atomic_store_explicit(note, number | site, memory_order_relaxed); /* one word, which says all */
}

uint32_t fw_tx_site(uint32_t thread, uintptr_t word)
{
    uint64_t number;
    const _Atomic uint64_t *at = note_of(thread, word, &number);
    uint64_t note = atomic_load_explicit(at, memory_order_relaxed);

    return note >> SITE_BITS == number >> SITE_BITS ? (uint32_t)(note ^ number) : 0;
}

/* What no transaction that runs has written nobody takes back. */
bool fw_tx_touch(_Atomic uint64_t *cell, uintptr_t word, uint32_t thread)
{
    uint64_t was = atomic_load(cell); /* seq_cst: touch.h */
    uint32_t writer;

    do {
        uint32_t reader = (uint32_t)was;

        writer = (uint32_t)(was >> 32);
        if (writer == FW_TX_CLAIMED)
            return false;
        if (fw_tx_thread(writer) == thread || !fw_tx_runs(writer) || reader == FW_TX_TOUCHED)
            return true;
        if (fw_tx_runs(reader))
            add_reader(word, reader, FW_TX_TOUCHED);
    } while (!atomic_compare_exchange_weak(cell, &was, (uint64_t)writer << 32 | FW_TX_TOUCHED));
    return true;
}

/* Others that have read it since would be in its way, or have given up waiting: then all
 * transactions are new ones. */
bool fw_tx_owns(uint64_t cell, uint32_t me)
{
    uint32_t writer = (uint32_t)(cell >> 32), reader = (uint32_t)cell;

    return writer == me && (!reader || reader == me);
}

/* --- waiting --------------------------------------------------------------------------------- */

/* seq_cst: of two that begin to wait for each other at once, one sees the other. */
bool fw_tx_wait_begin(uint32_t thread, uint32_t other)
{
    uint32_t next = other;

    atomic_store(&fw_tx_threads[thread].waits, other);
    for (uint32_t steps = 0; next && steps < FW_TX_THREADS; steps++) {
        if (next == thread) {
            atomic_store(&fw_tx_threads[thread].waits, 0);
            return false;
        }
        next = atomic_load(&fw_tx_threads[next].waits);
    }
    return true;
}

void fw_tx_wait_end(uint32_t thread)
{
    atomic_store(&fw_tx_threads[thread].waits, 0);
}

void fw_tx_give_up(void)
{
    atomic_fetch_add_explicit(&fw_tx_all, 1, memory_order_relaxed); /* a count, as above */
}
