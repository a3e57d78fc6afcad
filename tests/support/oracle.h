/*
 * oracle.h - the answer by brute force, for small traces.
 *
 * Explores every state that a correct reordering of a trace can reach and reads
 * the answers off: all races, deadlocks, atomicity violations, nondeterministic
 * reads, and whether an order is feasible, each with a witness.  It is test
 * code that everything else is measured against: it takes the definitions
 * word for word, works out for itself who sees and answers whom, and shares no
 * code with the index, the verifier or any predictor.
 *
 * The definitions leave some things open.  The oracle decides:
 *
 *  1. Strict model (the trace has no branches): a virtual br stands behind
 *     every read, as an event of the thread.  A thread whose latest event is a
 *     read and which is tainted has that br next, and never takes it.  So it
 *     does nothing more, it is next at nothing (no race, no deadlock), and as
 *     its last event is then missing nobody can join it either.
 *  2. A rule on an event binds the reorderings that hold the event.  A notify
 *     may come before the waiter's release as long as the wake that it answers
 *     in the trace is left out.
 *  3. "Comes after" means that the other event is there: a pend needs its post,
 *     a barrier's in needs all ins of the round before.
 *  4. A wake without a partner, a pend of an initial token: no constraint.
 *  5. join(t) needs t started, also if t has no event.
 *  6. A thread forked more than once has the first fork; all joins obey the rule.
 *  7. Next means next in program order, not allowed to run: an atomic load that
 *     must see a store takes part in a race before that store is there.
 *  8. rf on a read says which write the read saw, whatever stands between.
 *  9. Nothing orders alloc and free against the accesses to their block.
 * 10. An unserialisable triple with an armw: one of its two roles is enough.
 *     alloc and free are no accesses: they neither make triples nor part them.
 * 11. Atomicity in a trace with blocks: both accesses inside the same outermost
 *     block.  Otherwise: both in the same function activation as the innermost
 *     one.  A ret closes the innermost open call of its function; a ret without
 *     its call leaves for a function called before the trace: a new activation.
 * 12. A deadlock set is reported if no proper part of it is a deadlock.
 * 13. Nondeterminism: a changed read taints its thread for good, so "every other
 *     read keeps its writer" up to the read means: no thread is tainted yet.
 * 14. With values: a read without a recorded value has that of the write that it
 *     saw; if both are recorded and differ, its value is not known.  The value of
 *     an armw is what it leaves; what it got is the value of the write it saw.
 */
#ifndef FW_TESTS_ORACLE_H
#define FW_TESTS_ORACLE_H

#include "base/vec.h"
#include "trace/trace.h"
#include "trace/verify.h"

struct fw_oracle;

#define FW_ORACLE_STATES 2000000u /* a good bound for tests: about 200 MB at worst */

/* Works out the facts about the trace, which must outlive the oracle. */
struct fw_oracle *fw_oracle_create(const struct fw_trace *trace);
void fw_oracle_destroy(struct fw_oracle *oracle);
/* From now on a read that sees another write of the same value counts as unchanged, or not. */
void fw_oracle_use_values(struct fw_oracle *oracle, bool on);

/*
 * Visits all states.  0, or -1 if the trace is too large: more states than max_states, or more
 * threads, variables or events than a state has room for.  Then there is no answer at all.
 */
int fw_oracle_explore(struct fw_oracle *oracle, uint32_t max_states);
uint32_t fw_oracle_state_count(const struct fw_oracle *oracle);

/* One finding; its parts are what the JSON report has as events and witness, as positions. */
struct fw_oracle_finding {
    enum fw_claim claim;
    uint32_t *events;
    uint32_t event_count;
    uint32_t *order;
    uint32_t order_count;
};

FW_VEC_TYPE(fw_oracle_findings, struct fw_oracle_finding);

/* All findings of one kind (not FW_CLAIM_ORDER), sorted by events; after fw_oracle_explore.
 * all_pairs: atomicity without blocks ignores function activations (--pairs=all). */
void fw_oracle_find(struct fw_oracle *oracle, enum fw_claim claim, bool all_pairs,
                    struct fw_oracle_findings *findings);
void fw_oracle_findings_release(struct fw_oracle_findings *findings);

/* Is this order feasible?  If so, *finding gets the witness; release it with the function below. */
bool fw_oracle_order(struct fw_oracle *oracle, const uint32_t *events, uint32_t count,
                     struct fw_oracle_finding *finding);
void fw_oracle_finding_release(struct fw_oracle_finding *finding);

static inline struct fw_witness fw_oracle_witness(const struct fw_oracle_finding *finding)
{
    return (struct fw_witness) { finding->claim, finding->events, finding->event_count,
                                 finding->order, finding->order_count };
}

/* Is the witness's order a correct reordering that shows its claim?  Needs no exploration. */
bool fw_oracle_judge(const struct fw_oracle *oracle, const struct fw_witness *witness);

/* Calls back on every non-empty correct reordering, all prefixes included, until it returns false
 * or `limit` calls were made.  Returns the number of calls.  For tiny traces. */
uint64_t fw_oracle_enumerate(const struct fw_oracle *oracle, uint64_t limit,
                             bool (*each)(void *context, const uint32_t *order, uint32_t count),
                             void *context);

/*
 * One step at a time.  A state says where each thread stands, who wrote each variable last, what
 * is tainted, and which notifies came after the releases they must follow.
 */
#define FW_ORACLE_STATE_BYTES 160u

struct fw_oracle_state {
    uint8_t bytes[FW_ORACLE_STATE_BYTES];
};

/* False: the trace has more threads, variables or events than fit; nothing below works then. */
bool fw_oracle_fits(const struct fw_oracle *oracle);
void fw_oracle_start(const struct fw_oracle *oracle, struct fw_oracle_state *state);
/* The event that the thread is next at; FW_NO_EVENT: not started, at its end, or at a virtual br.
 */
uint32_t fw_oracle_next(const struct fw_oracle *oracle, const struct fw_oracle_state *state,
                        uint32_t thread);
/* May this event, which is next in its thread, happen now? */
bool fw_oracle_may(const struct fw_oracle *oracle, const struct fw_oracle_state *state,
                   uint32_t event);
void fw_oracle_step(const struct fw_oracle *oracle, struct fw_oracle_state *state, uint32_t event);
/* The write that a read of the event's variable would see now, or FW_NO_EVENT. */
uint32_t fw_oracle_sees(const struct fw_oracle *oracle, const struct fw_oracle_state *state,
                        uint32_t event);
bool fw_oracle_tainted(const struct fw_oracle *oracle, const struct fw_oracle_state *state,
                       uint32_t thread);

/* Facts about the trace as the oracle sees it, for comparing with the index. */
uint32_t fw_oracle_writer(const struct fw_oracle *oracle, uint32_t event);  /* of a read */
uint32_t fw_oracle_answers(const struct fw_oracle *oracle, uint32_t event); /* of wake and pend */
bool fw_oracle_must_see(const struct fw_oracle *oracle, uint32_t event);    /* synchronised load */

#endif
