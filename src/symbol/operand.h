/*
 * operand.h - does what a call works on depend on data?
 *
 * An event's object is independent of everything its thread has read if the call that reports it
 * (a hook of the instrumentation, a lock operation, ...) always gets the same address in this
 * place: a link-time constant, an address in its own stack frame, or one of thread-local memory.
 * The recorder writes no branch before such an event.  Everything else may be different in
 * another run of the same code, as may everything that is not certain here.
 *
 * How: the code of the function that holds the call is followed forwards through its control flow,
 * with what each register is known to hold (operand_flow.h); where ways join, only what agrees on
 * all of them is known.  The call must go straight to a function whose meaning is known by its name
 * (operand_callee.c tells which arguments decide).  x86-64; elsewhere nothing is certain.
 *
 * Results are kept for each function.  Not thread-safe.
 */
#ifndef FW_SYMBOL_OPERAND_H
#define FW_SYMBOL_OPERAND_H

#include <stdbool.h>
#include <stdint.h>

struct fw_operands;

struct fw_operands *fw_operands_create(void);
void fw_operands_destroy(struct fw_operands *operands);

/*
 * Is the object of the call that returns to this address (of the file, not of memory) certainly
 * independent of data?
 */
bool fw_operands_fixed(struct fw_operands *operands, const char *path, uint64_t return_offset);

/*
 * Does the call that returns to this address always call the same function?  False also if there
 * is no such call.
 */
bool fw_operands_direct(struct fw_operands *operands, const char *path, uint64_t return_offset);

/* The name of the function that it calls, as linkers know it; NULL: that is not certain. */
const char *fw_operands_callee(struct fw_operands *operands, const char *path,
                               uint64_t return_offset);

#endif
