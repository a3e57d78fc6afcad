/*
 * region_places.c - see region_state.h: the file of sections, and what of it is at an address.
 *
 * Places become addresses when their file is loaded.  A file may be loaded again elsewhere, and
 * another one where it was: then they move, and those that are gone lose theirs.  One thread at a
 * time does that, while others look: an address that is known stays in the table, and what is in
 * its lists is compared with it once more.
 */
#include "atomrace/region_state.h"
#include "runtime/futex.h"
#include "runtime/modules.h"
#include "runtime/sink.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#define MOST 1000000u /* of anything */

/* An entry, an end or an exit. */
struct item {
    _Atomic uintptr_t at; /* its address; 0: its file is not loaded */
    _Atomic uint32_t next; /* in the list of its address, + 1; 0: the last */
};

struct place {
    _Atomic uintptr_t pc; /* 0: free */
    _Atomic uint32_t first[FW_PLACE_KINDS]; /* + 1; 0: none */
};

bool fw_regions_on;
struct fw_regions_head *fw_regions;
_Atomic uint8_t fw_region_sites[FW_SITE_CELLS];

static struct item *items[FW_PLACE_KINDS];
static struct place *places;
static uint32_t place_mask, place_count;
static bool any_placed;
_Atomic uint32_t fw_places_turn;

/* --- the file -------------------------------------------------------------------------------- */

static void *at_offset(uint64_t offset)
{
    return (char *)fw_regions + offset;
}

const struct fw_regions_section *fw_regions_section(uint32_t i)
{
    return (struct fw_regions_section *)at_offset(fw_regions->sections_at) + i;
}

struct fw_regions_entry *fw_regions_entry(uint32_t i)
{
    return (struct fw_regions_entry *)at_offset(fw_regions->entries_at) + i;
}

struct fw_regions_end *fw_regions_end(uint32_t i)
{
    return (struct fw_regions_end *)at_offset(fw_regions->ends_at) + i;
}

struct fw_regions_exit *fw_regions_exit(uint32_t i)
{
    return (struct fw_regions_exit *)at_offset(fw_regions->exits_at) + i;
}

const char *fw_regions_name(uint32_t section)
{
    return at_offset(fw_regions->texts_at + fw_regions_section(section)->name);
}

static uint32_t count_of(enum fw_place_kind kind)
{
    return kind == FW_PLACE_ENTRY ? fw_regions->entry_count
           : kind == FW_PLACE_END ? fw_regions->end_count
                                  : fw_regions->exit_count;
}

static const struct fw_regions_place *place_of(enum fw_place_kind kind, uint32_t i)
{
    return kind == FW_PLACE_ENTRY ? &fw_regions_entry(i)->place
           : kind == FW_PLACE_END ? &fw_regions_end(i)->place
                                  : &fw_regions_exit(i)->place;
}

/* --- opening --------------------------------------------------------------------------------- */

static bool fits(const struct fw_regions_head *head, uint64_t at, uint64_t count, uint64_t size)
{
    return count <= MOST && at <= head->bytes && at % 8 == 0 &&
           count * size <= head->bytes - at;
}

static bool is_whole(const struct fw_regions_head *head, uint64_t bytes)
{
    return head->magic == FW_REGIONS_MAGIC && head->version == FW_REGIONS_VERSION &&
           head->bytes == bytes && head->text_bytes &&
           fits(head, head->sections_at, head->section_count, sizeof(struct fw_regions_section)) &&
           fits(head, head->entries_at, head->entry_count, sizeof(struct fw_regions_entry)) &&
           fits(head, head->ends_at, head->end_count, sizeof(struct fw_regions_end)) &&
           fits(head, head->exits_at, head->exit_count, sizeof(struct fw_regions_exit)) &&
           head->texts_at <= bytes && head->text_bytes <= bytes - head->texts_at &&
           ((const char *)head)[head->texts_at + head->text_bytes - 1] == '\0';
}

/* Do the numbers in it name what is there? */
static bool is_sound(void)
{
    for (uint32_t i = 0; i < fw_regions->section_count; i++)
        if (fw_regions_section(i)->name >= fw_regions->text_bytes)
            return false;
    for (uint32_t i = 0; i < fw_regions->entry_count; i++)
        if (fw_regions_entry(i)->section >= fw_regions->section_count ||
            fw_regions_entry(i)->first_end > fw_regions->end_count ||
            fw_regions_entry(i)->ends > fw_regions->end_count - fw_regions_entry(i)->first_end)
            return false;
    for (uint32_t i = 0; i < fw_regions->end_count; i++)
        if (fw_regions_end(i)->entry >= fw_regions->entry_count)
            return false;
    for (uint32_t i = 0; i < fw_regions->exit_count; i++)
        if (fw_regions_exit(i)->entry >= fw_regions->entry_count)
            return false;
    return true;
}

static bool map_file(const char *path)
{
    long fd = fw_call(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC, 0), size;
    void *memory;

    if (fd < 0)
        return false;
    size = fw_call(SYS_lseek, fd, 0, SEEK_END, 0);
    memory = size < (long)sizeof *fw_regions
                 ? MAP_FAILED
                 : (void *)fw_syscall(SYS_mmap, 0, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    fw_call(SYS_close, fd, 0, 0, 0);
    if ((uintptr_t)memory > (uintptr_t)-4096)
        return false;
    fw_regions = memory;
    return is_whole(fw_regions, (uint64_t)size) && is_sound();
}

static bool make_tables(void)
{
    uint32_t all = 0, room = 64;

    for (unsigned kind = 0; kind < FW_PLACE_KINDS; kind++) {
        uint32_t count = count_of(kind);

        items[kind] = fw_map_memory((count + (size_t)1) * sizeof(struct item));
        all += count;
        if (!items[kind])
            return false;
    }
    while (room < 4 * (uint64_t)all)
        room *= 2;
    place_mask = room - 1;
    places = fw_map_memory(room * sizeof *places);
    return places != NULL;
}

bool fw_regions_open(const char *path)
{
    fw_regions_on = map_file(path) && make_tables();
    for (unsigned i = 0; i < FW_WATCH_CELLS && fw_regions_on; i++)
        atomic_fetch_or(&fw_watch[i], FW_WATCH_SITED); /* hooks look at where they are as well */
    return fw_regions_on;
}

/* --- looking --------------------------------------------------------------------------------- */

static uint32_t start_of(uintptr_t pc)
{
    return (uint32_t)(pc * 0x9e3779b97f4a7c15u >> 32) & place_mask;
}

/* NULL: nothing was ever there. */
static struct place *find(uintptr_t pc)
{
    for (uint32_t i = start_of(pc);; i = (i + 1) & place_mask) {
        /* acquire: pairs with add_place */
        uintptr_t is = atomic_load_explicit(&places[i].pc, memory_order_acquire);

        if (is == pc)
            return &places[i];
        if (!is)
            return NULL;
    }
}

bool fw_place_any(uintptr_t pc)
{
    return find(pc) != NULL;
}

uint32_t fw_place_next(enum fw_place_kind kind, uintptr_t pc, uint32_t after)
{
    const struct place *place = after == FW_NO_PLACE ? find(pc) : NULL;
    uint32_t next = 0;

    /* acquire, here and below: what is in a list is written (put) */
    if (after != FW_NO_PLACE)
        next = atomic_load_explicit(&items[kind][after].next, memory_order_acquire);
    else if (place)
        next = atomic_load_explicit(&place->first[kind], memory_order_acquire);
    while (next) {
        const struct item *item = &items[kind][next - 1];

        if (atomic_load_explicit(&item->at, memory_order_acquire) == pc)
            return next - 1;
        next = atomic_load_explicit(&item->next, memory_order_acquire);
    }
    return FW_NO_PLACE;
}

/* --- modules --------------------------------------------------------------------------------- */

/* NULL: there is no room (files were loaded at very many places). */
static struct place *add_place(uintptr_t pc)
{
    struct place *known = find(pc);
    uint32_t i = start_of(pc);

    if (known || place_count > place_mask / 2)
        return known;
    while (atomic_load_explicit(&places[i].pc, memory_order_relaxed)) /* ours alone to write */
        i = (i + 1) & place_mask;
    place_count++;
    /* release: pairs with find; its lists are empty */
    atomic_store_explicit(&places[i].pc, pc, memory_order_release);
    return &places[i];
}

static void take_out(enum fw_place_kind kind, uint32_t i)
{
    struct item *item = &items[kind][i];
    uintptr_t at = atomic_load_explicit(&item->at, memory_order_relaxed);
    struct place *place = at ? find(at) : NULL;
    _Atomic uint32_t *link = place ? &place->first[kind] : NULL;

    while (link && *link && *link != i + 1)
        link = &items[kind][*link - 1].next;
    if (link && *link)
        atomic_store(link, atomic_load(&item->next));
    atomic_store(&item->at, 0);
}

static void put(enum fw_place_kind kind, uint32_t i, uintptr_t at)
{
    struct item *item = &items[kind][i];
    struct place *place;

    take_out(kind, i);
    place = add_place(at);
    if (!place)
        return;
    atomic_store(&item->next, atomic_load(&place->first[kind]));
    atomic_store(&item->at, at);
    atomic_store(&place->first[kind], i + 1);
    if (kind != FW_PLACE_END) /* that is known by its word */
        atomic_fetch_or(&fw_region_sites[fw_site_cell(at)], FW_SITE);
    any_placed = true;
}

static bool is_in(const struct fw_regions_place *place, const struct stat *file)
{
    return place->device == file->st_dev && place->inode == file->st_ino;
}

/* What was loaded where another file is now. */
static void take_out_gone(enum fw_place_kind kind)
{
    const char *latest = NULL;
    struct stat file;

    for (uint32_t i = 0; i < count_of(kind); i++) {
        uintptr_t at = atomic_load_explicit(&items[kind][i].at, memory_order_relaxed), offset;
        const char *path = at ? fw_modules_locate(at, &offset) : NULL;

        if (path && path != latest) {
            memset(&file, 0, sizeof file);
            fw_call(SYS_stat, path, &file, 0, 0);
            latest = path;
        }
        if (path && (offset != place_of(kind, i)->offset || !is_in(place_of(kind, i), &file)))
            take_out(kind, i);
    }
}

void fw_regions_module(const char *path, uintptr_t base)
{
    struct stat file;

    if (!fw_regions_on)
        return;
    atomic_fetch_add(&fw_places_turn, 1);
    for (unsigned kind = 0; kind < FW_PLACE_KINDS && any_placed; kind++)
        take_out_gone(kind);
    if (fw_call(SYS_stat, path, &file, 0, 0) != 0)
        return;
    for (unsigned kind = 0; kind < FW_PLACE_KINDS; kind++)
        for (uint32_t i = 0; i < count_of(kind); i++)
            if (is_in(place_of(kind, i), &file))
                put(kind, i, base + place_of(kind, i)->offset);
}
