/*
 * transactions.h - which words the transactions that run now have accessed, and who is in the way.
 *
 * Source: Yu, "Finding and Tolerating Concurrency Bugs", chapter VI (LifeTx-Stall).  Every thread
 * is in one transaction; a cutpoint ends it and begins the next.  Two that run conflict if both
 * access a word and one of them writes.  Who comes second waits until the other has ended, or its
 * time is up; then all transactions are as if they began anew, as in the source.
 *
 * A transaction is its thread and a count: when the count goes on, everything it held is free, and
 * nothing has to be cleared.  A word's cell of eight bytes has its writer and its latest reader:
 *
 *     63..53 thread   52..32 count   31..21 thread   20..0 count
 *     of the writer                  of the reader
 *
 * Other readers that still run are in a table of small sets.  It loses what does not fit, as the
 * source's caches do, and so do counts that come round after two million transactions: then a
 * conflict is overlooked or waited out for nothing, no more.
 *
 * Nobody waits for who waits for it: a circle of threads is found by who closes it, and that one
 * goes on at once.
 *
 * Thread-safety: anybody, any time.  Nothing here is held while a thread waits.
 */
#ifndef FW_GUARD_TRANSACTIONS_H
#define FW_GUARD_TRANSACTIONS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FW_TX_THREADS 2047u /* numbers from 1 */
#define FW_TX_COUNT   ((UINT32_C(1) << 21) - 1)

/* In place of a writer: who wrote the word is taking that back (region.h), for a moment. */
#define FW_TX_CLAIMED FW_TX_COUNT
/* In place of a reader: another thread has touched the word since it was written (touch.h). */
#define FW_TX_TOUCHED FW_TX_COUNT

/* What others see of a thread. */
struct fw_tx_thread {
    _Alignas(64) _Atomic uint32_t count; /* of its transaction */
    _Atomic uint32_t waits;              /* for this thread; 0: for none */
    _Atomic uint32_t asked;              /* to go back, by this thread; 0: by none */
    _Atomic uint32_t gave;               /* transaction in which it gave something back last ... */
    _Atomic uint64_t gave_at;            /* ... and where that was called, as a frame of the log */
    _Atomic uint64_t blocks_at;          /* the same of a call that it may be blocked in; 0: none */
};

extern struct fw_tx_thread fw_tx_threads[FW_TX_THREADS + 1];
extern _Atomic uint32_t fw_tx_all; /* added to every count: goes on when all begin anew */

static inline uint32_t fw_tx_count(uint32_t thread)
{
    /* relaxed: counts order nothing; who waits for one looks again and again */
    return (atomic_load_explicit(&fw_tx_threads[thread].count, memory_order_relaxed) +
            atomic_load_explicit(&fw_tx_all, memory_order_relaxed)) &
           FW_TX_COUNT;
}

/* The transaction that the thread is in. */
static inline uint32_t fw_tx_of(uint32_t thread)
{
    return thread << 21 | fw_tx_count(thread);
}

static inline uint32_t fw_tx_thread(uint32_t tx)
{
    return tx >> 21;
}

/* Does it still run?  Nobody's never does. */
static inline bool fw_tx_runs(uint32_t tx)
{
    return fw_tx_thread(tx) && fw_tx_of(fw_tx_thread(tx)) == tx;
}

/* The thread passes a cutpoint, or ends. */
static inline void fw_tx_cut(uint32_t thread)
{
    /* relaxed: only the thread itself writes it */
    atomic_store_explicit(&fw_tx_threads[thread].count,
                          atomic_load_explicit(&fw_tx_threads[thread].count, memory_order_relaxed) +
                              1,
                          memory_order_relaxed);
}

/* The thread gives a mutex or the like back. */
static inline void fw_tx_gives(uint32_t thread, uint64_t frame)
{
    struct fw_tx_thread *me = &fw_tx_threads[thread];

    /* relaxed: who gets the one without the other learns of another place that is passed */
    atomic_store_explicit(&me->gave_at, frame, memory_order_relaxed);
    atomic_store_explicit(&me->gave, fw_tx_of(thread), memory_order_relaxed);
}

/* It calls what may block; 0: it is back. */
static inline void fw_tx_blocks(uint32_t thread, uint64_t frame)
{
    atomic_store_explicit(&fw_tx_threads[thread].blocks_at, frame, memory_order_relaxed);
}

/* Where the transaction, which runs, is blocked, or else gave something back last; 0: neither. */
static inline uint64_t fw_tx_rests(uint32_t tx)
{
    const struct fw_tx_thread *other = &fw_tx_threads[fw_tx_thread(tx)];
    uint64_t place = atomic_load_explicit(&other->blocks_at, memory_order_relaxed);

    if (!fw_tx_runs(tx))
        return 0;
    if (!place && atomic_load_explicit(&other->gave, memory_order_relaxed) == tx)
        place = atomic_load_explicit(&other->gave_at, memory_order_relaxed);
    return place;
}

/* The access would change nothing. */
static inline bool fw_tx_repeats(uint64_t cell, uint32_t me, bool write)
{
    uint32_t writer = (uint32_t)(cell >> 32), reader = (uint32_t)cell;

    return write ? writer == me && (!reader || reader == me) : reader == me || writer == me;
}

/*
 * The transaction is about to access the word.  Returns the transaction that is in the way, or
 * FW_TX_CLAIMED, or 0: then the access is noted.
 */
uint32_t fw_tx_access(_Atomic uint64_t *cell, uintptr_t word, uint32_t me, bool write);

/* The thread has accessed the word at the site: for the log. */
void fw_tx_note(uint32_t thread, uintptr_t word, uint32_t site);
/* Where it did so last; 0: that is not known any more. */
uint32_t fw_tx_site(uint32_t thread, uintptr_t word);

/* The thread is about to touch the word.  False: it is claimed, and has to be looked at again. */
bool fw_tx_touch(_Atomic uint64_t *cell, uintptr_t word, uint32_t thread);

/* Is the word the transaction's alone, with its own write the last one? */
bool fw_tx_owns(uint64_t cell, uint32_t me);

/* From now on the thread waits for the other one.  False: that waits for it, by way of others
 * perhaps, and it must not. */
bool fw_tx_wait_begin(uint32_t thread, uint32_t other);
void fw_tx_wait_end(uint32_t thread);

/* All transactions begin anew. */
void fw_tx_give_up(void);

#endif
