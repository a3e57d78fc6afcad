/*
 * schedule.h - a witness in few bytes.
 *
 * A correct reordering holds a prefix of each thread's events in program
 * order: it is known by who runs when, and for how many events.  A schedule is
 * that list of runs, as variable-length numbers: a witness of millions of steps
 * and a hundred switches takes some hundred bytes.  The index tells the events
 * again:
 *
 *     fw_schedule_pack(&schedule, trace, order, count);
 *     fw_schedule_walk_init(&walk, &schedule, index);
 *     while (fw_schedule_next(&walk, &position))
 *         ...
 *     fw_schedule_walk_release(&walk);
 *
 * Immutable once packed; walks are independent of each other.
 */
#ifndef FW_PREDICT_SCHEDULE_H
#define FW_PREDICT_SCHEDULE_H

#include "trace/index.h"

struct fw_schedule {
    uint8_t *bytes; /* thread, length, thread, length ... */
    size_t size;
    uint32_t steps;
    uint32_t runs; /* one more than there are switches */
};

/* *schedule may hold an earlier one, or all zero; release it in the end. */
void fw_schedule_pack(struct fw_schedule *schedule, const struct fw_trace *trace,
                      const uint32_t *order, uint32_t count);
void fw_schedule_release(struct fw_schedule *schedule);

/* The number of times that another thread goes on. */
uint32_t fw_count_switches(const struct fw_trace *trace, const uint32_t *order, uint32_t count);

struct fw_schedule_walk {
    const struct fw_index *index;
    const uint8_t *at, *end;
    uint32_t thread, left; /* of the present run */
    uint32_t *done;        /* thread → its events that are behind us */
};

void fw_schedule_walk_init(struct fw_schedule_walk *walk, const struct fw_schedule *schedule,
                           const struct fw_index *index);
void fw_schedule_walk_release(struct fw_schedule_walk *walk);

/* The next step's event; false: that was all. */
bool fw_schedule_next(struct fw_schedule_walk *walk, uint32_t *position);

/* Passes over so many steps, run by run. */
void fw_schedule_skip(struct fw_schedule_walk *walk, uint32_t steps);

#endif
