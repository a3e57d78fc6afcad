/*
 * recording.h - a campaign's program is recorded once, with what goes along with its runs.
 */
#ifndef FW_EXPLORE_RECORDING_H
#define FW_EXPLORE_RECORDING_H

#include "explore/session.h"
#include "trace/trace.h"

struct fw_recording_setup {
    const struct fw_session_setup *session;
    const char *path; /* of the trace */
    uint64_t seed;
    bool repeats;  /* also accesses that repeat one */
    double limit;  /* seconds that the program may take; 0: as long as any run */
    uint64_t most; /* events that are looked at */
};

struct fw_recording {
    struct fw_trace *trace; /* the caller's */
    double seconds;         /* that it took */
    bool failed;            /* not with exit status 0, or what drives it has failed */
    bool late;              /* it has failed since the limit was over */
    bool cut;               /* there are more events than are looked at */
};

/* -1: err; then there is no trace. */
int fw_recording_make(struct fw_recording *recording, const struct fw_recording_setup *setup,
                      struct fw_error *err);

#endif
