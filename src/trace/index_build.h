/* index_build.h - internal to index*.c: the parts that fill a struct fw_index. */
#ifndef FW_TRACE_INDEX_BUILD_H
#define FW_TRACE_INDEX_BUILD_H

#include "trace/index.h"

/* index_partner.c: partner, fork_of, join_of; needs by_thread. */
void fw_index_build_partners(struct fw_index *index);
/* index_round.c: round_of and rounds, and the partners of barouts. */
void fw_index_build_rounds(struct fw_index *index);
/* index_lockset.c: lock_set and lock_sets, and the partners of lock operations. */
void fw_index_build_lock_sets(struct fw_index *index);

/* An array of n entries, all FW_NO_EVENT. */
uint32_t *fw_index_nothing(size_t n);

#endif
