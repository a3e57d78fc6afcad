/*
 * cp_state.h - the streaming computation of the causally-precedes relation.
 *
 * CP (Smaragdakis et al., POPL 2012; Sadowski's dissertation, chapter 11) is
 * the smallest relation with
 *   (a) rel^k(l) < acq^h(l) if the sections k and h of lock l contain clashing
 *       accesses,
 *   (b) rel^k(l) < acq^h(l) if k differs from h and acq^k(l) < rel^h(l),
 *   (c) CP composed with happens-before on either side is CP.
 * Fork, join and all synchronisation that is not a mutex are hard edges: both
 * happens-before and CP.
 *
 * What makes it stream.  By (c), the CP predecessors of an event are closed
 * under happens-before, so they are a vector clock P, and P grows along
 * happens-before.  All edges of (a) and (b) into one acquire come from
 * sections of the same lock, whose releases are totally ordered by
 * happens-before; so the edges into acq^h amount to one number, the latest
 * section k that has one (`best`), and one clock, that of rel^k.  The trouble
 * is that edges into an acquire are found after the acquire.  So each section
 * is a *cell* whose value may still grow, and P is a plain clock plus a few
 * cells:
 *   open     the section is not released; (a) may raise it at any access
 *   waiting  released, but P at its release contains unsettled cells, so (b)
 *            may still raise it
 *   settled  final; its value is joined into plain clocks and the cell is
 *            forgotten
 * A cell settles when no open section can be reached through the cells that
 * its release had seen; cells that wait for each other settle together, by a
 * fixpoint over (b).  The value of a cell is the clock of a release before its
 * acquire: what is after the acquire can never be added by it, which is why
 * cells can be dropped as soon as their acquire is covered, why a section need
 * not wait if no earlier one of its lock began before those acquires (can_rise
 * in cp_lock.c), and why a later section that waits for nothing else than an
 * earlier one of the same lock need not wait either (is_redundant).
 *
 * A race check of accesses x, e: if P at e does not contain x but has
 * unsettled cells, the pair becomes a *suspect*, a cell too: undecided it is
 * worth nothing; once it turns out to be a race (and not in relation mode), it
 * is worth the clock of x, so that everything after e is ordered after x.
 * Suspects are decided in the order of their second events.
 */
#ifndef FW_ANALYSIS_CP_STATE_H
#define FW_ANALYSIS_CP_STATE_H

#include "analysis/cp_core.h"
#include "analysis/live.h"
#include "base/vec.h"
#include "order/clock.h"

/* A clock that many share; immutable once made. */
struct cp_shared {
    uint32_t refs;
    uint32_t mark; /* sweep stamp */
    struct fw_clock clock;
};

enum cp_cell_state {
    CP_OPEN,
    CP_WAITING, /* a released section or a suspect, not settled */
    CP_SETTLED,
};

struct cp_cell;
FW_VEC_TYPE(cp_cells, struct cp_cell *); /* each entry holds a reference */

/* An access as the race check remembers it. */
struct cp_access {
    struct fw_cp_access about;
    struct cp_shared *seen; /* happens-before clock of its thread; its own time is `time` */
    uint32_t phase, time;
};

/* A critical section as rules (a) and (b) remember it, long after its cell has settled. */
struct cp_section {
    uint32_t refs;
    uint32_t thread, time;     /* of the acquire */
    uint64_t position;         /* of the acquire */
    uint32_t number;           /* sections of a lock are numbered from 1 */
    struct cp_shared *release; /* happens-before clock of the release; NULL: open */
    uint32_t mark;             /* sweep stamp */
    bool waiting;              /* its cell is */
};

FW_VEC_TYPE(cp_sections, struct cp_section *); /* each entry holds a reference */

/* A pair of accesses that may turn out to be a race. */
struct cp_pair {
    struct cp_access first, second;
};

/* Of a section, or of a suspect pair; the other one is NULL. */
struct cp_cell {
    uint32_t refs;
    enum cp_cell_state state;
    uint32_t thread, time;   /* of the acquire; of a suspect's second access */
    uint64_t horizon;        /* its value only ever contains events before this position */
    struct cp_shared *value; /* NULL: nothing yet */
    struct cp_section *section;
    uint32_t lock, best; /* of a section: the latest section with an edge into it; 0: none */
    struct cp_pair *suspect;

    /* waiting cells */
    struct fw_clock plain; /* P at the release or at the second access: the plain part, */
    struct cp_cells deps;  /* and the unsettled cells */
    struct cp_cell *watch; /* some open section that it waits for; not a reference */
    uint32_t mark;         /* search stamp */
};

struct cp_thread {
    struct fw_clock hb;     /* C: own component is the time of its latest event */
    struct fw_clock plain;  /* P, the plain part */
    struct cp_cells live;   /* P, the cells */
    struct cp_cells held;   /* its open sections, innermost last */
    FW_VEC(uint32_t) locks; /* what it holds in any mode, latest last */
    struct cp_shared *seen; /* a shared copy of hb, NULL if hb has changed since */
    uint32_t phase; /* goes on with synchronisation and with reported races */
    uint32_t time;
};

/* The sections of one thread on one lock that (b) may still need, oldest first. */
struct cp_row {
    uint32_t thread;
    struct cp_sections sections;
};

struct cp_lock {
    uint32_t count;        /* sections so far */
    uint32_t inherited;    /* later sections have all that these, up to this one, could add */
    struct cp_shared *hb;  /* at the latest release */
    struct fw_clock readers; /* of all shared releases */
    struct fw_clock plain; /* P at the latest release */
    struct cp_cells live;
    FW_VEC(struct cp_row) rows;
    struct cp_cells waiting; /* its released sections that are not settled */
};

/* Rule (a): for a lock and a variable, the latest sections that accessed it, of two threads. */
struct cp_touch {
    uint32_t lock;
    struct cp_section *read[2], *write[2];
};

/*
 * A variable: the latest plain write, if any, and since then each thread's
 * latest plain read, atomic read and atomic write; in relation mode every
 * access; the latest of them last.  Both arrays are for few entries and grow
 * from one.
 */
struct cp_variable {
    struct cp_access *accesses;
    struct cp_touch *touches; /* by lock, ascending */
    uint32_t access_count, access_cap;
    uint32_t touch_count, touch_cap;
};

_Static_assert(sizeof(struct cp_variable) <= FW_LIVE_SIZE, "a variable is at most one line");

struct fw_cp {
    bool relation;
    fw_cp_report *report;
    void *report_context;
    uint64_t position; /* of the current event */
    uint64_t covered;  /* position of the first event that the proof does not cover */
    FW_VEC(struct cp_thread) threads;
    FW_VEC(struct cp_lock) locks;
    struct fw_live variables; /* struct cp_variable */
    struct cp_cells waiting; /* all waiting cells */
    uint32_t stamp;          /* for searches */
    FW_VEC(struct cp_cell *) search; /* scratch; no references */
    uint64_t sections;       /* kept in rows, all locks */
    uint64_t sweep_at;       /* next sweep when there are so many, */
    uint64_t sweep_first;    /* never below this */
    fw_cp_roots *roots;      /* the caller's clocks */
    void *roots_context;
};

/* --- cp_cell.c: cells, shared clocks and sets of cells --- */
struct cp_shared *cp_share(const struct fw_clock *clock);
struct cp_shared *cp_shared_get(struct cp_shared *shared); /* one more reference */
void cp_shared_put(struct cp_shared *shared);
bool cp_shared_covers(const struct cp_shared *shared, uint32_t thread, uint32_t time);
struct cp_section *cp_section_get(struct cp_section *section);
void cp_section_put(struct cp_section *section);
struct cp_cell *cp_cell_get(struct cp_cell *cell);
void cp_cell_put(struct cp_cell *cell);
void cp_cells_copy(struct cp_cells *to, const struct cp_cells *from);
void cp_cells_join(struct fw_cp *cp, struct cp_cells *to, const struct cp_cells *from);
void cp_cells_remove(struct cp_cells *cells, const struct cp_cell *cell);
void cp_cells_release(struct cp_cells *cells);
void cp_access_copy(struct cp_access *to, const struct cp_access *from);
void cp_access_release(struct cp_access *access);
/* The clock of the access itself, joined into `to`. */
void cp_access_join(struct fw_clock *to, const struct cp_access *access);
/* Does happens-before order the event before, or is it, the access? */
bool cp_access_covers(const struct cp_access *access, uint32_t thread, uint32_t time);

/* --- cp_lock.c: sections, rule (b) --- */
void cp_lock_release_state(struct cp_lock *lock);
/* The trace is over: open sections have no release, so (b) does not raise them. */
void cp_close_all(struct fw_cp *cp);
/* Raises a section to an edge from section k; true if that is news. */
bool cp_raise(struct cp_cell *cell, const struct cp_section *k);
/* Applies (b) to a section whose release has seen plain and deps; true if it rose. */
bool cp_apply_rule_b(struct fw_cp *cp, struct cp_cell *cell, const struct fw_clock *plain,
                     const struct cp_cells *deps);

/* --- cp_settle.c: waiting cells --- */
/* Settled and superfluous cells leave the set; settled values go into the plain clock. */
void cp_prune(struct fw_clock *plain, struct cp_cells *cells);
/* Makes the cell wait for what it depends on, or settles its group if nothing is open. */
void cp_wait(struct fw_cp *cp, struct cp_cell *cell);
/* The section is no longer open: those that watched it look again. */
void cp_closed(struct fw_cp *cp, const struct cp_cell *section);

/* --- cp_access.c: rule (a) and race checks --- */
void cp_variables_release(struct fw_cp *cp);

/* --- cp_sweep.c: sections that no future event can need --- */
void cp_sweep(struct fw_cp *cp);

/* --- cp_core.c --- */
void cp_report(const struct fw_cp *cp, const struct cp_access *first,
               const struct cp_access *second, bool hb);
struct cp_thread *cp_thread_at(struct fw_cp *cp, uint32_t thread);

#endif
