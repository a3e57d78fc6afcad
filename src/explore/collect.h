/*
 * collect.h - the schedules of a campaign's failures: one file for each, named after the failure.
 *
 * The collector has a session of its own, so that repeating and shortening runs leaves no trace in
 * what the campaign knows.  Not thread-safe.
 */
#ifndef FW_EXPLORE_COLLECT_H
#define FW_EXPLORE_COLLECT_H

#include "explore/campaign.h"
#include "explore/keep.h"

struct fw_collector {
    const struct fw_campaign_setup *setup;
    const char *folder; /* NULL: not known yet, or there is none */
    struct fw_session *session;
};

void fw_collector_release(struct fw_collector *collector);

/* Is there a file for this failure already, from an earlier campaign? */
bool fw_collector_has(const struct fw_collector *collector, const char *failure);
/* Sets failure->schedule or ->unkept.  -1: the program could not be run, or nothing be written. */
int fw_collector_add(struct fw_collector *collector, const struct fw_capture *capture,
                     struct fw_failure *failure, struct fw_error *err);

/* FOLDER/exit-1-5c0f.sched; the caller's. */
char *fw_collector_path(const char *folder, const char *failure);

#endif
