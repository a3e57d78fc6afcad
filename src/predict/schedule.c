/* schedule.c - see schedule.h. */
#include "predict/schedule.h"

#include "base/bug.h"
#include "base/vec.h"

FW_VEC_TYPE(bytes, uint8_t);

/* Seven bits a byte, the lowest first; the eighth says that more follow. */
static void put_number(struct bytes *to, uint32_t number)
{
    for (; number >= 0x80; number >>= 7)
        fw_vec_push(to, (uint8_t)(number | 0x80));
    fw_vec_push(to, (uint8_t)number);
}

static uint32_t get_number(struct fw_schedule_walk *walk)
{
    uint32_t number = 0;

    for (unsigned shift = 0;; shift += 7) {
        FW_ASSERT(walk->at < walk->end && shift < 35);
        number |= (uint32_t)(*walk->at & 0x7f) << shift;
        if (!(*walk->at++ & 0x80))
            return number;
    }
}

void fw_schedule_pack(struct fw_schedule *schedule, const struct fw_trace *trace,
                      const uint32_t *order, uint32_t count)
{
    struct bytes bytes = { 0 };
    uint32_t runs = 0, end;

    for (uint32_t start = 0; start < count; start = end) {
        uint32_t thread = trace->events[order[start]].thread;

        for (end = start + 1; end < count && trace->events[order[end]].thread == thread;)
            end++;
        put_number(&bytes, thread);
        put_number(&bytes, end - start);
        runs++;
    }
    free(schedule->bytes);
    if (bytes.len) /* exactly: there may be many */
        bytes.at = fw_xrealloc(bytes.at, bytes.len, 1);
    *schedule = (struct fw_schedule) { bytes.at, bytes.len, count, runs };
}

void fw_schedule_release(struct fw_schedule *schedule)
{
    free(schedule->bytes);
    *schedule = (struct fw_schedule) { 0 };
}

uint32_t fw_count_switches(const struct fw_trace *trace, const uint32_t *order, uint32_t count)
{
    uint32_t switches = 0;

    for (uint32_t i = 1; i < count; i++)
        switches += trace->events[order[i - 1]].thread != trace->events[order[i]].thread;
    return switches;
}

void fw_schedule_walk_init(struct fw_schedule_walk *walk, const struct fw_schedule *schedule,
                           const struct fw_index *index)
{
    *walk = (struct fw_schedule_walk) {
        .index = index,
        .at = schedule->bytes,
        .end = schedule->bytes + schedule->size,
        .done = fw_xcalloc((size_t)index->by_thread.rows + 1, sizeof *walk->done),
    };
}

void fw_schedule_walk_release(struct fw_schedule_walk *walk)
{
    free(walk->done);
    walk->done = NULL;
}

/* Is there something left of this run, or another one? */
static bool in_run(struct fw_schedule_walk *walk)
{
    if (walk->left)
        return true;
    if (walk->at == walk->end)
        return false;
    walk->thread = get_number(walk);
    walk->left = get_number(walk);
    return true;
}

bool fw_schedule_next(struct fw_schedule_walk *walk, uint32_t *position)
{
    if (!in_run(walk))
        return false;
    *position = fw_row(&walk->index->by_thread, walk->thread)[walk->done[walk->thread]++];
    walk->left--;
    return true;
}

void fw_schedule_skip(struct fw_schedule_walk *walk, uint32_t steps)
{
    while (steps && in_run(walk)) {
        uint32_t now = steps < walk->left ? steps : walk->left;

        walk->done[walk->thread] += now;
        walk->left -= now;
        steps -= now;
    }
}
