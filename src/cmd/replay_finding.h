/*
 * replay_finding.h - a finding of a result as a schedule: foreweave replay RESULT.json ID.
 *
 * The program that was recorded is made to run the finding's witness; the run that shows it becomes
 * a schedule beside the trace, ID.sched, as 'foreweave run' leaves it.  If it is there already,
 * nothing has to be run.
 */
#ifndef FW_CMD_REPLAY_FINDING_H
#define FW_CMD_REPLAY_FINDING_H

#include "explore/confirm.h"

#define FW_FINDING_TRIES 3u /* runs of the witness */

struct fw_finding_replay {
    const char *result, *id; /* as given */
    const char *trace;       /* NULL: the one that the result names */
    const char *runtime;
    double limit; /* seconds of a run */
    const atomic_int *stop; /* set: no run goes on; NULL: never */
    bool virtual_time;
    int input; /* as in fw_session_setup */

    /* What has come of it. */
    char *schedule;      /* path; NULL: the witness could not be shown */
    char *name, *kind;   /* of the finding */
    char **argv;         /* the program that was recorded; NULL if it was not needed */
    bool newer;          /* the program is newer than the trace */
    struct fw_confirmation confirmation;
};

/* Does the file look like a result, not like a schedule? */
bool fw_is_result(const char *path);
/* 0, or -1 after printing an error.  Release it in either case. */
int fw_finding_schedule(struct fw_finding_replay *replay);
void fw_finding_release(struct fw_finding_replay *replay);

/* That the witness could not be shown, and why. */
void fw_finding_text(const struct fw_finding_replay *replay, struct fw_output *out);
void fw_finding_json(const struct fw_finding_replay *replay, struct fw_output *out);

#endif
