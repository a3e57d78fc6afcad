/*
 * trialrun.h - one run of a program under a runtime that needs nobody beside it, with a limit.
 */
#ifndef FW_CMD_TRIALRUN_H
#define FW_CMD_TRIALRUN_H

#include "base/error.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct fw_trialrun {
    char *const *argv;
    const char *runtime, *options; /* as in fw_launch */
    const char *output; /* what it prints goes there and it has no input; NULL: as it is */
    uint64_t limit;     /* seconds, then it is killed; 0: none */
    const atomic_int *stop; /* NULL, or: not 0, it is asked to end */
    /* Every TICK, and at the end, from this thread; NULL: nobody. */
    void (*tick)(void *context);
    /* Of the signals that come for the program; true: it was for the command. */
    bool (*takes)(int signal, void *context);
    void *context;
};

#define FW_TRIALRUN_TICK 50 /* ms */

/* *status as waitpid gives it.  -1: it cannot be run. */
int fw_trialrun(const struct fw_trialrun *run, int *status, struct fw_error *err);

#endif
