/*
 * minimise.h - the same witness with fewer switches between threads.
 *
 * A solver's reordering jumps from thread to thread; people and replay want
 * each thread to run as long as it can.  Two orders of the same events are
 * equivalent if they agree on everything that the rules of a correct
 * reordering look at: program order, the order of an object's operations
 * (accesses of a variable where one of the two writes; operations on a lock),
 * and who waits for whom.  Every read then sees the same write, so the taint is
 * the same too, and a witness stays a witness.
 *
 * A minimiser keeps working space for a trace; it belongs to one thread.
 */
#ifndef FW_PREDICT_MINIMISE_H
#define FW_PREDICT_MINIMISE_H

#include "trace/index.h"
#include "trace/verify.h"

struct fw_minimiser;

struct fw_minimiser *fw_minimiser_create(const struct fw_index *index);
void fw_minimiser_destroy(struct fw_minimiser *minimiser);

/*
 * An equivalent order of the same length for the witness; linear in it.  Never
 * more switches: it may be the witness's own order, as it is if that is not
 * correct.  Borrowed until the next call.
 */
const uint32_t *fw_minimise(struct fw_minimiser *minimiser, const struct fw_witness *witness);

#endif
