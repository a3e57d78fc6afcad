/*
 * context.h - what all analyses agree on about an event: the locks its thread
 * holds and the stack it is called from.
 *
 * The engine works it out once for each batch and hands it to every analysis
 * as two numbers.  Equal sets of locks share one id, as do equal stacks, so an
 * analysis remembers an event's context in eight bytes and nobody walks a
 * stack until a finding is printed.  Ids are dense.
 *
 * A stack is a list of frames from the innermost outwards: a frame is the
 * function, the site of its call, and the frame below.  Stack 0 is empty; lock
 * set 0 is empty.  A return closes the innermost call of its function; a
 * return of a function that was never called changes nothing.
 *
 * Thread-safety: one thread computes contexts; others may look into the lock
 * sets and stacks whose ids they were handed.
 */
#ifndef FW_ANALYSIS_CONTEXT_H
#define FW_ANALYSIS_CONTEXT_H

#include "trace/batch.h"
#include "trace/symbols.h"

/* As of just before the event: an acquire's lock is not in the set, a release's still is. */
struct fw_context {
    uint32_t lock_set;
    uint32_t stack;
};

struct fw_frame {
    uint32_t caller; /* the stack below; 0: none */
    uint32_t function;
    uint32_t site; /* of the call event */
};

/* The fork of a thread or the allocation of a variable. */
struct fw_origin {
    uint64_t index;
    uint32_t thread : 20;
    uint32_t known : 1;
    uint32_t target;
    uint32_t site;
    struct fw_context context;
};

struct fw_contexts;

struct fw_contexts *fw_contexts_create(void);
void fw_contexts_destroy(struct fw_contexts *contexts);

/* One context for each event of the batch, borrowed until the next call. */
const struct fw_context *fw_contexts_batch(struct fw_contexts *contexts,
                                           const struct fw_batch *batch);

/* The same, written to an array of the caller's. */
void fw_contexts_compute(struct fw_contexts *contexts, const struct fw_batch *batch,
                         struct fw_context *to);

/*
 * The locks of a set: ids times 2, plus 1 if held in shared mode; ascending.  Good as long as
 * the contexts are, which is why every set that is asked for costs memory by its size.
 */
const uint32_t *fw_contexts_locks(const struct fw_contexts *contexts, uint32_t lock_set,
                                  uint32_t *count);

/*
 * Where the thread was forked or the variable allocated, among the events so far; NULL: not known.
 * Allocations are remembered for the latest variables only, unless some are named here before
 * the events come: then for exactly those (and those from before).
 */
const struct fw_origin *fw_contexts_fork(const struct fw_contexts *contexts, uint32_t thread);
const struct fw_origin *fw_contexts_alloc(const struct fw_contexts *contexts, uint32_t variable);
void fw_contexts_want(struct fw_contexts *contexts, const uint32_t *variables, size_t count);
/* Takes over what another pass over the same trace found of the wanted ones. */
void fw_contexts_adopt(struct fw_contexts *contexts, struct fw_contexts *from);

/* The innermost frame of a stack that is not empty. */
const struct fw_frame *fw_contexts_frame(const struct fw_contexts *contexts, uint32_t stack);

#endif
