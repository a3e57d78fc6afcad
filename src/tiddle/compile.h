/*
 * compile.h - a trace as a C program that executes it.
 *
 * The program is one file that needs nothing but a C11 compiler and POSIX
 * threads.  Each thread of the trace is a thread of the program, each event a
 * statement: an access of a volatile variable, a call of pthread_mutex_lock,
 * and so on.  Threads take turns, so that every run executes the events in the
 * order of the trace; values that the trace gives for reads are asserted.
 * Turn-taking lives in functions named foreweave_ignore_..., which an analysis
 * of the program must not see (docs/tiddle.md).
 *
 * Source: Sadowski, Dynamic Prediction of Concurrency Errors, part VII, which
 * generates Java and takes turns with barriers.
 */
#ifndef FW_TIDDLE_COMPILE_H
#define FW_TIDDLE_COMPILE_H

#include "base/error.h"
#include "base/output.h"
#include "trace/trace.h"

enum fw_tiddle_delay {
    FW_DELAY_NONE,
    FW_DELAY_YIELD,
    FW_DELAY_SLEEP,
};

struct fw_tiddle_options {
    bool free;                  /* no turn-taking: a small nondeterministic program */
    enum fw_tiddle_delay delay; /* before each event, if free */
    const char *source;         /* name of the trace, for comments and messages */
    const char *about;          /* lines for the comment at the beginning, or NULL */
    /*
     * Several traces in one program, executed one after another: orders of the same events, each
     * trace->count positions long.  None: the trace as it is.
     */
    const uint32_t *orders;
    uint32_t order_count;
    bool any_value; /* reads may see other values than in the trace: assert none */
};

/* Writes the program; -1 if the trace has no program (err says why). */
int fw_tiddle_compile(const struct fw_trace *trace, const struct fw_tiddle_options *options,
                      struct fw_output *out, struct fw_error *err);

#endif
