/*
 * profiling.h - records a program some times, and tells which iRoots other runs could expose.
 *
 * Each recorded run shows iRoots of its own and lets others be foreseen: guessed (iroot/profile.h)
 * and proved or refuted (predict/iroot.h).  Every guess is answered for the recording that it comes
 * from: with a witness, as infeasible, or as undecided.  Runs are made until none of the last few
 * has brought an iRoot that the memo database did not know as predicted.  All of it goes into the
 * database; what has a witness is given to the hunt.  What other runs have exposed meanwhile is not
 * asked for, so that profiles which come late cost less.
 *
 * Traces whose witnesses the hunt has are kept in memory as long as the profiling lives.  Not
 * thread-safe.
 */
#ifndef FW_EXPLORE_PROFILING_H
#define FW_EXPLORE_PROFILING_H

#include "explore/hunt.h"
#include "iroot/observe.h"

#define FW_PROFILING_QUIET 3u

/* Why an iRoot that was foreseen is undecided. */
enum fw_profiling_why {
    FW_WHY_SPENT,   /* questions took too much, or there were too many of them */
    FW_WHY_REPEATS, /* the recording lacks accesses that repeat one */
    FW_WHY_CUT,     /* not all of the recording was looked at: it was too long, or the time over */
    FW_WHYS,
};

struct fw_profiling_state {
    uint64_t runs, failing;
    uint64_t made;   /* recordings: a run may be recorded once more, otherwise */
    uint64_t events; /* of the latest run */
    uint64_t guessed[FW_IDIOMS + 1]; /* by idiom; [0] is the sum */
    uint64_t proved[FW_IDIOMS + 1], refuted[FW_IDIOMS + 1], undecided[FW_IDIOMS + 1];
    uint64_t why[FW_WHYS]; /* of those that are undecided */
    uint64_t ruled_out; /* guesses that are infeasible without a question: tried, but last */
    uint64_t hurried; /* accesses of sections that were too long: more is guessed */
    bool cut; /* runs were too long, or there was no time for all of it */
    double seconds;
};

/* All that is pointed at is borrowed. */
struct fw_profiling_setup {
    const struct fw_session_setup *session; /* program, runtime, limits, who goes along */
    const char *folder;                     /* of traces, which are removed in the end */
    uint64_t seed;
    uint64_t most;   /* recordings that may be made in all; 0: none is left */
    bool until_first; /* a run that fails ends it */
    uint32_t quiet;  /* runs without anything new that end it; 0: FW_PROFILING_QUIET */
    uint32_t idioms; /* bit i: idiom i; 0: all */
    uint32_t window; /* 0: FW_IROOT_WINDOW */
    uint32_t jobs;
    bool guess, prove;
    bool unjudged; /* it takes more than the program's end and its driver to say what is right */
    double until; /* by fw_session_now: the end of all; a profile has half of what is left, at
                     most.  0: any time */
    struct fw_memo *memo; /* entered */
    struct fw_coverage *coverage;
    struct fw_hunt *hunt;
    void *context;
    void (*progress)(void *context, const struct fw_profiling_state *state); /* after each run */
};

struct fw_profiling;

/* NULL: err.  Destroy it after the hunt. */
struct fw_profiling *fw_profiling_create(const struct fw_profiling_setup *setup,
                                         struct fw_error *err);
/* Makes one more, unless it is over.  -1: err. */
int fw_profiling_step(struct fw_profiling *profiling, struct fw_error *err);
/* The last few have brought nothing new, or there is no time, or no run left. */
bool fw_profiling_is_over(const struct fw_profiling *profiling);
const struct fw_profiling_state *fw_profiling_state(const struct fw_profiling *profiling);
void fw_profiling_destroy(struct fw_profiling *profiling);

#endif
