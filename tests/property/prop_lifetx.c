/*
 * prop_lifetx.c - learning cutpoints agrees at every event with the whole graph, looked at afresh.
 *
 * The naive version keeps all events and all edges between them, and for every event looks for a
 * way from the event's transaction back into it.  It has its own idea of segments.  Both must see
 * the same cycles and cut at the same places; a second look at the trace with what was learnt finds
 * no cycle; and cutpoints learnt from another trace are taken into account.
 */
#include "support/naive.h"
#include "support/property.h"
#include "support/random.h"

#include "lifetx/lifetx.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static uint64_t cycles, by_kind[FW_CUT_KINDS];

/* --- a program of one function, as all calls see it --------------------------------------------
 *
 * Places 1 to 12 in a row; loop 0 holds 3 to 9, loop 1 in it 5 to 7, loop 2 holds 10 to 12. */

#define PLACES 13u

static uint32_t innermost(uint64_t place)
{
    if (place >= 5 && place <= 7)
        return 1;
    if (place >= 3 && place <= 9)
        return 0;
    return place >= 10 ? 2 : FW_NO_LOOP;
}

static uint32_t parent(void *me, uint32_t loop)
{
    (void)me;
    return loop == 1 ? 0 : FW_NO_LOOP;
}

static bool at(void *me, const char *site, struct fw_loop_place *place)
{
    uint64_t number = (uint64_t)atoi(site + 1);
    uint32_t loop = innermost(number);

    (void)me;
    *place = (struct fw_loop_place) { 1, number, loop, loop == FW_NO_LOOP ? 0 : 1 + (loop == 1) };
    return true;
}

/* Forwards, or round the inner loop, there is a way without passing the header. */
static bool again(void *me, uint32_t loop, uint64_t from, uint64_t to)
{
    (void)me;
    return to <= from && (loop != 0 || innermost(from) != 1 || innermost(to) != 1);
}

static char *name(void *me, uint32_t loop)
{
    char text[16];

    (void)me;
    snprintf(text, sizeof text, "loop%u", loop);
    return fw_xstrdup(text);
}

static const struct fw_lifetx_code code = {
    .at = at, .parent = parent, .again = again, .name = name
};

/* Walks forwards mostly, and goes back now and then. */
static void place_events(struct fw_trace *trace, struct fw_random *random)
{
    uint32_t ids[PLACES] = { 0 }, place[16] = { 0 };

    for (uint32_t i = 1; i < PLACES; i++) {
        char text[8];
        int len = snprintf(text, sizeof text, "s%u", i);

        ids[i] = fw_strtab_intern(&trace->symbols->table[FW_SPACE_SITE], text, (size_t)len);
    }
    for (uint32_t i = 0; i < trace->count; i++) {
        uint32_t *at_place = &place[trace->events[i].thread % 16];

        *at_place = fw_random_percent(random, 60) ? *at_place + fw_random_below(random, 3)
                                                  : fw_random_below(random, PLACES);
        *at_place %= PLACES;
        trace->events[i].site = ids[fw_random_percent(random, 15) ? 0 : *at_place];
    }
}

/* --- the naive version ----------------------------------------------------------------------- */

/* A segment that a thread is in; loops keep the place that was seen last. */
struct part {
    enum fw_cut_kind kind;
    uint32_t entry, place;
    bool is_call;
    uint64_t last; /* of a call: where its activation was seen last; 0: nowhere */
};

struct actor {
    struct part parts[512];
    uint32_t count, events, start; /* start: of the open transaction, in events */
    uint32_t waits;                /* site of the latest event, if that may belong to a wait */
};

struct decision {
    uint32_t position, thread, at;
    enum fw_cut_kind kind;
    char place[24];
};

FW_VEC_TYPE(decisions, struct decision);

struct naive {
    const struct fw_trace *trace;
    bool *edge;
    uint32_t *number, *transaction; /* of events; transactions are named by their first event */
    bool *counts;
    struct actor actors[16];
    struct fw_cuts *cuts;
    struct decisions decisions;
};

static bool writes(const struct fw_event *event)
{
    return fw_is_write(event->kind) || event->kind == FW_FREE;
}

static bool conflict(const struct fw_event *a, const struct fw_event *b)
{
    return fw_is_class(a->kind, FW_CLASS_CONFLICT) && fw_is_class(b->kind, FW_CLASS_CONFLICT) &&
           a->target == b->target && (writes(a) || writes(b));
}

static bool hands_lock(const struct fw_event *a, const struct fw_event *b)
{
    return fw_is_class(a->kind, FW_CLASS_RELEASE) && fw_is_class(b->kind, FW_CLASS_ACQUIRE) &&
           a->target == b->target &&
           !(fw_is_class(a->kind, FW_CLASS_SHARED) && fw_is_class(b->kind, FW_CLASS_SHARED));
}

static bool is_counted(unsigned kind)
{
    switch (kind) {
    case FW_CALL:
    case FW_RETURN:
    case FW_BEGIN:
    case FW_END:
    case FW_BRANCH:
    case FW_ALLOC:
    case FW_TRY_FAIL:
    case FW_REQUEST:
    case FW_SHARED_REQUEST:
    case FW_RELOCK:
        return false;
    default:
        return true;
    }
}

/* The activation's own part: the last call, or the bottom (-1). */
static int call_of(const struct actor *actor)
{
    int i = (int)actor->count - 1;

    while (i >= 0 && !actor->parts[i].is_call)
        i--;
    return i;
}

static void push_part(struct actor *actor, enum fw_cut_kind kind, uint32_t place, bool is_call)
{
    actor->parts[actor->count++] = (struct part) { kind, actor->events, place, is_call, 0 };
}

static bool has_cut(struct naive *naive, enum fw_cut_kind kind, const char *place)
{
    return fw_cuts_has(naive->cuts, kind, place);
}

static void loop_text(char *text, size_t size, uint32_t loop)
{
    snprintf(text, size, "loop%u", loop);
}

static bool has_loop_cut(struct naive *naive, enum fw_cut_kind kind, uint32_t loop)
{
    char text[24];

    loop_text(text, sizeof text, loop);
    return has_cut(naive, kind, text);
}

static uint64_t bottom[16]; /* where activations without a call were seen last */

/* Loops around `to`, outermost first. */
static uint32_t loops_around(uint64_t to, uint32_t *loops)
{
    uint32_t loop = innermost(to), count = 0;

    if (loop == 1)
        loops[count++] = 0;
    if (loop != FW_NO_LOOP)
        loops[count++] = loop;
    return count;
}

static bool go_to(struct naive *naive, uint32_t t, uint32_t site)
{
    struct actor *actor = &naive->actors[t];
    int call = call_of(actor);
    uint32_t loops[2], count, level = 0, own = (uint32_t)(call + 1);
    uint64_t *last = call >= 0 ? &actor->parts[call].last : &bottom[t], to;
    bool cut = false;

    if (!site)
        return false;
    to = (uint64_t)atoi(fw_symbols_name(naive->trace->symbols, FW_SPACE_SITE, site) + 1);
    count = loops_around(to, loops);
    for (; level < count; level++) {
        uint32_t place = own + level * 2;

        if (place >= actor->count || actor->parts[place].place != loops[level])
            break;
        if (again(NULL, loops[level], *last, to)) {
            actor->count = place + 1;
            push_part(actor, FW_CUT_ITERATION, loops[level], false);
            cut |= has_loop_cut(naive, FW_CUT_ITERATION, loops[level]);
            level++;
            break;
        }
    }
    if (actor->count > own + level * 2)
        actor->count = own + level * 2;
    for (; level < count; level++) {
        push_part(actor, FW_CUT_LOOP, loops[level], false);
        push_part(actor, FW_CUT_ITERATION, loops[level], false);
        cut |= has_loop_cut(naive, FW_CUT_LOOP, loops[level]);
    }
    *last = to;
    return cut;
}

static const char *site_text(const struct naive *naive, uint32_t site)
{
    return fw_symbols_name(naive->trace->symbols, FW_SPACE_SITE, site);
}

static void do_call(struct naive *naive, const struct fw_event *event)
{
    struct actor *actor = &naive->actors[event->thread];
    const char *function = fw_symbols_name(naive->trace->symbols, FW_SPACE_FUNCTION, event->target);
    bool cut = go_to(naive, event->thread, event->site);

    actor->waits = 0;
    cut |= has_cut(naive, FW_CUT_ENTRY, function);
    cut |= event->site && has_cut(naive, FW_CUT_CALL, site_text(naive, event->site));
    push_part(actor, event->site ? FW_CUT_CALL : FW_CUT_ENTRY,
              event->site ? event->site : event->target, true);
    if (cut)
        actor->start = actor->events;
}

static void do_return(struct naive *naive, const struct fw_event *event)
{
    int call = call_of(&naive->actors[event->thread]);

    naive->actors[event->thread].waits = 0;
    if (call >= 0)
        naive->actors[event->thread].count = (uint32_t)call;
}

/* Transactions that lead into event i: those of its sources, and whatever leads there. */
static void mark_leading(const struct naive *naive, uint32_t i, bool *leads)
{
    uint32_t n = naive->trace->count;
    bool changed = true;

    for (uint32_t j = 0; j < i; j++)
        if (naive->counts[j] && naive->edge[j * n + i] &&
            naive->trace->events[j].thread != naive->trace->events[i].thread)
            leads[naive->transaction[j]] = true;
    while (changed) {
        changed = false;
        for (uint32_t m = 0; m < i; m++)
            for (uint32_t k = 0; naive->counts[m] && leads[naive->transaction[m]] && k < m; k++)
                if (naive->counts[k] && naive->edge[k * n + m] && !leads[naive->transaction[k]])
                    changed = leads[naive->transaction[k]] = true;
    }
}

/* The last event of the open transaction of i's thread from which a way leads to i through other
 * threads; UINT32_MAX: there is none. */
static uint32_t last_leading(const struct naive *naive, uint32_t i)
{
    uint32_t n = naive->trace->count, t = naive->trace->events[i].thread, last = UINT32_MAX;
    bool *leads = fw_xcalloc(n, sizeof *leads);

    mark_leading(naive, i, leads);
    for (uint32_t x = 0; x < i; x++) {
        if (!naive->counts[x] || naive->trace->events[x].thread != t ||
            naive->number[x] < naive->actors[t].start)
            continue;
        for (uint32_t m = x + 1; m < i; m++)
            if (naive->counts[m] && naive->trace->events[m].thread != t && naive->edge[x * n + m] &&
                leads[naive->transaction[m]])
                last = naive->number[x];
    }
    free(leads);
    return last;
}

static void decide(struct naive *naive, uint32_t i, uint32_t last)
{
    const struct fw_event *event = &naive->trace->events[i];
    struct actor *actor = &naive->actors[event->thread];
    struct decision made = { i, event->thread, actor->events, FW_CUT_ACCESS, "" };
    const struct part *part = NULL;

    snprintf(made.place, sizeof made.place, "%s", site_text(naive, event->site));
    for (uint32_t k = 0; !part && k < actor->count; k++)
        if (actor->parts[k].entry > last)
            part = &actor->parts[k];
    if (part) {
        made.at = part->entry;
        made.kind = part->kind;
    }
    if (part && part->kind == FW_CUT_CALL)
        snprintf(made.place, sizeof made.place, "%s", site_text(naive, part->place));
    else if (part && part->kind == FW_CUT_ENTRY)
        snprintf(made.place, sizeof made.place, "%s",
                 fw_symbols_name(naive->trace->symbols, FW_SPACE_FUNCTION, part->place));
    else if (part)
        loop_text(made.place, sizeof made.place, part->place);
    fw_cuts_add(naive->cuts, made.kind, made.place);
    fw_vec_push(&naive->decisions, made);
    actor->start = made.at;
    /* The events behind the cut are another transaction. */
    for (uint32_t k = 0; k < i; k++)
        if (naive->counts[k] && naive->trace->events[k].thread == event->thread &&
            naive->number[k] >= made.at)
            naive->transaction[k] = UINT32_MAX;
    for (uint32_t k = 0, first = UINT32_MAX; k < i; k++)
        if (naive->counts[k] && naive->transaction[k] == UINT32_MAX) {
            first = first == UINT32_MAX ? k : first;
            naive->transaction[k] = first;
        }
}

static void do_event(struct naive *naive, uint32_t i)
{
    const struct fw_event *event = &naive->trace->events[i];
    struct actor *actor = &naive->actors[event->thread];
    bool goes_on = event->kind == FW_WAKE || fw_is_class(event->kind, FW_CLASS_ACQUIRE);
    bool waits = goes_on && event->site && actor->waits == event->site;
    bool cut = !waits && go_to(naive, event->thread, event->site);
    uint32_t last;

    actor->waits = waits || fw_is_class(event->kind, FW_CLASS_RELEASE) ? event->site : 0;

    cut |= has_cut(naive, FW_CUT_ACCESS, site_text(naive, event->site));
    if (cut)
        actor->start = actor->events;
    last = last_leading(naive, i);
    if (last != UINT32_MAX)
        decide(naive, i, last);
    naive->number[i] = actor->events++;
    naive->transaction[i] = i;
    for (uint32_t k = 0; k < i; k++)
        if (naive->counts[k] && naive->trace->events[k].thread == event->thread &&
            naive->number[k] >= actor->start) {
            naive->transaction[i] = naive->transaction[k];
            break;
        }
}

static void run_naive(struct naive *naive)
{
    memset(bottom, 0, sizeof bottom);
    for (uint32_t i = 0; i < naive->trace->count; i++) {
        const struct fw_event *event = &naive->trace->events[i];

        if (event->kind == FW_CALL)
            do_call(naive, event);
        else if (event->kind == FW_RETURN)
            do_return(naive, event);
        else if (naive->counts[i])
            do_event(naive, i);
    }
}

static struct naive *naive_create(const struct fw_trace *trace, const struct fw_index *index)
{
    struct naive *naive = fw_xcalloc(1, sizeof *naive);
    uint32_t n = trace->count;

    naive->trace = trace;
    naive->edge = fw_naive_lockless(index, true);
    naive->number = fw_xcalloc(n + 1u, sizeof *naive->number);
    naive->transaction = fw_xcalloc(n + 1u, sizeof *naive->transaction);
    naive->counts = fw_xcalloc(n + 1u, sizeof *naive->counts);
    naive->cuts = fw_cuts_create();
    for (uint32_t i = 0; i < n; i++) {
        naive->counts[i] = is_counted(trace->events[i].kind);
        for (uint32_t j = i + 1; j < n; j++)
            naive->edge[i * n + j] |= conflict(&trace->events[i], &trace->events[j]) ||
                                      hands_lock(&trace->events[i], &trace->events[j]);
    }
    return naive;
}

static void naive_destroy(struct naive *naive)
{
    free(naive->edge);
    free(naive->number);
    free(naive->transaction);
    free(naive->counts);
    fw_cuts_destroy(naive->cuts);
    fw_vec_release(&naive->decisions);
    free(naive);
}

/* --- learning -------------------------------------------------------------------------------- */

static void note_split(void *me, const struct fw_lifetx_split *split)
{
    struct decisions *decisions = me;
    struct decision made = { (uint32_t)split->position, split->thread, (uint32_t)split->at,
                             split->kind, "" };

    snprintf(made.place, sizeof made.place, "%s", split->place);
    fw_vec_push(decisions, made);
}

static struct fw_lifetx_stats learn(const struct fw_trace *trace, struct fw_cuts *cuts,
                                    struct decisions *decisions, uint32_t step)
{
    struct fw_lifetx_options options = { .on_split = note_split, .me = decisions };
    struct fw_lifetx *learner = fw_lifetx_create(trace->symbols, &code, cuts, &options);
    struct fw_batch all = fw_trace_batch(trace);
    struct fw_lifetx_stats stats;

    for (uint32_t i = 0; i < all.count; i += step) {
        struct fw_batch part = all;

        part.events += i;
        part.index = all.index ? all.index + i : NULL;
        part.first += i;
        part.count = all.count - i < step ? all.count - i : step;
        fw_lifetx_batch(learner, &part);
    }
    fw_lifetx_finish(learner);
    stats = *fw_lifetx_stats(learner);
    fw_lifetx_destroy(learner);
    return stats;
}

static bool are_equal(const struct decision *a, const struct decision *b)
{
    return a->position == b->position && a->thread == b->thread && a->at == b->at &&
           a->kind == b->kind && strcmp(a->place, b->place) == 0;
}

static void describe(char *why, size_t size, const char *who, const struct decision *made)
{
    snprintf(why, size, "%s alone: at event %u thread %u is cut before its %u (%s %s)", who,
             made->position, made->thread, made->at, fw_cut_kinds[made->kind], made->place);
}

static bool compare(const struct decisions *found, const struct decisions *expected, char *why,
                    size_t why_size)
{
    for (size_t i = 0; i < found->len || i < expected->len; i++) {
        if (i >= expected->len || (i < found->len && !are_equal(&found->at[i], &expected->at[i]))) {
            describe(why, why_size, "the learner", &found->at[i]);
            return false;
        }
        if (i >= found->len) {
            describe(why, why_size, "the naive version", &expected->at[i]);
            return false;
        }
        cycles++;
        by_kind[found->at[i].kind]++;
    }
    return true;
}

/* Some cutpoints are there from the start. */
static void give_cuts(struct fw_cuts *cuts, struct fw_cuts *same, struct fw_random *random)
{
    static const enum fw_cut_kind kinds[] = { FW_CUT_CALL, FW_CUT_ACCESS, FW_CUT_LOOP,
                                              FW_CUT_ITERATION };

    while (fw_random_percent(random, 40)) {
        enum fw_cut_kind kind = kinds[fw_random_below(random, 4)];
        bool is_loop = kind == FW_CUT_LOOP || kind == FW_CUT_ITERATION;
        char text[24];

        snprintf(text, sizeof text, is_loop ? "loop%u" : "s%u",
                 is_loop ? fw_random_below(random, 3) : 1 + fw_random_below(random, PLACES - 1));
        fw_cuts_add(cuts, kind, text);
        fw_cuts_add(same, kind, text);
    }
}

static bool check_again(const struct fw_trace *trace, struct fw_cuts *cuts, char *why,
                        size_t why_size)
{
    struct decisions decisions = { 0 };
    struct fw_lifetx_stats stats = learn(trace, cuts, &decisions, trace->count);
    bool good = decisions.len == 0 && stats.new_cuts == 0 && stats.length.sum == stats.events;

    if (!good)
        snprintf(why, why_size, "a second look finds %zu cycles, %" PRIu64 " of %" PRIu64 " events",
                 decisions.len, stats.length.sum, stats.events);
    fw_vec_release(&decisions);
    return good;
}

static bool check(struct fw_trace *trace, uint64_t seed, char *why, size_t why_size)
{
    struct fw_index *index = fw_index_create(trace);
    struct naive *naive = naive_create(trace, index);
    struct fw_cuts *cuts = fw_cuts_create();
    struct decisions found = { 0 };
    struct fw_random random;
    bool good;

    fw_random_init(&random, seed + 1);
    if (seed % 3 == 0)
        give_cuts(cuts, naive->cuts, &random);
    learn(trace, cuts, &found, 1 + fw_random_below(&random, 30));
    run_naive(naive);
    good = compare(&found, &naive->decisions, why, why_size) &&
           check_again(trace, cuts, why, why_size);
    fw_vec_release(&found);
    fw_cuts_destroy(cuts);
    naive_destroy(naive);
    fw_index_destroy(index);
    return good;
}

static bool holds(const struct fw_sample *sample, char *why, size_t why_size)
{
    struct fw_trace *trace = fw_load_sample(sample, why, why_size);
    struct fw_random random;
    bool good;

    if (!trace)
        return false;
    fw_random_init(&random, sample->seed);
    place_events(trace, &random);
    good = check(trace, sample->seed, why, why_size);
    fw_trace_destroy(trace);
    return good;
}

int main(void)
{
    static const char *const profiles[] = { "two",    "blocks", "everything", "windows",
                                            "crowds", "forks",  "waits",      "shared",
                                            "heap",   "medium", "barriers",   NULL };
    int status = fw_property_run("prop_lifetx", profiles, 40000, holds);

    printf("prop_lifetx: %" PRIu64 " cycles; cut at", cycles);
    for (unsigned i = 0; i < FW_CUT_KINDS; i++)
        printf(" %s %" PRIu64, fw_cut_kinds[i], by_kind[i]);
    printf("\n");
    return status;
}
