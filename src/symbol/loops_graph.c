/* loops_graph.c - see loops_graph.h. */
#include "symbol/loops_graph.h"

#include "base/bug.h"

#include <string.h>

#define NO_BLOCK UINT32_MAX

FW_VEC_TYPE(numbers, uint32_t);

struct block {
    uint64_t start;
    struct numbers to, from;
    uint32_t order;     /* in reverse postorder; NO_BLOCK: control does not come here */
    uint32_t dominator; /* the nearest one; the entry's is itself */
    uint32_t loop;      /* innermost */
};

struct fw_loop_graph {
    FW_VEC(struct block) blocks; /* by start */
    FW_VEC(struct fw_ranges_item) ranges;
    uint32_t entry;
    struct numbers reached; /* blocks in reverse postorder */
    FW_VEC(struct fw_graph_loop) loops;
};

/* --- blocks ---------------------------------------------------------------------------------- */

/* The last block that begins at or before the address. */
static uint32_t block_at(const struct fw_loop_graph *graph, uint64_t address)
{
    size_t low = 0, high = graph->blocks.len;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (graph->blocks.at[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? (uint32_t)low - 1 : NO_BLOCK;
}

static int by_goal(const void *a, const void *b)
{
    const struct fw_flow_edge *x = a, *y = b;

    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    return x->from < y->from ? -1 : x->from > y->from;
}

/* These end a program or a thread, or go on elsewhere. */
static bool is_last(const char *callee)
{
    static const char *const names[] = {
        "abort",           "exit",          "_exit",          "_Exit",          "quick_exit",
        "pthread_exit",    "thrd_exit",     "__assert_fail",  "__stack_chk_fail", "__cxa_throw",
        "__cxa_rethrow",   "_Unwind_Resume", "__cxa_bad_cast", "longjmp",       "siglongjmp",
        "__longjmp_chk",   "__chk_fail",    "_ZSt9terminatev",
    };

    for (size_t i = 0; callee && i < sizeof names / sizeof *names; i++)
        if (strcmp(callee, names[i]) == 0)
            return true;
    return false;
}

/* False: from a call that never returns to what stands behind it? */
static bool goes_on(const struct fw_flow_edge *edge, const struct fw_calls *calls)
{
    size_t low = 0, high = calls->len;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (calls->at[middle].address < edge->from)
            low = middle + 1;
        else
            high = middle;
    }
    return low == calls->len || calls->at[low].address != edge->from ||
           !is_last(calls->at[low].callee);
}

static void connect(struct fw_loop_graph *graph, uint32_t from, uint32_t to)
{
    fw_vec_push(&graph->blocks.at[from].to, to);
    fw_vec_push(&graph->blocks.at[to].from, from);
}

static void add_edges(struct fw_loop_graph *graph, const struct fw_flow_edges *edges,
                      const struct fw_calls *calls)
{
    for (size_t i = 0; i < edges->len; i++) {
        const struct fw_flow_edge *edge = &edges->at[i];

        if (i && edge->from == edge[-1].from && edge->to == edge[-1].to)
            continue;
        if (edge->from && goes_on(edge, calls))
            connect(graph, block_at(graph, edge->from), block_at(graph, edge->to));
    }
}

/* Whoever calls may come back where exceptions land. */
static void add_landings(struct fw_loop_graph *graph, const struct fw_flow_edges *edges,
                         const struct fw_calls *calls, uint64_t entry)
{
    struct numbers callers = { 0 };

    for (size_t i = 0; i < calls->len; i++) {
        uint32_t block = block_at(graph, calls->at[i].returns - 1);

        if (!callers.len || fw_vec_last(&callers) != block)
            fw_vec_push(&callers, block);
    }
    for (size_t i = 0; i < edges->len; i++) {
        if (edges->at[i].from || edges->at[i].to == entry)
            continue;
        for (size_t j = 0; j < callers.len; j++)
            connect(graph, callers.at[j], block_at(graph, edges->at[i].to));
    }
    fw_vec_release(&callers);
}

static void make_blocks(struct fw_loop_graph *graph, struct fw_flow_edges *edges,
                        const struct fw_calls *calls, uint64_t entry)
{
    qsort(edges->at, edges->len, sizeof *edges->at, by_goal);
    for (size_t i = 0; i < edges->len; i++)
        if (!i || edges->at[i].to != edges->at[i - 1].to)
            fw_vec_push(&graph->blocks, ((struct block) { .start = edges->at[i].to,
                                                          .order = NO_BLOCK,
                                                          .dominator = NO_BLOCK,
                                                          .loop = FW_NO_LOOP }));
    add_edges(graph, edges, calls);
    add_landings(graph, edges, calls, entry);
    graph->entry = block_at(graph, entry);
}

/* --- dominators ------------------------------------------------------------------------------ */

struct visit {
    uint32_t block;
    size_t next;
};

/* In postorder first, then turned round. */
static void put_in_order(struct fw_loop_graph *graph)
{
    FW_VEC(struct visit) stack = { 0 };
    bool *seen = fw_xcalloc(graph->blocks.len, sizeof *seen);

    fw_vec_push(&stack, ((struct visit) { graph->entry, 0 }));
    seen[graph->entry] = true;
    while (stack.len) {
        struct visit *top = &fw_vec_last(&stack);
        const struct block *block = &graph->blocks.at[top->block];

        if (top->next == block->to.len) {
            fw_vec_push(&graph->reached, top->block);
            stack.len--;
            continue;
        }
        uint32_t to = block->to.at[top->next++];

        if (!seen[to])
            fw_vec_push(&stack, ((struct visit) { to, 0 }));
        seen[to] = true;
    }
    for (size_t i = 0, j = graph->reached.len - 1; i < j; i++, j--) {
        uint32_t other = graph->reached.at[i];

        graph->reached.at[i] = graph->reached.at[j];
        graph->reached.at[j] = other;
    }
    for (size_t i = 0; i < graph->reached.len; i++)
        graph->blocks.at[graph->reached.at[i]].order = (uint32_t)i;
    free(seen);
    fw_vec_release(&stack);
}

/* The nearest block that dominates both. */
static uint32_t common(const struct fw_loop_graph *graph, uint32_t a, uint32_t b)
{
    while (a != b) {
        while (graph->blocks.at[a].order > graph->blocks.at[b].order)
            a = graph->blocks.at[a].dominator;
        while (graph->blocks.at[b].order > graph->blocks.at[a].order)
            b = graph->blocks.at[b].dominator;
    }
    return a;
}

static bool improve(struct fw_loop_graph *graph, uint32_t at)
{
    struct block *block = &graph->blocks.at[at];
    uint32_t nearest = NO_BLOCK;

    for (size_t i = 0; i < block->from.len; i++) {
        uint32_t from = block->from.at[i];

        if (graph->blocks.at[from].dominator != NO_BLOCK)
            nearest = nearest == NO_BLOCK ? from : common(graph, nearest, from);
    }
    if (nearest == block->dominator)
        return false;
    block->dominator = nearest;
    return true;
}

static void find_dominators(struct fw_loop_graph *graph)
{
    bool changed = true;

    put_in_order(graph);
    graph->blocks.at[graph->entry].dominator = graph->entry;
    while (changed) {
        changed = false;
        for (size_t i = 1; i < graph->reached.len; i++)
            changed |= improve(graph, graph->reached.at[i]);
    }
}

static bool dominates(const struct fw_loop_graph *graph, uint32_t a, uint32_t b)
{
    while (graph->blocks.at[b].order > graph->blocks.at[a].order)
        b = graph->blocks.at[b].dominator;
    return a == b;
}

/* --- loops ----------------------------------------------------------------------------------- */

/* Marks the blocks from which control comes back to the header without leaving the loop. */
static uint32_t mark_body(const struct fw_loop_graph *graph, uint32_t header, bool *in)
{
    struct numbers work = { 0 };
    uint32_t count = 1;

    memset(in, 0, graph->blocks.len * sizeof *in);
    in[header] = true;
    fw_vec_push(&work, header);
    while (work.len) {
        uint32_t at = fw_vec_pop(&work);
        const struct block *block = &graph->blocks.at[at];

        for (size_t i = 0; i < block->from.len; i++) {
            uint32_t from = block->from.at[i];

            if (in[from] || graph->blocks.at[from].order == NO_BLOCK ||
                (at == header && !dominates(graph, header, from)))
                continue;
            in[from] = true;
            count++;
            fw_vec_push(&work, from);
        }
    }
    fw_vec_release(&work);
    return count;
}

static bool is_header(const struct fw_loop_graph *graph, uint32_t at)
{
    const struct block *block = &graph->blocks.at[at];

    for (size_t i = 0; i < block->from.len; i++)
        if (graph->blocks.at[block->from.at[i]].order != NO_BLOCK &&
            dominates(graph, at, block->from.at[i]))
            return true;
    return false;
}

/* In reverse postorder the header of a loop comes before those of loops inside it, so that the
 * last one to claim a block is the innermost. */
static void find_loops(struct fw_loop_graph *graph)
{
    bool *in = fw_xcalloc(graph->blocks.len, sizeof *in);

    for (size_t i = 0; i < graph->reached.len; i++) {
        uint32_t header = graph->reached.at[i];
        struct fw_graph_loop loop = { .block = header };

        if (!is_header(graph, header))
            continue;
        loop.header = graph->blocks.at[header].start;
        loop.parent = graph->blocks.at[header].loop;
        loop.blocks = mark_body(graph, header, in);
        for (size_t j = 0; j < graph->blocks.len; j++)
            if (in[j])
                graph->blocks.at[j].loop = (uint32_t)graph->loops.len;
        fw_vec_push(&graph->loops, loop);
    }
    free(in);
}

/* --- the whole ------------------------------------------------------------------------------- */

struct fw_loop_graph *fw_loop_graph_create(csh handle, struct fw_elf *file,
                                           const struct fw_ranges *ranges)
{
    struct fw_flow_edges edges = { 0 };
    struct fw_calls calls = { 0 };
    struct fw_loop_graph *graph = NULL;

    if (fw_flow_graph(handle, file, ranges, &calls, &edges)) {
        graph = fw_xcalloc(1, sizeof *graph);
        for (size_t i = 0; i < ranges->len; i++)
            fw_vec_push(&graph->ranges, ranges->at[i]);
        make_blocks(graph, &edges, &calls, ranges->at[0].start);
        find_dominators(graph);
        find_loops(graph);
    }
    fw_vec_release(&edges);
    fw_vec_release(&calls);
    return graph;
}

void fw_loop_graph_destroy(struct fw_loop_graph *graph)
{
    if (!graph)
        return;
    for (size_t i = 0; i < graph->blocks.len; i++) {
        fw_vec_release(&graph->blocks.at[i].to);
        fw_vec_release(&graph->blocks.at[i].from);
    }
    fw_vec_release(&graph->blocks);
    fw_vec_release(&graph->ranges);
    fw_vec_release(&graph->reached);
    fw_vec_release(&graph->loops);
    free(graph);
}

uint32_t fw_loop_graph_count(const struct fw_loop_graph *graph)
{
    return (uint32_t)graph->loops.len;
}

const struct fw_graph_loop *fw_loop_graph_loop(const struct fw_loop_graph *graph, uint32_t loop)
{
    return &graph->loops.at[loop];
}

static bool is_inside(const struct fw_loop_graph *graph, uint64_t address)
{
    for (size_t i = 0; i < graph->ranges.len; i++)
        if (address >= graph->ranges.at[i].start && address < graph->ranges.at[i].end)
            return true;
    return false;
}

bool fw_loop_graph_at(const struct fw_loop_graph *graph, uint64_t address, uint32_t *loop)
{
    uint32_t at = is_inside(graph, address) ? block_at(graph, address) : NO_BLOCK;

    if (at == NO_BLOCK || graph->blocks.at[at].order == NO_BLOCK)
        return false;
    *loop = graph->blocks.at[at].loop;
    return true;
}

bool fw_loop_graph_again(const struct fw_loop_graph *graph, uint32_t loop, uint64_t from,
                         uint64_t to)
{
    uint32_t header = graph->loops.at[loop].block, first = block_at(graph, from);
    uint32_t last = block_at(graph, to);
    bool *seen, found = first == last && from < to;
    struct numbers work = { 0 };

    if (found)
        return false;
    seen = fw_xcalloc(graph->blocks.len, sizeof *seen);
    seen[header] = true;
    fw_vec_push(&work, first);
    while (work.len && !found) {
        const struct block *block = &graph->blocks.at[fw_vec_pop(&work)];

        for (size_t i = 0; i < block->to.len; i++) {
            uint32_t next = block->to.at[i];

            if (seen[next])
                continue;
            found |= next == last;
            seen[next] = true;
            fw_vec_push(&work, next);
        }
    }
    free(seen);
    fw_vec_release(&work);
    return !found;
}
