/*
 * noise.h - where a thread dwells in its hook, and how long.
 *
 * Source: as sections.h, section 3.3.  FOREWEAVE_OPTIONS says noise=STRENGTH,MICROSECONDS: per
 * mille of the accesses at which a section is opened and its thread sleeps, then yields.  Without
 * targets noise is everywhere; with targets (memory, or code) it is there alone, or, if they are
 * preferred, far more often than elsewhere.  Without noise a
 * section is opened now and then for a moment only: what runs in parallel anyway is caught, and
 * the program is hardly slowed down.
 *
 * The same seed gives each thread the same sequence of decisions.
 */
#ifndef FW_ATOMRACE_NOISE_H
#define FW_ATOMRACE_NOISE_H

#include "atomrace/sections.h"

/* Of the options. */
struct fw_noise {
    uint64_t seed;
    uint32_t strength; /* per mille; 0: none */
    uint32_t micros;
    bool everywhere;   /* no targets */
    bool never;        /* without noise no section is opened at all */
    bool prefer;       /* everywhere, but far more often at targets */
    bool learns;       /* the targets change from run to run */
};

void fw_noise_begin(const struct fw_noise *noise);
/* All accesses take the long way. */
void fw_noise_watch_all(void);
/* Where noise is wanted. */
enum fw_noise_place {
    FW_NOISE_MEMORY,
    FW_NOISE_CODE,   /* addresses of calls of hooks */
    FW_NOISE_READS,  /* the same, of reads alone */
    FW_NOISE_WRITES, /* of writes alone */
};

/* False: there is no room.  One at a time, also while threads run. */
bool fw_noise_target(enum fw_noise_place place, uintptr_t begin, uintptr_t end);
/* A thread begins: its decisions, and its ticks until the next. */
void fw_noise_thread(struct fw_thread *t);

/* Where there is noise every other thread begins late, the others with the next seed: what hangs
 * on who comes first is seen both ways. */
void fw_noise_start(const struct fw_thread *t);

/* Is noise wanted at some of these bytes? */
bool fw_noise_has_target(uintptr_t address, size_t bytes);
/* In the hook of an access, when its ticks have run out or its word is watched: is it time? */
bool fw_noise_wants(const struct fw_overlap_access *access);
void fw_noise_dwell(void);

#endif
