/*
 * decorate.h - the same trace, spelled otherwise.
 *
 * Turns canonical STD text into text that means the same to a reader: with
 * comments, blank lines, CR LF, blanks, empty fields, bare thread numbers,
 * long names of memory orders, attributes in another order, req lines,
 * waits on one line, and re-entrant inner acquires and releases.  Lines that are added shift the
 * indices behind them, and rf is changed to match.  Reading the result and
 * writing it again gives the canonical text back.
 */
#ifndef FW_TESTS_DECORATE_H
#define FW_TESTS_DECORATE_H

#include "support/random.h"

#include <stddef.h>

/* The decorated text, NUL-terminated; the caller frees it. */
char *fw_decorate(const char *text, size_t size, struct fw_random *random, size_t *new_size);

#endif
