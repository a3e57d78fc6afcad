/*
 * naive.h - happens-before, causally-precedes and must-before by their
 * definitions: bit matrices and fixpoints, for small traces.
 *
 * Test code that the streaming analyses are compared with.  It uses the index
 * for who answers whom (which is checked on its own) and nothing else.
 */
#ifndef FW_TESTS_NAIVE_H
#define FW_TESTS_NAIVE_H

#include "trace/index.h"

/* before[i * count + j]: event i is before event j.  Irreflexive. */
struct fw_naive {
    uint32_t count;
    bool *hard; /* direct edges that are both happens-before and CP */
    bool *hb;   /* happens-before */
    bool *cp;
};

struct fw_naive *fw_naive_create(const struct fw_index *index);
void fw_naive_destroy(struct fw_naive *naive);

/* Program order and all synchronisation but that of locks, closed: before[i * count + j].  Without
 * atomics: their synchronisation does not count either.  The caller frees it. */
bool *fw_naive_lockless(const struct fw_index *index, bool atomics);

/* Clashing accesses: same variable, different threads, one writes, not both atomic. */
bool fw_naive_clash(const struct fw_trace *trace, uint32_t a, uint32_t b);

#endif
