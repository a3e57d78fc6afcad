/* confirm.c - see confirm.h. */
#include "explore/confirm.h"

#include "explore/goals.h"

#include <stdio.h>
#include <string.h>

/* --- runs that nothing disturbs -------------------------------------------------------------- */

#define SECONDS 1    /* for runs that shall show whether they differ */
#define ALIKE   2u   /* runs that go otherwise alike, behind which there is no third */

static bool is_alike(const struct fw_run_result *a, const struct fw_run_result *b)
{
    return a->end == b->end && a->code == b->code;
}

static int run_undisturbed(struct fw_session *session, struct fw_baseline *baseline,
                           struct fw_error *err)
{
    struct fw_run_order order = { .strategy = FW_STRATEGY_NONE };
    struct fw_run_result *result = &baseline->results[baseline->runs];

    if (fw_session_run(session, &order, result, err) < 0)
        return -1;
    if (baseline->runs && result->end == FW_RUN_OVER)
        return 0;
    if (fw_session_head(session)->away_ns > baseline->away * 1e9)
        baseline->away = (double)fw_session_head(session)->away_ns / 1e9;
    if (!baseline->runs++)
        baseline->output = fw_session_output_hash(session);
    baseline->end_differs |= !is_alike(result, &baseline->results[0]);
    baseline->output_differs |= fw_session_output_hash(session) != baseline->output;
    return 0;
}

int fw_baseline_take(struct fw_session *session, struct fw_baseline *baseline,
                     struct fw_error *err)
{
    memset(baseline, 0, sizeof *baseline);
    if (run_undisturbed(session, baseline, err) < 0)
        return -1;
    return run_undisturbed(session, baseline, err);
}

/* More of them: does another end, or another output, mean anything? */
static void settle(struct fw_session *session, struct fw_baseline *baseline, const bool *differs)
{
    double until = fw_session_now() + SECONDS;
    struct fw_error ignored;
    unsigned before;

    do {
        before = baseline->runs;
    } while (!*differs && before < FW_BASELINE_RUNS && fw_session_now() < until &&
             run_undisturbed(session, baseline, &ignored) == 0 && baseline->runs > before);
}

bool fw_baseline_differs(struct fw_baseline *baseline, struct fw_session *session,
                         const struct fw_run_result *result, char how[96])
{
    bool alike = false, prints = fw_session_output_hash(session) != baseline->output;
    char text[64];

    how[0] = '\0';
    if (!is_alike(result, &baseline->results[0])) {
        if (result->end == FW_RUN_EXITED)
            settle(session, baseline, &baseline->end_differs);
        for (unsigned i = 0; i < baseline->runs; i++)
            alike |= is_alike(result, &baseline->results[i]);
        if (alike || (result->end == FW_RUN_EXITED && baseline->end_differs))
            return false;
        snprintf(how, 96, "%s", fw_run_text(result, text));
        return true;
    }
    if (prints)
        settle(session, baseline, &baseline->output_differs);
    if (!prints || baseline->output_differs)
        return false;
    snprintf(how, 96, "other output");
    return true;
}

/* --- was it there? --------------------------------------------------------------------------- */

static bool goals_reached(const struct fw_control_head *head, const struct fw_shown *witness)
{
    for (size_t i = 0; i < witness->event_count && i < FW_CONTROL_GOALS; i++)
        if (!head->goals[i].reached)
            return false;
    return true;
}

/* Are all events of the finding on the same memory? */
static bool same_memory(const struct fw_control_head *head, const struct fw_shown *witness)
{
    if (witness->claim == FW_CLAIM_DEADLOCK || witness->claim == FW_CLAIM_ORDER)
        return true;
    for (size_t i = 1; i < witness->event_count && i < FW_CONTROL_GOALS; i++)
        if (!fw_goals_overlap(&head->goals[0], &head->goals[i]))
            return false;
    return true;
}

static void describe(const struct fw_session *session, const struct fw_shown *witness,
                     const struct fw_run_result *result, char *text, size_t size)
{
    const struct fw_control_head *head = fw_session_head(session);

    if (head->diverged)
        snprintf(text, size, "step %u of %u: %s", head->diverged, head->step_count, head->why);
    else if (head->steps_done < head->step_count)
        snprintf(text, size, "the run %s after step %u of %u",
                 result->end == FW_RUN_TIMEOUT ? "hung" : "ended", head->steps_done,
                 head->step_count);
    else if (!goals_reached(head, witness))
        snprintf(text, size, "not every event has a place where its thread can be held");
    else if (witness->claim == FW_CLAIM_DEADLOCK)
        snprintf(text, size, "all threads came to their locks, but did not wait for each other");
    else
        snprintf(text, size, "the accesses were to different memory");
}

/* `shown`: steps up to the last goal; what goes otherwise later does not matter. */
static bool is_confirmed(const struct fw_session *session, const struct fw_shown *witness,
                         const struct fw_run_result *result, size_t shown)
{
    const struct fw_control_head *head = fw_session_head(session);

    if (head->diverged && head->diverged <= shown)
        return false;
    if (witness->claim == FW_CLAIM_DEADLOCK)
        return result->end == FW_RUN_DEADLOCK;
    return goals_reached(head, witness) && same_memory(head, witness);
}

/* --- runs ------------------------------------------------------------------------------------ */

static void judge(const struct fw_shown *witness, struct fw_baseline *baseline,
                  struct fw_session *session, const struct fw_run_result *result, size_t shown,
                  struct fw_confirmation *confirmation)
{
    char how[96];

    if (!is_confirmed(session, witness, result, shown)) {
        if (!confirmation->divergence[0])
            describe(session, witness, result, confirmation->divergence,
                     sizeof confirmation->divergence);
        return;
    }
    confirmation->confirmed++;
    if (confirmation->best < 0)
        confirmation->best = (int)confirmation->runs;
    if (!fw_baseline_differs(baseline, session, result, how))
        return;
    if (!confirmation->harmful++) {
        memcpy(confirmation->harm, how, sizeof confirmation->harm);
        confirmation->best = (int)confirmation->runs;
    }
}

static size_t count_shown(const struct fw_steps *steps)
{
    size_t count = steps->len;

    while (count && !(steps->at[count - 1].flags & FW_STEP_GOAL))
        count--;
    return count;
}

static int run_once(const struct fw_moments *moments, const struct fw_shown *witness,
                    struct fw_way way, uint32_t patience, struct fw_session *session,
                    struct fw_run_result *result, size_t *shown, struct fw_error *err)
{
    struct fw_steps steps = { 0 };
    struct fw_paths paths = { 0 };
    int status = fw_witness_steps(moments, witness, way, session, &steps, &paths, err);

    *shown = count_shown(&steps);
    if (status == 0) {
        struct fw_run_order order = { .strategy = FW_STRATEGY_STEPS,
                                      .flags = FW_CONTROL_STRICT,
                                      .patience = patience,
                                      .steps = steps.at,
                                      .step_count = (uint32_t)steps.len,
                                      .paths = paths.at,
                                      .path_count = (uint32_t)paths.len };

        status = fw_session_run(session, &order, result, err);
    }
    fw_vec_release(&steps);
    fw_vec_release(&paths);
    return status;
}

/* Counts runs in a row that diverge at the same step. */
struct alike {
    uint32_t step;
    unsigned count;
};

static bool goes_otherwise_again(struct alike *alike, const struct fw_session *session)
{
    uint32_t step = fw_session_head(session)->diverged;

    alike->count = step && step == alike->step ? alike->count + 1 : step != 0;
    alike->step = step;
    return alike->count >= ALIKE;
}

static int run_all(const struct fw_moments *moments, const struct fw_shown *witness, unsigned runs,
                   struct fw_baseline *baseline, struct fw_session *session,
                   struct fw_confirmation *confirmation, struct fw_error *err)
{
    struct alike alike = { 0 };
    bool over = false;

    for (; confirmation->runs < runs && !over; confirmation->runs++) {
        struct fw_way way = { confirmation->runs, confirmation->loosely, 0 };
        struct fw_run_result result;
        size_t shown;

        if (run_once(moments, witness, way, fw_patience_ms(baseline->away), session, &result,
                     &shown, err) < 0)
            return -1;
        if (result.end == FW_RUN_OVER)
            return confirmation->runs ? 0 : fw_error_set(err, "it was interrupted");
        over = goes_otherwise_again(&alike, session) && !confirmation->confirmed;
        judge(witness, baseline, session, &result, shown, confirmation);
    }
    return 0;
}

int fw_confirm(const struct fw_moments *moments, const struct fw_shown *witness, unsigned runs,
               struct fw_baseline *baseline, struct fw_session *session,
               struct fw_confirmation *confirmation, struct fw_error *err)
{
    struct fw_confirmation loose = { .best = -1, .loosely = true };

    *confirmation = (struct fw_confirmation) { .best = -1 };
    if (run_all(moments, witness, runs, baseline, session, confirmation, err) < 0)
        return -1;
    if (confirmation->confirmed == runs || fw_session_left(session) <= 0)
        return 0;
    if (run_all(moments, witness, runs, baseline, session, &loose, err) < 0 &&
        fw_session_left(session) > 0)
        return -1;
    if (loose.confirmed > confirmation->confirmed)
        *confirmation = loose;
    return 0;
}

int fw_confirm_script(const struct fw_moments *moments, const struct fw_shown *witness,
                      const struct fw_confirmation *confirmation, struct fw_session *session,
                      struct fw_anchors *anchors, struct fw_script *script, struct fw_error *err)
{
    struct fw_steps steps = { 0 };
    struct fw_paths paths = { 0 };
    struct fw_turns turns = { 0 };
    struct fw_run_result result;
    struct fw_way way = { (unsigned)confirmation->best, confirmation->loosely, 0 };
    int status = fw_witness_steps(moments, witness, way, session, &steps, &paths, err);

    for (size_t i = 0; i < steps.len; i++)
        fw_vec_push(&turns.steps, steps.at[i]);
    for (size_t i = 0; i < paths.len; i++)
        fw_vec_push(&turns.paths, paths.at[i]);
    if (status < 0)
        fw_script_init(script);
    else
        status = fw_turns_anchor(&turns, session, anchors, script, &result, err);
    fw_turns_release(&turns);
    fw_vec_release(&steps);
    fw_vec_release(&paths);
    return status;
}
