/* inlined.c - see inlined.h. */
#include "sections/inlined.h"

#include "symbol/code_files.h"
#include "symbol/source_text.h"
#include "symbol/symbolizer.h"

#include <stdlib.h>
#include <string.h>

#define FRAMES 64u

struct edge {
    uint32_t from, to; /* blocks */
    bool back;
};

struct block {
    uint64_t start, last; /* its first instruction, and its last one or a later one of it */
    uint32_t edges;       /* the first one from it */
    bool inside;          /* all of it is the inlined function's */
};

/* Of one function.  Behind its blocks there is one more, for exceptions: it is reached from all
 * others, and leads to where they land. */
struct graph {
    FW_VEC(struct block) blocks;
    FW_VEC(struct edge) edges; /* by `from` */
    FW_VEC(uint32_t) work;
    uint8_t *seen; /* of each block: bit 0, and bit 1 if another call was begun on the way */
};

struct fw_inlined_code {
    struct fw_code_files files;
    struct fw_code_file *file; /* NULL: it cannot be read */
    struct fw_symbolizer *symbolizer;
    uint32_t module;
};

struct fw_inlined_code *fw_inlined_open(const char *path)
{
    struct fw_inlined_code *code = fw_xcalloc(1, sizeof *code);

    fw_code_files_open(&code->files);
    code->file = fw_code_files_find(&code->files, path);
    code->symbolizer = fw_symbolizer_create();
    code->module = fw_symbolizer_module(code->symbolizer, path, NULL, 0);
    return code;
}

void fw_inlined_close(struct fw_inlined_code *code)
{
    if (!code)
        return;
    fw_symbolizer_destroy(code->symbolizer);
    fw_code_files_close(&code->files);
    free(code);
}

/* --- the graph ------------------------------------------------------------------------------- */

static int by_start(const void *a, const void *b)
{
    const struct block *x = a, *y = b;

    return x->start < y->start ? -1 : x->start > y->start;
}

static int by_from(const void *a, const void *b)
{
    const struct edge *x = a, *y = b;

    return x->from < y->from ? -1 : x->from > y->from;
}

/* The block that has this address, if it is in any. */
static uint32_t block_at(const struct graph *graph, uint64_t address)
{
    uint32_t low = 0, high = (uint32_t)graph->blocks.len - 1;

    while (low + 1 < high) {
        uint32_t middle = low + (high - low) / 2;

        if (graph->blocks.at[middle].start <= address)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Exceptions last: no code is there. */
static void make_blocks(struct graph *graph, const struct fw_flow_edges *edges, uint64_t start)
{
    size_t kept = 0;

    fw_vec_push(&graph->blocks, ((struct block) { .start = start, .last = start }));
    fw_vec_push(&graph->blocks, ((struct block) { .start = UINT64_MAX, .last = UINT64_MAX }));
    for (size_t i = 0; i < edges->len; i++)
        fw_vec_push(&graph->blocks,
                    ((struct block) { .start = edges->at[i].to, .last = edges->at[i].to }));
    qsort(graph->blocks.at, graph->blocks.len, sizeof *graph->blocks.at, by_start);
    for (size_t i = 0; i < graph->blocks.len; i++)
        if (!i || graph->blocks.at[i].start != graph->blocks.at[kept - 1].start)
            graph->blocks.at[kept++] = graph->blocks.at[i];
    graph->blocks.len = kept;
}

static void add_edge(struct graph *graph, uint64_t from, uint64_t to)
{
    struct block *block = &graph->blocks.at[block_at(graph, from)];

    if (from > block->last)
        block->last = from;
    fw_vec_push(&graph->edges, ((struct edge) { block_at(graph, from), block_at(graph, to),
                                                to <= from }));
}

static void make_edges(struct graph *graph, const struct fw_flow_edges *edges, uint64_t start)
{
    uint32_t thrown = (uint32_t)graph->blocks.len - 1, at = 0;

    for (size_t i = 0; i < edges->len; i++)
        if (edges->at[i].from)
            add_edge(graph, edges->at[i].from, edges->at[i].to);
        else if (edges->at[i].to != start)
            fw_vec_push(&graph->edges,
                        ((struct edge) { thrown, block_at(graph, edges->at[i].to), true }));
    for (uint32_t i = 0; i < thrown; i++)
        fw_vec_push(&graph->edges, ((struct edge) { i, thrown, false }));
    qsort(graph->edges.at, graph->edges.len, sizeof *graph->edges.at, by_from);
    for (uint32_t i = 0; i < graph->blocks.len; i++) {
        while (at < graph->edges.len && graph->edges.at[at].from < i)
            at++;
        graph->blocks.at[i].edges = at;
    }
}

static void graph_release(struct graph *graph)
{
    fw_vec_release(&graph->blocks);
    fw_vec_release(&graph->edges);
    fw_vec_release(&graph->work);
    free(graph->seen);
}

/* False: it is not known. */
static bool graph_make(struct graph *graph, const struct fw_inlined_code *code,
                       const struct fw_elf_symbol *function)
{
    struct fw_ranges ranges = { 0 };
    struct fw_calls calls = { 0 };
    struct fw_flow_edges edges = { 0 };
    bool known;

    *graph = (struct graph) { 0 };
    fw_code_file_ranges(code->file, function, &ranges);
    known = fw_flow_graph(code->files.handle, code->file->elf, &ranges, &calls, &edges);
    if (known) {
        make_blocks(graph, &edges, function->start);
        make_edges(graph, &edges, function->start);
        graph->seen = fw_xcalloc(graph->blocks.len, sizeof *graph->seen);
    }
    fw_vec_release(&ranges);
    fw_vec_release(&calls);
    fw_vec_release(&edges);
    return known;
}

/* --- what is inlined ------------------------------------------------------------------------- */

static bool is_in(struct fw_inlined_code *code, uint64_t address, uint64_t copy)
{
    struct fw_source_frame frames[FRAMES];
    size_t count =
        fw_symbolizer_frames(code->symbolizer, code->module, address, frames, FRAMES);

    for (size_t i = 0; i < count; i++)
        if (frames[i].copy == copy)
            return true;
    return false;
}

/* Also bytes in the middle of an instruction are where that is. */
static void mark_inside(struct fw_inlined_code *code, struct graph *graph, uint64_t entry)
{
    struct fw_source_frame frames[FRAMES];
    const struct fw_source_frame *own = fw_source_own_frame(
        frames, fw_symbolizer_frames(code->symbolizer, code->module, entry - 1, frames, FRAMES));
    uint64_t copy = own ? own->copy : 0;

    for (size_t i = 0; copy && i + 1 < graph->blocks.len; i++) {
        struct block *block = &graph->blocks.at[i];

        block->inside = true;
        for (uint64_t at = block->start; at <= block->last && block->inside; at++)
            block->inside = is_in(code, at, copy);
    }
}

/* --- ways ------------------------------------------------------------------------------------ */

static bool is_edge_of(const struct graph *graph, size_t i, uint32_t block)
{
    return i < graph->edges.len && graph->edges.at[i].from == block;
}

/* Does a way lead there, within the inlined code alone if that is wanted? */
static bool leads(struct graph *graph, uint32_t from, uint32_t to, bool inside)
{
    const struct block *blocks = graph->blocks.at;

    if (inside && (!blocks[from].inside || !blocks[to].inside))
        return false;
    memset(graph->seen, 0, graph->blocks.len);
    fw_vec_clear(&graph->work);
    fw_vec_push(&graph->work, from);
    while (graph->work.len) {
        uint32_t at = graph->work.at[--graph->work.len];

        if (at == to)
            return true;
        for (size_t i = blocks[at].edges; is_edge_of(graph, i, at); i++) {
            uint32_t next = graph->edges.at[i].to;

            if (graph->seen[next] || (inside && !blocks[next].inside))
                continue;
            graph->seen[next] = 1;
            fw_vec_push(&graph->work, next);
        }
    }
    return false;
}

/* Of the ways back, those stay that may begin another call. */
static void keep_ways_back(struct graph *graph)
{
    for (size_t i = 0; i < graph->edges.len; i++) {
        struct edge *edge = &graph->edges.at[i];

        edge->back = edge->back && leads(graph, edge->to, edge->from, false) &&
                     !leads(graph, edge->to, edge->from, true);
    }
}

struct search {
    struct graph *graph;
    uint64_t entry;
    const uint64_t *ends;
    size_t count;
    enum fw_inlined found;
};

/* The first of the hooks that lies in the block behind this address; 0: there is none. */
static uint64_t first_hook(const struct search *search, uint32_t block, uint64_t behind)
{
    uint64_t first = 0;

    for (size_t i = 0; i <= search->count; i++) {
        uint64_t hook = i < search->count ? search->ends[i] : search->entry;

        if (hook > behind && (!first || hook < first) &&
            block_at(search->graph, hook - 1) == block)
            first = hook;
    }
    return first;
}

static bool is_end(const struct search *search, uint64_t hook)
{
    for (size_t i = 0; i < search->count; i++)
        if (search->ends[i] == hook)
            return true;
    return false;
}

/* Comes to the block, or goes on behind this address of it. */
static void go_through(struct search *search, uint32_t at, uint64_t behind, bool another)
{
    struct graph *graph = search->graph;
    uint64_t hook = first_hook(search, at, behind);

    if (hook) {
        if (another && is_end(search, hook))
            search->found = FW_INLINED_MIXED;
        else if (another && search->found == FW_INLINED_APART)
            search->found = FW_INLINED_ANEW;
        return;
    }
    for (size_t i = graph->blocks.at[at].edges; is_edge_of(graph, i, at); i++) {
        const struct edge *edge = &graph->edges.at[i];
        unsigned bit = another || edge->back ? 2 : 1;

        if (graph->seen[edge->to] & bit)
            continue;
        graph->seen[edge->to] |= (uint8_t)bit;
        fw_vec_push(&graph->work, edge->to << 1 | (bit == 2));
    }
}

static void seek(struct search *search)
{
    struct graph *graph = search->graph;

    memset(graph->seen, 0, graph->blocks.len);
    fw_vec_clear(&graph->work);
    go_through(search, block_at(graph, search->entry - 1), search->entry, false);
    while (graph->work.len && search->found != FW_INLINED_MIXED) {
        uint32_t next = graph->work.at[--graph->work.len];

        go_through(search, next >> 1, 0, next & 1);
    }
}

enum fw_inlined fw_inlined_calls(struct fw_inlined_code *code, uint64_t entry, const uint64_t *ends,
                                 size_t count)
{
    const struct fw_elf_symbol *function =
        code->file && code->file->elf ? fw_elf_function_at(code->file->elf, entry - 1) : NULL;
    struct search search = { .entry = entry, .ends = ends, .count = count };
    struct graph graph;

    if (!function || !graph_make(&graph, code, function))
        return FW_INLINED_MIXED;
    search.graph = &graph;
    mark_inside(code, &graph, entry);
    keep_ways_back(&graph);
    seek(&search);
    graph_release(&graph);
    return search.found;
}
