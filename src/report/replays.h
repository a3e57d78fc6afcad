/*
 * replays.h - what became of findings when the program was made to run their witnesses.
 */
#ifndef FW_REPORT_REPLAYS_H
#define FW_REPORT_REPLAYS_H

#include "analysis/engine.h"
#include "explore/confirm.h"

struct fw_replay {
    const struct fw_finding *finding;
    bool tried;
    char why[256]; /* if it was not */
    struct fw_confirmation confirmation;
    char *schedule; /* file, or NULL; owned */
};

struct fw_replays {
    FW_VEC(struct fw_replay) list;
    bool end_differs, output_differs; /* among runs that nothing disturbs (fw_baseline) */
    const char *input; /* what replays lacked that the recorded run had, or NULL */
};

void fw_replays_release(struct fw_replays *replays);

/* NULL: nothing is known of it (also if replays is NULL). */
const struct fw_replay *fw_replays_find(const struct fw_replays *replays,
                                        const struct fw_finding *finding);

/* "confirmed", "not-reproduced"; NULL: it was not tried. */
const char *fw_replay_status(const struct fw_replay *replay);

struct fw_ranked {
    const struct fw_analysis *analysis;
    const struct fw_finding *finding;
};
FW_VEC_TYPE(fw_ranking, struct fw_ranked);

/* All findings of all analyses: harmful ones first, then confirmed ones, then the rest; otherwise
 * in the order of the analyses. */
void fw_replays_rank(const struct fw_replays *replays, const struct fw_engine *engine,
                     struct fw_ranking *ranking);

#endif
