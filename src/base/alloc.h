/*
 * alloc.h - memory that is there or the program ends.
 *
 * The command line program cannot go on without memory, so these functions
 * never return NULL for a non-zero size: they print one line and exit with
 * status 125.  Sizes that come from a file must be bounded by the caller
 * before they reach this place.  Not for use inside a program under test.
 */
#ifndef FW_BASE_ALLOC_H
#define FW_BASE_ALLOC_H

#include <stddef.h>

void *fw_xmalloc(size_t size);
void *fw_xcalloc(size_t count, size_t size);
void *fw_xrealloc(void *old, size_t count, size_t size); /* count * size, overflow checked */
char *fw_xstrdup(const char *s);
char *fw_xstrndup(const char *s, size_t len);
char *fw_xasprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
