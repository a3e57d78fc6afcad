/* naive_blocks.c - see naive_blocks.h. */
#include "support/naive_blocks.h"

#include "base/alloc.h"

#include <stdlib.h>

static uint32_t last_event(const struct fw_index *index, uint32_t thread)
{
    uint32_t count = fw_row_count(&index->by_thread, thread);

    return fw_row(&index->by_thread, thread)[count - 1];
}

/* Walks one thread; `open` has room for all its blocks. */
static void walk_thread(const struct fw_index *index, uint32_t thread, bool functions,
                        uint32_t *open, struct fw_naive_blocks *blocks)
{
    const struct fw_event *events = index->trace->events;
    const uint32_t *row = fw_row(&index->by_thread, thread);
    uint32_t count = fw_row_count(&index->by_thread, thread), depth = 0;

    for (uint32_t j = 0; j < count; j++) {
        const struct fw_event *event = &events[row[j]];
        uint32_t match = depth;

        if (event->kind == (functions ? FW_CALL : FW_BEGIN)) {
            open[depth++] = blocks->count;
            blocks->at[blocks->count++] =
                (struct fw_naive_block) { thread, event->target, row[j], last_event(index, thread),
                                          depth };
        } else if (event->kind == (functions ? FW_RETURN : FW_END)) {
            while (match > 0 && blocks->at[open[match - 1]].label != event->target)
                match--;
            while (match > 0 && depth >= match)
                blocks->at[open[--depth]].last = row[j];
        }
    }
}

struct fw_naive_blocks fw_naive_blocks(const struct fw_index *index, bool functions)
{
    const struct fw_trace *trace = index->trace;
    struct fw_naive_blocks blocks = { fw_xcalloc(trace->count + 1u, sizeof *blocks.at), 0 };
    uint32_t *open = fw_xcalloc(trace->count + 1u, sizeof *open);

    for (uint32_t thread = 0; thread < fw_trace_thread_count(trace); thread++)
        if (fw_row_count(&index->by_thread, thread))
            walk_thread(index, thread, functions, open, &blocks);
    free(open);
    return blocks;
}

void fw_naive_blocks_release(struct fw_naive_blocks *blocks)
{
    free(blocks->at);
}

bool fw_naive_block_holds(const struct fw_trace *trace, const struct fw_naive_block *block,
                          uint32_t event)
{
    return trace->events[event].thread == block->thread && block->first <= event &&
           event <= block->last;
}
