/*
 * replay_near.c - see replay.h: steps whose places another build does not have.
 *
 * The step that went otherwise first is moved.  Where to: to the points that its thread came by
 * in that run, those that look most like the missing one first: the same line, the same operation,
 * the same function.  If none shows what is looked for, the one with which the run follows the
 * schedule furthest is kept, and the next step is looked at.  If every step can be followed, the
 * last ones are moved first, also to where their threads would come later.  A compiler may move an
 * access into the function that calls; but where no file of the program so much as names the step's
 * function, it is not moved at all: that is another program, not another build.
 */
#include "base/alloc.h"
#include "explore/replay.h"

#include <stdlib.h>
#include <string.h>

#define MOST      48u   /* places that are tried for one step */
#define FURTHER   16u   /* how much further than in the run a place is tried, beyond its visits */
#define LATER     (UINT32_MAX / 2) /* the place of what the run did not come to */
#define ELSEWHERE 5000u /* how far places in other functions are, at least */

/* A point of the thread: the ordinal-th of the class. */
struct spot {
    uint32_t class_;
    uint64_t ordinal;
    uint32_t distance;
    uint32_t place; /* in the order of the run */
};

struct search {
    struct fw_replayer *replay;
    unsigned runs; /* left */
    struct fw_error *err;
    bool broken, found;
    uint32_t reached; /* steps that the latest run has followed */
    FW_VEC(struct spot) spots;
};

/* --- runs ------------------------------------------------------------------------------------ */

static void run(struct search *s)
{
    const struct fw_control_head *head = fw_session_head(s->replay->session);
    struct fw_run_result result;

    if (!s->runs || s->broken)
        return;
    s->runs--;
    if (fw_replay_run(s->replay, FW_CONTROL_TRAIL, &result, s->err) < 0) {
        s->broken = true;
        return;
    }
    s->reached = head->diverged ? head->diverged - 1 : (uint32_t)s->replay->turns.steps.len;
    s->found = fw_replay_is_shown(s->replay, &result);
}

static bool goes_on(const struct search *s)
{
    return s->runs && !s->broken && !s->found && fw_session_left(s->replay->session) > 0;
}

/* --- spots ----------------------------------------------------------------------------------- */

static bool is_text(const char *a, const char *b)
{
    return a && b && strcmp(a, b) == 0;
}

/* How little the point looks like what the step says. */
static uint32_t distance(const struct fw_anchor *a, const struct fw_anchor *b, uint64_t ordinal,
                         uint64_t wanted)
{
    uint64_t far = ordinal > wanted ? ordinal - wanted : wanted - ordinal;
    uint32_t lines = 0, apart = far < 1000 ? (uint32_t)far : 1000;

    if (a->has_line && b->has_line)
        lines = (uint32_t)(a->line > b->line ? a->line - b->line : b->line - a->line);
    return apart + (is_text(a->function, b->function) ? 0 : ELSEWHERE) +
           (is_text(a->operation, b->operation) ? 0 : 50) +
           (is_text(a->text, b->text) ? 0 : 10 + (lines < 1000 ? lines : 1000));
}

static int by_distance(const void *a, const void *b)
{
    const struct spot *x = a, *y = b;

    if (x->distance != y->distance)
        return x->distance < y->distance ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

static int by_place(const void *a, const void *b)
{
    const struct spot *x = a, *y = b;

    return x->place < y->place ? -1 : x->place > y->place;
}

/* 1/2, 1/4, 3/4, 1/8, 5/8 ... of `len`, for 1, 2, 3 ... */
static size_t spread(size_t number, size_t len)
{
    size_t numerator = 0, denominator = 1;

    for (; number; number /= 2) {
        numerator = 2 * numerator + number % 2;
        denominator *= 2;
    }
    return len * numerator / denominator;
}

/*
 * The most alike first, and in turn with them others all over the run: a compiler that joins reads
 * passes a line that is all of a loop's body many times less often, and nothing near the number of
 * the step is where it was.  Those of the same function only.
 */
static void mix(struct search *s)
{
    size_t len = s->spots.len, same = 0, count = 0;
    struct spot *alike = fw_xcalloc(len + 1, sizeof *alike), *all;

    qsort(s->spots.at, len, sizeof *s->spots.at, by_distance);
    memcpy(alike, s->spots.at, len * sizeof *alike);
    while (same < len && alike[same].distance < ELSEWHERE)
        same++;
    all = fw_xcalloc(same + 1, sizeof *all);
    memcpy(all, alike, same * sizeof *all);
    qsort(all, same, sizeof *all, by_place);
    for (size_t i = 0; i < len && count < MOST; i++) {
        s->spots.at[count++] = alike[i];
        if (same > MOST && count < MOST)
            s->spots.at[count++] = all[spread(i + 1, same)];
    }
    s->spots.len = count;
    free(alike);
    free(all);
}

/* The number of the thread with this path in the latest run; FW_CONTROL_NONE: there is none. */
static uint32_t thread_of(const struct search *s, uint32_t path)
{
    const struct fw_control_path *paths = s->replay->turns.paths.at;
    const struct fw_control_head *head = fw_session_head(s->replay->session);
    const struct fw_control_thread *threads = fw_session_threads(s->replay->session);
    uint32_t parent;

    if (!path)
        return 0;
    parent = thread_of(s, paths[path].parent);
    for (uint32_t i = 0; parent != FW_CONTROL_NONE && i < head->thread_count; i++)
        if (i && threads[i].parent == parent && threads[i].ordinal == paths[path].ordinal)
            return i;
    return FW_CONTROL_NONE;
}

/* Where the schedule shows that goals are reached, they are what they are. */
static bool is_bound(const struct search *s, uint32_t number)
{
    return s->replay->script->steps.at[number].goal != FW_NO_GOAL &&
           !fw_replay_shows_end(s->replay->script);
}

/* The thread was stopped, and what others did then may have been the end of a loop: without that it
 * would have come by the step's own place more often. */
static void further(struct search *s, uint32_t number, uint32_t visits)
{
    const struct fw_script_step *step = &s->replay->script->steps.at[number];
    uint32_t class_ = s->replay->turns.steps.at[number].site;

    for (uint32_t i = 1; visits && i <= visits + FURTHER; i++) {
        uint64_t ordinal = visits + (uint64_t)i;
        struct spot spot = { .class_ = class_, .ordinal = ordinal, .place = LATER + i };

        spot.distance = distance(&step->anchor, &step->anchor, ordinal, step->ordinal);
        fw_vec_push(&s->spots, spot);
    }
}

/* All points of the step's thread in the latest run, the most alike first. */
static void gather(struct search *s, uint32_t number)
{
    const struct fw_script_step *step = &s->replay->script->steps.at[number];
    const struct fw_control_head *head = fw_session_head(s->replay->session);
    const struct fw_control_trail *trail = fw_session_trail(s->replay->session);
    uint32_t thread = thread_of(s, step->path);
    uint32_t *counts = fw_xcalloc(head->sites_room, sizeof *counts);

    fw_vec_clear(&s->spots);
    for (uint32_t i = 0; thread != FW_CONTROL_NONE && i < head->trail_count; i++) {
        struct spot spot = { .class_ = trail[i].class_, .place = i };

        if (trail[i].thread != thread || !spot.class_)
            continue;
        spot.ordinal = ++counts[spot.class_];
        if (is_bound(s, number) && spot.class_ != s->replay->turns.steps.at[number].site)
            continue;
        spot.distance = distance(fw_anchors_get(s->replay->anchors, spot.class_), &step->anchor,
                                 spot.ordinal, step->ordinal);
        fw_vec_push(&s->spots, spot);
    }
    further(s, number, counts[s->replay->turns.steps.at[number].site]);
    free(counts);
    if (s->spots.len)
        mix(s);
}

/* --- moving ---------------------------------------------------------------------------------- */

static void set(struct search *s, uint32_t number, const struct spot *spot)
{
    struct fw_control_step *step = &s->replay->turns.steps.at[number];

    step->site = spot->class_;
    step->ordinal = spot->ordinal;
}

/* Tries the spots for one step.  True: a later step than before has been reached, or it was
 * shown. */
static bool move(struct search *s, uint32_t number)
{
    struct fw_control_step before = s->replay->turns.steps.at[number];
    uint32_t was = s->reached, furthest = was;
    struct spot best = { 0 };

    gather(s, number);
    for (size_t i = 0; i < s->spots.len && i < MOST && goes_on(s); i++) {
        set(s, number, &s->spots.at[i]);
        run(s);
        if (s->found)
            return true;
        if (s->reached > furthest) {
            furthest = s->reached;
            best = s->spots.at[i];
        }
    }
    if (furthest > was && goes_on(s)) {
        set(s, number, &best);
        run(s); /* its trail is wanted for the next */
        return true;
    }
    s->replay->turns.steps.at[number] = before;
    return false;
}

/* Has the program such a function, perhaps inlined? */
static bool is_known(const struct search *s, const char *function)
{
    const struct fw_session *session = s->replay->session;
    uint32_t modules = fw_session_head(session)->module_count;

    for (uint32_t i = 0; i < modules; i++)
        if (fw_anchors_names(fw_session_module(session, i), function))
            return true;
    return !modules;
}

static bool can_move(const struct search *s, uint32_t number)
{
    const struct fw_script_step *step = &s->replay->script->steps.at[number];

    return step->end == FW_UNTIL_BEFORE &&
           (!step->anchor.function || is_known(s, step->anchor.function));
}

/* The latest step that can be moved, at or before this one; -1: none. */
static int64_t movable(const struct search *s, uint32_t number)
{
    int64_t at = number;

    if (at >= (int64_t)s->replay->script->steps.len)
        at = (int64_t)s->replay->script->steps.len - 1;
    while (at >= 0 && !can_move(s, (uint32_t)at))
        at--;
    return at;
}

static void remember(struct search *s, uint32_t number)
{
    for (size_t i = 0; i < s->replay->moved.len; i++)
        if (s->replay->moved.at[i] == number)
            return;
    fw_vec_push(&s->replay->moved, number);
}

int fw_replay_near(struct fw_replayer *replay, unsigned runs, struct fw_error *err)
{
    struct search s = { .replay = replay, .runs = runs, .err = err };
    struct fw_turns kept = { 0 };
    int64_t at;

    for (size_t i = 0; i < replay->turns.steps.len; i++)
        fw_vec_push(&kept.steps, replay->turns.steps.at[i]);
    fw_session_forget_classes(replay->session);
    fw_session_classify(replay->session, fw_anchors_learn, replay->anchors);
    run(&s);
    at = movable(&s, s.reached);
    while (at >= 0 && goes_on(&s)) {
        bool better = move(&s, (uint32_t)at);

        if (better)
            remember(&s, (uint32_t)at);
        if (goes_on(&s))
            at = better ? movable(&s, s.reached) : at ? movable(&s, (uint32_t)at - 1) : -1;
    }
    if (!s.found) {
        for (size_t i = 0; i < kept.steps.len; i++)
            replay->turns.steps.at[i] = kept.steps.at[i];
        fw_vec_clear(&replay->moved);
    }
    fw_turns_release(&kept);
    fw_vec_release(&s.spots);
    return s.broken ? -1 : s.found;
}
