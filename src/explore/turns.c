/* turns.c - see turns.h: turns to steps, steps to schedules and back. */
#include "explore/turns.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

void fw_turns_release(struct fw_turns *turns)
{
    fw_vec_release(&turns->steps);
    fw_vec_release(&turns->paths);
}

struct fw_run_order fw_turns_order(const struct fw_turns *turns)
{
    return (struct fw_run_order){ .strategy = FW_STRATEGY_STEPS,
                                  .steps = turns->steps.at,
                                  .step_count = (uint32_t)turns->steps.len,
                                  .paths = turns->paths.at,
                                  .path_count = (uint32_t)turns->paths.len };
}

uint32_t fw_turns_preemptions(const struct fw_turns *turns)
{
    uint32_t count = 0;

    for (size_t i = 0; i < turns->steps.len; i++)
        count += fw_step_is_choice(&turns->steps.at[i]);
    return count;
}

/* --- taking ---------------------------------------------------------------------------------- */

/* The path of every thread; a thread's number is its path's. */
static void take_paths(struct fw_turns *turns, const struct fw_session *session)
{
    const struct fw_control_head *head = fw_session_head(session);
    const struct fw_control_thread *threads = fw_session_threads(session);

    fw_vec_clear(&turns->paths);
    for (uint32_t i = 0; i < head->thread_count; i++)
        fw_vec_push(&turns->paths, ((struct fw_control_path){ threads[i].parent,
                                                              threads[i].ordinal }));
    if (!turns->paths.len)
        fw_vec_push(&turns->paths, ((struct fw_control_path){ FW_CONTROL_NONE, 0 }));
}

/* Two turns of one thread in a row are one; but who waits twice in the kernel does so twice, and
 * that a limit passes is a step of its own. */
static void add_step(struct fw_turns *turns, struct fw_control_step step)
{
    const struct fw_control_step *last =
        turns->steps.len ? &fw_vec_last(&turns->steps) : NULL;

    if (last && last->path == step.path && last->how != FW_STEP_EXPIRES &&
        step.how != FW_STEP_EXPIRES &&
        (last->how != FW_STEP_AWAY || step.how != FW_STEP_AWAY))
        fw_vec_last(&turns->steps) = step;
    else
        fw_vec_push(&turns->steps, step);
}

static void add_expiry(struct fw_turns *turns, uint32_t thread)
{
    add_step(turns, (struct fw_control_step){ .path = thread, .how = FW_STEP_EXPIRES });
}

int fw_turns_take(struct fw_turns *turns, const struct fw_session *session, struct fw_error *err)
{
    static const enum fw_step_how hows[] = { [FW_TURN_PREEMPTED] = FW_STEP_SITE,
                                             [FW_TURN_BLOCKED] = FW_STEP_AWAY,
                                             [FW_TURN_FINISHED] = FW_STEP_END,
                                             [FW_TURN_YIELDED] = FW_STEP_AWAY };
    const struct fw_control_head *head = fw_session_head(session);
    const struct fw_control_turn *all = fw_session_turns(session);

    if (head->turns_lost || head->thread_count > head->threads_room ||
        head->thread_count > head->paths_room)
        return fw_error_set(err, "the run is too long for a schedule");
    fw_vec_clear(&turns->steps);
    take_paths(turns, session);
    for (uint32_t i = 0; i < fw_session_turn_count(session); i++) {
        const struct fw_control_turn *turn = &all[i];
        struct fw_control_step step = { .path = turn->thread, .how = (uint8_t)hows[turn->end] };

        if (step.how == FW_STEP_SITE) {
            step.site = turn->site;
            step.ordinal = turn->ordinal;
        }
        if (turn->expired)
            add_expiry(turns, turn->thread);
        add_step(turns, step);
    }
    turns->away = (uint32_t)(head->away_ns / 1000000);
    if (head->outcome <= FW_OUTCOME_ENDED && head->running_expired)
        add_expiry(turns, head->running);
    if (head->outcome <= FW_OUTCOME_ENDED) /* the last turn had no end */
        add_step(turns, (struct fw_control_step){ .path = head->running, .how = FW_STEP_AWAY });
    return 0;
}

/* --- as a schedule --------------------------------------------------------------------------- */

static char *copy(const char *text)
{
    return text ? fw_xstrdup(text) : NULL;
}

static void add_anchored(struct fw_script *schedule, const struct fw_anchor *anchor,
                         const struct fw_control_step *told)
{
    struct fw_script_step *step = &fw_vec_last(&schedule->steps);

    step->anchor = (struct fw_anchor){ .operation = copy(anchor->operation),
                                       .function = copy(anchor->function),
                                       .text = copy(anchor->text),
                                       .has_line = anchor->has_line,
                                       .line = anchor->line };
    step->ordinal = told->class_ordinal;
}

/* Are there goals, all of them before the step? */
static bool has_shown(const struct fw_turns *turns, size_t step)
{
    bool some = false;

    for (size_t i = 0; i < turns->steps.len; i++)
        if (turns->steps.at[i].flags & FW_STEP_GOAL) {
            if (i >= step)
                return false;
            some = true;
        }
    return some;
}

/* Some of the time that the program had in mind is over when it waits: the next round number, if it
 * is near. */
static uint64_t round_up(uint64_t ns)
{
    uint64_t unit = 5, next;

    while (unit * 20 <= ns)
        unit *= 10;
    next = (ns + unit - 1) / unit * unit;
    return next - ns <= ns / 10 ? next : ns;
}

static int add_steps(const struct fw_turns *turns, const struct fw_session *session,
                     const struct fw_anchors *anchors, struct fw_script *schedule,
                     struct fw_error *err)
{
    static const enum fw_script_end ends[] = { [FW_STEP_SITE] = FW_UNTIL_BEFORE,
                                                 [FW_STEP_BLOCKS] = FW_UNTIL_BEFORE,
                                                 [FW_STEP_CLASS] = FW_UNTIL_BEFORE,
                                                 [FW_STEP_PLACE] = FW_UNTIL_BEFORE,
                                                 [FW_STEP_FREE] = FW_UNTIL_BEFORE,
                                                 [FW_STEP_AWAY] = FW_UNTIL_WAITS,
                                                 [FW_STEP_END] = FW_UNTIL_ENDS,
                                                 [FW_STEP_ONE] = FW_UNTIL_NEXT,
                                                 [FW_STEP_EXPIRES] = FW_UNTIL_EXPIRES };
    const struct fw_control_step *told = fw_session_steps(session);

    for (size_t i = 0; i < turns->steps.len; i++) {
        const struct fw_control_step *step = &turns->steps.at[i];
        enum fw_script_end end = ends[step->how];
        struct fw_script_step *added;

        if (end == FW_UNTIL_BEFORE && !told[i].class_) {
            if (has_shown(turns, i))
                return 0; /* what goes otherwise later does not matter */
            return fw_error_set(err, "step %zu was not reached when it was repeated", i + 1);
        }
        added = fw_script_add(schedule, step->path, end);
        if (step->flags & FW_STEP_GOAL)
            added->goal = step->goal;
        if (end == FW_UNTIL_BEFORE || (end == FW_UNTIL_EXPIRES && told[i].class_))
            add_anchored(schedule, fw_anchors_get(anchors, told[i].class_), &told[i]);
        if (end == FW_UNTIL_EXPIRES)
            added->limit = round_up(told[i].ordinal);
    }
    return 0;
}

int fw_turns_anchor(const struct fw_turns *turns, struct fw_session *session,
                    struct fw_anchors *anchors, struct fw_script *schedule,
                    struct fw_run_result *result, struct fw_error *err)
{
    struct fw_run_order order = fw_turns_order(turns);

    fw_script_init(schedule);
    if (turns->steps.len > FW_SCRIPT_STEPS)
        return fw_error_set(err, "%zu steps are too many for a file", turns->steps.len);
    fw_session_classify(session, fw_anchors_learn, anchors);
    for (uint32_t i = 0; i < fw_session_head(session)->site_count; i++)
        fw_session_ask(session, i);
    order.flags |= FW_CONTROL_ASK;
    if (fw_session_run(session, &order, result, err) < 0)
        return -1;
    schedule->virtual_time = fw_session_head(session)->flags & FW_CONTROL_VIRTUAL;
    schedule->timeouts = fw_session_head(session)->timeouts;
    fw_vec_clear(&schedule->paths);
    for (size_t i = 0; i < turns->paths.len; i++)
        fw_vec_push(&schedule->paths, turns->paths.at[i]);
    return add_steps(turns, session, anchors, schedule, err);
}

void fw_turns_follow(struct fw_turns *turns, const struct fw_script *schedule,
                     struct fw_anchors *anchors)
{
    static const enum fw_step_how hows[] = { [FW_UNTIL_BEFORE] = FW_STEP_CLASS,
                                             [FW_UNTIL_WAITS] = FW_STEP_AWAY,
                                             [FW_UNTIL_ENDS] = FW_STEP_END,
                                             [FW_UNTIL_NEXT] = FW_STEP_ONE,
                                             [FW_UNTIL_EXPIRES] = FW_STEP_EXPIRES };

    fw_vec_clear(&turns->steps);
    fw_vec_clear(&turns->paths);
    for (size_t i = 0; i < schedule->paths.len; i++)
        fw_vec_push(&turns->paths, schedule->paths.at[i]);
    for (size_t i = 0; i < schedule->steps.len; i++) {
        const struct fw_script_step *from = &schedule->steps.at[i];
        struct fw_control_step step = { .path = from->path, .how = (uint8_t)hows[from->end] };

        if (from->end == FW_UNTIL_BEFORE) {
            step.site = fw_anchors_class(anchors, &from->anchor);
            step.ordinal = from->ordinal;
        }
        if (from->goal != FW_NO_GOAL) {
            step.flags |= FW_STEP_GOAL;
            step.goal = from->goal;
        }
        fw_vec_push(&turns->steps, step);
    }
}
