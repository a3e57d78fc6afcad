/* replay.c - see replay.h. */
#include "explore/replay.h"

#include "base/alloc.h"
#include "explore/failure.h"
#include "explore/goals.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int fw_replay_init(struct fw_replayer *replay, const struct fw_script *script,
                   const struct fw_session_setup *setup, struct fw_error *err)
{
    memset(replay, 0, sizeof *replay);
    replay->script = script;
    replay->anchors = fw_anchors_create();
    fw_turns_follow(&replay->turns, script, replay->anchors);
    replay->session = fw_session_create(setup, err);
    if (!replay->session) {
        fw_replay_release(replay);
        return -1;
    }
    fw_session_classify(replay->session, fw_anchors_match, replay->anchors);
    return 0;
}

void fw_replay_release(struct fw_replayer *replay)
{
    fw_session_destroy(replay->session);
    fw_anchors_destroy(replay->anchors);
    fw_turns_release(&replay->turns);
    fw_vec_release(&replay->moved);
    memset(replay, 0, sizeof *replay);
}

int fw_replay_run(struct fw_replayer *replay, uint32_t flags, struct fw_run_result *result,
                  struct fw_error *err)
{
    struct fw_run_order order = fw_turns_order(&replay->turns);

    order.flags = FW_CONTROL_ASK | flags;
    return fw_session_run(replay->session, &order, result, err);
}

/* --- what it shows --------------------------------------------------------------------------- */

/* Have all goals been reached, by the steps that say so? */
static bool has_reached_goals(const struct fw_replayer *replay)
{
    const struct fw_control_head *head = fw_session_head(replay->session);
    bool any = false;

    for (size_t i = 0; i < replay->turns.steps.len; i++) {
        const struct fw_control_step *step = &replay->turns.steps.at[i];

        if (!(step->flags & FW_STEP_GOAL))
            continue;
        any = true;
        if (!head->goals[step->goal].reached || (head->diverged && head->diverged <= i + 1))
            return false;
    }
    return any || !head->diverged;
}

/* A race: two threads are at accesses that overlap. */
static bool goals_touch(const struct fw_control_head *head)
{
    const struct fw_control_goal *a = &head->goals[0], *b = &head->goals[1];

    return a->reached && b->reached && a->thread != b->thread && fw_goals_overlap(a, b);
}

static bool begins_with_word(const char *text, const char *word)
{
    size_t len = strlen(word);

    return strncmp(text, word, len) == 0 && (!text[len] || strchr(" :(", text[len]));
}

bool fw_replay_shows_end(const struct fw_script *script)
{
    static const char *const ends[] = { "exit", "signal", "deadlock", "stuck", "hang" };

    for (size_t i = 0; script->shows && i < sizeof ends / sizeof *ends; i++)
        if (begins_with_word(script->shows, ends[i]))
            return true;
    return false;
}

/* Does the schedule's own command call the run wrong, if there is one and it came to its end? */
static bool is_judged_wrong(const struct fw_replayer *replay, const struct fw_run_result *result)
{
    struct fw_trial trial = { .result = *result };
    struct fw_error ignored;
    bool wrong;

    if (!replay->script->judge)
        return true;
    fw_failure_judge(&trial, replay->session, replay->script->judge, &ignored);
    wrong = trial.failure != NULL;
    fw_trial_release(&trial);
    return wrong;
}

static bool ends_as_shown(const struct fw_replayer *replay, const struct fw_run_result *result)
{
    const char *shows = replay->script->shows;
    int number;

    if (!shows)
        return has_reached_goals(replay);
    if (sscanf(shows, "exit %d", &number) == 1)
        return result->end == FW_RUN_EXITED && result->code == number;
    if (sscanf(shows, "signal %d", &number) == 1)
        return result->end == FW_RUN_SIGNAL && result->code == number;
    if (sscanf(shows, "driver exit %d", &number) == 1)
        return result->end == FW_RUN_DRIVER && result->code == number;
    if (begins_with_word(shows, "deadlock"))
        return result->end == FW_RUN_DEADLOCK;
    if (begins_with_word(shows, "stuck"))
        return result->end == FW_RUN_STUCK || result->end == FW_RUN_DEADLOCK;
    if (begins_with_word(shows, "hang"))
        return result->end == FW_RUN_TIMEOUT;
    if (begins_with_word(shows, "race"))
        return has_reached_goals(replay) && goals_touch(fw_session_head(replay->session));
    return has_reached_goals(replay);
}

bool fw_replay_is_shown(const struct fw_replayer *replay, const struct fw_run_result *result)
{
    return result->controlled && ends_as_shown(replay, result) && is_judged_wrong(replay, result);
}

/* --- telling --------------------------------------------------------------------------------- */

char *fw_replay_place(const struct fw_replayer *replay, uint32_t number)
{
    const struct fw_control_site *site;

    if (number >= fw_session_head(replay->session)->site_count)
        return fw_xstrdup("a place that is not known");
    site = fw_session_site(replay->session, number);
    return fw_anchors_place(replay->anchors, fw_session_module(replay->session, site->module),
                            site);
}

char *fw_replay_moved(const struct fw_replayer *replay, uint32_t number)
{
    const struct fw_control_step *step = &replay->turns.steps.at[number];
    const struct fw_anchor *anchor = fw_anchors_get(replay->anchors, step->site);

    return fw_xasprintf("step %u ends before %s%s%s%s%s%s #%" PRIu64, number + 1,
                        anchor->operation, anchor->function ? " in " : "",
                        anchor->function ? anchor->function : "", anchor->text ? " \"" : "",
                        anchor->text ? anchor->text : "", anchor->text ? "\"" : "",
                        step->ordinal);
}

char *fw_replay_divergence(const struct fw_replayer *replay, uint32_t *step)
{
    const struct fw_control_head *head = fw_session_head(replay->session);
    char *place, *text;

    if (!head->diverged)
        return NULL;
    *step = head->diverged - 1;
    if (head->diverged_site == FW_CONTROL_NONE)
        return fw_xstrdup(head->why);
    place = fw_replay_place(replay, head->diverged_site);
    text = fw_xasprintf("%s; its latest point: %s", head->why, place);
    free(place);
    return text;
}
