/*
 * harmless.h - functions that neither synchronise nor wait, and call nobody back; and those that
 * never return.
 */
#ifndef FW_SECTIONS_HARMLESS_H
#define FW_SECTIONS_HARMLESS_H

#include <stdbool.h>

bool fw_callee_is_harmless(const char *name);
bool fw_callee_never_returns(const char *name);

#endif
