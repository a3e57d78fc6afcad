/*
 * mb_state.h - the streaming computation of the must-before relation.
 *
 * Must-before (Sadowski, "Dynamic Prediction of Concurrency Errors", 2012,
 * definition 8) is the smallest transitive relation that includes program
 * order and the order of clashing accesses (communication order), and
 *   (3) rel^k(m) < acq^h(m) if k differs from h and acq^k(m) < rel^h(m).
 * Fork, join and all synchronisation that is not a lock are edges too.
 *
 * M(e), the events before or at e, is closed under program order: it is a
 * vector clock.  Edges of (3) into an acquire are found after the acquire, and
 * may be found after the release, even after the release of sections inside:
 * so clocks must be adjusted (chapter 15).  Here is how, exactly.
 *
 * Sections.  An edge found late can only lead to the acquire of a section that
 * is *incomplete*: some earlier release of its lock is not yet before its
 * acquire.  Most sections are complete when they begin, and are nothing but an
 * entry in a row of their lock.  An incomplete one is a struct mb_section in
 * the list `live`, with M at its acquire and, once it is released, M at its
 * release.  It becomes complete when all earlier releases have got an edge, or
 * when it is released and nothing can raise M at its release any more
 * (mb_settle).
 *
 * What is kept exact at all times: M at the latest event of each thread, and
 * both clocks of each live section.  When (3) finds an edge from r to the
 * acquire of g, each such clock that contains the acquire of g is joined with
 * M(r); M(r) is closed under all edges known, hence so are the results.  A
 * clock that rose may make (3) true for the open sections of its thread, or
 * for the live section itself: these are looked at again until nothing rises.
 *
 * What is adjusted when it is used: clocks that are remembered (struct
 * mb_kept), by variables, locks, flow slots and complete sections.  Such a
 * clock lists the incomplete sections whose acquires it contains.  Joining it
 * with M at their acquires brings it up to date (mb_adjust); a section that
 * has become complete meanwhile remembers M at its acquire in the same way,
 * and is adjusted first.
 *
 * Rows.  For each lock and thread, the released sections, oldest first.  (3)
 * asks for the latest one whose acquire is in a clock; releases of one thread
 * are ordered, so the edge from the latest is enough.  mb_sweep drops what no
 * clock in existence can ask for.
 *
 * Races.  Clashing accesses a, b are a must-before race unless a < c for some
 * c before b in its thread, or with a synchronisation edge to b: the edge from
 * a to b itself does not count.  A pair that is not ordered so far becomes a
 * *suspect* with a snapshot of the clock just before b.  As in the source,
 * suspects are judged when no lock is held by any thread: then every section
 * is complete, all clocks are final.
 */
#ifndef FW_ANALYSIS_MB_STATE_H
#define FW_ANALYSIS_MB_STATE_H

#include "analysis/analysis.h"
#include "analysis/live.h"
#include "analysis/mb_clock.h"
#include "base/vec.h"
#include "order/flow.h"

struct mb_section;

/* A clock that is remembered. */
struct mb_kept {
    struct fw_clock clock;
    FW_VEC(struct mb_section *) pending; /* incomplete ones that it contained; references */
};

/* A critical section that may still get edges, or that somebody refers to. */
struct mb_section {
    uint32_t refs;
    uint32_t thread, acquired; /* the acquire: its thread and time */
    uint32_t lock;
    bool shared;
    bool open;
    bool complete;         /* (3) can find nothing more */
    bool dirty;            /* in mb->dirty_sections */
    bool hot;              /* scratch of mb_settle */
    struct mb_kept begin;  /* M at the acquire; while it is live, exact and without pending */
    struct fw_clock end;   /* M at the release; while it is open, nothing */
    struct fw_clock want;  /* for each thread the latest release of the lock before the acquire */
    struct fw_clock next;  /* for each thread an acquire; before it, (3) finds nothing */
    struct fw_clock bound; /* scratch of mb_settle */
};

/* A live section, with what is needed to see whether a clock contains its acquire. */
struct mb_live {
    uint32_t thread, acquired;
    struct mb_section *section; /* a reference */
};

/* M at some event of a thread, whose own component may be that of an earlier one. */
struct mb_snap {
    uint32_t refs;
    uint32_t mark; /* sweep stamp */
    struct mb_kept at;
};

/* A released section, in a row. */
struct mb_closed {
    uint32_t acquired, released; /* times */
    struct mb_snap *end;         /* M at the release; own component: `released` */
};

struct mb_row {
    uint32_t thread;
    FW_VEC(struct mb_closed) sections;
    uint32_t forgotten_acquired; /* the first section that was forgotten, */
    uint32_t forgotten_released; /* and the last one; 0: none */
    uint32_t next;               /* scratch of mb_sweep */
};

struct mb_lock {
    struct fw_clock any, exclusive; /* latest release by thread: of any mode, of exclusive mode */
    FW_VEC(struct mb_row) rows;
    FW_VEC(uint32_t) row_of;   /* 2 * thread + shared → row + 1; 0: none */
    struct fw_clock hb;        /* happens-before at the latest exclusive release, */
    struct fw_clock hb_shared; /* and at all shared releases */
};

struct mb_held {
    uint32_t lock, acquired;
    struct mb_section *section; /* a reference; NULL: complete when it began */
};

struct mb_thread {
    uint32_t time;        /* of its latest event; events count from 1 */
    uint32_t swept;       /* time at the last sweep */
    bool dirty;           /* in mb->dirty_threads */
    struct fw_clock mb;   /* M at the latest event */
    struct fw_clock hb;   /* the same for happens-before */
    struct mb_snap *seen; /* a snapshot of mb; NULL: none since it changed */
    FW_VEC(struct mb_held) held;
};

/* An access, to be reported. */
struct mb_point {
    struct fw_mark mark;
    uint32_t time; /* 0: none */
};

/* An access, to be reported and joined. */
struct mb_access {
    struct mb_point point;
    struct mb_snap *seen; /* a reference */
};

/* Accesses that an atomic access has hidden, the latest of each thread and class. */
enum mb_class {
    MB_PLAIN_READ,
    MB_PLAIN_WRITE, /* free too */
    MB_ATOMIC_READ,
    MB_ATOMIC_WRITE,
    MB_CLASS_COUNT
};

struct mb_history {
    uint32_t thread;
    uint32_t newest;               /* the latest of: */
    uint32_t time[MB_CLASS_COUNT]; /* 0: none */
};

/* What few variables need. */
struct mb_more {
    FW_VEC(uint32_t) readers;         /* threads of: */
    FW_VEC(struct mb_access) reads;   /* latest reads since the write, after the first reader's */
    FW_VEC(struct mb_history) hidden; /* see mb_access.c; what a race check looks at, */
    FW_VEC(struct fw_mark) marks;     /* and what it reports: MB_CLASS_COUNT for each */
    bool loose;                       /* there are atomic ones among the hidden */
    FW_VEC(struct mb_point) all;      /* with pairs=all: every access */
};

/* A line of fw_live; the reads, which a write after a write does not need, are on another one. */
struct mb_variable {
    struct mb_access write; /* the latest, of any kind */
    struct mb_access *read; /* the latest of the thread that read first since that write */
    struct mb_more *more;
};

_Static_assert(sizeof(struct mb_variable) == FW_LIVE_SIZE, "a variable is a cache line");

/* Clashing accesses that are not ordered so far. */
struct mb_suspect {
    struct mb_point first;
    struct fw_mark second;
    struct mb_snap *before; /* just before the second; NULL: a race, if the trace gets closed */
    uint64_t count;         /* occurrences of the same sites and variable merged into this one */
};

/* What a flow slot or a condition holds. */
struct mb_slot {
    struct fw_clock hb;
    struct mb_snap *mb; /* NULL: nothing; own components are exact */
};

struct fw_mb {
    const struct fw_symbols *symbols;
    struct fw_findings *findings;
    bool pairs_all;
    FW_VEC(struct mb_thread) threads;
    FW_VEC(struct mb_lock) locks;
    struct fw_live variables;          /* struct mb_variable */
    struct fw_live reads;              /* struct mb_access: their `read` */
    FW_VEC(struct mb_slot) conditions; /* the order of notifies */
    FW_VEC(struct mb_slot) slots;
    struct fw_flow *flow;
    uint32_t current; /* thread of the present event, for the flow */

    uint64_t held; /* locks held by all threads */
    FW_VEC(struct mb_live) live;
    FW_VEC(struct mb_section *) retired; /* scratch of mb_retire */
    bool some_complete;                  /* there are complete ones in live */
    struct fw_clock earliest;            /* by thread, a lower bound of the acquires in live */
    struct fw_clock limits;              /* scratch of mb_settle */
    size_t settle_at;                    /* next mb_settle when live is so long, */
    size_t settle_least;                 /* never below this */
    size_t closer_at;                    /* the same for its second part */
    FW_VEC(uint32_t) dirty_threads;
    FW_VEC(struct mb_section *) dirty_sections;
    struct fw_clock *probe; /* one more clock to be kept exact, or NULL */

    FW_VEC(struct mb_point) doubtful; /* scratch of mb_access */
    struct fw_clock before;           /* scratch of mb_access and mb_settle */
    FW_VEC(struct mb_suspect) suspects;
    size_t compact_at; /* next mb_compact when there are so many */

    uint64_t sections;               /* in all rows */
    uint64_t new_sections, sweep_at; /* since the last sweep; the next one at */
    uint64_t sweep_least;            /* never below this */
    uint64_t missed;                 /* times that a forgotten section was asked for */
    bool exact;                      /* forget nothing that can be asked for */
    uint32_t stamp;
    FW_VEC(struct mb_snap *) free_snaps;
    FW_VEC(struct mb_section *) free_sections;
    uint64_t snaps; /* in use */
};

/* How often memory is reclaimed, and how boldly; other values are for tests. */
struct fw_mb_tuning {
    uint64_t sweep_least; /* sections between sweeps, at least */
    size_t settle_least;  /* live sections before mb_settle, at least */
    bool exact;           /* forget nothing that can be asked for */
};

extern struct fw_mb_tuning fw_mb_tuning;

/* --- mb_snap.c --- */
/* A snapshot of the clock; the caller owns the reference. */
struct mb_snap *mb_snap_create(struct fw_mb *mb, const struct fw_clock *clock);
struct mb_snap *mb_snap_get(struct mb_snap *snap); /* one more reference */
void mb_snap_put(struct fw_mb *mb, struct mb_snap *snap);
/* Joins all that has been found since. */
void mb_adjust(struct fw_mb *mb, struct mb_kept *kept);
/* Lists the incomplete sections whose acquires the clock contains. */
void mb_note_pending(struct fw_mb *mb, struct mb_kept *kept);
/* The thread's present as a snapshot, borrowed. */
struct mb_snap *mb_present(struct fw_mb *mb, uint32_t thread);
void mb_section_put(struct fw_mb *mb, struct mb_section *section);

/* --- mb_section.c: sections, rule (3) --- */
struct mb_thread *mb_thread_at(struct fw_mb *mb, uint32_t thread);
/* Begins the thread's next event. */
struct mb_thread *mb_step(struct fw_mb *mb, uint32_t thread);
void mb_acquire(struct fw_mb *mb, uint32_t thread, uint32_t lock, bool shared);
void mb_release(struct fw_mb *mb, uint32_t thread, uint32_t lock, bool shared);
/* What is in the clock, which is up to date, comes before the thread's present event. */
void mb_receive(struct fw_mb *mb, uint32_t thread, const struct fw_clock *clock);
/* The thread's clock has risen: rule (3). */
void mb_risen(struct fw_mb *mb, uint32_t thread);
const struct mb_row *mb_row_of(const struct mb_lock *lock, uint32_t thread, bool shared);
void mb_lock_release_state(struct fw_mb *mb, struct mb_lock *lock);

/* --- mb_settle.c --- */
/* Takes complete sections out of live. */
void mb_retire(struct fw_mb *mb);
/* Finds out which ones are complete, and takes them out. */
void mb_settle(struct fw_mb *mb);

/* --- mb_access.c --- */
void mb_access(struct fw_mb *mb, const struct fw_event *event, const struct fw_place *place);
/* The variable will not be met again. */
void mb_variable_drop(struct fw_mb *mb, uint32_t variable);
void mb_variables_release(struct fw_mb *mb);

/* --- mb_judge.c: suspects --- */
void mb_report(struct fw_mb *mb, const struct fw_mark *first, const struct fw_mark *second,
               bool hb);
/* Takes over the reference to the snapshot. */
void mb_suspect(struct fw_mb *mb, const struct mb_point *first, const struct fw_mark *second,
                struct mb_snap *before);
/* No lock is held: all suspects are judged. */
void mb_judge(struct fw_mb *mb);
/* How many suspects are still not ordered. */
uint64_t mb_unjudged(struct fw_mb *mb);

/* --- mb_sweep.c --- */
/* Drops released sections that no clock can ask for. */
void mb_sweep(struct fw_mb *mb);

#endif
