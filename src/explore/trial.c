/* trial.c - see trial.h. */
#include "explore/trial.h"

#include "explore/keep.h"

static void read_found(struct fw_trial *trial, struct fw_session *session)
{
    uint32_t count = fw_session_head(session)->site_count;

    for (uint32_t i = 0; i < count; i++) {
        struct fw_control_site *site = fw_session_site(session, i);
        struct fw_spot place;

        if ((site->flags & (FW_SITE_FOUND | FW_SITE_SHARED | FW_SITE_TOLD)) != FW_SITE_FOUND)
            continue;
        site->flags |= FW_SITE_TOLD;
        place.module = fw_xstrdup(fw_session_module(session, site->module));
        place.operation = fw_xstrdup(site->operation);
        place.offset = site->offset;
        fw_vec_push(&trial->found, place);
    }
}

void fw_trial_read(struct fw_trial *trial, struct fw_session *session)
{
    const struct fw_control_head *head = fw_session_head(session);
    const uint64_t *pairs = fw_session_new_pairs(session);

    trial->points = head->point_count;
    trial->threads = head->thread_count;
    trial->blind = !head->has_hooks;
    trial->unseen = head->seen_lost;
    trial->away = head->strategy == FW_STRATEGY_NONE ? (double)head->away_ns / 1e9 : 0;
    trial->thin = head->flags & FW_CONTROL_THIN;
    trial->blocks = head->blocks;
    trial->astray = head->strategy == FW_STRATEGY_STEPS ? head->diverged : 0;
    trial->redundant = head->outcome == FW_OUTCOME_REDUNDANT;
    if (head->new_shared)
        read_found(trial, session);
    for (uint32_t i = 0; i < head->new_pairs; i++)
        fw_vec_push(&trial->pairs, pairs[i]);
    trial->chances = head->chances & FW_CHANCE_PROCESSES;
    if (head->flags & FW_CONTROL_DECISIONS) {
        trial->chances = head->chances;
        trial->diverged = head->diverged != 0;
        trial->partly = head->decisions_lost != 0;
        trial->returned = head->returned;
        trial->longer = head->longer;
        trial->limits = head->limits;
        trial->fair = head->fair;
        trial->clock = head->clocks;
        trial->random = head->randoms;
        trial->beyond = head->beyond;
        trial->at_once = head->at_once;
        trial->several = head->one_of_several;
        trial->decision_bytes = head->decision_bytes;
        trial->decisions = fw_xmalloc(head->decision_bytes + 1);
        memcpy(trial->decisions, fw_session_decisions(session), head->decision_bytes);
    }
}

void fw_place_release(struct fw_spot *place)
{
    free(place->module);
    free(place->operation);
}

void fw_spots_share(const struct fw_spot_vec *spots, size_t *told, struct fw_session *session)
{
    for (; *told < spots->len; ++*told) {
        const struct fw_spot *place = &spots->at[*told];
        uint32_t site =
            fw_session_add_site(session, place->module, place->offset, place->operation);

        if (site != FW_CONTROL_NONE)
            fw_session_site(session, site)->flags |= FW_SITE_SHARED;
    }
}

void fw_trial_release(struct fw_trial *trial)
{
    for (size_t i = 0; i < trial->found.len; i++)
        fw_place_release(&trial->found.at[i]);
    fw_vec_release(&trial->found);
    fw_vec_release(&trial->pairs);
    fw_vec_release(&trial->exposed);
    free(trial->failure);
    free(trial->message);
    free(trial->decisions);
    free(trial->packed);
    fw_capture_destroy(trial->capture);
    memset(trial, 0, sizeof *trial);
}
