/*
 * repeats.h - witnesses of recordings in which repeated accesses were left out.
 *
 * A recorder leaves an access out that repeats one of the same thread, kind and bytes with no
 * synchronisation of the thread and no access by others in between.  A witness of such a trace
 * stands for one of the program if the repeats can be put back: each right behind what came before
 * it in its thread, where it sees and shows the same as the first.  That fails only if another
 * thread's conflicting access comes in between.  Such a witness *leans* on a race that it passes on
 * its way: the repeat and the other thread's access can happen at once, and what is read there may
 * change its course.  Writes that were repeated are said again at the end of their segment, since
 * they may carry what their thread has read meanwhile.
 *
 * Sufficient not to lean, and what is checked:
 *  - After a conflicting access c to what a thread has accessed in its present segment (since its
 *    last synchronisation) the thread does at most one more event of that segment, or
 *    synchronises: a repeat before that event is put back before c, and none comes after it.  (A
 *    write that is said again does not count as that one event: what it repeats may have come
 *    earlier.)
 *  - A thread that reads what another one has written in its present segment does nothing more: in
 *    the run it may have seen a repeat of that write which is still to come.  Where all reads but
 *    the last must be as in the run (nondeterminism), none reads so; nor does an armw, whose own
 *    write hangs on what it has read.
 * prop_repeats puts the repeats back and has the verifier judge the result.
 */
#ifndef FW_PREDICT_REPEATS_H
#define FW_PREDICT_REPEATS_H

#include "base/idrange.h"
#include "predict/schedule.h"
#include "trace/verify.h"

/* Does the witness pass a race that repeats which were left out would take part in? */
bool fw_witness_leans(const struct fw_schedule *witness, enum fw_claim claim,
                      const struct fw_index *index);
/*
 * These variables were written by code that is not seen, at some time before they were read.  Does
 * the witness read one of them when not all has happened that had happened in the trace, or more
 * than that?  Then it may read something else there.
 */
bool fw_witness_hangs(const struct fw_schedule *witness, const struct fw_id_ranges *variables,
                        const struct fw_index *index);

#endif
