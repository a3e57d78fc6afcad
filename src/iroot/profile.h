/*
 * profile.h - which iRoots other runs might expose, guessed from one run.
 *
 * The profiler of Yu's dissertation "Finding and tolerating concurrency bugs", chapter IV.  A guess
 * is not proved: what it leaves out cannot be, as far as synchronisation stays as it was, and much
 * of what it names cannot be either (src/predict decides).  Definition:
 *
 * Happens-before, here, is program order and all synchronisation but that of locks.  B may follow
 * A, A ~> B, if they conflict (iroot.h; of a lock: A gives it back and B takes it), and
 *   - B does not happen before A, and
 *   - for each lock that both threads hold there, not both in shared mode, A is the last access of
 *     the object in its critical section and B the first one in its.  (An operation of a lock does
 *     not hold that lock.)
 * Idioms are those of iroot.h with ~> in place of =>; in idiom 2, too, S does not access the object
 * between A and C.  The deadlock of idiom 5: S takes y (D) while it holds x since A, T takes x (B)
 * while it holds y since C, D and B wait without a limit, conflict with C and A, neither happens
 * before the other one, and no lock is held at both, unless in shared mode.
 *
 * How it is kept small: what ~> asks of an access is its thread, object, what and where it is, the
 * locks with their first and last marks, and its clock.  Accesses equal in all but the clock are
 * one *entry*; for idiom 1 the first and the last clock of an entry decide, since the earlier A and
 * the later B are, the less is between them.  For the others the clocks of each pair of entries
 * within a window are kept.  Whether an access is the last one of a section is known when its
 * object is accessed again or all locks are given back, so entries are made late.
 *
 * Where one of the locks that are held with an object decides (guards.h), the others are left out
 * of its entries: so these are few, although the others are drawn at random.
 *
 * Where many objects are treated alike, entries that differ in the object and the locks only make
 * as many pairs as there are objects times the window.  Of those only `most` are kept, by a hash of
 * the objects; so with many objects something may be overlooked in idioms 2 to 6, and
 * fw_profiler_overlooks says whether that is so.  Where locks guard very many variables, a lock and
 * what it guards are a team, and only some teams, again by a hash, are looked at in idioms 2 to 6:
 * those of about FW_PROFILE_GUARDED variables, and four at least.  Where the same few objects are
 * met in very many ways (locks within locks), not all pairs of pairs are looked at either:
 * FW_PROFILE_LOOKS and FW_PROFILE_EACH for each pair of entries, shared out among the objects.
 *
 * Memory: entries and pairs of them, a step of the clocks for each message between threads, and
 * the accesses since a thread has held no lock (at most FW_PROFILE_LATE; if there are more, they
 * count as the last of their sections: more is guessed, and fw_profiler_hurried says how often).
 *
 * Not thread-safe.
 */
#ifndef FW_IROOT_PROFILE_H
#define FW_IROOT_PROFILE_H

#include "iroot/guards.h"
#include "iroot/iroot.h"
#include "iroot/shared.h"
#include "trace/trace.h"

#include <stdatomic.h>

#define FW_PROFILE_LATE (1u << 20)
#define FW_PROFILE_MOST 64u
#define FW_PROFILE_GUARDED 256u
#define FW_PROFILE_LOOKS (1u << 27)
#define FW_PROFILE_EACH  64u

struct fw_profile_options {
    bool simple;       /* idiom 1 only */
    bool free_atomics; /* atomic accesses and fences synchronise nobody, as in the dissertation */
    uint32_t window;   /* 0: FW_IROOT_WINDOW */
    uint32_t most;     /* pairs of entries, as said above; 0: FW_PROFILE_MOST */
    uint32_t guarded;  /* variables, as said above; 0: FW_PROFILE_GUARDED */
    uint64_t looks;    /* at pairs of these; 0: as said above */
    const struct fw_shared *shared; /* leave out other accesses; NULL: none */
    bool same_run; /* it was learnt from this very run: leave out private objects, too */
    const struct fw_guards *guards; /* of this very run; NULL: not known */
    bool lacks_repeats; /* of a trace that is not at hand as a whole (naming.h) */
    const atomic_bool *stop; /* raised: it ends soon, and has overlooked something; NULL: never */
};

struct fw_profiler;

/* All are borrowed, and outlive it.  What is guessed is added to the set by fw_profiler_finish. */
struct fw_profiler *fw_profiler_create(const struct fw_symbols *symbols,
                                       struct fw_strtab *accesses,
                                       const struct fw_profile_options *options);
void fw_profiler_destroy(struct fw_profiler *profiler);

void fw_profiler_batch(struct fw_profiler *profiler, const struct fw_batch *batch);
/*
 * The run is over.  Those that may hang on something from outside the program, which comes when it
 * likes, are added to `outside` as well, unless it is NULL: one of the threads, or one that has
 * begun it, had waited for a semaphore that nobody in the trace had posted.
 */
void fw_profiler_finish(struct fw_profiler *profiler, struct fw_iroot_set *set,
                        struct fw_iroot_set *outside);

/* Accesses that were taken for the last of their sections because there were too many. */
uint64_t fw_profiler_hurried(const struct fw_profiler *profiler);
/* Pairs of entries were given up, or not looked at.  If not, no correct reordering exposes what is
 * not guessed, but for deadlocks. */
bool fw_profiler_overlooks(const struct fw_profiler *profiler);

struct fw_profile_limits {
    uint64_t hurried;
    bool overlooks;
};

/* A whole trace, in two passes: one that learns what is shared and guarded.  `shared`, `same_run`,
 * `guards` and `lacks_repeats` of the options are not looked at. */
struct fw_profile_limits fw_profile_trace(const struct fw_trace *trace, struct fw_strtab *accesses,
                                          const struct fw_profile_options *options,
                                          struct fw_iroot_set *set, struct fw_iroot_set *outside);

#endif
