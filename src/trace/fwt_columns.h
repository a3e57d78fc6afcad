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

#include "base/vec.h"
#include "trace/fwt_events.h"

/* What a code stands for. */
struct fw_fwt_code {
    uint32_t site, size;
    uint8_t kind, order, has;
    uint32_t uses;
    uint32_t last; /* target of its latest event */
    uint32_t slot; /* where it is in the hash table */
    uint32_t next; /* the code that followed it last; a guess */
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
    uint32_t capacity;                /* of the next four; grows up to FW_FWT_MAX_EVENTS */
    uint32_t *code, *thread, *target; /* of each event; thread: index in threads */
    struct fw_fwt_code *codes;
    uint32_t code_count;
    uint32_t *slots; /* hash table of codes: id + 1, 0 is free */
    uint32_t slot_mask;
    FW_VEC(uint32_t) threads;      /* that occur */
    FW_VEC(uint32_t) thread_index; /* thread → index in threads + 1, 0: does not occur */
    uint32_t runs;
    struct fw_bytes rf, value;
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

/* Fills *to, which is empty, with the payload, and starts the next block. */
void fw_fwt_columns_pack(struct fw_fwt_columns *cols, struct fw_bytes *to,
                         struct fw_fwt_seams *seams);

#endif
