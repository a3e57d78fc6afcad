/* words.c - see words.h. */
#include "guard/words.h"

#define ENTRIES  (1u << 16)
#define PATIENCE 100u /* looks at an entry that somebody else changes */

/* Other readers of a word, the latest first.  Who has `busy` changes it; who does not get it goes
 * on without. */
struct readers {
    _Atomic uint32_t busy;
    _Atomic uint32_t turns; /* in reading; 0 when the word is written */
    _Atomic uintptr_t word; /* whose they are */
    _Atomic uint32_t who[FW_WORD_READERS]; /* 0 behind the last */
};

_Atomic uint64_t *fw_word_cells;
static struct readers table[ENTRIES];

static struct readers *entry_of(uintptr_t word)
{
    return &table[(word >> 2) * 0x9e3779b97f4a7c15u >> 48 & (ENTRIES - 1)];
}

/* All of this file is relaxed: cells are single words, and nothing else hangs on what they say. */
static uint32_t load(const _Atomic uint32_t *from)
{
    return atomic_load_explicit(from, memory_order_relaxed);
}

static void store(_Atomic uint32_t *to, uint32_t value)
{
    atomic_store_explicit(to, value, memory_order_relaxed);
}

static uint32_t reader_of(uint64_t cell)
{
    return (uint32_t)(cell >> 32) & FW_WORD_WHO;
}

static uint32_t writer_of(uint64_t cell)
{
    return (uint32_t)cell & FW_WORD_WHO;
}

/* --- looking --------------------------------------------------------------------------------- */

/* The readers since the last write, the latest first. */
static unsigned readers_of(uintptr_t word, uint64_t cell, uint32_t *readers)
{
    const struct readers *entry = entry_of(word);
    unsigned count = 0;

    if (reader_of(cell))
        readers[count++] = reader_of(cell);
    if (!(cell & FW_WORD_MORE) ||
        atomic_load_explicit(&entry->word, memory_order_relaxed) != word)
        return count;
    for (unsigned i = 0; i < FW_WORD_READERS; i++) {
        uint32_t who = load(&entry->who[i]);

        if (!who)
            break;
        readers[count++] = who;
    }
    return count;
}

/* 0: it is not there. */
static uint32_t find_among(uint32_t thread, const uint32_t *who, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (fw_word_thread(who[i]) == thread)
            return who[i];
    return 0;
}

static void add_other(struct fw_word_seen *seen, uint32_t who, uint32_t thread)
{
    if (!who || fw_word_thread(who) == thread)
        return;
    seen->shared = true;
    seen->other[seen->others++] = who;
}

/* A read depends on the write, if neither thread has read since.  What its own thread has read
 * since is read again, which is nothing new. */
static void look_as_reader(struct fw_word_seen *seen, uint32_t writer, uint32_t thread,
                           const uint32_t *readers, unsigned count)
{
    add_other(seen, writer, thread);
    for (unsigned i = 0; writer && i < count; i++)
        add_other(seen, readers[i], thread); /* without them it would seem to depend on the write */
    if (seen->own)
        return; /* it has read this very value */
    seen->also = count ? FW_WORD_READ : !writer ? FW_WORD_NOBODY : 0;
    if (writer && fw_word_thread(writer) == thread)
        seen->also |= count ? 0 : FW_WORD_SELF;
    else if (writer && !find_among(fw_word_thread(writer), readers, count))
        seen->before[seen->count++] = writer;
    else
        seen->of = writer;
}

/* A write depends on the reads since its thread's own, or else on the write. */
static void look_as_writer(struct fw_word_seen *seen, uint32_t writer, uint32_t thread,
                           const uint32_t *readers, unsigned count)
{
    bool own = false;

    for (unsigned i = 0; i < count; i++) {
        add_other(seen, readers[i], thread);
        own |= fw_word_thread(readers[i]) == thread;
        if (!own)
            seen->before[seen->count++] = readers[i];
    }
    add_other(seen, writer, thread);
    if (!count && seen->others)
        seen->before[seen->count++] = writer;
    if (!seen->count)
        seen->also = count || writer ? FW_WORD_SELF : FW_WORD_NOBODY;
}

void fw_word_look(uintptr_t address, uint64_t cell, uint32_t who, bool write,
                  struct fw_word_seen *seen)
{
    uint32_t readers[FW_WORD_BEFORE];
    unsigned count = readers_of(address & ~(uintptr_t)3, cell, readers);

    seen->count = seen->others = seen->of = 0;
    seen->shared = false;
    seen->also = 0;
    seen->own = find_among(fw_word_thread(who), readers, count);
    if (write)
        look_as_writer(seen, writer_of(cell), fw_word_thread(who), readers, count);
    else
        look_as_reader(seen, writer_of(cell), fw_word_thread(who), readers, count);
}

/* --- noting ---------------------------------------------------------------------------------- */

static bool take(struct readers *entry)
{
    for (unsigned i = 0; i < PATIENCE; i++)
        if (load(&entry->busy) == 0 &&
            atomic_exchange_explicit(&entry->busy, 1, memory_order_acquire) == 0)
            return true;
    return false;
}

static void give(struct readers *entry)
{
    atomic_store_explicit(&entry->busy, 0, memory_order_release); /* pairs with take */
}

/* The latest reader until now becomes the first of the others, and the thread is none of them. */
static void push(struct readers *entry, uintptr_t word, bool more, uint32_t latest, uint32_t thread)
{
    uint32_t next = latest;

    if (!more || atomic_load_explicit(&entry->word, memory_order_relaxed) != word) {
        atomic_store_explicit(&entry->word, word, memory_order_relaxed);
        store(&entry->turns, 0);
        for (unsigned i = 0; i < FW_WORD_READERS; i++)
            store(&entry->who[i], 0);
    }
    for (unsigned i = 0; i < FW_WORD_READERS && next; i++) {
        uint32_t here = load(&entry->who[i]);

        store(&entry->who[i], next);
        next = fw_word_thread(here) == thread ? 0 : here;
    }
    store(&entry->turns, load(&entry->turns) + 1);
}

/* Has it stood among the readers for long, with this site? */
static bool is_settled(const struct readers *entry, uintptr_t word, uint64_t cell, uint32_t who)
{
    if (!(cell & FW_WORD_MORE) ||
        atomic_load_explicit(&entry->word, memory_order_relaxed) != word ||
        load(&entry->turns) < FW_WORD_TURNS)
        return false;
    for (unsigned i = 0; i < FW_WORD_READERS; i++)
        if (load(&entry->who[i]) == who)
            return true;
    return false;
}

static bool note_read(uintptr_t word, _Atomic uint64_t *at, uint64_t cell, uint32_t who)
{
    struct readers *entry = entry_of(word);
    uint32_t latest = reader_of(cell);
    uint64_t next = (cell & UINT32_MAX) | (uint64_t)who << 32;

    if (!latest || fw_word_thread(latest) == fw_word_thread(who)) {
        next |= cell & FW_WORD_MORE;
    } else {
        if (is_settled(entry, word, cell, who))
            return true;
        if (take(entry)) {
            push(entry, word, cell & FW_WORD_MORE, latest, fw_word_thread(who));
            next |= FW_WORD_MORE;
            give(entry);
        }
    }
    /* A write that has come since is not undone. */
    return atomic_compare_exchange_strong(at, &cell, next);
}

/* seq_cst, like undo.c's claims: of a thread that takes its write back and one that accesses the
 * word, either sees the other. */
bool fw_word_note_if(uintptr_t address, uint64_t cell, uint32_t who, bool write)
{
    _Atomic uint64_t *at = fw_word_cell(address);

    return write ? atomic_compare_exchange_strong(at, &cell, who)
                 : note_read(address & ~(uintptr_t)3, at, cell, who);
}

void fw_word_note(uintptr_t address, uint32_t who, bool write)
{
    _Atomic uint64_t *at = fw_word_cell(address);
    uint64_t cell = atomic_load_explicit(at, memory_order_relaxed);

    if (fw_word_repeats(cell, who, write))
        return;
    if (write)
        atomic_store_explicit(at, who, memory_order_relaxed);
    else
        note_read(address & ~(uintptr_t)3, at, cell, who);
}

/* What nobody has written nobody takes back, and its own no thread does behind such an access. */
bool fw_word_touch(uintptr_t address, uint32_t thread)
{
    _Atomic uint64_t *at = fw_word_cell(address);
    uint64_t cell = atomic_load(at); /* seq_cst: touch.h */

    do {
        if (cell == FW_WORD_CLAIMED)
            return false;
        if (!writer_of(cell) || fw_word_thread(writer_of(cell)) == thread ||
            cell & FW_WORD_TOUCHED)
            return true;
    } while (!atomic_compare_exchange_weak(at, &cell, cell | FW_WORD_TOUCHED));
    return true;
}

bool fw_word_owns(uint64_t cell, uint32_t thread)
{
    return writer_of(cell) && fw_word_thread(writer_of(cell)) == thread &&
           !(cell & (FW_WORD_MORE | FW_WORD_TOUCHED)) &&
           (!reader_of(cell) || fw_word_thread(reader_of(cell)) == thread);
}

void fw_words_forget(uintptr_t address, size_t bytes)
{
    uintptr_t end = address + bytes;

    for (uintptr_t word = address & ~(uintptr_t)3; word < end; word += 4) {
        _Atomic uint64_t *at = fw_word_cell(word);

        if (atomic_load_explicit(at, memory_order_relaxed))
            atomic_store_explicit(at, 0, memory_order_relaxed);
    }
}
