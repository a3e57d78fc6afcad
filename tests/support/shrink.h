/*
 * shrink.h - makes a failing trace small.
 *
 * Given a trace and a predicate that says whether a trace still fails, drops
 * whole threads, runs of events, pairs of events (an acquire and its release)
 * and attributes as long as it does.  Works on STD lines: the rf attributes of
 * what stays are renumbered, or taken off where the answered event is gone.
 * The predicate must say false for a trace that does not load.
 */
#ifndef FW_TESTS_SHRINK_H
#define FW_TESTS_SHRINK_H

#include <stdbool.h>
#include <stddef.h>

typedef bool (*fw_shrink_fails)(void *context, const char *text, size_t size);

/* The smallest failing trace found, NUL-terminated; the caller frees it. */
char *fw_shrink(const char *text, size_t size, fw_shrink_fails fails, void *context,
                size_t *small_size);

#endif
