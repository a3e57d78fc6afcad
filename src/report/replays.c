/* replays.c - see replays.h. */
#include "report/replays.h"

#include <stdlib.h>

void fw_replays_release(struct fw_replays *replays)
{
    for (size_t i = 0; i < replays->list.len; i++)
        free(replays->list.at[i].schedule);
    fw_vec_release(&replays->list);
}

const struct fw_replay *fw_replays_find(const struct fw_replays *replays,
                                        const struct fw_finding *finding)
{
    for (size_t i = 0; replays && i < replays->list.len; i++)
        if (replays->list.at[i].finding == finding)
            return &replays->list.at[i];
    return NULL;
}

const char *fw_replay_status(const struct fw_replay *replay)
{
    if (!replay || !replay->tried)
        return NULL;
    return replay->confirmation.confirmed ? "confirmed" : "not-reproduced";
}

static unsigned rank_of(const struct fw_replay *replay)
{
    if (!replay || !replay->tried || !replay->confirmation.confirmed)
        return 2;
    return replay->confirmation.harmful ? 0 : 1;
}

void fw_replays_rank(const struct fw_replays *replays, const struct fw_engine *engine,
                     struct fw_ranking *ranking)
{
    for (unsigned rank = 0; rank < 3; rank++)
        for (size_t i = 0; i < fw_engine_count(engine); i++) {
            const struct fw_findings *findings = fw_engine_findings(engine, i);

            for (uint64_t j = 0; j < fw_findings_count(findings); j++) {
                const struct fw_finding *finding = fw_findings_get(findings, j);

                if (rank_of(fw_replays_find(replays, finding)) == rank)
                    fw_vec_push(ranking, ((struct fw_ranked) { fw_engine_analysis(engine, i),
                                                               finding }));
            }
        }
}
