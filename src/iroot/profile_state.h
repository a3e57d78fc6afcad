/*
 * profile_state.h - what the profiler keeps; for profile*.c only.
 *
 *     profile.c          events: clocks, locks held, accesses in order
 *     profile_clock.c    what threads have seen of each other, at each of their versions
 *     profile_entry.c    entries, and pairs of entries within a window
 *     profile_guess.c    at the end: which entries may follow which, and the idioms
 *
 * A thread's clock has *versions*, numbered from 0: accesses with nothing received or sent between
 * them have the same one.  A thread's *epoch* counts what it has sent.
 */
#ifndef FW_IROOT_PROFILE_STATE_H
#define FW_IROOT_PROFILE_STATE_H

#include "base/idmap.h"
#include "base/vec.h"
#include "iroot/naming.h"
#include "iroot/profile.h"
#include "order/clock.h"
#include "order/flow.h"

/* From this version on a thread has seen so much of another one. */
struct step {
    uint32_t version, seen;
};

FW_VEC_TYPE(steps, struct step);

/* A lock that a thread holds since its access number `since`. */
struct held {
    uint32_t lock;
    bool shared;
    uint64_t since;
};

/* A lock in an entry's set, as a number. */
#define HELD_LAST      1u
#define HELD_FIRST     2u
#define HELD_SHARED    4u
#define HELD_LOCK_BITS 3u

FW_VEC_TYPE(marks, uint64_t);

/* An access that waits to become part of an entry. */
struct late {
    uint64_t at, object;
    uint64_t before; /* when its thread accessed the object before; 0: never */
    uint32_t access, version;
    uint32_t held, held_count; /* of the thread's late_held: with all marks but that of the last */
    uint8_t flags;
};

/* What an access does, as an entry has it. */
enum {
    ENTRY_WRITES = 1,
    ENTRY_LOCKS = 2,
    ENTRY_UNLOCKS = 4,
    ENTRY_BLOCKS = 8,   /* waits for its lock without a limit */
    ENTRY_OUTSIDE = 16, /* its thread had waited for something from outside */
};

/* An entry that its thread has accessed within its window. */
struct recent {
    uint64_t at, object;
    uint32_t entry, version;
    bool superseded; /* the object was accessed since */
};

/* When a thread accessed an object last, and the place of that access among all its late ones. */
struct latest {
    uint64_t object, at, late; /* at 0: free */
};

struct profiled {
    struct fw_clock clock;
    uint32_t version;
    bool changed; /* the clock is another one than at the latest access */
    bool outside;
    FW_VEC(struct steps) seen; /* by thread; its own: epochs */
    uint64_t count;            /* accesses */
    FW_VEC(struct held) held;
    FW_VEC(struct late) late;
    FW_VEC(struct held) late_held;
    struct marks late_marks; /* beside late_held */
    uint64_t late_before;    /* accesses that came and went before those of `late` */
    FW_VEC(struct recent) recent; /* oldest first */
    struct latest *latest;
    uint32_t latest_size, latest_used;
};

/* What entries have in common, whichever the object. */
struct kind {
    uint32_t thread, access;
    uint32_t locks; /* a number of the lock sets */
    uint8_t flags;
};

struct entry {
    uint64_t object;
    struct kind kind;
    uint32_t number; /* of the kind */
    uint32_t shape;  /* of the kind but for which locks these are */
    uint32_t first, last;     /* versions */
    FW_VEC(uint32_t) between; /* other ones, ascending; not in simple mode */
};

enum {
    PAIR_CLEAN = 1, /* neither object was accessed between the two */
    PAIR_HELD = 2,  /* the first takes a lock that is still held at the second */
};

/* A pair of entries was there in these versions. */
struct instance {
    uint32_t first, second;
    uint32_t flags;
};

FW_VEC_TYPE(instances, struct instance);

struct couple {
    uint64_t hash;          /* of the two objects, in whichever order */
    uint32_t first, second; /* entries of one thread */
    uint32_t flags;         /* of any instance */
    struct instances at;
};

/* The couples of two shapes: those with the smallest hashes, if there are too many. */
struct match {
    uint32_t first, second;
    FW_VEC(struct couple) couples;
    uint64_t above; /* hashes from here on are not kept */
};

struct fw_profiler {
    struct fw_profile_options options;
    uint64_t window;
    const struct fw_symbols *symbols;
    struct fw_naming *naming;
    struct fw_flow *flow;
    FW_VEC(struct profiled) threads;
    FW_VEC(struct fw_clock) slots; /* of the flow */
    uint32_t thread;               /* of the event at hand */
    bool received;
    uint64_t hurried;
    size_t most;                   /* couples of two shapes */

    FW_VEC(struct marks) lock_sets; /* ascending; 0 is the empty one */
    struct fw_idmap by_locks;
    FW_VEC(struct kind) kinds;
    struct fw_idmap by_kind;
    FW_VEC(struct entry) entries;
    struct fw_idmap by_entry;
    FW_VEC(struct match) matches;
    struct fw_idmap by_match;
    struct marks marks; /* of the access at hand */
};

/* --- profile_clock.c -------------------------------------------------------------------------- */

/* Notes what the clock says, under a version of its own if it has changed; returns the version. */
uint32_t fw_profiled_version(struct profiled *thread);
void fw_profiled_receive(struct profiled *thread, const struct fw_clock *clock);
void fw_profiled_sent(struct profiled *thread, uint32_t number);

/* What the thread has seen of the other one at this version. */
uint32_t fw_profiler_seen(const struct fw_profiler *profiler, uint32_t thread, uint32_t version,
                          uint32_t other);

/* Does an access of `a` at version va not happen after one of `b` at version vb? */
static inline bool fw_profiler_allows(const struct fw_profiler *profiler, uint32_t a, uint32_t va,
                                      uint32_t b, uint32_t vb)
{
    return fw_profiler_seen(profiler, a, va, b) < fw_profiler_seen(profiler, b, vb, b);
}

/* --- profile_entry.c -------------------------------------------------------------------------- */

/* All late accesses of the thread become entries. */
void fw_profiler_settle(struct fw_profiler *profiler, uint32_t thread);
/* When the thread accessed the object last, or NULL; and the same, now it does so. */
struct latest *fw_profiled_latest(struct profiled *thread, uint64_t object);
void fw_profiler_release_entries(struct fw_profiler *profiler);

/* --- profile_guess.c -------------------------------------------------------------------------- */

void fw_profiler_guess(struct fw_profiler *profiler, struct fw_iroot_set *set,
                       struct fw_iroot_set *outside);

#endif
