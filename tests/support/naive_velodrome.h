/*
 * naive_velodrome.h - the graph of transactions in full, for small traces.
 *
 * A transaction is an outermost block or an event outside all blocks; an edge
 * leads to another one if an event happens before, or conflicts with, a later
 * event of it.  The trace is serialisable if there is no cycle.
 */
#ifndef FW_TESTS_NAIVE_VELODROME_H
#define FW_TESTS_NAIVE_VELODROME_H

#include "trace/index.h"

struct fw_naive_velodrome {
    uint32_t count;        /* events */
    uint32_t *transaction; /* event → its transaction, named by its first event */
    bool *edge;            /* between events: edge[i * count + j] */
    bool cyclic;
};

struct fw_naive_velodrome *fw_naive_velodrome_create(const struct fw_index *index, bool functions);
void fw_naive_velodrome_destroy(struct fw_naive_velodrome *graph);

#endif
