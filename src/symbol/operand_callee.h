/*
 * operand_callee.h - which function a call goes to, and which of its arguments decide what its
 * event is about.
 */
#ifndef FW_SYMBOL_OPERAND_CALLEE_H
#define FW_SYMBOL_OPERAND_CALLEE_H

#include "symbol/operand_code.h"

#include <stdint.h>

/* A bit for each of the first four arguments; 0: the function is not known. */
uint8_t fw_callee_arguments(const char *name);

/* The name of the function that a call goes to; NULL: it is not certain. */
const char *fw_callee_name(csh handle, struct fw_elf *file, const struct fw_step *call);

#endif
