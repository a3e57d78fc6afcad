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
 * place, or that the thread goes on until it waits.  Without a turn other threads may come by a
 * place more often or less; so what does not fail is tried again with the places behind it counted
 * from the end.  Where many are left all the same, two of them are tried alone.  At last the end is
 * cut where the failure comes by itself, and preemptions are tried earlier.
 */
#include "base/alloc.h"
#include "explore/turns.h"

#include <string.h>

#define FOLLOW      3    /* times the longest one: this one and those that have to follow */
#define PATIENCE_MS 300u /* an order in which a thread waits for longer is not worth it ... */
#define ROUNDS      3u   /* counts from the end that are tried: none later, one, two */
#define FAR         UINT64_MAX
#define FEW         2u   /* preemptions: most failures need no more ... */
#define LATEST      5u   /* ... and of those that there are, they are among the last ones */
#define TIMES       24u  /* that a thread comes by its place */
#define RESERVE     3u   /* a third of the runs is for that */
#define LONGER      2u   /* ... and for so many times what the failure itself needs */

struct shrinker {
    struct fw_session *session;
    const struct fw_same *same;
    unsigned runs; /* left */
    uint32_t patience; /* ms */
    double longest; /* seconds of a run that fails */
    struct fw_turns *best;
    struct fw_turns candidate, taken;
    size_t changed; /* the candidate is the best up to this step */
    FW_VEC(uint64_t) visits; /* of the best's steps: how often its run came by their places in all;
                                0: not known */
    FW_VEC(uint64_t) behind; /* of the candidate's steps: how many of those come after the step */
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
    order.flags |= FW_CONTROL_TRAIL;
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

/* How often the thread has come by the step's place in the latest run; 0: not known. */
static uint64_t visits(const struct shrinker *s, const struct fw_turns *turns,
                       const struct fw_control_step *step)
{
    const struct fw_control_head *head = fw_session_head(s->session);
    const struct fw_control_trail *trail = fw_session_trail(s->session);
    const struct fw_control_thread *thread = &fw_session_threads(s->session)[step->path];
    const struct fw_control_path *path = &turns->paths.at[step->path];
    uint64_t count = 0;

    if (step->how != FW_STEP_SITE || head->trail_lost || step->path >= head->thread_count ||
        (step->path && (thread->parent != path->parent || thread->ordinal != path->ordinal)))
        return 0;
    for (uint32_t i = 0; i < head->trail_count; i++)
        count += trail[i].thread == step->path && trail[i].site == step->site;
    return count;
}

/* The latest run was the best's. */
static void note_visits(struct shrinker *s)
{
    fw_vec_clear(&s->visits);
    for (size_t i = 0; i < s->best->steps.len; i++)
        fw_vec_push(&s->visits, visits(s, s->best, &s->best->steps.at[i]));
}

/* Tries the candidate; if what it ran is shorter, that is the best from now on. */
static bool improves(struct shrinker *s)
{
    struct fw_error ignored;

    if (!fails(s, &s->candidate) || fw_turns_take(&s->taken, s->session, &ignored) < 0 ||
        !is_shorter(&s->taken, s->best))
        return false;
    swap(&s->taken, s->best);
    note_visits(s);
    return true;
}

static void copy_best(struct shrinker *s)
{
    fw_vec_clear(&s->candidate.steps);
    fw_vec_clear(&s->behind);
    fw_vec_clear(&s->candidate.paths);
    for (size_t i = 0; i < s->best->paths.len; i++)
        fw_vec_push(&s->candidate.paths, s->best->paths.at[i]);
}

/* A step of the best's becomes one of the candidate's. */
static void copy_step(struct shrinker *s, size_t number)
{
    const struct fw_control_step *step = &s->best->steps.at[number];
    uint64_t all = s->visits.at[number];

    fw_vec_push(&s->candidate.steps, *step);
    fw_vec_push(&s->behind, all >= step->ordinal ? all - step->ordinal : FAR);
}

/* The best without its preemptions from the first-th to before the last-th. */
static void leave_out(struct shrinker *s, uint32_t first, uint32_t last)
{
    uint32_t number = 0;

    copy_best(s);
    for (size_t i = 0; i < s->best->steps.len; i++) {
        if (fw_step_is_choice(&s->best->steps.at[i]) && number++ >= first && number <= last) {
            if (number == first + 1)
                s->changed = i;
            continue;
        }
        copy_step(s, i);
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
    s->changed = at;
    for (size_t i = 0; i < s->best->steps.len; i++)
        if (i != next)
            copy_step(s, i == at ? next : i);
    return true;
}

/* The candidate with its places counted from the end of the run that it has just made, where that
 * came by them more often or less.  False: it did not. */
static bool recount(struct shrinker *s, uint64_t earlier)
{
    bool differs = false;

    for (size_t i = s->changed; i < s->candidate.steps.len; i++) {
        struct fw_control_step *step = &s->candidate.steps.at[i];
        uint64_t all = visits(s, &s->candidate, step), behind = s->behind.at[i] + earlier;

        if (!all || s->behind.at[i] == FAR || all <= behind || all - behind == step->ordinal)
            continue;
        step->ordinal = all - behind;
        differs = true;
    }
    return differs;
}

/*
 * The candidate has not failed: without the turn that it lacks, a thread may come by its next place
 * less often before the moment that matters (a worker that has less to do).  Counted from the end
 * that moment may be the same; a run that goes well comes by once more at the end, or twice.
 */
static bool improves_recounted(struct shrinker *s)
{
    for (uint64_t earlier = 0; earlier < ROUNDS; earlier++)
        if (recount(s, earlier) && improves(s))
            return true;
    return false;
}

/* The best whose number-th preemption comes when its thread would wait. */
static void let_go_on(struct shrinker *s, uint32_t number)
{
    copy_best(s);
    for (size_t i = 0; i < s->best->steps.len; i++) {
        copy_step(s, i);
        if (!fw_step_is_choice(&s->best->steps.at[i]) || number-- != 0)
            continue;
        s->changed = i;
        fw_vec_last(&s->candidate.steps) = (struct fw_control_step){
            .path = s->best->steps.at[i].path, .how = FW_STEP_AWAY };
    }
}

static bool is_better(struct shrinker *s)
{
    return improves(s) || improves_recounted(s);
}

static bool is_let_go_on(struct shrinker *s, uint32_t number)
{
    let_go_on(s, number);
    return is_better(s);
}

static void shrink_groups(struct shrinker *s)
{
    uint32_t count = fw_turns_preemptions(s->best), size = count;

    while (size > 1 && s->runs && !s->broken) {
        size = (size + 1) / 2;
        for (uint32_t first = 0; first < (count = fw_turns_preemptions(s->best));) {
            leave_out(s, first, first + size);
            if (!is_better(s))
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
        if (is_better(s) || (pull_up(s, i) && is_better(s)) || is_let_go_on(s, i))
            better = true;
        else
            i++;
    }
    return better;
}

/* --- two alone -------------------------------------------------------------------------------- */

/* One thread is held before a place, another one goes as far as its own, and the first goes on
 * until it waits. */
static void make_pair(struct shrinker *s, const struct fw_control_step *held,
                      const struct fw_control_step *other)
{
    struct fw_control_step steps[] = { *held, *other,
                                       { .path = held->path, .how = FW_STEP_AWAY } };

    copy_best(s);
    s->changed = 0;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        fw_vec_push(&s->candidate.steps, steps[i]);
        fw_vec_push(&s->behind, FAR);
    }
}

/* The other one at each time that it comes by. */
static bool is_pair(struct shrinker *s, struct fw_control_step held, struct fw_control_step other)
{
    for (other.ordinal = 1; other.ordinal <= TIMES && s->runs && !s->broken; other.ordinal++) {
        make_pair(s, &held, &other);
        if (improves(s))
            return true;
        if (fw_session_head(s->session)->diverged)
            return false;
    }
    return false;
}

/* Each turn that is too many changes how often other threads come by their places, so that none of
 * them can be left out by itself; without all of them two may do. */
static bool shrink_to_pair(struct shrinker *s)
{
    struct fw_control_step latest[LATEST];
    size_t count = 0;

    for (size_t i = s->best->steps.len; i-- > 0 && count < LATEST;)
        if (s->best->steps.at[i].how == FW_STEP_SITE)
            latest[count++] = s->best->steps.at[i];
    for (size_t far = 1; far < count; far++)
        for (size_t i = 0; i + far < count; i++)
            if (latest[i].path != latest[i + far].path &&
                is_pair(s, latest[i + far], latest[i]))
                return true;
    return false;
}

/* --- at last ---------------------------------------------------------------------------------- */

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
                          .runs = runs + 1 - runs / RESERVE,
                          .patience = PATIENCE_MS + LONGER * turns->away,
                          .best = turns,
                          .err = err };
    bool repeats = fails(&s, turns) && !fw_session_head(session)->diverged;

    if (repeats) {
        note_visits(&s);
        shrink_groups(&s);
        while (shrink_single(&s))
            ;
        s.runs += runs / RESERVE;
        if (fw_turns_preemptions(turns) > FEW)
            shrink_to_pair(&s);
        while (shrink_single(&s))
            ;
        s.runs += !s.runs; /* there is always one for this */
        cut(&s);
        shrink_ordinals(&s);
    }
    fw_vec_release(&s.visits);
    fw_vec_release(&s.behind);
    fw_turns_release(&s.candidate);
    fw_turns_release(&s.taken);
    return s.broken ? -1 : !repeats;
}
