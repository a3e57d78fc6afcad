/*
 * loops_graph.h - blocks, dominators and natural loops of one function; for loops.c.
 *
 * Dominators are found by going over the blocks in reverse postorder until nothing changes.
 */
#ifndef FW_SYMBOL_LOOPS_GRAPH_H
#define FW_SYMBOL_LOOPS_GRAPH_H

#include "symbol/loops.h"
#include "symbol/operand_flow.h"

struct fw_loop_graph;

struct fw_graph_loop {
    uint64_t header; /* where it begins */
    uint32_t block;  /* the same as a block */
    uint32_t parent; /* FW_NO_LOOP: none */
    uint32_t blocks; /* in it */
};

/* Of the function with these ranges, the first of which it is entered at.  NULL: not known. */
struct fw_loop_graph *fw_loop_graph_create(csh handle, struct fw_elf *file,
                                           const struct fw_ranges *ranges);
void fw_loop_graph_destroy(struct fw_loop_graph *graph);

/* Outer loops before inner ones. */
uint32_t fw_loop_graph_count(const struct fw_loop_graph *graph);
const struct fw_graph_loop *fw_loop_graph_loop(const struct fw_loop_graph *graph, uint32_t loop);

/* The innermost loop around the instruction that has this byte; false: it is never reached. */
bool fw_loop_graph_at(const struct fw_loop_graph *graph, uint64_t address, uint32_t *loop);

/* Does every way from the one instruction to the other enter the loop's header? */
bool fw_loop_graph_again(const struct fw_loop_graph *graph, uint32_t loop, uint64_t from,
                         uint64_t to);

#endif
