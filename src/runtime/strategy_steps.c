/*
 * strategy_steps.c - follows a schedule step by step, then never preempts.
 *
 * A step names a thread and where its turn ends, or that the limit of its wait passes.  While a
 * step is the current one its thread runs, and nobody else; a thread that is in the kernel or waits
 * for a time is waited for, unless only those can let it go on who are held back.  What goes
 * otherwise than the step says is told (the first time), and the next step is taken, or none any
 * more (FW_CONTROL_STRICT).
 */
#include "runtime/futex.h"
#include "runtime/sink.h"
#include "runtime/strategy.h"

#include <signal.h>
#include <string.h>

#define PATIENCE (5ull * FW_SECOND) /* for a thread in the kernel ... */
#define VAIN     100u               /* after so many times in vain nobody is waited for */
#define WAKE     (FW_SECOND / 50)   /* ... without looking at what it waits for */
#define LOOKS    10000u             /* times that a thread may give way within one step */
#define SLEEPS   200u               /* ... and sleep */

static struct fw_thread **by_path; /* threads that have been born; NULL: not yet */
static uint32_t current_step;
static uint64_t began;       /* points of the step's thread when it became current ... */
static uint64_t began_blocks; /* ... and where it was */
static uintptr_t began_pc;
static uint64_t arrivals, arrived; /* at the step's place; points of its thread at the latest */
static uint64_t waits_since; /* for a thread that is on its way; 0: for nobody */
static unsigned vain;        /* steps that have waited for one that did not come */
static uint32_t gave_way;    /* times that the step's thread wanted to, in this step */
static uint32_t slept;       /* ... and that it has slept */

static struct fw_control_step *step_at(uint32_t number)
{
    return (struct fw_control_step *)((char *)fw_control + fw_control->steps_at) + number;
}

static bool is_over(void)
{
    return current_step >= fw_control->step_count;
}

static struct fw_thread *runner(void)
{
    uint32_t path = step_at(current_step)->path;

    return path < fw_control->path_count ? by_path[path] : NULL;
}

/* What by_path says may be another thread by now, if its own has ended. */
static bool is_runner(const struct fw_thread *t)
{
    return !is_over() && t->plan.path == step_at(current_step)->path;
}

static bool has_ended(const struct fw_thread *t)
{
    return !is_runner(t) || t->state == FW_STATE_DEAD;
}

/* Is there a goal still to be reached, in this step or a later one? */
static bool has_goals(void)
{
    for (uint32_t i = fw_control->step_count; i > current_step; i--)
        if (step_at(i - 1)->flags & FW_STEP_GOAL)
            return true;
    return false;
}

static void diverge(const char *why, uint32_t site)
{
    if (fw_control->diverged || step_at(current_step)->flags & FW_STEP_MAY)
        return;
    fw_control->diverged = current_step + 1;
    fw_control->diverged_site = site;
    strncpy(fw_control->why, why, sizeof fw_control->why - 1);
    if (fw_control->flags & FW_CONTROL_STRICT && has_goals())
        current_step = fw_control->step_count - 1; /* the next one is behind the last */
}

static void start_step(void)
{
    struct fw_thread *t = is_over() ? NULL : runner();

    began = t ? t->plan.all_points : 0;
    began_blocks = t && t->hot ? t->hot->blocks : 0;
    began_pc = t ? t->plan.pc : 0;
    arrivals = arrived = 0;
    waits_since = 0;
    gave_way = 0;
    slept = 0;
    fw_control->step_now = current_step;
}

static void next_step(void)
{
    current_step++;
    start_step();
}

static void start(void)
{
    by_path = fw_map_memory((fw_control->path_count + 1) * sizeof *by_path);
}

static void born(struct fw_thread *t)
{
    if (by_path && t->plan.path < fw_control->path_count)
        by_path[t->plan.path] = t;
}

/* --- is a step reached? ---------------------------------------------------------------------- */

enum progress { NOT_YET, REACHED, MISSED };

static enum progress compare(uint64_t is, uint64_t wanted)
{
    return is < wanted ? NOT_YET : is == wanted ? REACHED : MISSED;
}

static bool is_same_place(uint32_t site, uint32_t wanted)
{
    const struct fw_control_site *a = fw_control_site(site), *b = fw_control_site(wanted);

    if (wanted >= fw_control->sites_room)
        return false; /* there was no room for it */
    return a->offset == b->offset && a->module == b->module &&
           (!b->operation[0] || strcmp(a->operation, b->operation) == 0);
}

/* How often it has come to the place since the step began.  A point may be looked at twice. */
static uint64_t count_arrivals(const struct fw_plan *plan, uint32_t site)
{
    if (is_same_place(plan->site, site) && arrived != plan->all_points) {
        arrived = plan->all_points;
        arrivals++;
    }
    return arrivals;
}

static enum progress look(const struct fw_thread *t, const struct fw_control_step *step)
{
    const struct fw_plan *plan = &t->plan;
    enum progress blocks;

    switch (step->how) {
    case FW_STEP_SITE:
        return is_same_place(plan->site, step->site)
                   ? compare(plan->by_site[plan->site], step->ordinal)
                   : NOT_YET;
    case FW_STEP_CLASS:
        return plan->class_ && plan->class_ == step->site
                   ? compare(plan->by_class[step->site], step->ordinal)
                   : NOT_YET;
    case FW_STEP_BLOCKS:
        blocks = compare(t->hot->blocks - plan->base, step->ordinal);
        return blocks == REACHED && !is_same_place(plan->site, step->site) ? NOT_YET : blocks;
    case FW_STEP_PLACE:
        return compare(count_arrivals(plan, step->site), step->ordinal);
    case FW_STEP_FREE:
        return plan->held ? NOT_YET : REACHED;
    case FW_STEP_ONE:
        return plan->all_points > began &&
                       (t->hot->blocks != began_blocks || plan->pc != began_pc)
                   ? REACHED
                   : NOT_YET;
    default:
        return NOT_YET;
    }
}

/* What a call with an effect does to memory is not known where it begins; what is freed is. */
static void note_goal(const struct fw_thread *t, const struct fw_control_step *step)
{
    struct fw_control_goal *goal = &fw_control->goals[step->goal % FW_CONTROL_GOALS];
    const struct fw_plan *plan = &t->plan;

    *goal = (struct fw_control_goal){ .reached = 1, .thread = t->number, .site = plan->site };
    if (plan->block) {
        goal->object = plan->block;
        goal->size = plan->block_bytes;
    } else if (plan->reach == FW_REACH_OBJECT) {
        goal->object = plan->object;
        goal->size = plan->size + plan->extent;
    }
}

static void call_debugger(const struct fw_thread *t, const struct fw_control_step *step)
{
    if (step->flags & FW_STEP_STOP && fw_control->flags & FW_CONTROL_STOP)
        fw_call(SYS_tgkill, fw_call(SYS_getpid, 0, 0, 0, 0), t->tid, SIGTRAP, 0);
}

/* The thread is at a point: are the next steps its, and done? */
static void at_point(struct fw_thread *t)
{
    while (is_runner(t)) {
        struct fw_control_step *step = step_at(current_step);
        enum progress progress = look(t, step);

        if (progress == NOT_YET)
            return;
        if (progress == MISSED)
            diverge("the thread has passed the place", t->plan.site);
        else if (step->flags & FW_STEP_GOAL)
            note_goal(t, step);
        if (progress == REACHED) {
            fw_control->steps_done++;
            step->class_ = t->plan.class_;
            step->class_ordinal = t->plan.class_ ? t->plan.by_class[t->plan.class_] : 0;
        }
        if (step->how == FW_STEP_SITE || step->how == FW_STEP_CLASS)
            t->plan.base = t->hot->blocks;
        call_debugger(t, step);
        next_step();
    }
}

/* Will it be back by itself? */
static bool is_coming(const struct fw_thread *t)
{
    if (t->state == FW_STATE_OUTSIDE || t->state == FW_STATE_NEW)
        return true;
    return t->state == FW_STATE_BLOCKED &&
           (t->deadline != FW_NO_DEADLINE || (t->cancelled && t->flags & FW_BLOCK_CANCEL));
}

/* By itself, for some time: a loop may do so until another thread changes something. */
static bool sleeps(const struct fw_thread *t)
{
    return t->plan.expires || t->asleep_until;
}

static void away(struct fw_thread *t, enum fw_turn_end end)
{
    enum fw_step_how how;

    if (!is_runner(t) || (end == FW_TURN_YIELDED && t->state != FW_STATE_BLOCKED))
        return; /* whether it goes on is seen when one is picked, if it does not rest */
    how = step_at(current_step)->how;
    if (how == FW_STEP_AWAY || how == FW_STEP_FREE || how == FW_STEP_ONE ||
        (how == FW_STEP_END && end == FW_TURN_FINISHED)) {
        fw_control->steps_done++;
    } else if (is_coming(t) && (!sleeps(t) || ++slept < SLEEPS)) {
        return;
    } else if (slept >= SLEEPS) {
        diverge("the thread sleeps in a loop before it came there", t->plan.site);
    } else {
        diverge(end == FW_TURN_FINISHED ? "the thread ended before it came there"
                                        : "the thread waits before it came there",
                t->plan.site);
    }
    next_step();
}

/* --- who runs -------------------------------------------------------------------------------- */

/* Is it worth waiting for a thread that is not ready? */
static bool will_come(const struct fw_thread *t)
{
    bool may_stay = t->state == FW_STATE_OUTSIDE && !t->asleep_until;
    bool strict = fw_control->flags & FW_CONTROL_STRICT; /* who has a time to come back gets it */
    uint64_t waited, patience = fw_control->patience * (uint64_t)(FW_SECOND / 1000);

    if (!is_coming(t) || (vain >= VAIN && !strict))
        return false;
    if (!waits_since)
        waits_since = fw_now();
    if (fw_control->flags & FW_CONTROL_STOP)
        return true;
    waited = fw_now() - waits_since;
    if (may_stay && waited >= WAKE && waited >= fw_awaits_us(t))
        return false; /* those who could are held up by the step */
    return waited < (patience && (may_stay || !strict) ? patience : PATIENCE);
}

/* The step's thread wants to give way: it spins.  True: it goes on all the same. */
static bool is_kept(const struct fw_thread *t)
{
    if (step_at(current_step)->how == FW_STEP_AWAY || step_at(current_step)->how == FW_STEP_FREE) {
        fw_control->steps_done++;
        next_step();
        return false;
    }
    if (++gave_way < LOOKS)
        return true;
    diverge("the thread waits in a loop before it came there", t->plan.site);
    next_step();
    return false;
}

static const char *why_not(const struct fw_thread *t)
{
    return !t                             ? "there is no such thread yet"
           : has_ended(t)                 ? "the thread has ended already"
           : t->state == FW_STATE_BLOCKED ? "the thread waits for another one"
                                          : "the thread does not come back";
}

/* It cannot go on: does the step want nothing more of it? */
static bool is_far_enough(const struct fw_thread *t)
{
    enum fw_step_how how = step_at(current_step)->how;

    if (!t)
        return false;
    if (has_ended(t))
        return how == FW_STEP_END;
    return (how == FW_STEP_ONE || how == FW_STEP_FREE) && t->state == FW_STATE_BLOCKED;
}

/* The limit of the step's thread passes, or has just passed. */
static bool lets_expire(struct fw_thread *t)
{
    struct fw_control_step *step = step_at(current_step);

    if (step->how != FW_STEP_EXPIRES || has_ended(t) ||
        !(t->state == FW_STATE_BLOCKED ? t->plan.expires
                                       : t->state == FW_STATE_READY && t->plan.expired))
        return false;
    step->ordinal = t->plan.limit;
    step->class_ = t->plan.class_;
    step->class_ordinal = t->plan.class_ ? t->plan.by_class[t->plan.class_] : 0;
    fw_control->steps_done++;
    call_debugger(t, step);
    next_step();
    return true;
}

static struct fw_thread *pick(struct fw_thread *current, struct fw_list *ready)
{
    while (!is_over()) {
        struct fw_thread *t = runner();
        uint32_t before = current_step;

        if (t && lets_expire(t))
            return t;
        if (t && !has_ended(t) && t->plan.pending &&
            (t == current || t->state == FW_STATE_READY)) {
            at_point(t); /* it may stand there already */
            if (current_step != before)
                continue;
        }
        if (t && !has_ended(t)) {
            if (t == current || t->state == FW_STATE_READY) {
                waits_since = 0; /* if it waits again in this step, that is another wait */
                return t;
            }
            if (t->state == FW_STATE_RUNNING) {
                if (is_kept(t))
                    return NULL;
                continue;
            }
            if (will_come(t))
                return NULL;
        }
        vain += waits_since != 0;
        if (is_far_enough(t))
            fw_control->steps_done++;
        else
            diverge(why_not(t), t && !has_ended(t) ? t->plan.site : FW_CONTROL_NONE);
        next_step();
    }
    return fw_control->flags & FW_CONTROL_WALK ? fw_strategy_random.pick(current, ready)
                                               : fw_strategy_none.pick(current, ready);
}

static struct fw_thread *awaited(void)
{
    bool expires = !is_over() && step_at(current_step)->how == FW_STEP_EXPIRES;

    return (waits_since || expires) && !is_over() ? runner() : NULL;
}

const struct fw_strategy fw_strategy_steps = {
    .start = start,
    .born = born,
    .at_point = at_point,
    .pick = pick,
    .awaited = awaited,
    .away = away,
};
