/*
 * regions_check.h - for tests of regions: what they need of the library, a file of sections, a
 * thread with a stack of calls, and another one that comes by.
 */
#ifndef FW_TESTS_REGIONS_CHECK_H
#define FW_TESTS_REGIONS_CHECK_H

#include "atomrace/region_state.h"
#include "runtime/modules.h"
#include "runtime/signals.h"
#include "runtime/sink.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define FRAMES 64u
#define BASE   0x100000u

/* --- what regions need of the rest of the library -------------------------------------------- */

_Atomic uint16_t fw_watch[FW_WATCH_CELLS];
__thread struct fw_hot fw_hot;
__thread struct fw_thread *fw_self;
bool fw_signals_handled;
static const char *module_path = "/proc/self/exe";
static uintptr_t module_base = BASE;
static struct {
    uintptr_t first, by, last;
    uint32_t section;
} told[64];
static unsigned told_count;

void *fw_map_memory(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    return memory == MAP_FAILED ? NULL : memory;
}

const char *fw_modules_locate(uintptr_t pc, uintptr_t *offset)
{
    *offset = pc - module_base;
    return module_path;
}

void fw_violation(const struct fw_overlap_access *first, const struct fw_suspect *by,
                  const struct fw_overlap_access *last, uint32_t section)
{
    assert_true(by->number != first->thread->number && first->thread == last->thread);
    if (told_count < 64) {
        told[told_count].first = first->pc;
        told[told_count].by = by->access.pc;
        told[told_count].last = last->pc;
        told[told_count].section = section;
    }
    told_count++;
}

void fw_violations_forked(void)
{
}

/* --- sections -------------------------------------------------------------------------------- */

/* Hooks of the program, as offsets in its file. */
enum {
    LOAD = 16,  /* entry of 0 (ends STORE), of 1 (ends USE, exit OUT), of 3 (end DEEP, recursive) */
    STORE = 32, /* end of 0; entry of 2, which is circular */
    USE = 48,
    OUT = 64,
    DEEP = 80,
    PLAIN = 96, /* nothing */
};

struct file {
    struct fw_regions_head head;
    struct fw_regions_section sections[4];
    struct fw_regions_entry entries[4];
    struct fw_regions_end ends[5];
    struct fw_regions_exit exits[1];
    char texts[32];
};

static struct file *file;

static struct fw_regions_place at(uint64_t offset)
{
    struct stat about;

    assert_int_equal(stat("/proc/self/exe", &about), 0);
    return (struct fw_regions_place){ about.st_dev, about.st_ino, offset };
}

static void add_entry(unsigned i, uint64_t offset, unsigned first, unsigned ends, unsigned exits)
{
    file->entries[i] = (struct fw_regions_entry){
        .place = at(offset), .section = i, .first_end = first, .ends = ends, .exits = exits
    };
}

static void add_end(unsigned i, unsigned entry, uint64_t offset, unsigned allow)
{
    file->ends[i] = (struct fw_regions_end){ .place = at(offset), .entry = entry, .allow = allow };
}

static void fill_file(void)
{
    file->head = (struct fw_regions_head){ .magic = FW_REGIONS_MAGIC,
                                           .version = FW_REGIONS_VERSION,
                                           .bytes = sizeof *file,
                                           .section_count = 4,
                                           .entry_count = 4,
                                           .end_count = 5,
                                           .exit_count = 1,
                                           .sections_at = offsetof(struct file, sections),
                                           .entries_at = offsetof(struct file, entries),
                                           .ends_at = offsetof(struct file, ends),
                                           .exits_at = offsetof(struct file, exits),
                                           .texts_at = offsetof(struct file, texts),
                                           .text_bytes = sizeof file->texts };
    memcpy(file->texts, "a\0b\0c\0d", 8);
    for (unsigned i = 0; i < 4; i++)
        file->sections[i].name = 2 * i;
    file->sections[3].flags = FW_REGIONS_RECURSIVE;
    add_entry(0, LOAD, 0, 1, 0);
    add_end(0, 0, STORE, FW_REGIONS_READS);
    add_entry(1, LOAD, 1, 2, 1);
    add_end(1, 1, USE, 0);
    add_end(2, 1, PLAIN + 16, FW_REGIONS_WRITES);
    file->exits[0] = (struct fw_regions_exit){ .place = at(OUT), .entry = 1 };
    add_entry(2, STORE, 3, 1, 0);
    add_end(3, 2, STORE, FW_REGIONS_READS | FW_REGIONS_WRITES);
    add_entry(3, LOAD, 4, 1, 0);
    add_end(4, 3, DEEP, FW_REGIONS_READS);
}

static int open_file(void **state)
{
    int fd = memfd_create("sections", 0);
    char path[64];

    (void)state;
    assert_int_equal(ftruncate(fd, sizeof *file), 0);
    file = mmap(NULL, sizeof *file, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    assert_true(file != MAP_FAILED);
    fill_file();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    assert_true(fw_regions_open(path));
    fw_regions_module("/proc/self/exe", BASE);
    close(fd);
    return 0;
}

/* --- threads --------------------------------------------------------------------------------- */

static struct fw_frame frames[FRAMES];
static struct fw_hot other_hot;
static struct fw_frame other_frames[2];
static struct fw_thread self = { .number = 1 }, other = { .number = 2, .hot = &other_hot };
static uint64_t memory[8];

static void begin(void)
{
    fw_regions_ended();
    memset(frames, 0, sizeof frames);
    frames[0] = (struct fw_frame){ 0, 0, UINTPTR_MAX };
    memset(&fw_hot, 0, sizeof fw_hot);
    fw_hot.base = frames;
    fw_hot.top = frames + 1;
    fw_hot.end = frames + FRAMES;
    fw_hot.ticks = fw_hot.read_ticks = 1000;
    self.hot = &fw_hot;
    other_hot.base = other_frames;
    other_hot.top = other_frames + 1;
    fw_self = &self;
    fw_signals_handled = false;
    told_count = 0;
    for (unsigned i = 0; i < 5; i++)
        file->ends[i].seen = file->ends[i].violated = 0;
}

static void call(void)
{
    *fw_hot.top++ = (struct fw_frame){ .function = 1, .site = 2, .stack = 3 };
    if (fw_hot.regions)
        fw_regions_flow(FW_FLOW_ENTRY);
}

static void leave(void)
{
    fw_hot.top--;
    if (fw_hot.regions)
        fw_regions_flow(FW_FLOW_EXIT);
}

/* The calling thread's hook. */
static void hook(unsigned offset, unsigned word)
{
    struct fw_overlap_access access = { &self, (uintptr_t)&memory[word], BASE + offset, 8,
                                        offset == STORE, false };

    fw_regions_arrive(&access);
    fw_regions_look(&access);
    fw_regions_pass(&access);
}

/* The other one's, which is at this place. */
static void meet_at(uintptr_t address, size_t bytes, bool write, uintptr_t pc)
{
    struct fw_overlap_access access = { &other, address, pc, bytes, write, false };

    fw_regions_look(&access);
}

static void meet(unsigned word, bool write)
{
    meet_at((uintptr_t)&memory[word], 8, write, write ? 2 : 1);
}

static void end(void)
{
    while (fw_hot.top > frames + 1)
        leave();
    assert_int_equal(fw_hot.regions, 0);
    assert_false(fw_regions_any());
    for (unsigned i = 0; i < 8; i++)
        assert_int_equal(fw_watched((uintptr_t)&memory[i]), FW_WATCH_SITED);
}

#endif
