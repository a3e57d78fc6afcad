/*
 * sidetrack_state.h - what the SideTrack analysis knows; private to sidetrack*.c.
 *
 * Symbols of the source (Sadowski, "Dynamic Prediction of Concurrency Errors",
 * part VI, figure 20.3), and what they are here:
 *
 *     C_t  thread.clock                     the vector clock of thread t
 *     R_m  lock.exclusive.release, times    the clock of m's latest release
 *     A_m  lock.exclusive.acquire_time      the clock of m's latest acquire
 *     V_m  view.windows                     the latest vulnerable window of m
 *     H_t  thread.visits                    the locks acquired in the block at hand
 *     I_t  visit.suspects                   those whose previous acquire may interfere
 *
 * Epochs.  A thread's time ticks behind every event that hands its clock on
 * (release, fork, notify, post ...), and nowhere else.  So whoever has seen
 * time k of thread u has seen all that u did at time k, and a clock that u had
 * at time k is below C_t exactly if C_t(u) >= k.  The comparisons A_m, R_m,
 * V_m below C_t of the rules therefore need the time of the one thread only;
 * R_m alone is kept in full, to be joined into C_t.
 *
 * V_m is a join over all windows in the source.  Windows of a lock that was
 * taken exclusively are ordered: whoever has seen the latest has seen all.  So
 * one is kept; with shared locks, those that are not below the latest.
 *
 * Modes.  Two shared acquires do not conflict, so a culprit endangers only the
 * windows between acquires that conflict with it.  The rules run once with the
 * exclusive acquires as culprits and all acquires as ends of windows, and once
 * more, for locks that are ever taken shared, with the shared acquires as
 * culprits and the exclusive ones as ends: struct view.
 */
#ifndef FW_ANALYSIS_SIDETRACK_STATE_H
#define FW_ANALYSIS_SIDETRACK_STATE_H

#include "analysis/blocks.h"
#include "analysis/live.h"
#include "order/clock.h"
#include "order/flow.h"

enum mode {
    EXCLUSIVE,
    SHARED,
};

/* A vulnerable window: two acquires of a lock in one block. */
struct window {
    uint32_t thread, time; /* of the second acquire */
    uint32_t path;         /* the blocks that hold both */
    bool waited;           /* the second acquire is the end of a condition wait */
    struct fw_mark first, second;
};

/* The rules for one mode of culprit. */
struct view {
    FW_VEC(struct window) windows; /* V_m */
};

/* The latest section of a lock, or a thread's latest shared one. */
struct section {
    struct fw_mark acquire; /* the thread is in here */
    uint32_t acquire_time;  /* A_m; 0: there was none */
    uint32_t release_time;  /* R_m; 0: not yet */
};

/* What only locks with shared acquires need. */
struct shared {
    FW_VEC(struct section) sections; /* the latest of each thread */
    struct fw_clock releases;        /* the join of all shared releases */
};

struct lock {
    struct section latest; /* exclusive */
    struct fw_clock release;
    struct view views[2];  /* by the mode of the culprits */
    struct shared *shared; /* NULL until the first shared acquire */
};

/* An acquire before the first one of the blocks at levels low .. high, and concurrent with it. */
struct suspect {
    uint32_t low, high;
    struct fw_mark culprit;
};

/* That a thread acquired a lock in the outermost block at hand. */
struct visit {
    uint32_t key;   /* lock * 2 + mode of the culprits */
    uint32_t round; /* thread.round, else the entry is void */
    struct fw_mark latest;
    FW_VEC(struct suspect) suspects;
};

/* Open addressing; void entries count as free, so the end of a block empties it at no cost. */
struct visits {
    struct visit *at;
    uint32_t size, count;
};

struct thread {
    struct fw_clock clock; /* its own component is at least 1 once the thread is known */
    struct fw_block_stack blocks;
    struct visits visits;
    uint32_t round; /* counts outermost blocks, from 1 */
    bool woke;      /* the next acquire ends a condition wait */
};

struct sidetrack {
    const struct fw_symbols *symbols;
    struct fw_findings *findings;
    bool functions;
    FW_VEC(struct thread) threads;
    FW_VEC(struct lock) locks;
    struct fw_block_paths paths;
    struct fw_flow *flow;
    FW_VEC(struct fw_clock) slots; /* of the flow */
    FW_VEC(bool) atomics;          /* variables that were stored to atomically */
    struct fw_live names;          /* their names, and those of allocated ones */
    /* During an event that goes through the flow. */
    uint32_t flow_thread;
    bool flow_sent;
};

/* sidetrack_visits.c */
struct visit *sidetrack_visit_find(const struct thread *thread, uint32_t key);
/* A new entry; the key must not be there. */
struct visit *sidetrack_visit_add(struct thread *thread, uint32_t key);
void sidetrack_visits_release(struct visits *visits);

/* sidetrack_acquire.c: the three rules for acquires, before and after the clock is joined. */
void sidetrack_acquire(struct sidetrack *st, uint32_t lock, enum mode mode,
                       const struct fw_place *place);

/* sidetrack_report.c */
void sidetrack_before_error(struct sidetrack *st, const struct window *window,
                            const struct suspect *suspect);
void sidetrack_in_error(struct sidetrack *st, const struct window *window,
                        const struct fw_mark *culprit);
void sidetrack_after_error(struct sidetrack *st, const struct window *window,
                           const struct fw_mark *culprit);

/* Has the clock seen this time of the thread? */
static inline bool sidetrack_seen(const struct thread *by, uint32_t thread, uint32_t time)
{
    return fw_clock_covers(&by->clock, thread, time);
}

#endif
