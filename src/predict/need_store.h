/*
 * need_store.h - how demands are told and kept.  For need*.c only.
 *
 * need_demand.c walks through the trace and tells, place by place, what is
 * demanded directly; a store keeps it so that what follows can be asked for:
 *
 *     need_rows.c     what follows is worked out at once and kept for every place:
 *                     fast to ask, memory by changes times threads at worst
 *     need_chains.c   only what is told is kept, as edges between chains, and
 *                     questions search: memory by events, for thousands of threads
 */
#ifndef FW_PREDICT_NEED_STORE_H
#define FW_PREDICT_NEED_STORE_H

#include "predict/core.h"

/* Who demands: a thread's first `number` events, or its being clean to `number`. */
struct fw_demander {
    uint32_t thread, number;
    bool clean;
};

struct fw_need_sink {
    void (*event)(void *store, struct fw_demander who, uint32_t event);
    /* Also of the demander's own thread. */
    void (*clean)(void *store, struct fw_demander who, uint32_t thread, uint32_t c);
    void (*round)(void *store, struct fw_demander who, uint32_t round);
    void (*complete)(void *store, struct fw_demander who); /* it demands nothing else */
};

/* Tells everything, in the order of the trace: whatever is demanded is complete by then. */
void fw_need_tell(const struct fw_core *core, bool loose, const struct fw_need_sink *sink,
                  void *store);

struct fw_rows_store;
/* NULL: it would take more than FW_NEED_ROW_ITEMS. */
struct fw_rows_store *fw_rows_store_create(const struct fw_core *core, bool loose);
void fw_rows_store_destroy(struct fw_rows_store *store);
size_t fw_rows_store_bytes(const struct fw_rows_store *store);

struct fw_chain_store;
struct fw_chain_store *fw_chain_store_create(const struct fw_core *core, bool loose);
void fw_chain_store_destroy(struct fw_chain_store *store);
size_t fw_chain_store_bytes(const struct fw_chain_store *store);

/* Joins what the demander demands, itself left out, into the cut. */
void fw_rows_store_join(const struct fw_rows_store *store, struct fw_demander who,
                        struct fw_cut *cut);
void fw_chain_store_join(const struct fw_chain_store *store, struct fw_demander who,
                         struct fw_cut *cut);
/* Is event (thread, place) among it?  The search over chains gives up after a while: false. */
bool fw_rows_store_has(const struct fw_rows_store *store, struct fw_demander who, uint32_t thread,
                       uint32_t place);
bool fw_chain_store_has(const struct fw_chain_store *store, struct fw_demander who,
                        uint32_t thread, uint32_t place);

struct fw_need {
    struct fw_rows_store *rows; /* one of the two */
    struct fw_chain_store *chains;
};

void fw_cut_raise(struct fw_cut *cut, uint32_t thread, uint32_t len, uint32_t clean);

/*
 * Who speaks for the first len (> 0) events of a thread.  In the strict model all that comes
 * before the last event has to be clean, and the last one too unless it is a read.
 */
static inline struct fw_demander fw_demander_of(const struct fw_core *core, uint32_t thread,
                                                uint32_t len)
{
    uint32_t last = fw_event_at(core, thread, len - 1);

    if (!core->strict)
        return (struct fw_demander) { thread, len, false };
    return (struct fw_demander) {
        thread, fw_is_read(core->trace->events[last].kind) ? len : len + 1, true
    };
}

/* What else the presence of the thread's event demands in the strict model; FW_NO_EVENT: nothing.
 */
static inline uint32_t fw_seen_by_force(const struct fw_core *core, uint32_t thread, uint32_t len)
{
    uint32_t last = fw_event_at(core, thread, len - 1);

    return core->strict && fw_core_synchronised(core, last) ? core->index->partner[last]
                                                            : FW_NO_EVENT;
}

/* The clean that the thread's own events demand. */
static inline uint32_t fw_own_clean(const struct fw_core *core, uint32_t thread, uint32_t len)
{
    return core->strict ? fw_demander_of(core, thread, len).number
                        : fw_core_own_clean(core, thread, len);
}

#endif
