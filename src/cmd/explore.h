/*
 * explore.h - what a campaign has found, as text and as JSON.
 */
#ifndef FW_CMD_EXPLORE_H
#define FW_CMD_EXPLORE_H

#include "base/output.h"
#include "cmd/hunted.h"
#include "explore/campaign.h"

struct fw_explored {
    const struct fw_campaign_setup *setup;
    const struct fw_campaign_state *state;
    const char *strategy; /* its name */
    const struct fw_hunted *hunted;
};

void fw_explored_text(const struct fw_explored *explored, struct fw_output *out);
void fw_explored_json(const struct fw_explored *explored, struct fw_output *out);

/* "strategy=pct seed=1 runs=64 failing=2 ..." */
void fw_explored_line(const struct fw_explored *explored, struct fw_output *out);

#endif
