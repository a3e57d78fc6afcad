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

/* One document, whatever the number of inputs. */
struct fw_explored_document {
    struct fw_output out;
    bool inputs, json;
    size_t count; /* of campaigns that were added */
};

void fw_explored_add(struct fw_explored_document *document, const struct fw_explored *explored);

/* "strategy=pct seed=1 runs=64 failing=2 ..." */
void fw_explored_line(const struct fw_explored *explored, struct fw_output *out);

#endif
