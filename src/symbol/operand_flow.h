/*
 * operand_flow.h - what registers hold at each call of a function.
 *
 * A forward analysis to a fixed point.  A register's value is unknown, or one thing that is the
 * same whatever the thread has read: a number, an address relative to the stack pointer at the
 * function's entry (or to a rounded one), to the thread's block, or to what a constant slot of
 * memory holds.  At a join, values that differ become unknown: which of two constants it is
 * depends on how control came there, and not every way has an event of its own.
 *
 * Jumps through tables of read-only memory are followed (a table ends where an entry leaves the
 * function, so rather too many ways are taken than too few); any other indirect jump makes the
 * whole function unknown.  Code that no jump reaches (exceptions land there) starts with nothing
 * known.  Parts of a function that the compiler put elsewhere (NAME.cold) belong to it.
 */
#ifndef FW_SYMBOL_OPERAND_FLOW_H
#define FW_SYMBOL_OPERAND_FLOW_H

#include "symbol/operand_code.h"

/* Is this what compilers call a part of a function that they put elsewhere? */
static inline bool fw_is_outlying(const char *name)
{
    return strstr(name, ".cold") != NULL;
}

/* What is known of a call; one bit for each of the first four integer arguments. */
struct fw_call {
    uint64_t address;
    uint64_t returns;   /* to this address */
    const char *callee; /* NULL: not certain */
    bool direct;        /* always to the same function */
    uint8_t fixed;
    bool constant;      /* the first argument is always `first`, an address of the file, or what
                           the slot holds, if there is one, plus `first` */
    uint64_t slot, first;
};

FW_VEC_TYPE(fw_calls, struct fw_call);

struct fw_ranges_item {
    uint64_t start, end;
};

FW_VEC_TYPE(fw_ranges, struct fw_ranges_item);

/* A part of some function that the compiler put elsewhere, and a function it leads back into. */
struct fw_outlier {
    uint64_t function; /* its start */
    struct fw_ranges_item part;
};

FW_VEC_TYPE(fw_outliers, struct fw_outlier);

/* Appends those of the functions; one may lead into several. */
void fw_flow_outliers(csh handle, struct fw_elf *file, const struct fw_elf_symbols *functions,
                      struct fw_outliers *outliers);

/*
 * Appends the calls in the first range, by address; it is entered at its start.  The others are its
 * outlying parts.  False: nothing is known.
 */
bool fw_flow_calls(csh handle, struct fw_elf *file, const struct fw_ranges *ranges,
                   struct fw_calls *calls);
/* The same with the calls in the outlying parts. */
bool fw_flow_all_calls(csh handle, struct fw_elf *file, const struct fw_ranges *ranges,
                       struct fw_calls *calls);

/* Control may go from the last instruction of a block to the first of another one.  0: the code at
 * `to` is entered from outside: the function's entry, and what exceptions land at. */
struct fw_flow_edge {
    uint64_t from, to;
};

FW_VEC_TYPE(fw_flow_edges, struct fw_flow_edge);

/* The same with all edges between blocks appended, some of them more than once. */
bool fw_flow_graph(csh handle, struct fw_elf *file, const struct fw_ranges *ranges,
                   struct fw_calls *calls, struct fw_flow_edges *edges);

#endif
