/*
 * values.c - see values.h.
 */
#include "runtime/values.h"

#include "runtime/local.h"
#include "runtime/sink.h"

#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define PLACES     (1u << 19)
#define MOST       2048u      /* words that a segment may leave to be settled */
#define MOST_TAKEN (1u << 20) /* bytes of a piece of fresh memory */
#define BATCH      64u
#define NEAR_TLS   65536u

/* Low bits of a word's address. */
enum {
    SETTLED = 1, /* `value` is what it held */
    OPEN = 2,    /* the present segment of thread `value` decides */
};

struct place {
    uint64_t tag; /* address of the word | SETTLED or OPEN; 0: nothing is known */
    uint64_t value;
    uint64_t turn; /* when it was settled */
};

struct fw_open_words {
    uint32_t count;
    uintptr_t at[MOST];
};

bool fw_values_on;
static struct place *places;

static struct place *place_of(uintptr_t word)
{
    return &places[word >> 3 & (PLACES - 1)];
}

void fw_values_begin(void)
{
    places = fw_map_memory(PLACES * sizeof *places);
    fw_values_on = places;
}

void fw_values_forget(uintptr_t address, size_t bytes)
{
    if (bytes >= PLACES * 8u) {
        memset(places, 0, PLACES * sizeof *places);
        return;
    }
    for (uintptr_t word = address & ~(uintptr_t)7; word < address + bytes; word += 8)
        place_of(word)->tag = 0;
}

void fw_values_take(uintptr_t address, size_t bytes)
{
    uint64_t turn = fw_sched_turns();
    uintptr_t end = address + (bytes < MOST_TAKEN ? bytes : MOST_TAKEN);

    for (uintptr_t word = (address + 7) & ~(uintptr_t)7; word + 8 <= end; word += 8)
        *place_of(word) =
            (struct place) { word | SETTLED, *(const volatile uint64_t *)word, turn };
}

/* --- the end of a segment -------------------------------------------------------------------- */

/* Takes what the words hold; those that cannot be read are forgotten. */
static void read_words(const uintptr_t *words, size_t count)
{
    uint64_t values[BATCH], turn = fw_sched_turns();
    struct iovec to = { values, count * 8 }, from[BATCH];
    long got;

    for (size_t i = 0; i < count; i++)
        from[i] = (struct iovec) { (void *)words[i], 8 };
    got = fw_syscall(SYS_process_vm_readv, getpid(), (long)&to, 1, (long)from, (long)count, 0);
    for (size_t i = 0; i < count; i++) {
        struct place *place = place_of(words[i]);
        bool read = got > 0 && (i + 1) * 8 <= (size_t)got;

        *place = read ? (struct place) { words[i] | SETTLED, values[i], turn }
                      : (struct place) { 0 };
    }
}

void fw_values_settle(struct fw_thread *t)
{
    struct fw_open_words *open = t->open_words;
    uintptr_t words[BATCH];
    size_t count = 0;

    if (!open)
        return;
    for (uint32_t i = 0; i < open->count; i++) {
        const struct place *place = place_of(open->at[i]);

        if (place->tag != (open->at[i] | OPEN) || place->value != t->number)
            continue;
        words[count++] = open->at[i];
        if (count == BATCH) {
            read_words(words, count);
            count = 0;
        }
    }
    if (count)
        read_words(words, count);
    open->count = 0;
}

static void open_word(struct fw_thread *t, uintptr_t word)
{
    struct fw_open_words *open = t->open_words;
    struct place *place = place_of(word);

    if (place->tag == (word | OPEN) && place->value == t->number)
        return;
    if (!open)
        open = t->open_words = fw_map_memory(sizeof *open);
    if (!open || open->count == MOST) {
        place->tag = 0;
        return;
    }
    open->at[open->count++] = word;
    *place = (struct place) { word | OPEN, t->number, 0 };
}

/* --- accesses -------------------------------------------------------------------------------- */

/* Memory that code without hooks uses for the thread itself. */
static bool is_own(const struct fw_thread *t, uintptr_t word)
{
    uintptr_t self = (uintptr_t)__builtin_thread_pointer();

    return word - t->stack < t->stack_bytes || word - (self - NEAR_TLS) < 2 * NEAR_TLS;
}

static void read_word(struct fw_thread *t, uintptr_t from, uintptr_t to, uintptr_t pc)
{
    uintptr_t word = from & ~(uintptr_t)7;
    struct place *place = place_of(word);
    uint64_t now, mask, turn = fw_sched_turns();

    if (place->tag == (word | OPEN))
        return;
    if (place->tag != (word | SETTLED)) {
        open_word(t, word);
        return;
    }
    now = *(const volatile uint64_t *)word;
    mask = (to - from == 8 ? ~UINT64_C(0) : (UINT64_C(1) << (to - from) * 8) - 1)
           << (from - word) * 8;
    if ((now ^ place->value) & mask && place->turn != turn && !is_own(t, word))
        fw_sink_put(t, FW_WIRE_UNSEEN, from, (unsigned)(to - from), 0, pc);
    place->value = now;
    place->turn = turn;
}

void fw_values_read(struct fw_thread *t, uintptr_t address, size_t bytes, uintptr_t pc)
{
    uintptr_t end = address + bytes;

    for (uintptr_t next; address < end; address = next) {
        next = (address | 7) + 1;
        if (next > end)
            next = end;
        read_word(t, address, next, pc);
    }
}

void fw_values_write(struct fw_thread *t, uintptr_t address, size_t bytes)
{
    for (uintptr_t word = address & ~(uintptr_t)7; word < address + bytes; word += 8)
        open_word(t, word);
}
