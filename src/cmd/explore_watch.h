/*
 * explore_watch.h - what is seen of a campaign while it runs, and the folder of what it keeps.
 */
#ifndef FW_CMD_EXPLORE_WATCH_H
#define FW_CMD_EXPLORE_WATCH_H

#include "base/progress.h"
#include "cmd/explore.h"

struct fw_explore_watch {
    struct fw_explored explored;
    char *folder; /* of schedules */
    struct fw_progress line;
    uint64_t next; /* runs at which the next line is due, where there is no terminal */
    bool quiet;
};

void fw_explore_watch_init(struct fw_explore_watch *watch, const struct fw_explored *explored,
                           bool quiet);
void fw_explore_watch_release(struct fw_explore_watch *watch);

/* `progress` and `place` of a campaign's setup; the context is the watch. */
void fw_explore_watch_progress(void *watch, const struct fw_campaign_state *state);
const char *fw_explore_watch_folder(void *watch);

#endif
