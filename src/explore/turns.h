/*
 * turns.h - from a run to a schedule.
 *
 * The turns of a run become steps that repeat it in the same session: exact ones, which count the
 * points of a thread by their addresses.  A few more runs make them short: preemptions that the
 * failure does not need are left out, and what comes by itself at the end.  One last run, in which
 * the session knows the classes of all sites, says them in a way that other builds understand.
 *
 *     fw_session_run(session, &order, &result, &err);      it failed
 *     fw_turns_take(&turns, session, &err);
 *     fw_turns_shrink(&turns, session, &same, 300, &err);
 *     fw_turns_anchor(&turns, session, anchors, &schedule, &err);
 *     fw_script_set_shows(&schedule, "exit 1");
 */
#ifndef FW_EXPLORE_TURNS_H
#define FW_EXPLORE_TURNS_H

#include "explore/anchor.h"
#include "explore/schedule.h"
#include "explore/session.h"

struct fw_turns {
    FW_VEC(struct fw_control_step) steps;
    FW_VEC(struct fw_control_path) paths;
    uint32_t away; /* ms: the longest that a thread was in the kernel, or until its time came */
};

void fw_turns_release(struct fw_turns *turns);

/* The turns of the session's latest run.  Turns may hold an older run; -1: it was too long. */
int fw_turns_take(struct fw_turns *turns, const struct fw_session *session, struct fw_error *err);

/* The order that repeats them; borrows the turns. */
struct fw_run_order fw_turns_order(const struct fw_turns *turns);

/* Does it say something that nothing but the schedule decides? */
static inline bool fw_step_is_choice(const struct fw_control_step *step)
{
    return step->how == FW_STEP_SITE || step->how == FW_STEP_EXPIRES;
}

/* How many of them are choices. */
uint32_t fw_turns_preemptions(const struct fw_turns *turns);

/* Is the run that has just ended still the failure that is looked for? */
struct fw_same {
    bool (*is_same)(void *context, const struct fw_session *session,
                    const struct fw_run_result *result);
    void *context;
};

/* Makes them shorter, with at most `runs` runs.  Does nothing if they do not repeat the failure:
 * then 1 is returned; 0 if they do, -1 if the program could not be run. */
int fw_turns_shrink(struct fw_turns *turns, struct fw_session *session, const struct fw_same *same,
                    unsigned runs, struct fw_error *err);

/* As a schedule, after one run; the schedule is initialised here, also on failure.  -1: they could
 * not be repeated, or a place is not known.  The run's result is left in *result. */
int fw_turns_anchor(const struct fw_turns *turns, struct fw_session *session,
                    struct fw_anchors *anchors, struct fw_script *schedule,
                    struct fw_run_result *result, struct fw_error *err);

/* The other way: the schedule as steps of classes.  Run them with FW_CONTROL_ASK in a session whose
 * classify is fw_anchors_match. */
void fw_turns_follow(struct fw_turns *turns, const struct fw_script *schedule,
                     struct fw_anchors *anchors);

#endif
