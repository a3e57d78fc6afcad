/*
 * search.c - choices, where the closure neither proves nor refutes.
 *
 * A thread that only the state holds back (linear.c) shows a question that
 * every correct reordering answers in one of a few ways:
 *
 *   a write w' would hide w from r            r before w', or w' before w
 *   an acquire finds its lock held            one section before the other, or after it
 *   a try that fails finds the lock free      one of the lock's sections is around it
 *   a read does not find its value            it sees one of the writes that left it
 *   an access e would part a => b             b before e, or e before a
 *
 * Each way is tried, the one nearest to the trace first, with all that follows
 * from it; each adds an order that was open before, so the search ends.  All
 * of them being impossible is a proof that there is no witness, unless one is
 * impossible only because frozen events were assumed to come first: then the
 * window is widened and the search begins again.
 *
 * The ways are all there are as long as the events they speak of must be in
 * the reordering.  A cut that has grown by the assumption alone does not
 * promise that: from there on everything rests on the assumption.
 */
#include "predict/window.h"

#include "base/bug.h"
#include "predict/values.h"

#define MAX_DEPTH     4000u
#define SMALL_WINDOWS 8u /* sizes tried before the search proper */

/* One way out of a choice. */
struct option {
    struct fw_arrow edges[2];
    uint32_t edge_count;
    uint32_t grow;         /* an event that has to be in the cut, or FW_NO_EVENT */
    bool assigns;          /* the edge says what a read sees */
};

FW_VEC_TYPE(options, struct option);

/* ---- which ways there are ---- */

static void add_option(struct options *options, uint32_t grow, uint32_t from, uint32_t to)
{
    struct option option = { { { from, to } }, 1, grow, false };

    fw_vec_push(options, option);
}

/* A reader of the write's node that has not run, other than `but`. */
static uint32_t waiting_reader(const struct fw_window *w, uint32_t write, uint32_t but)
{
    for (uint32_t link = w->readers.at[write]; link != FW_NO_NODE;
         link = w->reader_links.at[link].next) {
        uint32_t node = w->reader_links.at[link].node;

        if (node != but && w->done.at[w->lane_of.at[node]] <= w->order_in_lane.at[node])
            return node;
    }
    FW_BUG("a write waits for a read that there is not");
}

static void write_options(const struct fw_solver *s, uint32_t node, struct options *options)
{
    const struct fw_window *w = &s->window;
    uint32_t seen = w->cells.at[w->cell_of.at[node]].seen, reader;
    uint32_t write = w->position.at[node];

    if (seen == FW_NO_NODE)
        FW_BUG("reads of what was before the window are not ordered");
    reader = w->position.at[waiting_reader(w, seen, node)];
    add_option(options, FW_NO_EVENT, reader, write);
    add_option(options, FW_NO_EVENT, write, w->position.at[seen]);
    if (write < w->position.at[seen]) {
        struct option first = options->at[0];

        options->at[0] = options->at[1];
        options->at[1] = first;
    }
}

/* The open section of another thread that keeps the acquire waiting. */
static uint32_t holder_of(const struct fw_solver *s, uint32_t acquire)
{
    const struct fw_core *core = s->core;
    const struct fw_window *w = &s->window;
    const struct fw_event *event = &core->trace->events[acquire];

    for (uint32_t g = core->acquires.start[event->target];
         g < core->acquires.start[event->target + 1]; g++) {
        const struct fw_group *group = &core->acquires.groups[g];
        uint32_t lane = s->lane_by_thread[group->thread], found, release;
        uint32_t len = lane == FW_NO_NODE ? s->cut.len[group->thread]
                                          : w->lane.at[lane].base + w->done.at[lane];

        if (group->thread == event->thread)
            continue;
        found = fw_last_conflict(core, group, len, acquire);
        release = found == FW_NO_EVENT ? FW_NO_EVENT : core->index->partner[found];
        if (found != FW_NO_EVENT &&
            (release == FW_NO_EVENT || fw_place_of(core, release) >= len))
            return found;
    }
    FW_BUG("an acquire waits for a lock that nobody holds");
}

static void acquire_options(const struct fw_solver *s, uint32_t acquire, struct options *options)
{
    const uint32_t *partner = s->core->index->partner;
    uint32_t other = holder_of(s, acquire);

    if (partner[other] != FW_NO_EVENT)
        add_option(options, partner[other], partner[other], acquire);
    if (partner[acquire] != FW_NO_EVENT)
        add_option(options, partner[acquire], partner[acquire], other);
}

static void try_options(const struct fw_solver *s, uint32_t try, struct options *options)
{
    const struct fw_core *core = s->core;
    const struct fw_event *event = &core->trace->events[try];

    for (uint32_t g = core->acquires.start[event->target];
         g < core->acquires.start[event->target + 1]; g++) {
        const struct fw_group *group = &core->acquires.groups[g];

        for (uint32_t i = group->first; i < group[1].first; i++) {
            uint32_t acquire = core->acquires.items[i], release = core->index->partner[acquire];
            struct option option = { { { acquire, try } }, 1, acquire, false };

            if (group->thread == event->thread ||
                fw_place_of(core, acquire) >= s->cap[group->thread])
                continue;
            if (release != FW_NO_EVENT)
                option.edges[option.edge_count++] = (struct fw_arrow) { try, release };
            fw_vec_push(options, option);
        }
    }
}

/* What it saw in the trace comes first. */
static void read_options(const struct fw_solver *s, uint32_t read, struct options *options)
{
    const struct fw_core *core = s->core;
    uint32_t variable = core->trace->events[read].target;
    uint32_t count = fw_row_count(&core->index->by_variable, variable);
    struct option option = { { { core->index->partner[read], read } }, 1, FW_NO_EVENT, true };

    fw_vec_push(options, option);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t write = fw_row(&core->index->by_variable, variable)[i];

        if (!fw_is_write(core->trace->events[write].kind) || write == read ||
            write == core->index->partner[read] || !fw_values_same(core->index, read, write) ||
            fw_place_of(core, write) >= s->cap[fw_thread_of(core, write)])
            continue;
        option.edges[0].from = write;
        fw_vec_push(options, option);
    }
}

/* The way of the trace comes first. */
static void tie_options(const struct fw_solver *s, uint32_t event, unsigned open,
                        struct options *options)
{
    const struct fw_tie *tie = &s->ties[open & 1 ? 0 : 1];
    bool early = event < tie->a;

    if (early)
        add_option(options, FW_NO_EVENT, event, tie->a);
    add_option(options, FW_NO_EVENT, tie->b, event);
    if (!early)
        add_option(options, FW_NO_EVENT, event, tie->a);
}

static void find_options(const struct fw_solver *s, struct options *options)
{
    uint32_t e = s->window.position.at[s->stuck];
    unsigned kind = s->core->trace->events[e].kind;
    unsigned open = s->tie_count ? s->window.parts.at[s->stuck] & s->window.open_ties : 0;

    if (open)
        tie_options(s, e, open, options);
    else if (s->window.must.at[s->stuck] == FW_MUST_MATCH && !fw_linear_matches(s, s->stuck))
        read_options(s, e, options);
    else if (fw_is_write(kind))
        write_options(s, s->stuck, options);
    else if (kind == FW_TRY_FAIL)
        try_options(s, e, options);
    else
        acquire_options(s, e, options);
}

/* ---- trying them ---- */

static enum fw_step impossible(const struct fw_solver *s)
{
    return s->assuming ? FW_STEP_WIDEN : FW_STEP_IMPOSSIBLE;
}

static enum fw_step apply(struct fw_solver *s, const struct option *option)
{
    if (option->grow != FW_NO_EVENT && !fw_cut_has(s->core, &s->cut, option->grow) &&
        !fw_question_grow(s, option->grow))
        return impossible(s);
    if (option->assigns) {
        if (option->edges[0].from != FW_NO_EVENT &&
            !fw_question_grow_clean(s, option->edges[0].from))
            return impossible(s);
        fw_vec_push(&s->assigned, option->edges[0]);
        return FW_STEP_DONE;
    }
    for (uint32_t i = 0; i < option->edge_count; i++)
        fw_vec_push(&s->edges, option->edges[i]);
    return FW_STEP_DONE;
}

/* Closes the order of the cut, grown as that demands. */
static enum fw_step close(struct fw_solver *s)
{
    enum fw_step step;

    do {
        s->assuming = s->grown_assuming;
        if (!fw_question_force(s))
            return impossible(s);
        step = fw_window_build(s);
        if (step == FW_STEP_DONE)
            step = fw_closure(s);
        if (step == FW_STEP_GROWN && fw_stopped(s))
            step = FW_STEP_SPENT;
        if (step == FW_STEP_GROWN)
            s->grown_assuming = s->assuming;
    } while (step == FW_STEP_GROWN);
    return step;
}

static enum fw_step close_and_linearise(struct fw_solver *s)
{
    enum fw_step step = close(s);

    return step == FW_STEP_DONE ? fw_linearise(s) : step;
}

/* From the smallest window on, as far as the rules ask for a larger one, a few times. */
static enum fw_step in_small_window(struct fw_solver *s, enum fw_step (*work)(struct fw_solver *))
{
    enum fw_step step = FW_STEP_WIDEN;

    s->start = s->widen_to = UINT32_MAX;
    fw_vec_clear(&s->edges);
    fw_vec_clear(&s->assigned);
    for (uint32_t i = 0; i < SMALL_WINDOWS && step == FW_STEP_WIDEN; i++) {
        step = work(s);
        if (s->widen_to == UINT32_MAX)
            break;
        s->start = s->widen_to;
        s->widen_to = UINT32_MAX;
    }
    return step;
}

static enum fw_step explore(struct fw_solver *s, uint32_t depth);

/* The ways of one choice, in turn.  What is worse than impossible outlives the others. */
static enum fw_step try_all(struct fw_solver *s, const struct options *options, uint32_t depth)
{
    struct fw_cut cut;
    size_t edges = s->edges.len, assigned = s->assigned.len;
    bool grown = s->grown_assuming;
    enum fw_step worst = FW_STEP_IMPOSSIBLE, step = FW_STEP_IMPOSSIBLE;

    fw_cut_init(&cut, s->core);
    fw_cut_copy(&cut, &s->cut);
    for (size_t i = 0; i < options->len; i++) {
        s->stats.choices++;
        s->assuming = grown;
        step = apply(s, &options->at[i]);
        if (step == FW_STEP_DONE)
            step = explore(s, depth + 1);
        if (step == FW_STEP_DONE || step == FW_STEP_SPENT)
            break;
        if (step == FW_STEP_WIDEN)
            worst = FW_STEP_WIDEN;
        fw_cut_copy(&s->cut, &cut);
        s->edges.len = edges;
        s->assigned.len = assigned;
        s->grown_assuming = grown;
    }
    fw_cut_release(&cut);
    return step == FW_STEP_DONE || step == FW_STEP_SPENT ? step : worst;
}

static enum fw_step explore(struct fw_solver *s, uint32_t depth)
{
    struct options options = { 0 };
    enum fw_step step = close_and_linearise(s);

    if (step != FW_STEP_STUCK)
        return step;
    if (depth >= MAX_DEPTH || fw_stopped(s))
        return FW_STEP_SPENT;
    find_options(s, &options);
    step = try_all(s, &options, depth);
    fw_vec_release(&options);
    return step;
}

/* ---- the window's width ---- */

/* Reaches back at least to widen_to and three times as far as now. */
static void widen(struct fw_solver *s, uint32_t end)
{
    uint32_t span = end > s->start ? end - s->start : 1;
    uint32_t back = span < UINT32_MAX / 4 ? 3 * span + 16 : UINT32_MAX;

    s->start = back < s->start ? s->start - back : 0;
    if (s->widen_to < s->start)
        s->start = s->widen_to;
}

static uint32_t end_of(const struct fw_solver *s)
{
    uint32_t end = 0;

    for (size_t i = 0; i < s->cut.touched.len; i++) {
        uint32_t t = s->cut.touched.at[i];
        uint32_t last = s->cut.len[t] ? fw_event_at(s->core, t, s->cut.len[t] - 1) : 0;

        end = last > end ? last : end;
    }
    return end;
}

static enum fw_answer conclude(struct fw_solver *s, enum fw_step step, bool chosen)
{
    s->how = chosen ? FW_BY_CHOICE : FW_BY_CLOSURE;
    switch (step) {
    case FW_STEP_DONE:
        s->unwritten = FW_WITNESS_SEARCHED;
        return FW_FEASIBLE;
    case FW_STEP_IMPOSSIBLE:
        return FW_INFEASIBLE;
    default:
        return FW_UNDECIDED;
    }
}

/*
 * What follows in any window is a fact, whatever comes before it: so a window that begins where the
 * claim itself turns the trace round is enough to refute many.  Sections elsewhere that the cut
 * leaves open would make it much longer.
 */
static bool refute(struct fw_solver *s)
{
    enum fw_step step;

    s->refuting = true;
    s->grown_assuming = false;
    step = in_small_window(s, close);
    s->refuting = false;
    return step == FW_STEP_IMPOSSIBLE;
}

/*
 * The other way round: with sections closed that need not be the window is short again, and most
 * witnesses close them anyway.  What is impossible then says nothing.
 */
static bool prove(struct fw_solver *s)
{
    s->grown_assuming = true;
    fw_question_tidy(s);
    return in_small_window(s, close_and_linearise) == FW_STEP_DONE;
}

enum fw_answer fw_search(struct fw_solver *s)
{
    uint64_t choices = s->stats.choices;
    enum fw_step step;
    struct fw_cut cut;

    fw_cut_init(&cut, s->core);
    if (!s->loose) {
        fw_cut_copy(&cut, &s->cut);
        step = refute(s) ? FW_STEP_IMPOSSIBLE : FW_STEP_STUCK;
        fw_cut_copy(&s->cut, &cut);
        if (step == FW_STEP_STUCK && prove(s))
            step = FW_STEP_DONE;
        if (step != FW_STEP_STUCK) {
            fw_cut_release(&cut);
            return conclude(s, step, false);
        }
        fw_cut_copy(&s->cut, &cut);
    }
    s->start = s->loose ? 0 : UINT32_MAX;
    do {
        fw_cut_copy(&cut, &s->cut);
        s->assuming = s->grown_assuming = false;
        s->widen_to = UINT32_MAX;
        fw_vec_clear(&s->edges);
        fw_vec_clear(&s->assigned);
        step = explore(s, 0);
        if (step == FW_STEP_WIDEN) {
            fw_cut_copy(&s->cut, &cut);
            widen(s, end_of(s));
        }
    } while (step == FW_STEP_WIDEN);
    fw_cut_release(&cut);
    return conclude(s, step, s->stats.choices > choices);
}
