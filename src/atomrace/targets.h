/*
 * targets.h - where noise is wanted, as the command says it: parts of files.
 *
 * FOREWEAVE_OPTIONS says targets=KDEVICE.INODE.BEGIN.END,...: K is v for memory (a variable), c
 * for code (a line), r and w for the reads and the writes of code; the file is named by its
 * numbers, BEGIN and END are offsets from where it is loaded, all in hexadecimal.  They become
 * addresses when the file is loaded: at the beginning, or by dlopen.
 */
#ifndef FW_ATOMRACE_TARGETS_H
#define FW_ATOMRACE_TARGETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* False: there are none. */
bool fw_targets_parse(const char *text, size_t length);
/* A module was loaded.  One at a time. */
void fw_targets_module(const char *path, uintptr_t base);

#endif
