/*
 * hot.h - places that are passed so often that watching them would cost too much.
 *
 * Now and then a thread counts for the place where it is; one that is passed more often in a second
 * than is wanted, or a quarter as often in a sixteenth of one, is *retired* for the rest of the
 * run: its calls become nothing, where that can be done while threads run in them (not in modules
 * that may be unloaded), and return at once elsewhere.  What other places see of words that it
 * accesses is not the whole story any more, so those that have it in their sets, or are in its set,
 * are not judged from then on.
 */
#ifndef FW_GUARD_HOT_H
#define FW_GUARD_HOT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FW_HOT_PASSES 1024 /* between two times that a thread counts */

/* Of a site.  This process's own: the file may be of several, or of one that begins anew. */
struct fw_guard_heat {
    struct fw_guard_passes {
        _Atomic uint32_t time, count; /* in the time that it was last counted in */
    } second, moment;
    _Atomic bool gone;  /* it was retired */
    _Atomic bool quiet; /* it is not judged: it has to do with one that was */
};

extern struct fw_guard_heat *fw_guard_heats; /* by site; NULL: nothing is retired */
extern _Atomic bool fw_guard_any_gone;

static inline bool fw_guard_is_quiet(uint32_t site)
{
    /* relaxed: a mark, seen sooner or later */
    return fw_guard_heats && atomic_load_explicit(&fw_guard_heats[site].quiet,
                                                  memory_order_relaxed);
}

extern __thread int32_t fw_guard_passes; /* left */

/* Memory for the counters; false: there is none, and nothing is retired. */
bool fw_guard_hot_begin(void);
/* The thread has passed so many, and is at this site. */
void fw_guard_hot_count(uint32_t site);

#endif
