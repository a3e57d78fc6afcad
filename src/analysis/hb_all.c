/*
 * hb_all.c - every unordered conflicting pair: keeps all accesses, with their
 * epochs, and compares each event with all earlier ones of its variable.
 * Quadratic, for tests and research.
 */
#include "analysis/hb_state.h"

void hb_all_access(struct hb *hb, const struct fw_event *event, const struct fw_place *place)
{
    const struct hb_thread *thread = hb_thread(hb, event->thread);
    struct hb_history *history;

    fw_vec_extend(&hb->histories, event->target + 1u);
    history = &hb->histories.at[event->target];
    for (size_t i = 0; i < history->len; i++) {
        const struct hb_access *earlier = &history->at[i];

        if (fw_kinds_conflict(hb_epoch_kind(earlier->epoch), event->kind) &&
            !hb_covers(&thread->clock, earlier->epoch))
            hb_report(hb, earlier, event, place);
    }
    fw_vec_extend(history, history->len + 1);
    hb_access_set(&fw_vec_last(history), thread->now | event->kind, event, place);
}

void hb_all_release(struct hb *hb)
{
    for (size_t i = 0; i < hb->histories.len; i++)
        fw_vec_release(&hb->histories.at[i]);
    fw_vec_release(&hb->histories);
}
