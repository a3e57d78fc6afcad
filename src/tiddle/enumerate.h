/*
 * enumerate.h - all traces that are equivalent to a trace.
 *
 * Source: Sadowski, Dynamic Prediction of Concurrency Errors, section 24.6: an
 * event is added when all that must come before it (depend.h) have been.
 */
#ifndef FW_TIDDLE_ENUMERATE_H
#define FW_TIDDLE_ENUMERATE_H

#include "base/error.h"
#include "base/output.h"
#include "tiddle/depend.h"

/*
 * Visits the orders one by one, the trace's own first, in lexicographic order of positions.  An
 * order is borrowed until visit returns; if it returns false, that is all.
 */
void fw_enumerate(const struct fw_index *index, const struct fw_depend *depend,
                  bool (*visit)(void *data, const uint32_t *order), void *data);

/*
 * How many orders there are.  -1 if that is not known: more than 128 bits can hold, or too many
 * states on the way.
 */
int fw_count_orders(const struct fw_index *index, const struct fw_depend *depend,
                    unsigned __int128 *count);

/*
 * Writes one order as Tiddle.  Indices in rf are those of the new trace; a read that sees another
 * write than in the trace (that happens to races that were swapped) has no value.
 */
int fw_write_order(const struct fw_index *index, const uint32_t *order, struct fw_output *out,
                   struct fw_error *err);

#endif
