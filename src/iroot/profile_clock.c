/*
 * profile_clock.c - what threads have seen of each other, at each of their versions.
 *
 * Clocks are asked for long after they have changed, but one component at a time: so each pair of
 * threads has its steps, a few for each message, instead of a clock for each version.
 */
#include "iroot/profile_state.h"

static void note(struct profiled *thread, uint32_t other, uint32_t version)
{
    uint32_t seen = fw_clock_get(&thread->clock, other);
    struct steps *steps;

    fw_vec_extend(&thread->seen, (size_t)other + 1);
    steps = &thread->seen.at[other];
    if (steps->len && fw_vec_last(steps).seen == seen)
        return;
    if (steps->len && fw_vec_last(steps).version == version)
        fw_vec_last(steps).seen = seen;
    else
        fw_vec_push(steps, ((struct step) { version, seen }));
}

/* The version that the next access will have. */
static uint32_t coming_version(struct profiled *thread)
{
    return thread->version + thread->changed;
}

uint32_t fw_profiled_version(struct profiled *thread)
{
    thread->version = coming_version(thread);
    thread->changed = false;
    return thread->version;
}

void fw_profiled_receive(struct profiled *thread, const struct fw_clock *clock)
{
    for (uint32_t i = 0; i < clock->len; i++) {
        if (clock->at[i] <= fw_clock_get(&thread->clock, i))
            continue;
        thread->changed = true;
        fw_clock_set(&thread->clock, i, clock->at[i]);
        note(thread, i, coming_version(thread));
    }
}

void fw_profiled_sent(struct profiled *thread, uint32_t number)
{
    fw_clock_set(&thread->clock, number, fw_clock_get(&thread->clock, number) + 1);
    thread->changed = true;
    note(thread, number, coming_version(thread));
}

uint32_t fw_profiler_seen(const struct fw_profiler *profiler, uint32_t thread, uint32_t version,
                          uint32_t other)
{
    const struct profiled *of = &profiler->threads.at[thread];
    const struct steps *steps = other < of->seen.len ? &of->seen.at[other] : NULL;
    size_t low = 0, high = steps ? steps->len : 0;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (steps->at[middle].version <= version)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? steps->at[low - 1].seen : 0;
}
