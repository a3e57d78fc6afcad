/*
 * loops.h - the natural loops of functions, from their machine code.
 *
 * A loop is known by its header: the block through which alone it is entered.  An edge back to the
 * header from a block that it dominates makes the loop; edges to one header make one loop.  Two
 * loops are disjoint, or one is inside the other.  A cycle with several entries (rare: jumps into
 * loops) is no loop here.
 *
 * Places are calls, by where they return to: of hooks, and of everything else a trace names.
 *
 * Iterations.  A trace does not tell of branches that matter to nobody, so how often a loop went
 * round is not in it.  What can be said of two successive places of one activation, both in a loop,
 * is this: if no way leads from the first to the second that does not enter the header, another
 * iteration has begun in between, for certain (fw_loops_again).  If there is such a way, they may
 * be of one iteration, and are taken to be.  So what is called another iteration always is one;
 * rounds without a place, and those that go on behind where the former one was left, are missed.
 *
 * For that to hold no edge may be missing.  Functions with indirect jumps that cannot be followed
 * have no loops (operand_flow.h).  Where exceptions land, control may come from any call.
 *
 * Results are kept for each function.  x86-64; nothing is known of other files.  Not thread-safe.
 */
#ifndef FW_SYMBOL_LOOPS_H
#define FW_SYMBOL_LOOPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FW_NO_LOOP UINT32_MAX

struct fw_loops;

struct fw_loops *fw_loops_create(void);
void fw_loops_destroy(struct fw_loops *loops);

/* Where a call is: good while the loops live. */
struct fw_loop_place {
    uint64_t function;  /* where it starts */
    uint64_t returns;
    uint32_t innermost; /* loop, or FW_NO_LOOP */
    uint32_t depth;     /* loops around it */
};

/* The call of the file that returns to this address; false: nothing is known of it. */
bool fw_loops_at(struct fw_loops *loops, const char *path, uint64_t returns,
                 struct fw_loop_place *place);

/* The loop around it, or FW_NO_LOOP; where its header begins; how many loops are around that. */
uint32_t fw_loops_parent(const struct fw_loops *loops, uint32_t loop);
uint64_t fw_loops_header(const struct fw_loops *loops, uint32_t loop);
uint32_t fw_loops_depth(const struct fw_loops *loops, uint32_t loop);
/* The file that it is in. */
const char *fw_loops_path(const struct fw_loops *loops, uint32_t loop);

/* Both calls are in the loop, and successive in one activation: has another iteration begun in
 * between, for certain? */
bool fw_loops_again(struct fw_loops *loops, uint32_t loop, uint64_t from, uint64_t to);

#endif
