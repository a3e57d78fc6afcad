/*
 * naive_blocks.h - which blocks an event is in, by walking the trace.
 *
 * Test code; shares nothing with src/analysis/blocks.c.
 */
#ifndef FW_TESTS_NAIVE_BLOCKS_H
#define FW_TESTS_NAIVE_BLOCKS_H

#include "trace/index.h"

/* A block: all events of its thread from first to last, both included. */
struct fw_naive_block {
    uint32_t thread, label;
    uint32_t first, last;
    uint32_t level; /* 1: outermost */
};

struct fw_naive_blocks {
    struct fw_naive_block *at;
    uint32_t count;
};

/* Blocks between begin and end, or activations of functions; thread by thread, in order. */
struct fw_naive_blocks fw_naive_blocks(const struct fw_index *index, bool functions);
void fw_naive_blocks_release(struct fw_naive_blocks *blocks);

bool fw_naive_block_holds(const struct fw_trace *trace, const struct fw_naive_block *block,
                          uint32_t event);

#endif
