/*
 * profile_state.h - what the profiler keeps; for profile*.c only.
 *
 *     profile.c          events: clocks, locks held, accesses in order
 *     profile_clock.c    what threads have seen of each other, at each of their versions
 *     profile_entry.c    accesses become entries; when each of them occurred
 *     profile_couple.c   pairs of entries within a window
 *     profile_guess.c    at the end: which entries may follow which, and idiom 1
 *     profile_group.c    ... which couples are held against which
 *     profile_meet.c     ... and do two of them go together: idioms of two dependencies
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
    uint32_t kind;             /* known when it is settled */
    uint32_t held, held_count; /* of the thread's late_held: with all marks but that of the last */
    uint8_t flags;
    bool spare; /* known when it is settled: it has no iRoot of two dependencies */
};

/* What an access does, as an entry has it. */
enum {
    ENTRY_WRITES = 1,
    ENTRY_LOCKS = 2,
    ENTRY_UNLOCKS = 4,
    ENTRY_BLOCKS = 8,   /* waits for its lock without a limit */
    ENTRY_OUTSIDE = 16, /* its thread had waited for something from outside */
};

/* An access of the thread's window.  They are numbered; `recent_gone` of them have left it. */
struct recent {
    uint64_t hash; /* of the object */
    uint32_t at;
    uint32_t entry, version, shape;
    uint32_t until; /* from this version on it adds nothing: the entry was there again since */
    bool locks;
    bool superseded; /* the object was accessed since */
};

/* When a thread accessed an object last, and the place of that access among all its late ones; of
 * the latest that has become part of an entry: its occurrence and its number in the window, + 1. */
struct latest {
    uint64_t at, late; /* at 0: never */
    uint64_t recent;
    uint32_t occurrence;
    uint32_t entries; /* the newest of its entries, + 1; MANY_ENTRIES: they are in by_entry */
};

/* Objects of neighbouring numbers are mostly accessed together: so many stand together. */
#define LATEST_PAGE  16u
#define MANY_ENTRIES UINT32_MAX

/*
 * An entry occurred.  Of each version the first and the last one are kept: two accesses in
 * different versions have the least between them if the one is the last and the other the first of
 * its version.  Times are of the thread, in 32 bits: longer traces cannot be held.
 */
struct occurrence {
    uint32_t at;
    uint32_t before, next; /* accesses of the object, by this thread; 0, UINT32_MAX: none */
    uint32_t version;
    uint32_t earlier; /* of the entry, + 1; 0: it is the first */
};

/* What is known of two entries that follow each other: nothing is to be done if it comes again.
 * A slot for many pairs, which holds the latest one. */
struct met {
    uint32_t first, second;
    uint32_t place;     /* of the couple, in its match, + 1; 0: the slot is free */
    uint32_t version;   /* of both: `same` speaks of it */
    uint8_t same, apart; /* flags of the couple: in one version, in different ones */
};

#define MET_BITS 14u

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
    size_t recent_first;          /* those before it have left the window */
    uint64_t recent_gone;         /* ... and so many are not there any more */
    FW_VEC(struct latest *) latest[2]; /* pages by number: of variables, of locks; or NULL */
    FW_VEC(struct occurrence) occurrences;

    /* Couples by their shapes' places: [second * shape_room + first]. */
    uint32_t shapes, shape_room;
    uint64_t *above; /* hashes from here on are not kept */
    uint32_t *match; /* where the couples are, + 1; 0: there are none */
    struct met *met;
};

/* What entries have in common, whichever the object. */
struct kind {
    uint32_t thread, access;
    uint64_t pattern; /* of all locks that are held */
    uint32_t locks;   /* a number of the lock sets */
    uint8_t flags;
    uint32_t bare;  /* the same kind without locks */
    uint32_t shape; /* ... but for which locks these are */
    uint32_t place; /* of a shape, among those of its thread, + 1; 0: it has none yet */
};

struct entry {
    uint64_t object;
    uint32_t kind;
    uint32_t first, last; /* versions */
    uint32_t occurrence;  /* the latest, + 1 */
    uint32_t older;       /* another one of its thread and object, + 1; 0: none */
    uint64_t recent;      /* its latest in the window, by number, + 1 */
};

enum {
    PAIR_CLEAN = 1, /* neither object was accessed between the two */
    PAIR_HELD = 2,  /* the first takes a lock that is still held at the second */
    PAIR_MET = 4,   /* they have followed each other */
};

/* A pair of entries was there in these versions. */
struct instance {
    uint32_t first, second;
    uint32_t flags;
};

FW_VEC_TYPE(instances, struct instance);

/* The same, where both are in one version. */
struct at_once {
    uint32_t version, flags;
};

struct couple {
    uint32_t first, second; /* entries of one thread */
    uint8_t flags;          /* of any instance */
    uint8_t apart;          /* of those in two versions; these are found when they are asked for */
    uint8_t now;            /* of those in the latest version of `same`; 0: there are none */
    uint32_t version;       /* that one */
    FW_VEC(struct at_once) same; /* in one version, ascending, but for the latest */
};

/* A couple's hash, of the two objects in whichever order, and its place. */
struct rank {
    uint64_t hash;
    uint32_t place;
};

/* The couples of two shapes: those with the smallest hashes, if there are too many. */
struct match {
    FW_VEC(struct couple) couples;
    FW_VEC(struct rank) ranks; /* of those that are kept, ascending; then free places */
    size_t kept;
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
    bool overlooks; /* couples were given up */
    size_t most;                   /* couples of two shapes */
    uint64_t share; /* guards with smaller hashes count, and what they guard; UINT64_MAX: all */

    FW_VEC(struct marks) lock_sets; /* ascending; 0 is the empty one */
    struct fw_idmap by_locks;
    FW_VEC(struct kind) kinds;
    struct fw_idmap by_kind;
    FW_VEC(struct entry) entries;
    struct fw_idmap by_entry; /* where a thread has many of an object */
    FW_VEC(struct match) matches;
    struct marks marks; /* of the access at hand */
};

/* Is no more wanted? */
static inline bool fw_profiler_stopped(const struct fw_profiler *profiler)
{
    const atomic_bool *stop = profiler->options.stop;

    return stop && atomic_load_explicit(stop, memory_order_relaxed); /* it says nothing else */
}

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

static inline uint64_t fw_profiler_mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

static inline const struct kind *fw_profiler_kind(const struct fw_profiler *profiler,
                                                  const struct entry *entry)
{
    return &profiler->kinds.at[entry->kind];
}

/* The smallest hash of a guard that does not count; UINT64_MAX: all do. */
uint64_t fw_profiler_share(const struct fw_profile_options *options);
/* All late accesses of the thread become entries. */
void fw_profiler_settle(struct fw_profiler *profiler, uint32_t thread);
/* What is known of the thread's accesses of the object; it stays where it is. */
struct latest *fw_profiled_latest(struct profiled *thread, uint64_t object);
void fw_profiled_release_latest(struct profiled *thread);
void fw_profiler_release_entries(struct fw_profiler *profiler);

/* --- profile_couple.c ------------------------------------------------------------------------- */

/* The late access has become part of the entry: with all that its thread did within the window. */
void fw_profiler_couple(struct fw_profiler *profiler, uint32_t thread, const struct late *late,
                        uint32_t entry, struct latest *latest);
/* The object is accessed again: what was its latest access in the window is so no more. */
void fw_profiled_supersede(struct profiled *thread, struct latest *latest);
void fw_profiler_release_couples(struct fw_profiler *profiler);

/* --- profile_guess.c -------------------------------------------------------------------------- */

#define SETTLED_BITS 13u

struct guess {
    const struct fw_profiler *profiler;
    struct fw_iroot_set *set, *outside;
    uint64_t *settled; /* two bare kinds of which idiom 1 has nothing new; a slot for many pairs */
    uint32_t *ids;    /* entries by object, those of one bare kind together */
    uint32_t *begins; /* by object: of its entries; one more behind the last */
    uint64_t objects;
};

struct fw_candidate {
    struct fw_iroot iroot;
    bool outside;
};

static inline const struct entry *fw_guess_entry(const struct guess *g, uint32_t id)
{
    return &g->profiler->entries.at[id];
}

static inline const struct kind *fw_guess_kind(const struct guess *g, uint32_t id)
{
    return fw_profiler_kind(g->profiler, fw_guess_entry(g, id));
}

/* Does one of them write? */
static inline bool fw_guess_conflict(const struct kind *a, const struct kind *b)
{
    return (a->flags | b->flags) & ENTRY_WRITES;
}

/* All that a ~> b asks but for clocks and locks that are held. */
static inline bool fw_guess_may_follow(const struct kind *a, const struct kind *b)
{
    return a->thread != b->thread && fw_guess_conflict(a, b) &&
           (!((a->flags | b->flags) & (ENTRY_LOCKS | ENTRY_UNLOCKS)) ||
            (a->flags & ENTRY_UNLOCKS && b->flags & ENTRY_LOCKS));
}

/* For each common lock, not shared by both: the last of its section, the first of its section?
 * None: there must be no such lock. */
bool fw_guess_sections(const struct guess *g, const struct kind *a, const struct kind *b,
                       bool none);
/* Entries of one object: may b follow a, in some instance? */
bool fw_guess_follows(const struct guess *g, uint32_t a, uint32_t b);

struct fw_candidate fw_guess_make(const struct guess *g, unsigned idiom, bool waits,
                                  const uint32_t *entries);
/* Would it be something new? */
bool fw_guess_is_news(const struct guess *g, const struct fw_candidate *candidate);
void fw_guess_add(const struct guess *g, const struct fw_candidate *candidate);

void fw_profiler_guess(struct fw_profiler *profiler, struct fw_iroot_set *set,
                       struct fw_iroot_set *outside);

/* --- profile_group.c -------------------------------------------------------------------------- */

/* Idioms of two dependencies.  False: not all of them were looked for. */
bool fw_guess_meetings(const struct guess *g);

#endif
