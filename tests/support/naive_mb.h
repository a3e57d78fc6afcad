/*
 * naive_mb.h - must-before by its definition: a bit matrix and a fixpoint.
 *
 * Test code that the streaming analysis is compared with; quadratic to cubic,
 * for small traces.  It uses naive.h for the synchronisation edges and for
 * happens-before.
 */
#ifndef FW_TESTS_NAIVE_MB_H
#define FW_TESTS_NAIVE_MB_H

#include "support/naive.h"

struct fw_naive_mb {
    uint32_t count;
    bool *before;    /* before[i * count + j]: i must be before j; irreflexive */
    bool *sync;      /* direct edges of program order and of synchronisation other than locks */
    uint32_t closed; /* length of the longest prefix that holds no lock */
};

struct fw_naive_mb *fw_naive_mb_create(const struct fw_index *index, const struct fw_naive *naive);
void fw_naive_mb_destroy(struct fw_naive_mb *mb);

/*
 * Is the clashing pair a must-before race?  There is no c with a at or before
 * c by must-before, and c before b by program order or by synchronisation; and
 * b is in the prefix.
 */
bool fw_naive_mb_race(const struct fw_naive_mb *mb, uint32_t a, uint32_t b);

#endif
