/*
 * knowledge.h - what a campaign has learnt from its trials, taken one by one in their order.
 *
 * Sets and counters; no program is run here.
 */
#ifndef FW_EXPLORE_KNOWLEDGE_H
#define FW_EXPLORE_KNOWLEDGE_H

#include "base/strtab.h"
#include "explore/campaign.h"

struct fw_knowledge {
    struct fw_campaign_state state;
    struct fw_spot_vec shared; /* in the order in which they were found */
    struct fw_strtab places;    /* the same as texts */
    struct fw_strtab failures;  /* by text; the state has them under the same number */
    struct fw_strtab messages;
    struct fw_strtab pairs; /* as their bytes */
};

void fw_knowledge_init(struct fw_knowledge *knowledge);
void fw_knowledge_release(struct fw_knowledge *knowledge);

/* Learns from the next trial; true: it has shown something new. */
bool fw_knowledge_add(struct fw_knowledge *knowledge, const struct fw_trial *trial, uint64_t seed);
/* Is a run that fails so wanted, for its schedule?  The first one is, and a few more if it cannot
 * be repeated. */
bool fw_knowledge_wants(const struct fw_knowledge *knowledge, const char *failure);
/* The one with this text, which is known. */
struct fw_failure *fw_knowledge_failure(struct fw_knowledge *knowledge, const char *failure);
/* The budgets that hang on results; true: end is set. */
bool fw_knowledge_ends(struct fw_knowledge *knowledge, const struct fw_campaign_setup *setup);

#endif
