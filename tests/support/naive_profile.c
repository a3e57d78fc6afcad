/* naive_profile.c - see naive_profile.h. */
#include "support/naive_profile.h"

#include "support/naive.h"

#include "base/alloc.h"
#include "base/vec.h"
#include "iroot/naming.h"

#include <stdlib.h>

#define MOST_HELD 16u

/* A lock that is held, and where it was taken. */
struct held {
    uint32_t lock, since;
    bool shared;
};

struct access {
    uint32_t event; /* position */
    uint32_t thread, object, number;
    uint32_t own; /* the how-manieth of its thread */
    bool lock, writes, gives, takes, blocks, outside;
    struct held held[MOST_HELD];
    unsigned held_count;
};

struct naive {
    const struct fw_index *index;
    bool *before; /* happens-before, without locks */
    FW_VEC(struct access) at;
    uint32_t window;
    struct fw_iroot_set *set, *outside;
};

/* --- accesses --------------------------------------------------------------------------------- */

static bool is_taking(unsigned kind)
{
    return fw_is_class(kind, FW_CLASS_ACQUIRE);
}

static bool is_giving(unsigned kind)
{
    return fw_is_class(kind, FW_CLASS_RELEASE);
}

/* The locks that the event's thread has taken before it and not given back, but for its own. */
static void find_held(const struct fw_trace *trace, struct access *access)
{
    for (uint32_t i = 0; i < access->event; i++) {
        const struct fw_event *event = &trace->events[i];

        if (event->thread != access->thread)
            continue;
        if (is_taking(event->kind))
            access->held[access->held_count++] = (struct held) {
                event->target, i, fw_is_class(event->kind, FW_CLASS_SHARED)
            };
        for (unsigned h = 0; is_giving(event->kind) && h < access->held_count; h++)
            if (access->held[h].lock == event->target)
                access->held[h--] = access->held[--access->held_count];
    }
    for (unsigned h = 0; access->lock && h < access->held_count; h++)
        if (access->held[h].lock == access->object)
            access->held[h--] = access->held[--access->held_count];
}

/* Has the thread, or one that began it, taken a token before that nobody posted? */
static bool depends_on_outside(const struct fw_index *index, uint32_t thread, uint32_t before)
{
    const struct fw_event *events = index->trace->events;
    uint32_t fork = index->fork_of[thread];

    for (uint32_t i = 0; i < before; i++)
        if (events[i].thread == thread && events[i].kind == FW_PEND &&
            index->partner[i] == FW_NO_EVENT)
            return true;
    return fork != FW_NO_EVENT && depends_on_outside(index, events[fork].thread, fork);
}

static void find_accesses(struct naive *n, struct fw_strtab *accesses)
{
    const struct fw_trace *trace = n->index->trace;
    uint32_t *own = fw_xcalloc(fw_trace_thread_count(trace) + 1u, sizeof *own);
    struct fw_naming *naming =
        fw_naming_create(trace->symbols, accesses, trace->lacks_repeats);

    for (uint32_t i = 0; i < trace->count; i++) {
        const struct fw_event *event = &trace->events[i];
        unsigned kind = event->kind;
        struct access access = { .event = i, .thread = event->thread, .object = event->target };

        access.takes = is_taking(kind);
        access.gives = is_giving(kind);
        access.lock = access.takes || access.gives;
        if (!access.lock && !fw_is_class(kind, FW_CLASS_CONFLICT))
            continue;
        access.own = own[event->thread]++;
        access.number = fw_naming_access(naming, event);
        access.blocks = kind == FW_ACQUIRE || kind == FW_SHARED_ACQUIRE;
        access.writes = access.lock ? !fw_is_class(kind, FW_CLASS_SHARED)
                                    : fw_is_write(kind) || kind == FW_FREE;
        access.outside = depends_on_outside(n->index, event->thread, i);
        find_held(trace, &access);
        fw_vec_push(&n->at, access);
    }
    fw_naming_destroy(naming);
    free(own);
}

/* --- may follow ------------------------------------------------------------------------------- */

static bool same_object(const struct access *a, const struct access *b)
{
    return a->lock == b->lock && a->object == b->object;
}

static bool happens_before(const struct naive *n, const struct access *a, const struct access *b)
{
    return n->before[(size_t)a->event * n->index->trace->count + b->event];
}

/* Is another access of the object in the section of the thread's lock, behind or before it? */
static bool other_in_section(const struct naive *n, const struct access *a, const struct held *held,
                             bool behind)
{
    for (size_t i = 0; i < n->at.len; i++) {
        const struct access *other = &n->at.at[i];

        if (other->thread != a->thread || !same_object(other, a) || other->event == a->event ||
            (other->event > a->event) != behind)
            continue;
        for (unsigned h = 0; h < other->held_count; h++)
            if (other->held[h].since == held->since)
                return true;
    }
    return false;
}

static bool sections_allow(const struct naive *n, const struct access *a, const struct access *b)
{
    for (unsigned i = 0; i < a->held_count; i++)
        for (unsigned j = 0; j < b->held_count; j++)
            if (a->held[i].lock == b->held[j].lock && !(a->held[i].shared && b->held[j].shared) &&
                (other_in_section(n, a, &a->held[i], true) ||
                 other_in_section(n, b, &b->held[j], false)))
                return false;
    return true;
}

static bool may_follow(const struct naive *n, const struct access *a, const struct access *b)
{
    return a->thread != b->thread && same_object(a, b) && (a->writes || b->writes) &&
           (!a->lock || (a->gives && b->takes)) && !happens_before(n, b, a) &&
           sections_allow(n, a, b);
}

/* --- idioms ----------------------------------------------------------------------------------- */

static void add(const struct naive *n, unsigned idiom, bool waits, const uint32_t *places)
{
    struct fw_iroot iroot = { .idiom = (uint8_t)idiom, .waits = waits };
    bool outside = false;

    for (unsigned i = 0; i < fw_idiom_accesses(idiom); i++) {
        iroot.access[i] = n->at.at[places[i]].number;
        if (iroot.access[i] == FW_ACCESS_NONE)
            return;
        outside |= n->at.at[places[i]].outside;
    }
    fw_iroot_set_add(n->set, &iroot);
    if (outside)
        fw_iroot_set_add(n->outside, &iroot);
}

/* The second is behind the first, of the same thread, and not too far. */
static bool is_soon(const struct naive *n, uint32_t first, uint32_t second)
{
    const struct access *a = &n->at.at[first], *b = &n->at.at[second];

    return a->thread == b->thread && first < second && b->own - a->own <= n->window;
}

static bool accesses_between(const struct naive *n, uint32_t first, uint32_t second, uint32_t what)
{
    for (uint32_t i = first + 1; i < second; i++)
        if (n->at.at[i].thread == n->at.at[first].thread &&
            same_object(&n->at.at[i], &n->at.at[what]))
            return true;
    return false;
}

/* A ~> B, C ~> D. */
static void combine(const struct naive *n, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    bool one = same_object(&n->at.at[a], &n->at.at[c]);
    uint32_t places[] = { a, b, c, d };

    if (one && b == c && is_soon(n, a, d) && !accesses_between(n, a, d, a))
        add(n, 2, false, (uint32_t[]) { a, b, d });
    if (one && is_soon(n, a, d) && is_soon(n, b, c) && !accesses_between(n, a, d, a))
        add(n, 3, false, places);
    if (!one && is_soon(n, a, d) && is_soon(n, b, c) && !accesses_between(n, a, d, a) &&
        !accesses_between(n, a, d, c))
        add(n, 4, false, places);
    if (!one && is_soon(n, a, d) && is_soon(n, c, b))
        add(n, 5, false, places);
    if (!one && is_soon(n, a, c) && is_soon(n, b, d))
        add(n, 6, false, places);
}

static const struct held *hold_of(const struct naive *n, uint32_t holder, uint32_t taker)
{
    const struct access *a = &n->at.at[holder], *d = &n->at.at[taker];

    for (unsigned h = 0; h < d->held_count; h++)
        if (d->held[h].since == a->event && a->takes)
            return &d->held[h];
    return NULL;
}

static bool may_meet(const struct access *d, const struct access *b)
{
    for (unsigned i = 0; i < d->held_count; i++)
        for (unsigned j = 0; j < b->held_count; j++)
            if (d->held[i].lock == b->held[j].lock && !(d->held[i].shared && b->held[j].shared))
                return false;
    return true;
}

/* S: A, holding it D.  T: C, holding it B. */
static void find_deadlock(const struct naive *n, uint32_t a, uint32_t d, uint32_t c, uint32_t b)
{
    const struct access *at = n->at.at;

    if (at[a].thread != at[c].thread && same_object(&at[a], &at[b]) &&
        same_object(&at[c], &at[d]) && !same_object(&at[a], &at[c]) && at[d].takes && at[b].takes &&
        at[d].blocks && at[b].blocks && (at[a].writes || at[b].writes) &&
        (at[c].writes || at[d].writes) && !happens_before(n, &at[d], &at[b]) &&
        !happens_before(n, &at[b], &at[d]) && may_meet(&at[d], &at[b]))
        add(n, 5, true, (uint32_t[]) { a, b, c, d });
}

struct pair {
    uint32_t a, b;
};

static void find_compounds(const struct naive *n)
{
    FW_VEC(struct pair) follow = { 0 }, hold = { 0 };
    uint32_t count = (uint32_t)n->at.len;

    for (uint32_t a = 0; a < count; a++) {
        for (uint32_t b = 0; b < count; b++) {
            if (may_follow(n, &n->at.at[a], &n->at.at[b]))
                fw_vec_push(&follow, ((struct pair) { a, b }));
            if (is_soon(n, a, b) && hold_of(n, a, b))
                fw_vec_push(&hold, ((struct pair) { a, b }));
        }
    }
    for (size_t i = 0; i < follow.len; i++)
        for (size_t j = 0; j < follow.len; j++)
            combine(n, follow.at[i].a, follow.at[i].b, follow.at[j].a, follow.at[j].b);
    for (size_t i = 0; i < hold.len; i++)
        for (size_t j = 0; j < hold.len; j++)
            find_deadlock(n, hold.at[i].a, hold.at[i].b, hold.at[j].a, hold.at[j].b);
    fw_vec_release(&follow);
    fw_vec_release(&hold);
}

void fw_naive_profile(const struct fw_index *index, struct fw_strtab *accesses,
                      const struct fw_profile_options *options, struct fw_iroot_set *set,
                      struct fw_iroot_set *outside)
{
    struct naive n = { .index = index,
                       .before = fw_naive_lockless(index, !options->free_atomics),
                       .window = options->window ? options->window : FW_IROOT_WINDOW,
                       .set = set,
                       .outside = outside };

    find_accesses(&n, accesses);
    for (uint32_t a = 0; a < n.at.len; a++)
        for (uint32_t b = 0; b < n.at.len; b++)
            if (may_follow(&n, &n.at.at[a], &n.at.at[b]))
                add(&n, 1, false, (uint32_t[]) { a, b });
    if (!options->simple)
        find_compounds(&n);
    fw_vec_release(&n.at);
    free(n.before);
}
