/*
 * need.h - the least demands of every place of every thread.
 *
 * need(t, len) is what any correct reordering with the first len events of t
 * holds at least; clean(t, c) the same for t untainted at its event c - 1 (see
 * core.h for both words).  Both are closed, so the demands of several things
 * are their maxima, thread by thread, and a `cut` is just that.
 *
 * They are kept in one of two ways (need_store.h): worked out for every place,
 * or, if there are very many threads, as a partial order that is searched.
 */
#ifndef FW_PREDICT_NEED_H
#define FW_PREDICT_NEED_H

#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

struct fw_core;
struct fw_need;

#define FW_NEED_ROW_THREADS 4096u        /* with more threads demands are searched for; */
#define FW_NEED_ROW_ITEMS   (1u << 25) /* or if rows would take more items than that */

/* loose: flexible reads (values.h) demand nothing. */
struct fw_need *fw_need_create(const struct fw_core *core, bool loose);
void fw_need_destroy(struct fw_need *need);
size_t fw_need_bytes(const struct fw_need *need);

/* Demands on all threads; closed under need. */
struct fw_cut {
    const struct fw_need *need; /* the demands that it is closed under */
    uint32_t *len, *clean; /* by thread */
    FW_VEC(uint32_t) touched; /* threads with a demand, each once */
};

void fw_cut_init(struct fw_cut *cut, const struct fw_core *core);
void fw_cut_release(struct fw_cut *cut);
void fw_cut_clear(struct fw_cut *cut);
void fw_cut_copy(struct fw_cut *to, const struct fw_cut *from);

/* Adds: the thread's first `len` events are there. */
void fw_cut_need(const struct fw_core *core, struct fw_cut *cut, uint32_t thread, uint32_t len);
/* Adds: the thread is untainted at its event c - 1 (place), which need not be there. */
void fw_cut_need_clean(struct fw_cut *cut, uint32_t thread, uint32_t c);
/* Adds: the thread has started. */
void fw_cut_need_start(const struct fw_core *core, struct fw_cut *cut, uint32_t thread);

/* Is event (thread, place) among the demands of the first `len` events of another thread, at
 * least (loose demands, if there are any)? */
bool fw_need_has(const struct fw_core *core, uint32_t of, uint32_t len, uint32_t thread,
                 uint32_t place);

#endif
