/* naive_velodrome.c - see naive_velodrome.h. */
#include "support/naive_velodrome.h"

#include "support/naive.h"
#include "support/naive_blocks.h"

#include "base/alloc.h"

#include <stdlib.h>

static bool writes(const struct fw_event *event)
{
    return fw_is_write(event->kind) || event->kind == FW_FREE;
}

/* Accesses of one variable, one of which writes; atomic ones conflict too. */
static bool conflict(const struct fw_event *a, const struct fw_event *b)
{
    return fw_is_class(a->kind, FW_CLASS_CONFLICT) && fw_is_class(b->kind, FW_CLASS_CONFLICT) &&
           a->target == b->target && (writes(a) || writes(b));
}

static void find_transactions(const struct fw_index *index, bool functions, uint32_t *transaction)
{
    struct fw_naive_blocks blocks = fw_naive_blocks(index, functions);

    for (uint32_t i = 0; i < index->trace->count; i++) {
        transaction[i] = i;
        for (uint32_t b = 0; b < blocks.count; b++)
            if (blocks.at[b].level == 1 && fw_naive_block_holds(index->trace, &blocks.at[b], i))
                transaction[i] = blocks.at[b].first;
    }
    fw_naive_blocks_release(&blocks);
}

/* Is there a cycle of transactions?  Closes the relation between them. */
static bool has_cycle(const struct fw_naive_velodrome *graph)
{
    uint32_t n = graph->count;
    bool *reach = fw_xcalloc((size_t)n * n + 1, sizeof *reach), cyclic = false;

    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = i + 1; j < n; j++)
            if (graph->edge[i * n + j] && graph->transaction[i] != graph->transaction[j])
                reach[graph->transaction[i] * n + graph->transaction[j]] = true;
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t j = 0; reach[i * n + k] && j < n; j++)
                reach[i * n + j] |= reach[k * n + j];
    for (uint32_t i = 0; i < n; i++)
        cyclic |= reach[i * n + i];
    free(reach);
    return cyclic;
}

struct fw_naive_velodrome *fw_naive_velodrome_create(const struct fw_index *index, bool functions)
{
    struct fw_naive_velodrome *graph = fw_xcalloc(1, sizeof *graph);
    const struct fw_event *events = index->trace->events;
    struct fw_naive *naive = fw_naive_create(index);
    uint32_t n = index->trace->count;

    graph->count = n;
    graph->transaction = fw_xcalloc(n + 1u, sizeof *graph->transaction);
    graph->edge = fw_xcalloc((size_t)n * n + 1, sizeof *graph->edge);
    find_transactions(index, functions, graph->transaction);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = i + 1; j < n; j++)
            graph->edge[i * n + j] = naive->hb[i * n + j] || conflict(&events[i], &events[j]);
    graph->cyclic = has_cycle(graph);
    fw_naive_destroy(naive);
    return graph;
}

void fw_naive_velodrome_destroy(struct fw_naive_velodrome *graph)
{
    free(graph->transaction);
    free(graph->edge);
    free(graph);
}
