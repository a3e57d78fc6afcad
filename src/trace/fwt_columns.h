/*
 * fwt_columns.h - collects events for one block and lays them out as columns.
 *
 * The opposite of fwt_events.h, where the layout is described.  An event goes
 * in with one look-up of its code; the choices (order of the codes, runs or
 * single thread indices, how targets are expressed) are made when the block is
 * packed.
 */
#ifndef FW_TRACE_FWT_COLUMNS_H
#define FW_TRACE_FWT_COLUMNS_H

#include "base/bug.h"
#include "base/vec.h"
#include "trace/fwt_events.h"

/* What a code stands for. */
struct fw_fwt_code {
    uint64_t what; /* site << 32 | kind << 16 | order << 8 | attributes it has */
    uint32_t size;
    uint32_t uses; /* while a block is packed ... */
    uint32_t last; /* ... the target of its latest event */
    uint32_t slot; /* where it is in the hash table */
};

/* Events from `start` on, up to the next run, are of one thread. */
struct fw_fwt_run {
    uint32_t start;
    uint32_t thread; /* index in threads */
};

FW_VEC_TYPE(fw_bytes, unsigned char);

/* Where one column (or plane) of a payload ends and another kind of data begins. */
struct fw_fwt_seams {
    size_t at[16]; /* ascending offsets in the payload */
    unsigned count;
};

struct fw_fwt_columns {
    bool branches;                    /* the trace may hold branch events */
    uint32_t count;                   /* events in the block */
    uint64_t first;                   /* position of the first one */
    uint32_t capacity;                /* of the next three; grows up to FW_FWT_MAX_EVENTS */
    uint32_t *code, *target;          /* of each event */
    struct fw_fwt_code *codes;
    uint32_t code_count;
    uint32_t *slots; /* hash table of codes: id + 1, 0 is free */
    uint32_t slot_mask;
    FW_VEC(uint32_t) threads;      /* that occur */
    FW_VEC(uint32_t) thread_index; /* thread → index in threads + 1, 0: does not occur */
    FW_VEC(struct fw_fwt_run) runs;
    uint32_t thread; /* of the latest event plus 1; 0: none yet */
    struct fw_bytes rf, value;
    uint32_t *delta, *scratch; /* while a block is packed; room for `capacity` */
};

void fw_fwt_columns_init(struct fw_fwt_columns *cols, bool branches);
void fw_fwt_columns_release(struct fw_fwt_columns *cols);

/*
 * Adds events until all are in or the block is full; returns how many went in.
 * Fewer although the block is not full: the next one cannot be written, and
 * err says why.
 */
uint32_t fw_fwt_columns_add(struct fw_fwt_columns *cols, const struct fw_event *events,
                            uint32_t count, const struct fw_attr *attrs, struct fw_error *err);

/*
 * The same in two steps, for events without rf and value that come by the million.  A code is
 * good for as long as `first` stays the same; FW_FWT_NO_CODE: it cannot be written.  There must
 * be room for an event that is put.
 */
#define FW_FWT_NO_CODE UINT32_MAX
uint32_t fw_fwt_columns_code(struct fw_fwt_columns *cols, const struct fw_event *event,
                             const struct fw_attr *attr, struct fw_error *err);
void fw_fwt_columns_run(struct fw_fwt_columns *cols, uint32_t thread);

static inline void fw_fwt_columns_put(struct fw_fwt_columns *cols, uint32_t code, uint32_t thread,
                                      uint32_t target)
{
    if (FW_UNLIKELY(thread + 1 != cols->thread || cols->count == cols->capacity))
        fw_fwt_columns_run(cols, thread);
    cols->code[cols->count] = code;
    cols->target[cols->count++] = target;
}

/* Fills *to, which is empty, with the payload, and starts the next block. */
void fw_fwt_columns_pack(struct fw_fwt_columns *cols, struct fw_bytes *to,
                         struct fw_fwt_seams *seams);

#endif
