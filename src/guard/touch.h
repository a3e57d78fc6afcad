/*
 * touch.h - accesses that are no plain ones: atomic operations, and copies by functions of libc.
 *
 * They are not judged, and nothing is learnt of them; but what others have written in a region that
 * they may still go back over (region.h) must not be taken back behind them: who has seen a spin
 * lock free by an exchange has it, whatever its former owner does about its store.  So such an
 * access makes the word its writer's no more.
 *
 * A hook of a plain access comes before the access, and shows it (flight.h).  Here the thread is
 * seen before and behind the access.  In time, for a thread B that touches and one W that writes:
 *
 *     B shows the access           W notes in the cell that it writes   (1)
 *     B looks at the cell, marks   W looks at what others show          (2)
 *     B makes the access           W writes                             (3)
 *     B shows nothing              W goes back: claims the cell (undo.h), writes back, unclaims
 *
 * (1) and (2) are seq_cst.  If W's note comes before B's look, B finds it and marks the cell: the
 * claim, an exchange for an unmarked cell, fails from then on; or the claim came first, then B
 * waits in front of (3) until all is written back, and W runs again with B's access behind what it
 * has undone.  If W's note comes behind B's look, W sees what B shows, unless B's access is already
 * made: in the first case its region ends, in the second B has come before W's write.  Either way
 * no access of B comes between a write and its being taken back.
 *
 * The mark goes with the writer's next write.  If that is of the same region, the region ends,
 * since going back would take both back (fw_region_write).
 *
 * Long copies do not look at every word: they end all regions whose writes came before
 * (fw_regions_disturb).
 *
 * It costs an exchange and a look at the cell, where there are regions; after the first time that a
 * word is met behind its writer, nothing is written.
 *
 * Thread-safety: anybody, any time; also in handlers of signals.
 */
#ifndef FW_GUARD_TOUCH_H
#define FW_GUARD_TOUCH_H

#include <stddef.h>

/* As fw_touch_follow (runtime/rt.h). */
void fw_touch_around(const volatile void *to, const volatile void *from, size_t bytes);

#endif
