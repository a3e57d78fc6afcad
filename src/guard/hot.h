/*
 * hot.h - places that are passed so often that watching them would cost too much.
 *
 * Now and then a thread counts for the place where it is; one that is passed more often in a second
 * than is wanted is *retired* for the rest of the run: its calls become nothing, where that can be
 * done while threads run in them, and return at once elsewhere.  What other places see of words
 * that it accesses is not the whole story any more, so those that have it in their sets, or are in
 * its set, are not judged from then on.
 *
 * A call becomes a jump over the rest of it by one store of two bytes, which lie in one line of the
 * cache: who comes by sees the call or the jump, never half of either.
 */
#ifndef FW_GUARD_HOT_H
#define FW_GUARD_HOT_H

#include <stdbool.h>
#include <stdint.h>

#define FW_HOT_PASSES 1024 /* between two times that a thread counts */

extern __thread int32_t fw_guard_passes; /* left */

/* Memory for the counters; false: there is none, and nothing is retired. */
bool fw_guard_hot_begin(void);
/* The thread has passed so many, and is at this site. */
void fw_guard_hot_count(uint32_t site);

#endif
