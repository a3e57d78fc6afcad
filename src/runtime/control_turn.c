/*
 * control_turn.c - who had which turn, and how it ended, is told.
 *
 * A run that hangs because its threads spin has turns without end, all alike.  As long as all turns
 * end that way and nothing is changed in them they are *quiet*: whoever repeats the run needs those
 * before them only.  So it is told where they begin, and if there is no room for them nothing is
 * lost, unless something follows.
 */
#include "runtime/control.h"
#include "runtime/futex.h"

static uint64_t changes; /* of memory when the quiet turns began */
static uint32_t spilt;   /* quiet turns that had no room */

static void tell(const struct fw_thread *t, enum fw_turn_end end)
{
    struct fw_control_turn *turns =
        (struct fw_control_turn *)((char *)fw_control + fw_control->turns_at);
    const struct fw_plan *plan = &t->plan;

    turns[fw_control->turn_count++] = (struct fw_control_turn){
        .thread = t->number,
        .end = end == FW_TURN_YIELDED && plan->spins ? FW_TURN_PREEMPTED : end,
        .site = plan->site,
        .ordinal = plan->site != FW_CONTROL_NONE ? plan->by_site[plan->site] : 0,
        .class_ordinal = plan->class_ ? plan->by_class[plan->class_] : 0,
        .points = plan->points,
        .expired = plan->expired,
        .blocks = t->hot ? t->hot->blocks : 0,
        .object = plan->object,
    };
}

static void count(const struct fw_thread *t, bool has_room)
{
    if (t->plan.spins && !t->plan.expired && changes == fw_spin_changes()) {
        spilt += !has_room;
        return;
    }
    changes = fw_spin_changes();
    fw_control->turns_lost += spilt + !has_room;
    fw_control->turns_quiet = fw_control->turn_count;
    spilt = 0;
}

bool fw_control_tell_turn(struct fw_thread *t, enum fw_turn_end end)
{
    struct fw_plan *plan = &t->plan;
    struct fw_control_thread *entry = plan->told;
    bool has_room = fw_control->turn_count < fw_control->turns_room;

    if (entry) {
        entry->state = t->state;
        entry->blocks = t->hot ? t->hot->blocks : 0;
    }
    if (t->state == FW_STATE_BLOCKED && t->woken == FW_RETRY && !plan->points)
        return false;
    if (t->state == FW_STATE_OUTSIDE ||
        (t->state == FW_STATE_BLOCKED && t->deadline != FW_NO_DEADLINE))
        plan->away_since = fw_now();
    fw_control->fair |= end == FW_TURN_YIELDED || plan->spins;
    if (has_room)
        tell(t, end);
    count(t, has_room);
    return true;
}
