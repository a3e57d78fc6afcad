/*
 * replay.h - what foreweave replay has found out, and telling it (replay_report.c).
 */
#ifndef FW_CMD_REPLAY_H
#define FW_CMD_REPLAY_H

#include "base/output.h"
#include "explore/replay.h"

struct fw_replay_report {
    const char *file; /* the schedule's */
    const struct fw_script *script;
    char *const *argv; /* of the program that was run */
    bool rebuilt;      /* it is another build than the schedule's */
    unsigned runs, shown;
    char end[64];          /* how the last run ended */
    char *divergence;      /* of the first run that went otherwise, or NULL ... */
    uint32_t diverged;     /* ... the step */
    char **moves;          /* steps that were moved, in words */
    size_t move_count;
    bool compared;         /* it was run twice */
    char *difference;      /* or NULL: both were the same */
};

void fw_replay_report_text(const struct fw_replay_report *report, struct fw_output *out);
void fw_replay_report_json(const struct fw_replay_report *report, struct fw_output *out);
void fw_replay_report_release(struct fw_replay_report *report);

/* The schedule with a mark at the current step of the run whose memory is this file (gdb's
 * foreweave-schedule). */
int fw_replay_show_step(const struct fw_script *script, const char *memory, struct fw_output *out,
                        struct fw_error *err);

#endif
