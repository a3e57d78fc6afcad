/*
 * fwt_events.h - the payload of an event block, and how to get events out.
 *
 * The payload is columns.  Sections, in this order and without gaps:
 *
 *     head         FW_FWT_EVENTS_HEAD bytes, see struct fw_fwt_layout
 *     dictionary   entries: what an event of one code is, all but its thread and target
 *     threads      the threads that occur, as varints
 *     run lengths  if runs: 2 planes of (length - 1)
 *     thread index one for each run, or for each event: 0 to 2 planes
 *     code         one for each event: 0 to 2 planes
 *     target       one for each event: 0 to 4 planes
 *     rf, value    varints, one for each event whose code has the attribute
 *
 * A plane holds one byte of every number of a column, lowest plane first;
 * bytes without a plane are zero.
 */
#ifndef FW_TRACE_FWT_EVENTS_H
#define FW_TRACE_FWT_EVENTS_H

#include "trace/batch.h"
#include "trace/fwt_block.h"
#include "trace/symbols.h"

#define FW_FWT_EVENTS_HEAD 32u
#define FW_FWT_PIECE       1024u /* events made at a time: small enough for the first cache */

enum {
    FW_FWT_TARGET_ABSOLUTE = 0,
    FW_FWT_TARGET_DELTA = 1, /* zigzag difference to the latest target of the same code, first 0 */
};

struct fw_fwt_layout {
    uint32_t dictionary_count; /* at 0 */
    uint32_t thread_count;     /* at 4 */
    uint32_t run_count;        /* at 8; 0: a thread index for each event */
    uint8_t code_planes, thread_planes, target_planes, target_mode; /* at 12 */
    uint32_t dictionary_size, threads_size;                         /* at 16, 20: bytes */
    uint32_t rf_size, value_size;                                   /* at 24, 28 */
};

#define FW_FWT_NO_THREAD (UINT32_C(1) << 31) /* a bit that no thread has */

/* May events of this kind carry the attributes FW_ATTR_*? */
bool fw_fwt_attrs_allowed(unsigned kind, unsigned has);

/*
 * A dictionary entry, ready to become an event: the 16 bytes of an event as
 * two numbers, to which the target and the thread are added.
 */
struct fw_fwt_entry {
    uint64_t low, high;
    uint64_t highest; /* target there is; UINT64_MAX: there is none, or no such code */
    uint32_t last;    /* target of the latest event, for FW_FWT_TARGET_DELTA */
};

/* An event block on its way to events.  Zero it before the first use. */
struct fw_fwt_events {
    struct fw_fwt_layout layout;
    uint64_t first;       /* position of the block's first event */
    uint32_t count, done; /* events of the block, and those taken */
    struct fw_fwt_entry *entries;
    uint32_t entry_mask, entry_capacity; /* entries up to the mask are filled in */
    bool own_attrs;                      /* some code has rf or a value */
    uint32_t *threads; /* as the third word of an event; up to the mask, FW_FWT_NO_THREAD */
    uint32_t thread_mask, thread_capacity;
    const unsigned char *run_length[2], *thread_index[2], *code[2], *target[4];
    uint32_t run, run_left; /* next run, and what is left of the current one */
    uint32_t run_thread;
    struct fw_cursor rf, value;
    struct fw_attr *attrs; /* [0] empty, [1 + code] what events of a code share, then events' own */
    uint32_t attr_capacity;
    /* A piece of the columns, put together from their planes. */
    uint16_t codes[FW_FWT_PIECE], thread_indices[FW_FWT_PIECE];
    uint32_t targets[FW_FWT_PIECE];
};

/* Number i of a column of up to two planes. */
static inline uint32_t fw_fwt_pair(const unsigned char *const planes[2], uint32_t i)
{
    return (planes[0] ? planes[0][i] : 0u) | (planes[1] ? (uint32_t)planes[1][i] << 8 : 0u);
}

/*
 * Starts on a payload; symbols hold all names it may use.  `sites`: what the sites of the file are
 * to events; NULL: the same.  -1: malformed, and why.
 */
int fw_fwt_events_open(struct fw_fwt_events *ev, const unsigned char *payload, size_t size,
                       const struct fw_fwt_head *head, const struct fw_symbols *symbols,
                       const uint32_t *sites, bool branches, struct fw_error *err);
void fw_fwt_events_release(struct fw_fwt_events *ev);

/*
 * The next events, at most FW_BATCH_EVENTS; their attributes are in ev->attrs.
 * Fewer than were to be expected: the one after them is malformed, and err
 * says why.
 */
uint32_t fw_fwt_events_take(struct fw_fwt_events *ev, struct fw_event *events,
                            struct fw_error *err);

/* How many the next fw_fwt_events_take gives if nothing is wrong. */
static inline uint32_t fw_fwt_events_slice(const struct fw_fwt_events *ev)
{
    uint32_t left = ev->count - ev->done;

    return left < FW_BATCH_EVENTS ? left : FW_BATCH_EVENTS;
}

#endif
