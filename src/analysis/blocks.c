/* blocks.c - see blocks.h. */
#include "analysis/blocks.h"

#include "base/bug.h"

void fw_blocks_enter(struct fw_block_stack *stack, const struct fw_event *event, uint64_t index)
{
    fw_vec_push(
        stack, ((struct fw_block) { .begin = index, .label = event->target, .site = event->site }));
}

void fw_blocks_leave(struct fw_block_stack *stack, const struct fw_event *event)
{
    for (size_t level = stack->len; level > 0; level--) {
        if (stack->at[level - 1].label == event->target) {
            stack->len = level - 1;
            return;
        }
    }
}

/* --- paths ------------------------------------------------------------------------------- */

void fw_block_paths_init(struct fw_block_paths *paths, bool functions)
{
    *paths = (struct fw_block_paths) { .functions = functions };
    fw_vec_push(&paths->steps, (struct fw_path_step) { 0 });
}

void fw_block_paths_release(struct fw_block_paths *paths)
{
    fw_vec_release(&paths->steps);
    fw_idmap_release(&paths->ids);
}

struct step_key {
    const struct fw_block_paths *paths;
    struct fw_path_step step;
};

static bool step_is(const void *key, uint32_t id)
{
    const struct step_key *wanted = key;
    const struct fw_path_step *step = &wanted->paths->steps.at[id];

    return step->outer == wanted->step.outer && step->label == wanted->step.label &&
           step->site == wanted->step.site;
}

static uint32_t step_hash(const struct fw_path_step *step)
{
    uint64_t x = ((uint64_t)step->outer << 32 | step->label) * 0x9e3779b97f4a7c15u;

    x = (x ^ x >> 29 ^ step->site) * 0xbf58476d1ce4e5b9u;
    return (uint32_t)(x >> 32);
}

static uint32_t intern(struct fw_block_paths *paths, uint32_t outer, const struct fw_block *block)
{
    struct step_key key = {
        paths, { outer, block->label, block->site, paths->steps.at[outer].level + 1 }
    };
    uint32_t hash = step_hash(&key.step);
    uint32_t id = fw_idmap_find(&paths->ids, hash, step_is, &key);

    if (id != FW_IDMAP_NONE)
        return id;
    id = (uint32_t)paths->steps.len;
    fw_vec_push(&paths->steps, key.step);
    fw_idmap_add(&paths->ids, hash, id);
    return id;
}

uint32_t fw_block_path(struct fw_block_paths *paths, struct fw_block_stack *stack, uint32_t level)
{
    uint32_t known = level, path;

    FW_ASSERT(level <= stack->len);
    while (known > 0 && !stack->at[known - 1].path)
        known--;
    path = known ? stack->at[known - 1].path : 0;
    for (; known < level; known++)
        path = stack->at[known].path = intern(paths, path, &stack->at[known]);
    return path;
}

/* --- texts ------------------------------------------------------------------------------- */

char *fw_block_name(const struct fw_block_paths *paths, const struct fw_symbols *symbols,
                    uint32_t label)
{
    enum fw_space space = paths->functions ? FW_SPACE_FUNCTION : FW_SPACE_BLOCK;
    const char *name = fw_symbols_name(symbols, space, label);

    if (paths->functions)
        return fw_xasprintf("function '%s'", name);
    return *name ? fw_xasprintf("block '%s'", name) : fw_xstrdup("unnamed block");
}

/* Deep recursion blames every level; people get the innermost ones. */
#define BLAME_LINES 16

char *fw_block_blame(const struct fw_block_paths *paths, const struct fw_symbols *symbols,
                     uint32_t path, uint32_t from)
{
    const char *at = paths->functions ? ", called at " : ", begun at ";
    char *lines = NULL;

    for (int n = 0; path && paths->steps.at[path].level >= from; n++) {
        const struct fw_path_step *step = &paths->steps.at[path];
        const char *site = fw_symbols_name(symbols, FW_SPACE_SITE, step->site);
        char *name = fw_block_name(paths, symbols, step->label), *longer;

        if (n < BLAME_LINES)
            longer = fw_xasprintf("%s%s%s%s is not atomic%s%s", name, *site ? at : "", site,
                                  *site ? "," : "", lines ? "\n" : "", lines ? lines : "");
        else
            longer =
                fw_xasprintf("nor are the %u around these:\n%s", step->level - from + 1, lines);
        free(name);
        free(lines);
        lines = longer;
        path = n < BLAME_LINES ? step->outer : 0;
    }
    return lines ? lines : fw_xstrdup("");
}
