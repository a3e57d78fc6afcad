/*
 * observe.h - which iRoots a run exposes, while it goes by.
 *
 *     observer = fw_observer_create(set, &options);
 *     for each access of the run, in its order:
 *         fw_observer_access(observer, &observed);
 *     fw_observer_finish(observer);
 *     fw_observer_destroy(observer);
 *
 * Exactly the definitions of iroot.h.  What an access needs from the past is the latest write of
 * its object and the reads since then, and for idioms of two dependencies those between its thread
 * and another one that begin or end within a window.  So memory is bounded by the objects that are
 * there, times the threads that read them, and by the pairs of threads that meet, times the
 * window; an access costs a constant and each dependency at most two windows.
 *
 * Not thread-safe.  (A run is one sequence: who observes several threads has put them in order.)
 */
#ifndef FW_IROOT_OBSERVE_H
#define FW_IROOT_OBSERVE_H

#include "iroot/iroot.h"

struct fw_observed {
    uint32_t thread; /* dense; never used again for another one */
    uint32_t access; /* number of the static access, or FW_ACCESS_NONE */
    uint64_t object; /* locks and variables have different ones */
    bool writes;     /* of a lock: in exclusive mode */
    uint8_t does;    /* enum fw_iroot_does */
};

struct fw_observe_options {
    bool simple;     /* idiom 1 only */
    uint32_t window; /* of the others; 0: FW_IROOT_WINDOW */
    bool lacks_repeats; /* of a trace that is not at hand as a whole (naming.h) */
};

struct fw_observer;

/* What is found is added to the set, which stays the caller's. */
struct fw_observer *fw_observer_create(struct fw_iroot_set *set,
                                       const struct fw_observe_options *options);
void fw_observer_destroy(struct fw_observer *observer);

/* Re-entrant inner operations of locks are not accesses: leave them out. */
void fw_observer_access(struct fw_observer *observer, const struct fw_observed *observed);
/* For speed alone: accesses of these objects are likely to come, the second one's first; it was
 * named as the first some calls ago. */
void fw_observer_fetch(const struct fw_observer *observer, uint64_t later, uint64_t soon);
/* The thread waits for a lock: for ever, unless an access of it follows. */
void fw_observer_wait(struct fw_observer *observer, const struct fw_observed *observed);
/* No access of the object will come; or it is a new one with the same number. */
void fw_observer_forget(struct fw_observer *observer, uint64_t object);
/* No access of the thread will come. */
void fw_observer_end_thread(struct fw_observer *observer, uint32_t thread);

/* The run is over: deadlocks of those who wait.  Nothing may follow. */
void fw_observer_finish(struct fw_observer *observer);

#endif
