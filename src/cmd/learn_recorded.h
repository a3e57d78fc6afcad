/*
 * learn_recorded.h - runs of `foreweave learn` that are recorded, free or under a strategy.
 *
 * Free runs are serial, and threads give way sooner or later, so that one program shows many
 * interleavings.  Under a strategy (explore/session.h) the first run is not preempted and finds out
 * which places share memory; limits of waits of up to a second pass when the strategy says so.
 *
 * Not thread-safe.
 */
#ifndef FW_CMD_LEARN_RECORDED_H
#define FW_CMD_LEARN_RECORDED_H

#include "base/error.h"
#include "cmd/inputs.h"
#include "explore/session.h"

/* All is borrowed but what is below. */
struct fw_learn_runs {
    const struct fw_inputs *inputs;
    const char *runtime;
    const char *ok;     /* judge.h */
    const char *output; /* a file for what runs print; NULL: it is shown */
    const char *trace;  /* a file for what is recorded, which is removed */
    uint64_t limit, seed;
    const atomic_int *stop; /* not 0: no more runs */
    bool directed;          /* by the strategy: */
    enum fw_control_strategy strategy;
    /* own */
    struct fw_session *session; /* NULL: no directed run was made yet */
    uint64_t length; /* points of the longest directed run */
};

/* The names of strategies, as options have them: "free" is the first. */
extern const char *const fw_learn_strategies[];
/* Sets `directed` and `strategy` by the number of a name. */
void fw_learn_runs_direct(struct fw_learn_runs *runs, int name);

/*
 * One run, by its number from 0; `teach` gets the trace of each of its processes if it has passed.
 * 0, or the exit status after printing an error, which may be that of `teach`.
 */
int fw_learn_run(struct fw_learn_runs *runs, uint64_t number,
                 int (*teach)(void *context, const char *trace), void *context, bool *passed);
void fw_learn_runs_release(struct fw_learn_runs *runs);

#endif
