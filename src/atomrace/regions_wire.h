/*
 * regions_wire.h - the atomic sections of a program, placed in its files, as the command hands them
 * to the runtime; and what the runtime has counted, as it hands it back.
 *
 * One file (FOREWEAVE_OPTIONS: sections=PATH), mapped by the command and by every process of the
 * program, MAP_SHARED: counters live there, so that they survive whatever ends a process and are
 * the sums of all.  The command writes everything before the program starts; from then on it is the
 * counters alone that change, and `off`.
 *
 * A section that the compiler has copied (inlined functions) has one entry a copy: the ends behind
 * it are those of that copy.  Places are return addresses of calls of hooks: file by its numbers,
 * offset from where the file is loaded.
 *
 * This header is shared by both sides and includes nothing of either.
 */
#ifndef FW_ATOMRACE_REGIONS_WIRE_H
#define FW_ATOMRACE_REGIONS_WIRE_H

#include <stdatomic.h>
#include <stdint.h>

#define FW_REGIONS_MAGIC   0x6e676572u /* "regn" */
#define FW_REGIONS_VERSION 1u
#define FW_REGIONS_HEAL    32u /* counters of healing (heal.h numbers them) */

/* What others may do while a section is open. */
enum {
    FW_REGIONS_READS = 1,
    FW_REGIONS_WRITES = 2,
    FW_REGIONS_ALL = FW_REGIONS_READS | FW_REGIONS_WRITES,
};

/* Of a section. */
enum {
    FW_REGIONS_RECURSIVE = 1, /* ends when it was ended as often as it was entered */
    FW_REGIONS_MAY_LOCK = 2,  /* it is assured that nothing inside synchronises (healing) */
};

struct fw_regions_head {
    uint32_t magic, version;
    uint64_t bytes; /* of the file */
    /* Tables behind it: so many, from there (offsets in the file, multiples of 8). */
    uint32_t section_count, entry_count, end_count, exit_count;
    uint64_t sections_at, entries_at, ends_at, exits_at;
    uint64_t texts_at, text_bytes; /* names, each with a 0 behind it */
    /* What changes. */
    _Atomic uint32_t off; /* set by the command: no region is opened any more */
    uint32_t reserved;
    _Atomic uint64_t opened; /* regions */
    _Atomic uint64_t missed; /* not opened: another thread's is open on the word, or no room */
    _Atomic uint64_t heal[FW_REGIONS_HEAL];
};

struct fw_regions_section {
    uint64_t name; /* offset in the texts */
    uint32_t flags;
    uint32_t reserved;
};

struct fw_regions_place {
    uint64_t device, inode, offset;
};

/* One for each copy of a section. */
struct fw_regions_entry {
    struct fw_regions_place place;
    uint32_t section;
    uint32_t write;
    uint32_t first_end, ends;   /* in the table of ends */
    uint32_t first_exit, exits; /* in the table of exits */
    uint32_t allow;             /* what all of its ends allow; if all, it is not opened */
    uint32_t anew;              /* passed once more, it is another call's (sections/inlined.h) */
};

struct fw_regions_end {
    struct fw_regions_place place;
    uint32_t entry;
    uint32_t end; /* number of the end in its section, from 0: copies have the same */
    uint32_t write;
    uint32_t allow;
    _Atomic uint64_t seen;     /* so often a region was ended here, ... */
    _Atomic uint64_t violated; /* ... and so often somebody could do what is not allowed; ... */
    _Atomic uint64_t happened; /* ... of these so often it certainly was done before */
};

struct fw_regions_exit {
    struct fw_regions_place place;
    uint32_t entry;
    uint32_t reserved;
};

#endif
