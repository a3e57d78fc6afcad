/*
 * shrink.c - see turns.h: schedules made short.
 *
 * What is shorter has fewer preemptions, or as many and fewer turns.  Steps name places of their
 * threads, not lengths, so any of them may be left out: its thread then goes through there in its
 * next step.  A run that still fails is taken as it was, not as it was ordered, so what remains has
 * always been run.
 *
 * That a limit passes counts as a preemption.  First whole groups of preemptions are left out
 * (delta debugging: halves, quarters, ...), then single ones, and the turn behind is tried in their
 * place.  Then the end is cut where the failure comes by itself, and preemptions are tried earlier.
 */
#include "base/alloc.h"
#include "explore/turns.h"

#include <string.h>

#define FOLLOW      3    /* times the longest one: this one and those that have to follow */
#define PATIENCE_MS 300u /* an order in which a thread waits for longer is not worth it ... */
#define LONGER      2u   /* ... and for so many times what the failure itself needs */

struct shrinker {
    struct fw_session *session;
    const struct fw_same *same;
    unsigned runs; /* left */
    uint32_t patience; /* ms */
    double longest; /* seconds of a run that fails */
    struct fw_turns *best;
    struct fw_turns candidate, taken;
    struct fw_error *err;
    bool broken; /* the program could not be run */
};

static bool is_shorter(const struct fw_turns *a, const struct fw_turns *b)
{
    uint32_t a_count = fw_turns_preemptions(a), b_count = fw_turns_preemptions(b);

    return a_count != b_count ? a_count < b_count : a->steps.len < b->steps.len;
}

static void swap(struct fw_turns *a, struct fw_turns *b)
{
    struct fw_turns kept = *a;

    *a = *b;
    *b = kept;
}

/* Is there time for one more?  Two have to follow: when the end is cut, and when it is written. */
static bool is_late(const struct shrinker *s)
{
    return fw_session_left(s->session) < FOLLOW * s->longest;
}

/* Runs the turns; does it fail as it should? */
static bool fails(struct shrinker *s, const struct fw_turns *turns)
{
    struct fw_run_order order = fw_turns_order(turns);
    struct fw_run_result result;

    if (!s->runs || s->broken || is_late(s))
        return false;
    s->runs--;
    order.patience = s->patience;
    if (fw_session_run(s->session, &order, &result, s->err) < 0) {
        s->broken = true;
        return false;
    }
    if (!s->same->is_same(s->same->context, s->session, &result))
        return false;
    if (result.seconds > s->longest)
        s->longest = result.seconds;
    return true;
}

/* Tries the candidate; if what it ran is shorter, that is the best from now on. */
static bool improves(struct shrinker *s)
{
    struct fw_error ignored;

    if (!fails(s, &s->candidate) || fw_turns_take(&s->taken, s->session, &ignored) < 0 ||
        !is_shorter(&s->taken, s->best))
        return false;
    swap(&s->taken, s->best);
    return true;
}

static void copy_best(struct shrinker *s)
{
    fw_vec_clear(&s->candidate.steps);
    fw_vec_clear(&s->candidate.paths);
    for (size_t i = 0; i < s->best->paths.len; i++)
        fw_vec_push(&s->candidate.paths, s->best->paths.at[i]);
}

/* The best without its preemptions from the first-th to before the last-th. */
static void leave_out(struct shrinker *s, uint32_t first, uint32_t last)
{
    uint32_t number = 0;

    copy_best(s);
    for (size_t i = 0; i < s->best->steps.len; i++) {
        const struct fw_control_step *step = &s->best->steps.at[i];

        if (fw_step_is_choice(step) && number++ >= first && number <= last)
            continue;
        fw_vec_push(&s->candidate.steps, *step);
    }
}

/* The best with the thread's next turn in the place of the number-th preemption.  False: there is
 * none. */
static bool pull_up(struct shrinker *s, uint32_t number)
{
    const struct fw_control_step *steps = s->best->steps.at;
    size_t at = 0, next;

    for (;; at++)
        if (fw_step_is_choice(&steps[at]) && number-- == 0)
            break;
    for (next = at + 1; next < s->best->steps.len && steps[next].path != steps[at].path; next++)
        ;
    if (next == s->best->steps.len)
        return false;
    copy_best(s);
    for (size_t i = 0; i < s->best->steps.len; i++)
        if (i != next)
            fw_vec_push(&s->candidate.steps, i == at ? steps[next] : steps[i]);
    return true;
}

static void shrink_groups(struct shrinker *s)
{
    uint32_t count = fw_turns_preemptions(s->best), size = count;

    while (size > 1 && s->runs && !s->broken) {
        size = (size + 1) / 2;
        for (uint32_t first = 0; first < (count = fw_turns_preemptions(s->best));) {
            leave_out(s, first, first + size);
            if (!improves(s))
                first += size;
            if (!s->runs || s->broken)
                return;
        }
        if (size > count)
            size = count;
    }
}

/* One round; true: something became shorter. */
static bool shrink_single(struct shrinker *s)
{
    bool better = false;

    for (uint32_t i = 0; i < fw_turns_preemptions(s->best) && s->runs && !s->broken;) {
        leave_out(s, i, i + 1);
        if (improves(s) || (pull_up(s, i) && improves(s)))
            better = true;
        else
            i++;
    }
    return better;
}

/* Other builds unroll loops and do at once what is done several times: the first time is the one
 * that they all have. */
static void shrink_ordinals(struct shrinker *s)
{
    for (size_t i = 0; i < s->best->steps.len && s->runs && !s->broken; i++) {
        struct fw_control_step *step = &s->best->steps.at[i];
        uint64_t was = step->ordinal, tries[] = { 1, 2, was / 2 };
        bool moved = false;

        for (size_t n = 0; step->how == FW_STEP_SITE && n < 3 && !moved; n++) {
            if (tries[n] >= was || !tries[n])
                continue;
            step->ordinal = tries[n];
            moved = fails(s, s->best) && !fw_session_head(s->session)->diverged;
        }
        if (!moved)
            step->ordinal = was;
    }
}

/* Keeps as much as the failure needs: nothing, or all up to the turn behind the last preemption. */
static void cut(struct shrinker *s)
{
    size_t needed = 0, all = s->best->steps.len;

    for (size_t i = 0; i < all; i++)
        if (fw_step_is_choice(&s->best->steps.at[i]))
            needed = i + 2;
    if (needed >= all)
        return;
    s->best->steps.len = needed;
    if (!fails(s, s->best) || fw_session_head(s->session)->diverged)
        s->best->steps.len = all;
}

int fw_turns_shrink(struct fw_turns *turns, struct fw_session *session, const struct fw_same *same,
                    unsigned runs, struct fw_error *err)
{
    struct shrinker s = { .session = session,
                          .same = same,
                          .runs = runs + 1,
                          .patience = PATIENCE_MS + LONGER * turns->away,
                          .best = turns,
                          .err = err };
    bool repeats = fails(&s, turns) && !fw_session_head(session)->diverged;

    if (repeats) {
        shrink_groups(&s);
        while (shrink_single(&s))
            ;
        s.runs += !s.runs; /* there is always one for this */
        cut(&s);
        shrink_ordinals(&s);
    }
    fw_turns_release(&s.candidate);
    fw_turns_release(&s.taken);
    return s.broken ? -1 : !repeats;
}
