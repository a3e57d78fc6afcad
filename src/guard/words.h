/*
 * words.h - who has accessed a word of memory last: its writer, and its readers since.
 *
 * Source: Yu, "Finding and Tolerating Concurrency Bugs", chapter V.  An access M of thread T
 * depends immediately on an access P of another thread S to the same word if one of them writes, P
 * comes before M, and between them there is
 *   - no access by S or T (the source's third condition),
 *   - no write, and
 *   - no read, where P and M both write.
 * That is idiom 1 of docs/iroots.md, for accesses of data.
 *
 * A word has four bytes.  Its cell of eight tells the last write and the latest read since:
 *
 *     63 more   62..43 site   42..32 thread   31 touched   30..11 site   10..0 thread
 *               of the reader                              of the writer
 *
 * `touched`: another thread has accessed it since the last write, other than plainly (touch.h).
 * `more`: there are other threads that have read it since, in an entry of a small table (the source
 * has caches for it, which lose what does not fit, and so does this).  Readers of an entry are in
 * order, the latest first; a thread stands there once.  When threads have taken turns in reading a
 * word for long, the order is left as it is, so that reading does not write any more.
 *
 * Cells belong to addresses modulo a window of 64 GiB, one for where programs lie and one for
 * libraries and stacks (told apart by a bit of the address): what is forgotten with a stack must
 * not be a variable of the program.  Only pages that are touched take memory.
 *
 * Thread-safety: anybody, any time.  Two accesses at the same moment may lose one of the two; the
 * program's own synchronisation keeps apart what it keeps apart.  Nothing waits.
 */
#ifndef FW_GUARD_WORDS_H
#define FW_GUARD_WORDS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FW_WORD_THREADS 2047u /* numbers from 1 */
#define FW_WORD_WINDOW  (UINT64_C(1) << 36)
#define FW_WORD_HALF    45 /* bit: set where the kernel maps memory, from above */
#define FW_WORD_READERS 4u /* beside the latest */
#define FW_WORD_TURNS   64u /* of readers until their order is left as it is */
#define FW_WORD_BEFORE  (FW_WORD_READERS + 1)

#define FW_WORD_WHO  UINT32_C(0x7fffffff)
#define FW_WORD_MORE (UINT64_C(1) << 63)
#define FW_WORD_TOUCHED (UINT64_C(1) << 31)

/* A thread at a site. */
static inline uint32_t fw_word_who(uint32_t site, uint32_t thread)
{
    return site << 11 | thread;
}

static inline uint32_t fw_word_thread(uint32_t who)
{
    return who & FW_WORD_THREADS;
}

static inline uint32_t fw_word_site(uint32_t who)
{
    return (who & FW_WORD_WHO) >> 11;
}

extern _Atomic uint64_t *fw_word_cells;

static inline _Atomic uint64_t *fw_word_cell(uintptr_t address)
{
    uintptr_t half = address >> FW_WORD_HALF & 1;

    return &fw_word_cells[half * (FW_WORD_WINDOW >> 2) + ((address & (FW_WORD_WINDOW - 1)) >> 2)];
}

/* A word whose writer is taking its writes back (region.h): nobody's, for a moment. */
#define FW_WORD_CLAIMED UINT64_C(0x7ffff800)

/* Memory for the cells; they need `fw_words_room` bytes, all zero, and are never given back. */
#define FW_WORDS_ROOM (2 * (FW_WORD_WINDOW >> 2 << 3))

/* What is no dependency on another thread, a bit each. */
enum {
    FW_WORD_NOBODY = 1, /* nobody has accessed the word, as far as is known */
    FW_WORD_SELF = 2,   /* its own thread has, last of those that count, and not read this */
    FW_WORD_READ = 4,   /* a read comes behind another thread's read of the same value */
};

/* What an access finds. */
struct fw_word_seen {
    unsigned also; /* FW_WORD_* */
    unsigned count; /* accesses that it depends on immediately */
    uint32_t before[FW_WORD_BEFORE];
    uint32_t of; /* 0, or whose write a read gets that depends on nobody only because who wrote it
                    has read it as well: no harm is in its coming sooner */
    uint32_t own; /* its own thread's read since the last write; 0: none */
    bool shared;    /* another thread has accessed it, and somebody has written or writes ... */
    unsigned others; /* ... those threads, as far as they are known: */
    uint32_t other[FW_WORD_BEFORE + 1];
};

/* Nothing is changed. */
void fw_word_look(uintptr_t address, uint64_t cell, uint32_t who, bool write,
                  struct fw_word_seen *seen);
/* The access is made. */
void fw_word_note(uintptr_t address, uint32_t who, bool write);
/* The same if the cell is still this one; false: it is not, and nothing was noted.  What is noted
 * so is seen before the access is made. */
bool fw_word_note_if(uintptr_t address, uint64_t cell, uint32_t who, bool write);
/* The thread is about to touch it.  False: it is claimed, and has to be looked at again. */
bool fw_word_touch(uintptr_t address, uint32_t thread);
/* Is it the thread's alone, with its own write the last one? */
bool fw_word_owns(uint64_t cell, uint32_t thread);

/* Nothing changes and nothing is to be judged: the same access came last. */
static inline bool fw_word_repeats(uint64_t cell, uint32_t who, bool write)
{
    return write ? cell == who : ((uint32_t)(cell >> 32) & FW_WORD_WHO) == who;
}

/* Did the thread itself make the last access that counts?  Then fw_word_own is the cell behind
 * this one, too. */
static inline bool fw_word_is_own(uint64_t cell, uint32_t who)
{
    uint32_t last = (uint32_t)(cell >> 32) ? (uint32_t)(cell >> 32) : (uint32_t)cell;

    return last && !((last ^ who) & FW_WORD_THREADS);
}

/* Is another thread known to have accessed the word beside the last access? */
static inline bool fw_word_is_shared(uint64_t cell, uint32_t who)
{
    return cell & FW_WORD_MORE || ((uint32_t)cell && ((uint32_t)cell ^ who) & FW_WORD_THREADS);
}

/* What an access finds, beside what is known, where some of the accesses before are not seen: a bit
 * each of FW_WORD_*.  Those are at sites where nobody has met another thread's write, or written
 * what another thread had accessed: reads of what nobody has written, and its own thread's. */
static inline unsigned fw_word_unseen(uint64_t cell, uint32_t who, bool write, bool reader_is_seen,
                                      bool writer_is_seen)
{
    bool reader = (uint32_t)(cell >> 32) & FW_WORD_WHO, writer = (uint32_t)cell;
    bool own = fw_word_is_own(cell, who);

    if (!write && reader && !writer)
        return (reader_is_seen ? 0 : FW_WORD_NOBODY) |
               (own && (reader_is_seen || !(cell & FW_WORD_MORE)) ? 0 : FW_WORD_READ);
    if (!own || (reader ? reader_is_seen : writer_is_seen))
        return 0;
    return reader && writer && writer_is_seen ? FW_WORD_SELF : FW_WORD_SELF | FW_WORD_NOBODY;
}

static inline uint64_t fw_word_own(uint64_t cell, uint32_t who, bool write)
{
    return write ? who : (cell & (FW_WORD_MORE | UINT32_MAX)) | (uint64_t)who << 32;
}

/* What was known of the memory is forgotten. */
void fw_words_forget(uintptr_t address, size_t bytes);

#endif
