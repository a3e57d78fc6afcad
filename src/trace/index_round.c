/*
 * index_round.c - rounds of barriers.
 *
 * A round starts at the first barin after a barout of the current round; a
 * barout belongs to the round of its thread's latest barin of that barrier.
 */
#include "base/vec.h"
#include "trace/index_build.h"

#define NO_ROUND UINT32_MAX

struct barrier {
    uint32_t round;  /* the current one, NO_ROUND before the first barin */
    bool has_out;    /* somebody left the current round */
    FW_VEC(uint32_t) inside; /* barins whose barout has not come yet */
};

static bool has_barriers(const struct fw_trace *trace)
{
    return fw_symbols_count(trace->symbols, FW_SPACE_BARRIER) > 0;
}

/* Takes the thread's open barin of the barrier out of the list. */
static uint32_t take_in(const struct fw_trace *trace, struct barrier *barrier, uint32_t thread)
{
    for (size_t i = 0; i < barrier->inside.len; i++) {
        uint32_t in = barrier->inside.at[i];

        if (trace->events[in].thread != thread)
            continue;
        barrier->inside.at[i] = fw_vec_pop(&barrier->inside);
        return in;
    }
    return FW_NO_EVENT;
}

/* Numbers the rounds; returns how many there are. */
static uint32_t number_rounds(struct fw_index *index, struct barrier *barriers)
{
    const struct fw_trace *trace = index->trace;
    uint32_t rounds = 0;

    for (uint32_t i = 0; i < trace->count; i++) {
        const struct fw_event *event = &trace->events[i];
        struct barrier *barrier;

        if (event->kind != FW_BARRIER_IN && event->kind != FW_BARRIER_OUT)
            continue;
        barrier = &barriers[event->target];
        if (event->kind == FW_BARRIER_IN) {
            if (barrier->round == NO_ROUND || barrier->has_out)
                barrier->round = rounds++;
            barrier->has_out = false;
            index->round_of[i] = barrier->round;
            fw_vec_push(&barrier->inside, i);
        } else {
            index->partner[i] = take_in(trace, barrier, event->thread);
            index->round_of[i] = index->round_of[index->partner[i]];
            barrier->has_out |= index->round_of[i] == barrier->round;
        }
    }
    return rounds;
}

static void build_rows(struct fw_index *index, uint32_t rounds)
{
    const struct fw_trace *trace = index->trace;
    struct fw_rows *rows = &index->rounds;
    uint32_t *next;

    rows->rows = rounds;
    rows->start = fw_xcalloc((size_t)rounds + 1, sizeof *rows->start);
    for (uint32_t i = 0; i < trace->count; i++)
        if (trace->events[i].kind == FW_BARRIER_IN)
            rows->start[index->round_of[i] + 1]++;
    for (uint32_t i = 0; i < rounds; i++)
        rows->start[i + 1] += rows->start[i];
    rows->items = fw_xrealloc(NULL, rows->start[rounds], sizeof *rows->items);
    next = fw_xrealloc(NULL, rounds, sizeof *next);
    memcpy(next, rows->start, rounds * sizeof *next);
    for (uint32_t i = 0; i < trace->count; i++)
        if (trace->events[i].kind == FW_BARRIER_IN)
            rows->items[next[index->round_of[i]]++] = i;
    free(next);
}

void fw_index_build_rounds(struct fw_index *index)
{
    uint32_t count = fw_symbols_count(index->trace->symbols, FW_SPACE_BARRIER);
    struct barrier *barriers;

    if (!has_barriers(index->trace))
        return;
    barriers = fw_xcalloc(count, sizeof *barriers);
    for (uint32_t i = 0; i < count; i++)
        barriers[i].round = NO_ROUND;
    index->round_of = fw_index_nothing(index->trace->count);
    build_rows(index, number_rounds(index, barriers));
    for (uint32_t i = 0; i < count; i++)
        fw_vec_release(&barriers[i].inside);
    free(barriers);
}
