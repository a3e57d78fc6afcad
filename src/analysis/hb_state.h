/*
 * hb_state.h - what the files of the happens-before analysis share.
 *
 * Internal to hb.c (the descriptor, FastTrack's rules), hb_sync.c (clocks of
 * threads, locks and slots), hb_set.c (accesses none of which covers another)
 * and hb_all.c (--pairs=all).
 *
 * Symbols of the paper (Flanagan and Freund, "FastTrack: Efficient and Precise
 * Dynamic Race Detection", PLDI 2009, section 3): C_t is thread.clock, L_m is
 * lock.released, W_x is variable.write, R_x is variable.other, E(t) is
 * thread.now.
 *
 * An epoch names a moment of a thread: its time in the upper half, below it
 * the thread and the kind of access.  A thread's time goes on when it hands
 * its clock to others, and only then; so an access at (u, time) happens before
 * what thread t does next just if C_t[u] >= time.  Times start at 1, and the
 * epoch 0 is before everything.
 */
#ifndef FW_ANALYSIS_HB_STATE_H
#define FW_ANALYSIS_HB_STATE_H

#include "analysis/live.h"
#include "order/clock.h"
#include "order/flow.h"

#define HB_TIME_SHIFT   32
#define HB_THREAD_SHIFT 12
#define HB_TICK         ((uint64_t)1 << HB_TIME_SHIFT)
#define HB_KIND_MASK    0x3fu
#define HB_STORED       0x40u /* in variable.write: an atomic store has been there */
#define HB_IS_SET       0x3fu /* in variable.other: it is a set */

_Static_assert(FW_MAX_THREADS <= 1u << (HB_TIME_SHIFT - HB_THREAD_SHIFT), "a thread fits");
_Static_assert(FW_KIND_COUNT < HB_IS_SET, "a kind fits");

/* An access as it is remembered: enough for a finding. */
struct hb_access {
    uint64_t epoch;
    union {
        uint64_t index;
        struct hb_set *set; /* HB_IS_SET */
    };
    uint32_t site, size;
    struct fw_context context;
};

_Static_assert(sizeof(struct hb_access) == 32, "an access is 32 bytes");

struct hb_variable {
    struct hb_access write; /* the latest plain write or free */
    struct hb_access other; /* any other access, or a set of them */
};

_Static_assert(sizeof(struct hb_variable) == FW_LIVE_SIZE, "a variable is a cache line");

/* Accesses to one variable; their kinds and epochs decide what they are good for. */
struct hb_set {
    uint32_t count, capacity;
    struct hb_access at[];
};

struct hb_thread {
    struct fw_clock clock;
    uint64_t now; /* its epoch, with no kind */
};

struct hb_lock {
    struct fw_clock released; /* by the latest exclusive release */
    uint64_t releaser;        /* epoch of that release */
    struct fw_clock readers;  /* by all shared releases since */
};

FW_VEC_TYPE(hb_history, struct hb_access);

#define HB_SET_CLASSES 20 /* capacities 4, 8, 16 ... enough for all threads and kinds */

struct hb {
    struct fw_analysis_setup setup;
    FW_VEC(struct hb_thread) threads;
    FW_VEC(struct hb_lock) locks;
    FW_VEC(struct fw_clock) slots; /* of the flow */
    struct fw_flow *flow;
    uint32_t thread; /* of the present event, for the flow */

    struct fw_live live;                       /* struct hb_variable */
    struct hb_set *spare_sets[HB_SET_CLASSES]; /* chained through at[0].set */

    FW_VEC(struct hb_history) histories; /* by variable; for --pairs=all */
};

static inline uint32_t hb_epoch_thread(uint64_t epoch)
{
    return (uint32_t)epoch >> HB_THREAD_SHIFT;
}

static inline unsigned hb_epoch_kind(uint64_t epoch)
{
    return (unsigned)(epoch & HB_KIND_MASK);
}

/* Does what happened at the epoch happen before what the clock's owner does next? */
static inline bool hb_covers(const struct fw_clock *clock, uint64_t epoch)
{
    return fw_clock_covers(clock, hb_epoch_thread(epoch), (uint32_t)(epoch >> HB_TIME_SHIFT));
}

/* The thread's state, made if it is new. */
struct hb_thread *hb_new_thread(struct hb *hb, uint32_t thread);

static inline struct hb_thread *hb_thread(struct hb *hb, uint32_t thread)
{
    if (FW_UNLIKELY(thread >= hb->threads.len))
        return hb_new_thread(hb, thread);
    return &hb->threads.at[thread];
}

/* Field by field: a struct put together elsewhere and copied costs twice as much. */
static inline void hb_access_set(struct hb_access *to, uint64_t epoch, const struct fw_event *event,
                                 const struct fw_place *place)
{
    to->epoch = epoch;
    to->index = fw_place_index(place);
    to->site = event->site;
    to->size = fw_place_attr(place)->size;
    to->context = place->contexts[place->i];
}

/* The earlier access races with the present event. */
void hb_report(struct hb *hb, const struct hb_access *earlier, const struct fw_event *event,
               const struct fw_place *place);

/* hb_sync.c: clocks. */
fw_handler hb_acquire, hb_release, hb_shared_acquire, hb_shared_release, hb_fork, hb_join, hb_sync;
void hb_sync_receive(struct hb *hb, const struct fw_event *event, const struct fw_place *place);
void hb_sync_send(struct hb *hb, const struct fw_event *event, const struct fw_place *place);
/* The variable is gone. */
void hb_sync_forget(struct hb *hb, uint32_t variable);
void hb_sync_release(struct hb *hb);

/* hb_set.c: sets of accesses. */
struct hb_set *hb_set_create(struct hb *hb, uint32_t capacity);
void hb_set_destroy(struct hb *hb, struct hb_set *set);
/*
 * The set without the accesses that one of this epoch stands for, and with
 * room at its end, counted already, for that one.
 */
struct hb_set *hb_set_add(struct hb *hb, struct hb_set *set, const struct fw_clock *clock,
                          uint64_t epoch);
void hb_set_release_spares(struct hb *hb);

/* For each kind, the kinds (as bits) of the accesses that it stands for. */
extern const uint64_t hb_stands_for[FW_KIND_COUNT];

static inline bool hb_kind_stands_for(unsigned later, unsigned earlier)
{
    return hb_stands_for[later] >> earlier & 1;
}

/* hb_all.c: --pairs=all. */
void hb_all_access(struct hb *hb, const struct fw_event *event, const struct fw_place *place);
void hb_all_release(struct hb *hb);

#endif
