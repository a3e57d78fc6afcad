/*
 * fixed.h - accesses that are always at the same place: those of global variables, by their code.
 *
 * Right before the call of its hook the address is put into the first argument.  Where that is a
 * number (from where the file is loaded), the access is of the variable that is there, whoever
 * makes it.
 */
#ifndef FW_SECTIONS_FIXED_H
#define FW_SECTIONS_FIXED_H

#include "base/error.h"

#include <stdint.h>

struct fw_fixed;

/* The code of a file.  NULL: err. */
struct fw_fixed *fw_fixed_open(const char *path, struct fw_error *err);
void fw_fixed_close(struct fw_fixed *fixed);

/* Where the access is whose hook returns to this address; 0: here or there. */
uint64_t fw_fixed_address(struct fw_fixed *fixed, uint64_t returns);

#endif
