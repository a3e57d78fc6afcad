/*
 * blocks.h - the atomic blocks that a thread is in.
 *
 * Blocks are those between begin and end, or, if every function is to be
 * atomic, the activations of functions.  A thread's open blocks are a stack,
 * outermost first: level 1 is the outermost one.  A return closes the
 * innermost call of its function and all calls inside it; a return of a
 * function that was never called changes nothing (as in context.h).
 *
 * Which blocks hold two events of a thread?  Those that are open at the second
 * one and began before the first: the common prefix of both stacks, told from
 * the index of the first event alone (fw_blocks_common).
 *
 * A *path* is a number for a stack's names, for what outlives the blocks:
 * equal stacks of names share it, so there are as many as the program has
 * nestings of blocks.  Path 0 is outside all blocks.
 */
#ifndef FW_ANALYSIS_BLOCKS_H
#define FW_ANALYSIS_BLOCKS_H

#include "analysis/analysis.h"
#include "base/idmap.h"
#include "base/vec.h"

struct fw_block {
    uint64_t begin; /* index of its begin or call */
    uint32_t label; /* of a block, or a function */
    uint32_t site;  /* where it begins */
    uint32_t path;  /* of the stack up to here; 0: nobody asked yet */
};

FW_VEC_TYPE(fw_block_stack, struct fw_block);

void fw_blocks_enter(struct fw_block_stack *stack, const struct fw_event *event, uint64_t index);
/* For end and ret; the new depth is stack->len. */
void fw_blocks_leave(struct fw_block_stack *stack, const struct fw_event *event);

/* How many of the open blocks were open at the thread's earlier event of this index. */
static inline uint32_t fw_blocks_common(const struct fw_block_stack *stack, uint64_t index)
{
    size_t level = stack->len;

    while (level > 0 && stack->at[level - 1].begin > index)
        level--;
    return (uint32_t)level;
}

struct fw_path_step {
    uint32_t outer; /* the path of the blocks around it */
    uint32_t label, site;
    uint32_t level;
};

struct fw_block_paths {
    bool functions; /* labels are functions, not blocks */
    FW_VEC(struct fw_path_step) steps;
    struct fw_idmap ids;
};

void fw_block_paths_init(struct fw_block_paths *paths, bool functions);
void fw_block_paths_release(struct fw_block_paths *paths);

/* The path of the outermost `level` blocks of the stack. */
uint32_t fw_block_path(struct fw_block_paths *paths, struct fw_block_stack *stack, uint32_t level);

/* "block 'a'", "unnamed block", "function 'f'"; the caller frees it. */
char *fw_block_name(const struct fw_block_paths *paths, const struct fw_symbols *symbols,
                    uint32_t label);

/*
 * One line for each block of the path from level `from` inwards: "block 'a',
 * begun at f.c:3, is not atomic".  The caller frees the text.
 */
char *fw_block_blame(const struct fw_block_paths *paths, const struct fw_symbols *symbols,
                     uint32_t path, uint32_t from);

#endif
