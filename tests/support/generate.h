/*
 * generate.h - random traces that are well-formed by construction.
 *
 * The generator simulates threads that take and release locks, fork, join,
 * wait, notify, meet at barriers and so on; what they do becomes the trace.
 * So every trace is one that a program could have produced, and it loads
 * without repair.  The result is STD text in its canonical spelling: writing
 * what was read from it gives the same bytes.
 *
 *     struct fw_generated g = { 0 };
 *     for (uint64_t seed = 1; seed <= 100000; seed++) {
 *         fw_generate(&g, fw_generate_profile("two"), seed);
 *         use(g.text, g.size);
 *     }
 *     fw_generated_release(&g);
 *
 * The same profile and seed give the same bytes on every machine.  A trace of
 * 40 events takes about ten microseconds; the buffer is used again.
 *
 * Profiles (fw_generate_profiles lists them):
 *     locks       accesses under nested locks, some unprotected; strict model
 *     branches    the same with branches
 *     two         two threads, a bit of everything that two can do, with and without branches
 *     forks       fork and join, up to five threads
 *     shared      read locks, try acquires that get the lock or fail
 *     waits       condition waits, notify and notifyall
 *     monitors    waits on the lock's own condition, which bears its name
 *     semaphores  post and pend, tokens that were there at the start
 *     messages    the same few accesses between post and pend, again and again
 *     barriers    barrier rounds of two or more parties
 *     atomics     loads, stores, read-modify-writes and fences with all memory orders
 *     blocks      atomic blocks and function calls
 *     windows     blocks that take a lock more than once, with all kinds of synchronisation
 *     crowds      up to 14 threads that mostly read, in blocks
 *     heap        alloc and free, names used again
 *     deadlocks   hardly anything but nested locks, some of them shared
 *     everything  all of it at once
 *     long        everything, up to 400 events and 12 threads: for formats, not for the oracle
 *     sections    critical sections, nested, few accesses; 16 to 40 events, 2 to 5 threads
 *     long-sections  the same with 40 to 120 events and shared locks: not for the oracle
 *     few-locks   as long-sections, fewer locks, accesses less guarded: not for the oracle
 *     medium      everything, 40 to 120 events, 2 to 6 threads: for the SMT oracle
 *     medium-two  the same with two threads
 *     medium-locks  the same, hardly anything but locks and accesses
 *     medium-tries  the same, with many tries that fail, which every order must explain
 *     values      few values, and reads that say what they got; up to four threads
 *     medium-values  the same, 40 to 120 events
 *     tiny        everything, up to 8 events: few enough to enumerate all reorderings
 *     nested      as tiny, nested locks only: deadlocks
 */
#ifndef FW_TESTS_GENERATE_H
#define FW_TESTS_GENERATE_H

#include "support/random.h"

#include <stddef.h>
#include <stdint.h>

/* What a simulated thread may choose to do. */
enum fw_generate_act {
    FW_GEN_READ,
    FW_GEN_WRITE,
    FW_GEN_ATOMIC_LOAD,
    FW_GEN_ATOMIC_STORE,
    FW_GEN_ATOMIC_RMW,
    FW_GEN_FENCE,
    FW_GEN_ACQUIRE,
    FW_GEN_RELEASE, /* of any mode, whatever is held */
    FW_GEN_TRY_ACQUIRE,
    FW_GEN_TRY_FAIL,
    FW_GEN_SHARED_ACQUIRE,
    FW_GEN_TRY_SHARED_ACQUIRE,
    FW_GEN_WAIT, /* rel, then wake once notified, then acq */
    FW_GEN_NOTIFY,
    FW_GEN_NOTIFY_ALL,
    FW_GEN_POST,
    FW_GEN_PEND,
    FW_GEN_BARRIER, /* barin, then barout once all parties are in */
    FW_GEN_FORK,
    FW_GEN_JOIN,
    FW_GEN_BRANCH,
    FW_GEN_BEGIN,
    FW_GEN_END,
    FW_GEN_CALL,
    FW_GEN_RETURN,
    FW_GEN_ALLOC,
    FW_GEN_FREE,
    FW_GEN_STOP, /* the thread ends here, and can be joined */
    FW_GEN_ACT_COUNT,
};

struct fw_generate_options {
    const char *name;
    uint8_t threads_min, threads_max; /* at most 16 */
    uint16_t events_min, events_max;
    uint8_t variables, locks; /* at most so many in a trace */
    uint8_t guarded_percent;  /* accesses under their variable's lock; a trace takes
                                 none, half or all of it */
    uint8_t forked_percent;   /* threads that start by a fork; the others are roots */
    uint8_t branches_percent; /* traces in the model with branches */
    uint8_t sticky_percent;   /* events after which the thread goes on */
    uint8_t site_percent, value_percent, size_percent; /* events with these */
    uint8_t answer_percent;                            /* reads, wakes and pends that say rf */
    uint8_t mixed_percent;             /* atomic operations on variables of plain accesses */
    uint8_t swarm_percent;             /* acts that a trace does without altogether */
    bool true_values;                  /* values are 0 or 1; reads have that of their write */
    bool monitors;                     /* a lock has a condition of its own, of its name */
    uint8_t weights[FW_GEN_ACT_COUNT]; /* how often each act is tried */
};

struct fw_generated {
    char *text; /* not NUL-terminated */
    size_t size, capacity;
    uint32_t events;
};

/* All profiles, ended by one without name; and one by name, NULL if there is none. */
extern const struct fw_generate_options fw_generate_profiles[];
const struct fw_generate_options *fw_generate_profile(const char *name);

/* Makes the trace of this seed; *out may hold an earlier one. */
void fw_generate(struct fw_generated *out, const struct fw_generate_options *options,
                 uint64_t seed);
void fw_generated_release(struct fw_generated *out);

#endif
