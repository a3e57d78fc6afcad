/* guard.c - see guard.h: accesses, and what is done about violations. */
#include "guard/guard.h"
#include "guard/calls.h"
#include "guard/flight.h"
#include "guard/hot.h"
#include "guard/learning.h"
#include "guard/locks.h"
#include "guard/patch.h"
#include "guard/region.h"
#include "guard/shared_maps.h"
#include "guard/undo.h"
#include "guard/violation.h"
#include "runtime/futex.h"
#include "runtime/options.h"
#include "runtime/rt.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>

#define RANGE_WORDS 64u /* of a long range the first ones are looked at */
#define NOTES       8u  /* tries to note an access while others access the word as well */
#define DROP        (256u << 10) /* larger blocks are forgotten by the page */

struct fw_guard_head *fw_guard;

static _Atomic uint32_t generation; /* that the words are of */
static _Atomic bool forgetful;      /* others may have accessed them before */

/* It was switched on again: what words say is old. */
static void begin_anew(uint32_t now)
{
    uint32_t was = atomic_exchange(&generation, now);

    if (was == now)
        return;
    atomic_store(&forgetful, true);
    for (unsigned round = 0; fw_regions_busy(); round++) /* nobody begins to any more */
        fw_guard_pause(round);
    fw_call(SYS_madvise, fw_word_cells, FW_WORDS_ROOM, MADV_DONTNEED, 0);
}

static bool objects_to_pair(uint32_t site, uint32_t before)
{
    uint64_t pair = FW_GUARD_PAIR(site, before);
    const _Atomic uint64_t *at = fw_guard_pair_at(fw_guard, pair);
    uint64_t there = at ? atomic_load_explicit(at, memory_order_relaxed) : 0;

    if (fw_guard->mode == FW_GUARD_FORBID)
        return there && !(there & FW_GUARD_PAIR_GONE);
    /* Between the two there may have been one that was retired. */
    return !there && at && !fw_guard_is_quiet(before);
}

/* Has every access been seen since the program began? */
static bool knows_all(void)
{
    /* relaxed: switches, seen sooner or later */
    return !atomic_load_explicit(&forgetful, memory_order_relaxed) &&
           !atomic_load_explicit(&fw_guard_any_gone, memory_order_relaxed);
}

/* What the site has never come behind; only if there are others' accesses to wait for. */
static unsigned objects_also(uint32_t site, unsigned also)
{
    uint32_t need = fw_guard_needs(fw_guard)[site];
    unsigned marks;

    if (need && !(fw_guard_sites(fw_guard)[need] & FW_GUARD_SEEN))
        return FW_WORD_NOBODY; /* its order is of findings */
    if (fw_guard->mode != FW_GUARD_ALLOW || !fw_guard->also)
        return 0;
    marks = atomic_load_explicit(&fw_guard_sites(fw_guard)[site], memory_order_relaxed);
    if (!knows_all())
        also &= FW_WORD_READ; /* nobody, or nobody else, says nothing any more */
    return marks & (FW_GUARD_HAS_PAIRS | FW_GUARD_READ) ? also & ~(marks >> FW_GUARD_ALSO) : 0;
}

bool fw_guard_objects(uint32_t site, const struct fw_word_seen *seen,
                      struct fw_guard_objection *why)
{
    *why = (struct fw_guard_objection){ 0 };
    if (fw_guard_is_quiet(site))
        return false;
    for (unsigned i = 0; i < seen->count; i++)
        if (FW_UNLIKELY(objects_to_pair(site, fw_word_site(seen->before[i])))) {
            why->before = seen->before[i];
            return true;
        }
    why->also = objects_also(site, seen->also);
    return why->also;
}

/* Once nobody claims the word (region.h).  Who does is not waiting for anybody. */
static uint64_t cell_of(uintptr_t word)
{
    _Atomic uint64_t *at = fw_word_cell(word);
    uint64_t cell = atomic_load(at);

    for (unsigned round = 0; FW_UNLIKELY(cell == FW_WORD_CLAIMED); round++) {
        if (!fw_regions_busy()) {
            uint64_t left = FW_WORD_CLAIMED;

            atomic_compare_exchange_strong(at, &left, 0);
        }
        fw_guard_pause(round);
        cell = atomic_load(at);
    }
    return cell;
}

/* Returns the cell as it was before the access was noted. */
static uint64_t look(uintptr_t word, uint32_t who, bool write, uintptr_t region)
{
    struct fw_guard_objection why;
    struct fw_word_seen seen;
    uint64_t cell;

    /* Where writes may be taken back nobody may access a word without noting it: another's note or
     * claim came between, so somebody gets on. */
    for (unsigned i = 0; i < NOTES || fw_flights_are_on(); i++) {
        cell = cell_of(word);
        if (fw_word_repeats(cell, who, write))
            return cell;
        fw_word_look(word, cell, who, write, &seen);
        if (fw_guard->mode == FW_GUARD_LEARN) {
            fw_guard_learn(word, cell, who, write, &seen);
            return cell;
        }
        if (FW_UNLIKELY(!i && fw_guard_objects(fw_word_site(who), &seen, &why))) {
            fw_guard_violated(word, who, write, &why, region);
            cell = cell_of(word);
        }
        if (fw_word_note_if(word, cell, who, write))
            return cell;
    }
    fw_word_note(word, who, write);
    return cell;
}

void fw_guard_access(uintptr_t address, size_t bytes, bool write, uint32_t site, uintptr_t region)
{
    uint32_t self = fw_guard_self, now;
    uint64_t cells[FW_UNDO_WORDS] = { 0 };
    uintptr_t word = address & ~(uintptr_t)3, end = address + bytes;

    if (FW_UNLIKELY(!self)) {
        self = fw_guard_self_new();
        fw_flight_show(address, bytes);
    }
    /* relaxed: a switch, seen sooner or later */
    fw_guard_calls_look();
    if (!self || atomic_load_explicit(&fw_guard->off, memory_order_relaxed) ||
        fw_guard_is_asleep()) {
        fw_region_end();
        return;
    }
    now = atomic_load_explicit(&fw_guard->generation, memory_order_relaxed);
    if (FW_UNLIKELY(now != atomic_load_explicit(&generation, memory_order_relaxed)))
        begin_anew(now);
    if (FW_UNLIKELY(fw_guard->noise))
        fw_guard_dwell();
    for (unsigned i = 0; word < end && i < RANGE_WORDS; i++, word += 4) {
        uint64_t cell = look(word, fw_word_who(site, self), write, region);

        if (i < FW_UNDO_WORDS)
            cells[i] = cell;
    }
    if (region && write)
        fw_region_write(region, address, bytes, cells);
    if (FW_UNLIKELY(fw_region_pending))
        fw_region_judged(site);
    if (fw_guard->mode == FW_GUARD_FORBID)
        atomic_fetch_or_explicit(&fw_guard_sites(fw_guard)[site], FW_GUARD_SEEN,
                                 memory_order_relaxed); /* a mark */
}

void fw_guard_freed(const void *memory, size_t bytes)
{
    uintptr_t begin = (uintptr_t)memory, page = 4096;

    if (!fw_guard || !memory)
        return;
    fw_guard_calls_look();
    if (bytes >= page)
        fw_shared_maps_forget(begin, bytes);
    if (bytes >= DROP) { /* cells take twice the room, and wrap around at the window's end */
        uintptr_t whole = (begin + page - 1) & ~(page - 1), end = (begin + bytes) & ~(page - 1);

        if (end - whole < FW_WORD_WINDOW - (whole & (FW_WORD_WINDOW - 1)))
            fw_call(SYS_madvise, fw_word_cell(whole), (end - whole) * 2, MADV_DONTNEED, 0);
        fw_words_forget(begin, whole - begin);
        fw_words_forget(end, begin + bytes - end);
        return;
    }
    fw_words_forget(begin, bytes);
}

/* --- opening --------------------------------------------------------------------------------- */

static bool strict; /* the program must not run unguarded */

static bool complain(const char *what, const char *path)
{
    const char *head = strict ? "foreweave: the program is not run unguarded: "
                              : "foreweave: the program runs unguarded: ";

    fw_call(SYS_write, 2, head, strlen(head), 0);
    fw_call(SYS_write, 2, what, strlen(what), 0);
    fw_call(SYS_write, 2, " '", 2, 0);
    fw_call(SYS_write, 2, path, strlen(path), 0);
    fw_call(SYS_write, 2, "'\n", 2, 0);
    if (strict)
        fw_call(SYS_exit_group, FW_EXIT_REFUSED, 0, 0, 0);
    return false;
}

static struct fw_guard_head *map_file(const char *path)
{
    long fd = fw_call(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC, 0), size;
    struct fw_guard_head *head;

    if (fd < 0) {
        complain("cannot open for reading and writing", path);
        return NULL;
    }
    size = fw_call(SYS_lseek, fd, 0, SEEK_END, 0);
    head = size < (long)sizeof *head
               ? MAP_FAILED
               : (void *)fw_syscall(SYS_mmap, 0, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    fw_call(SYS_close, fd, 0, 0, 0);
    if ((uintptr_t)head > (uintptr_t)-4096 || head->magic != FW_GUARD_MAGIC ||
        head->version != FW_GUARD_VERSION) {
        complain("not a guard's file of this version:", path);
        return NULL;
    }
    if (!fw_guard_is_whole(head, (uint64_t)size) || !fw_guard_is_sound(head)) {
        complain("the guard's file is damaged:", path);
        return NULL;
    }
    return head;
}

/* Pages that are not touched take nothing; the address space is all that is asked for. */
static bool map_words(void)
{
    long memory = fw_syscall(SYS_mmap, 0, FW_WORDS_ROOM, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if ((uintptr_t)memory > (uintptr_t)-4096)
        return false;
    fw_call(SYS_madvise, memory, FW_WORDS_ROOM, MADV_NOHUGEPAGE, 0);
    fw_call(SYS_madvise, memory, FW_WORDS_ROOM, MADV_DONTDUMP, 0);
    fw_word_cells = (_Atomic uint64_t *)memory;
    return true;
}

bool fw_guard_open(const char *path, bool is_strict)
{
    struct fw_guard_head *head;

    strict = is_strict;
    head = map_file(path);
    if (!head)
        return false;
    if (!map_words())
        return complain("no address space for what words of memory need, with", path);
    if (!fw_guard_threads_begin())
        return complain("no key for its threads is left, with", path);
    generation = head->generation;
    atomic_fetch_add(&head->started, 1);
    fw_guard = head;
    fw_guard_violations_begin();
    fw_guard_hot_begin();
    fw_regions_begin();
    return true;
}

/* Memory is as it was, and so are the words; the other threads are gone. */
void fw_guard_forked(void)
{
    atomic_fetch_add(&fw_guard->started, 1);
    fw_guard_violations_begin();
    fw_guard_patch_forked();
    fw_regions_forked();
}
