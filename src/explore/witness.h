/*
 * witness.h - from the witness of a finding to the steps that make the program run it.
 *
 * A witness is an order of the trace's events.  Each stretch of one thread's events becomes: run
 * until just before the last of them, then that one.  Where a thread stands is told by the number
 * of basic blocks it has entered and the place in the code (trace/positions.h), which is exact in
 * any run of the same program as long as the thread sees what the witness says.  A thread that
 * sees something else on its way (how often a lock was busy, that its owner has died) may come to
 * the same place all the same: led there loosely, by how often it has come by.
 *
 * Events that one call makes (the release, the wake-up and the acquire of a condition wait, the
 * parts of a copied range) are one *moment*: a thread that has begun it goes on to its next one.
 */
#ifndef FW_EXPLORE_WITNESS_H
#define FW_EXPLORE_WITNESS_H

#include "explore/session.h"
#include "predict/schedule.h"
#include "trace/verify.h"

struct fw_moments;

/* All events of a trace that was recorded with positions; NULL: it was not, or cannot be read. */
struct fw_moments *fw_moments_load(const char *path, struct fw_error *err);
void fw_moments_destroy(struct fw_moments *moments);

/* A finding and its witness, by index.  As orders they would take as much memory as the trace each:
 * a prediction's is told by its schedule and the index of its trace. */
struct fw_shown {
    enum fw_claim claim;
    const uint64_t *events;
    size_t event_count;
    const uint64_t *order;
    size_t order_count;
    const struct fw_schedule *schedule; /* in place of the order; NULL: there is one */
    const struct fw_index *index;
};

FW_VEC_TYPE(fw_steps, struct fw_control_step);
FW_VEC_TYPE(fw_paths, struct fw_control_path);

struct fw_way {
    unsigned variant;
    bool loosely; /* threads are led to places, however many basic blocks that takes ... */
    uint32_t exactly; /* ... from behind so many steps on: those a run has followed */
};

/*
 * The steps.  Those where the finding's i-th event comes next are goals, numbered i.  Variants show
 * the same and go on differently: in odd ones the second event of a race goes first, and who runs
 * when all is shown changes from variant to variant.  Sites are added to the session.  -1: an
 * event has no place.
 */
int fw_witness_steps(const struct fw_moments *moments, const struct fw_shown *witness,
                     struct fw_way way, struct fw_session *session, struct fw_steps *steps,
                     struct fw_paths *paths, struct fw_error *err);

/* The same for a preemption: the event's thread runs alone until it comes next, then everybody else
 * goes as far as he can, then he goes on. */
int fw_preemption_steps(const struct fw_moments *moments, uint64_t event,
                        struct fw_session *session, struct fw_steps *steps,
                        struct fw_paths *paths, struct fw_error *err);

#endif
