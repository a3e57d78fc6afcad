/* naive_iroots.c - see naive_iroots.h. */
#include "support/naive_iroots.h"

#include "base/alloc.h"
#include "base/vec.h"
#include "iroot/naming.h"

#include <stdlib.h>

/* Two accesses, by place; B depends on A. */
struct dependency {
    uint32_t a, b;
};

struct naive {
    const struct fw_naive_access *at;
    uint32_t count, window;
    struct fw_iroot_set *set;
};

static bool is_access(unsigned kind)
{
    switch (kind) {
    case FW_READ:
    case FW_WRITE:
    case FW_ATOMIC_LOAD:
    case FW_ATOMIC_STORE:
    case FW_ATOMIC_RMW:
    case FW_FREE:
    case FW_ACQUIRE:
    case FW_RELEASE:
    case FW_TRY_ACQUIRE:
    case FW_SHARED_ACQUIRE:
    case FW_SHARED_RELEASE:
    case FW_TRY_SHARED_ACQUIRE:
        return true;
    default:
        return false;
    }
}

struct fw_naive_access *fw_naive_accesses(const struct fw_trace *trace, struct fw_strtab *accesses,
                                          uint32_t *count)
{
    uint32_t *own = fw_xcalloc(fw_trace_thread_count(trace) + 1u, sizeof *own);
    struct fw_naming *naming =
        fw_naming_create(trace->symbols, accesses, trace->lacks_repeats);
    FW_VEC(struct fw_naive_access) all = { 0 };

    for (uint32_t i = 0; i < trace->count; i++) {
        const struct fw_event *event = &trace->events[i];
        unsigned kind = event->kind;
        struct fw_naive_access access = { .thread = event->thread, .object = event->target };

        if (!is_access(kind))
            continue;
        access.own = own[event->thread]++;
        access.access = fw_naming_access(naming, event);
        access.gives = kind == FW_RELEASE || kind == FW_SHARED_RELEASE;
        access.takes = kind == FW_ACQUIRE || kind == FW_TRY_ACQUIRE || kind == FW_SHARED_ACQUIRE ||
                       kind == FW_TRY_SHARED_ACQUIRE;
        access.lock = access.gives || access.takes;
        access.writes = kind != FW_READ && kind != FW_ATOMIC_LOAD && kind != FW_SHARED_RELEASE &&
                        kind != FW_SHARED_ACQUIRE && kind != FW_TRY_SHARED_ACQUIRE;
        fw_vec_push(&all, access);
    }
    fw_naming_destroy(naming);
    free(own);
    *count = (uint32_t)all.len;
    return all.at;
}

static bool same_object(const struct fw_naive_access *a, const struct fw_naive_access *b)
{
    return a->lock == b->lock && a->object == b->object;
}

bool fw_naive_depends(const struct fw_naive_access *at, uint32_t a, uint32_t b)
{
    if (a >= b || at[a].thread == at[b].thread || !same_object(&at[a], &at[b]) ||
        (!at[a].writes && !at[b].writes) || (at[a].lock && !(at[a].gives && at[b].takes)))
        return false;
    for (uint32_t i = a + 1; i < b; i++)
        if (same_object(&at[i], &at[a]) &&
            (at[i].thread == at[a].thread || at[i].thread == at[b].thread || at[i].writes ||
             (at[a].writes && at[b].writes)))
            return false;
    return true;
}

/* The second is behind the first, of the same thread, and not too far. */
static bool follows(const struct naive *n, uint32_t first, uint32_t second)
{
    return n->at[first].thread == n->at[second].thread && first < second &&
           n->at[second].own - n->at[first].own <= n->window;
}

/* Does the thread of both access the object of `what` between them? */
static bool accesses_between(const struct naive *n, uint32_t first, uint32_t second, uint32_t what)
{
    for (uint32_t i = first + 1; i < second; i++)
        if (n->at[i].thread == n->at[first].thread && same_object(&n->at[i], &n->at[what]))
            return true;
    return false;
}

static void add(const struct naive *n, unsigned idiom, const uint32_t *places)
{
    struct fw_iroot iroot = { .idiom = (uint8_t)idiom };

    for (unsigned i = 0; i < fw_idiom_accesses(idiom); i++) {
        iroot.access[i] = n->at[places[i]].access;
        if (iroot.access[i] == FW_ACCESS_NONE)
            return;
    }
    fw_iroot_set_add(n->set, &iroot);
}

/* A => B, C => D. */
static void combine(const struct naive *n, struct dependency first, struct dependency second)
{
    uint32_t a = first.a, b = first.b, c = second.a, d = second.b;
    uint32_t places[4] = { a, b, c, d };
    bool one = same_object(&n->at[a], &n->at[c]);

    if (one && b == c && follows(n, a, d))
        add(n, 2, (uint32_t[]) { a, b, d });
    if (one && follows(n, a, d) && follows(n, b, c) && !accesses_between(n, a, d, a))
        add(n, 3, places);
    if (!one && follows(n, a, d) && follows(n, b, c) && !accesses_between(n, a, d, a) &&
        !accesses_between(n, a, d, c))
        add(n, 4, places);
    if (!one && follows(n, a, d) && follows(n, c, b))
        add(n, 5, places);
    if (!one && follows(n, a, c) && follows(n, b, d))
        add(n, 6, places);
}

/* --- deadlocks -------------------------------------------------------------------------------- */

/* The event that a thread waits at when the trace ends, or NULL. */
static const struct fw_event *waiting(const struct fw_trace *trace, uint32_t thread)
{
    const struct fw_event *last = NULL;

    for (uint32_t i = 0; i < trace->count; i++)
        if (trace->events[i].thread == thread)
            last = &trace->events[i];
    return last && (last->kind == FW_REQUEST || last->kind == FW_SHARED_REQUEST ||
                    last->kind == FW_RELOCK)
               ? last
               : NULL;
}

/* The place of the access that took the lock that the thread has at the end; count: it has not. */
static uint32_t taken(const struct naive *n, uint32_t thread, uint32_t lock)
{
    uint32_t found = n->count;

    for (uint32_t i = 0; i < n->count; i++)
        if (n->at[i].lock && n->at[i].thread == thread && n->at[i].object == lock)
            found = n->at[i].takes ? i : n->count;
    return found;
}

static uint32_t accesses_of(const struct naive *n, uint32_t thread)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < n->count; i++)
        count += n->at[i].thread == thread;
    return count;
}

/* s waits for what t has, within the window: where t took it, else count. */
static uint32_t blocked(const struct naive *n, const struct fw_event *s, uint32_t t)
{
    uint32_t hold = taken(n, t, s->target);

    return hold < n->count && (n->at[hold].writes || s->kind != FW_SHARED_REQUEST) &&
                   accesses_of(n, t) - n->at[hold].own <= n->window
               ? hold
               : n->count;
}

static void find_deadlocks(const struct naive *n, const struct fw_trace *trace,
                           struct fw_naming *naming)
{
    uint32_t threads = fw_trace_thread_count(trace);

    for (uint32_t s = 0; s < threads; s++) {
        for (uint32_t t = 0; t < threads; t++) {
            const struct fw_event *d = waiting(trace, s), *b = waiting(trace, t);
            struct fw_iroot iroot = { .idiom = 5, .waits = true };
            uint32_t a, c;

            if (s == t || !d || !b || d->target == b->target)
                continue;
            c = blocked(n, d, t);
            a = blocked(n, b, s);
            if (a == n->count || c == n->count)
                continue;
            iroot.access[0] = n->at[a].access;
            iroot.access[1] = fw_naming_access(naming, b);
            iroot.access[2] = n->at[c].access;
            iroot.access[3] = fw_naming_access(naming, d);
            fw_iroot_set_add(n->set, &iroot);
        }
    }
}

void fw_naive_iroots(const struct fw_trace *trace, struct fw_strtab *accesses, uint32_t window,
                     struct fw_iroot_set *set)
{
    struct naive n = { .window = window, .set = set };
    struct fw_naive_access *at = fw_naive_accesses(trace, accesses, &n.count);
    struct fw_naming *naming =
        fw_naming_create(trace->symbols, accesses, trace->lacks_repeats);
    FW_VEC(struct dependency) all = { 0 };

    n.at = at;
    for (uint32_t a = 0; a < n.count; a++) {
        for (uint32_t b = a + 1; b < n.count; b++) {
            if (!fw_naive_depends(at, a, b))
                continue;
            fw_vec_push(&all, ((struct dependency) { a, b }));
            add(&n, 1, (uint32_t[]) { a, b });
        }
    }
    for (size_t i = 0; i < all.len; i++)
        for (size_t j = 0; j < all.len; j++)
            combine(&n, all.at[i], all.at[j]);
    find_deadlocks(&n, trace, naming);
    fw_naming_destroy(naming);
    fw_vec_release(&all);
    free(at);
}
