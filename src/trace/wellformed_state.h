/*
 * wellformed_state.h - what wellformed*.c remember of a trace while it is read.
 *
 * Internal to wellformed.c (threads, answers, the loop) and
 * wellformed_locks.c (locks and waits).  Indices are stored plus one, so that
 * zero means "never".
 */
#ifndef FW_TRACE_WELLFORMED_STATE_H
#define FW_TRACE_WELLFORMED_STATE_H

#include "base/vec.h"
#include "trace/wellformed.h"

enum phase {
    PHASE_UNSEEN,
    PHASE_RUNNING,
    PHASE_WAITING, /* in a wait(l) of one line; returns with its next event */
    PHASE_STUCK,   /* waits for a lock that it holds */
    PHASE_JOINED,
};

/* A lock that a thread holds in shared mode. */
struct shared_hold {
    uint32_t lock;
    uint32_t depth;
};

struct thread_state {
    enum phase phase;
    bool forked;
    uint64_t last_release; /* its latest lock release: a wait begins there */
    uint32_t wait_lock;    /* PHASE_WAITING: the lock to take back, */
    uint32_t wait_depth;   /* how deep it was held, */
    uint64_t wait_index;   /* and the line that said so */
    FW_VEC(uint32_t) blocks; /* open begins, innermost last */
    /* Kept with the thread, which is in few, and not with the object, which may have many. */
    FW_VEC(struct shared_hold) shared;
    FW_VEC(uint32_t) barriers; /* that it is inside of */
};

struct lock_state {
    uint32_t owner_plus_1; /* exclusive holder; 0: none */
    uint32_t depth;
    uint32_t shared; /* threads that hold it in shared mode */
};

struct condition_state {
    FW_VEC(uint64_t) notifies; /* indices, ascending; those nobody can answer are let go */
};

/* A post: index times 2, plus 1 once it is answered. */
struct semaphore_state {
    FW_VEC(uint64_t) posts; /* ascending; the oldest unanswered one at `head` */
    size_t head;
};

/* What is to become of an event. */
enum verdict {
    VERDICT_KEEP,
    VERDICT_FILTER, /* re-entrant inner lock operation */
    VERDICT_IGNORE, /* says nothing */
    VERDICT_BAD,    /* why is in wf->why */
};

struct fw_wellformed {
    const struct fw_symbols *symbols;
    bool repair, keep_reentrant;
    uint64_t lines;     /* raw events seen in earlier batches */
    uint64_t delivered; /* events delivered in earlier batches */
    FW_VEC(struct thread_state) threads;
    FW_VEC(struct lock_state) locks;
    FW_VEC(struct condition_state) conditions;
    FW_VEC(struct semaphore_state) semaphores;
    FW_VEC(uint64_t) last_write; /* variable + 1 → index of its latest write + 1; [0] is scrap */

    /* Once an index is missing, events are copied here with their indices. */
    bool gapped;
    FW_VEC(struct fw_event) out;
    FW_VEC(uint64_t) out_index;

    struct fw_error why;
    bool told_drop; /* the first dropped event has been told of */
};

/* Describes why an event is bad: "'rel(L1)' by T2, but ..." */
enum verdict fw_wellformed_bad(struct fw_wellformed *wf, const struct fw_event *event,
                               const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Appends an event to the copied output (only when gapped). */
static inline void fw_wellformed_emit(struct fw_wellformed *wf, struct fw_event event,
                                      uint64_t index)
{
    fw_vec_push(&wf->out, event);
    fw_vec_push(&wf->out_index, index);
}

/* The latest notify of the condition after `since` (an index plus one), plus one, or 0. */
uint64_t fw_wellformed_notify_after(struct fw_wellformed *wf, uint32_t condition, uint64_t since);

/* wellformed_locks.c: one for each lock operation. */
enum verdict fw_wellformed_acquire(struct fw_wellformed *wf, struct fw_event *event);
enum verdict fw_wellformed_shared_acquire(struct fw_wellformed *wf, struct fw_event *event);
enum verdict fw_wellformed_release(struct fw_wellformed *wf, struct fw_event *event,
                                   uint64_t index);
enum verdict fw_wellformed_shared_release(struct fw_wellformed *wf, struct fw_event *event,
                                          uint64_t index);
enum verdict fw_wellformed_try_fail(struct fw_wellformed *wf, struct fw_event *event);
enum verdict fw_wellformed_relock(struct fw_wellformed *wf, struct fw_event *event);
/* Is it no request, or one that really waits? */
bool fw_wellformed_says_something(struct fw_wellformed *wf, const struct fw_event *event);
enum verdict fw_wellformed_wait(struct fw_wellformed *wf, struct fw_event *event, uint64_t index);
/* The thread of `event` returns from its wait(l): emits wake and acq.  KEEP or BAD. */
enum verdict fw_wellformed_return_from_wait(struct fw_wellformed *wf,
                                            const struct fw_event *event);

#endif
