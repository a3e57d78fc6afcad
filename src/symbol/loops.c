/* loops.c - see loops.h: files and functions; loops_graph.c has the loops of one function. */
#include "symbol/loops.h"

#include "base/idmap.h"
#include "symbol/code_files.h"
#include "symbol/loops_graph.h"

#include <string.h>

struct function {
    uint64_t start;
    struct fw_loop_graph *graph; /* NULL: nothing is known */
    uint32_t first;              /* number of its first loop */
};

/* What is known of a file, by its number. */
struct known {
    FW_VEC(struct function) functions; /* that were looked into */
    struct fw_idmap by_start;
};

struct loop {
    const struct fw_code_file *file;
    const struct fw_loop_graph *graph;
    uint32_t first, own; /* numbers of the function's first loop, and of this one in it */
};

/* An answer of fw_loops_again. */
struct answer {
    uint64_t from, to;
    uint32_t loop;
    bool again;
};

struct fw_loops {
    struct fw_code_files files;
    FW_VEC(struct known) known;
    FW_VEC(struct loop) all;
    FW_VEC(struct answer) answers;
    struct fw_idmap by_question;
};

struct fw_loops *fw_loops_create(void)
{
    struct fw_loops *loops = fw_xcalloc(1, sizeof *loops);

    fw_code_files_open(&loops->files);
    return loops;
}

static void forget(struct known *known)
{
    for (size_t i = 0; i < known->functions.len; i++)
        fw_loop_graph_destroy(known->functions.at[i].graph);
    fw_vec_release(&known->functions);
    fw_idmap_release(&known->by_start);
}

void fw_loops_destroy(struct fw_loops *loops)
{
    if (!loops)
        return;
    for (size_t i = 0; i < loops->known.len; i++)
        forget(&loops->known.at[i]);
    fw_vec_release(&loops->known);
    fw_vec_release(&loops->all);
    fw_vec_release(&loops->answers);
    fw_idmap_release(&loops->by_question);
    fw_code_files_close(&loops->files);
    free(loops);
}

/* --- functions ------------------------------------------------------------------------------- */

static struct fw_loop_graph *look_into(struct fw_loops *loops, const struct fw_code_file *file,
                                       const struct fw_elf_symbol *symbol)
{
    struct fw_ranges ranges = { 0 };
    struct fw_loop_graph *graph;

    fw_code_file_ranges(file, symbol, &ranges);
    graph = fw_loop_graph_create(loops->files.handle, file->elf, &ranges);
    fw_vec_release(&ranges);
    return graph;
}

struct sought {
    const struct known *known;
    uint64_t start;
};

static bool starts_there(const void *key, uint32_t id)
{
    const struct sought *sought = key;

    return sought->known->functions.at[id].start == sought->start;
}

static uint32_t hash_of(uint64_t a, uint64_t b)
{
    return (uint32_t)(((a * 0x9e3779b97f4a7c15u) ^ (b + 0x165667b19e3779f9u)) *
                          0xc2b2ae3d27d4eb4fu >>
                      32);
}

static const struct function *find_function(struct fw_loops *loops,
                                            const struct fw_code_file *file,
                                            const struct fw_elf_symbol *symbol)
{
    struct known *known = &loops->known.at[file->number];
    struct sought sought = { known, symbol->start };
    uint32_t hash = hash_of(symbol->start, 0);
    uint32_t id = fw_idmap_find(&known->by_start, hash, starts_there, &sought);
    struct function made = { .start = symbol->start, .first = (uint32_t)loops->all.len };

    if (id != FW_IDMAP_NONE)
        return &known->functions.at[id];
    made.graph = look_into(loops, file, symbol);
    for (uint32_t i = 0; made.graph && i < fw_loop_graph_count(made.graph); i++)
        fw_vec_push(&loops->all, ((struct loop) { file, made.graph, made.first, i }));
    fw_idmap_add(&known->by_start, hash, (uint32_t)known->functions.len);
    fw_vec_push(&known->functions, made);
    return &fw_vec_last(&known->functions);
}

/* An outlying part belongs to the function that it leads back into, if that is one. */
static const struct fw_elf_symbol *owner_of(const struct fw_code_file *file,
                                            const struct fw_elf_symbol *part)
{
    const struct fw_elf_symbol *owner = NULL;

    for (size_t i = 0; i < file->outliers.len; i++) {
        const struct fw_outlier *outlier = &file->outliers.at[i];
        const struct fw_elf_symbol *found;

        if (outlier->part.start != part->start)
            continue;
        found = fw_elf_function_at(file->elf, outlier->function);
        if (!found || (owner && owner != found))
            return NULL;
        owner = found;
    }
    return owner;
}

bool fw_loops_at(struct fw_loops *loops, const char *path, uint64_t returns,
                 struct fw_loop_place *place)
{
    struct fw_code_file *file = fw_code_files_find(&loops->files, path);
    const struct fw_elf_symbol *symbol;
    const struct function *function;
    uint32_t own;

    if (!file || !file->elf || !returns)
        return false;
    while (loops->known.len <= file->number)
        fw_vec_push(&loops->known, ((struct known) { 0 }));
    symbol = fw_elf_function_at(file->elf, returns - 1);
    if (symbol && fw_is_outlying(symbol->name))
        symbol = owner_of(file, symbol);
    if (!symbol)
        return false;
    function = find_function(loops, file, symbol);
    if (!function->graph || !fw_loop_graph_at(function->graph, returns - 1, &own))
        return false;
    *place = (struct fw_loop_place) { function->start, returns, FW_NO_LOOP, 0 };
    if (own != FW_NO_LOOP) {
        place->innermost = function->first + own;
        place->depth = fw_loops_depth(loops, place->innermost) + 1;
    }
    return true;
}

/* --- loops ----------------------------------------------------------------------------------- */

uint32_t fw_loops_parent(const struct fw_loops *loops, uint32_t loop)
{
    const struct loop *of = &loops->all.at[loop];
    uint32_t parent = fw_loop_graph_loop(of->graph, of->own)->parent;

    return parent == FW_NO_LOOP ? FW_NO_LOOP : of->first + parent;
}

uint64_t fw_loops_header(const struct fw_loops *loops, uint32_t loop)
{
    const struct loop *of = &loops->all.at[loop];

    return fw_loop_graph_loop(of->graph, of->own)->header;
}

uint32_t fw_loops_depth(const struct fw_loops *loops, uint32_t loop)
{
    uint32_t depth = 0;

    while ((loop = fw_loops_parent(loops, loop)) != FW_NO_LOOP)
        depth++;
    return depth;
}

const char *fw_loops_path(const struct fw_loops *loops, uint32_t loop)
{
    return loops->all.at[loop].file->path;
}

struct question {
    const struct fw_loops *loops;
    uint64_t from, to;
    uint32_t loop;
};

static bool is_answered(const void *key, uint32_t id)
{
    const struct question *question = key;
    const struct answer *answer = &question->loops->answers.at[id];

    return answer->from == question->from && answer->to == question->to &&
           answer->loop == question->loop;
}

bool fw_loops_again(struct fw_loops *loops, uint32_t loop, uint64_t from, uint64_t to)
{
    const struct loop *of = &loops->all.at[loop];
    struct question question = { loops, from, to, loop };
    uint32_t hash = hash_of(from, to ^ (uint64_t)loop << 40);
    uint32_t id = fw_idmap_find(&loops->by_question, hash, is_answered, &question);
    struct answer answer = { from, to, loop, false };

    if (id != FW_IDMAP_NONE)
        return loops->answers.at[id].again;
    answer.again = fw_loop_graph_again(of->graph, of->own, from - 1, to - 1);
    fw_idmap_add(&loops->by_question, hash, (uint32_t)loops->answers.len);
    fw_vec_push(&loops->answers, answer);
    return answer.again;
}
