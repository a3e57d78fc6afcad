/* conflicts.c - see conflicts.h. */
#include "explore/conflicts.h"

#include "base/alloc.h"
#include "explore/moments.h"

#include <stdlib.h>

#define LOOKED_AT 1000000u /* events of the beginning */
#define USERS     16u      /* threads of an object that are told apart */

/* What a thread does with an object: between which events, and whether it changes it. */
struct user {
    uint32_t thread, first, last;
    bool reads, changes;
    bool has_used, has_changed; /* so far, while the trace is gone through */
};

FW_VEC_TYPE(users, struct user);
FW_VEC_TYPE(numbers, uint32_t);

struct life {
    uint32_t fork, join; /* events; the whole trace for the main thread */
    uint32_t parent, joiner;
};

struct finder {
    const struct fw_trace *trace;
    uint32_t count;
    struct life *lives;              /* by thread */
    struct users *variables, *locks; /* by id */
    struct numbers *held;            /* by thread: locks, while the trace is gone through */
    struct numbers *patterns, *others; /* by thread: positions of what was found */
    bool *has_first;                 /* by thread */
    uint32_t *last_at;               /* by place: 1 + the last event found there; 0: none */
};

static bool is_access(const struct fw_event *event)
{
    return fw_is_class(event->kind, FW_CLASS_CONFLICT);
}

static bool is_acquire(const struct fw_event *event)
{
    return fw_is_class(event->kind, FW_CLASS_ACQUIRE);
}

static bool changes(const struct fw_event *event)
{
    return event->kind == FW_FREE || fw_is_write(event->kind) || is_acquire(event);
}

static bool reads(const struct fw_event *event)
{
    return fw_is_read(event->kind) || is_acquire(event);
}

/* A line of the program may read and write. */
static size_t place_of(const struct fw_event *event)
{
    return 2 * (size_t)event->site + changes(event);
}

/* --- who uses what --------------------------------------------------------------------------- */

static void note_use(struct users *users, const struct fw_event *event, uint32_t position)
{
    for (size_t i = 0; i < users->len; i++)
        if (users->at[i].thread == event->thread) {
            users->at[i].last = position;
            users->at[i].reads |= reads(event);
            users->at[i].changes |= changes(event);
            return;
        }
    if (users->len < USERS)
        fw_vec_push(users, ((struct user){ .thread = event->thread,
                                           .first = position,
                                           .last = position,
                                           .reads = reads(event),
                                           .changes = changes(event) }));
}

static struct users *users_of(const struct finder *f, const struct fw_event *event)
{
    return is_acquire(event) ? &f->locks[event->target] : &f->variables[event->target];
}

/* What a thread does while it is alone counts for nothing. */
static void note_uses(struct finder *f)
{
    uint32_t others = 0;

    for (uint32_t i = 0; i < f->count; i++) {
        const struct fw_event *event = &f->trace->events[i];

        if (others && (is_access(event) || is_acquire(event)))
            note_use(users_of(f, event), event, i);
        others += event->kind == FW_FORK;
        others -= event->kind == FW_JOIN && others;
        if (event->kind == FW_FORK)
            f->lives[event->target] = (struct life){ i, f->count, event->thread, UINT32_MAX };
        if (event->kind == FW_JOIN) {
            f->lives[event->target].join = i;
            f->lives[event->target].joiner = event->thread;
        }
    }
}

/* --- what could come between ----------------------------------------------------------------- */

/* Can the other thread do it while `thread` is at the event? */
static bool is_concurrent(const struct finder *f, uint32_t thread, uint32_t event,
                          const struct user *other)
{
    const struct life *mine = &f->lives[thread], *its = &f->lives[other->thread];

    if (its->join < mine->fork || mine->join < its->fork)
        return false;
    if (its->parent == thread && event < its->fork)
        return false; /* it is born later */
    if (its->joiner == thread && event > its->join)
        return false;
    return !(mine->parent == other->thread && other->last < mine->fork) &&
           !(mine->joiner == other->thread && other->first > mine->join);
}

/* Does the thread hold a lock that the other one takes as well? */
static bool is_kept_out(const struct finder *f, uint32_t thread, uint32_t other)
{
    const struct numbers *held = &f->held[thread];

    for (size_t i = 0; i < held->len; i++) {
        const struct users *users = &f->locks[held->at[i]];

        for (size_t j = 0; j < users->len; j++)
            if (users->at[j].thread == other)
                return true;
    }
    return false;
}

enum conflict { NONE, SOME, PATTERN };

/* The thread's earlier use and the event: does what the other one does not fit between? */
static bool is_pattern(const struct user *self, const struct fw_event *event,
                       const struct user *other)
{
    return (self->has_used && other->changes && reads(event)) ||
           (self->has_used && other->changes && changes(event) && !self->has_changed) ||
           (self->has_changed && other->reads && changes(event));
}

static enum conflict conflict_at(const struct finder *f, uint32_t position, struct user *self)
{
    const struct fw_event *event = &f->trace->events[position];
    const struct users *users = users_of(f, event);
    enum conflict worst = NONE;

    for (size_t i = 0; i < users->len && worst != PATTERN; i++) {
        const struct user *other = &users->at[i];

        if (other->thread != event->thread && (other->changes || changes(event)) &&
            is_concurrent(f, event->thread, position, other) &&
            !is_kept_out(f, event->thread, other->thread))
            worst = is_pattern(self, event, other) ? PATTERN : SOME;
    }
    self->has_used = true;
    self->has_changed |= changes(event);
    return worst;
}

static void note_held(struct numbers *held, const struct fw_event *event)
{
    if (is_acquire(event))
        fw_vec_push(held, event->target);
    if (!fw_is_class(event->kind, FW_CLASS_RELEASE))
        return;
    for (size_t i = held->len; i-- > 0;)
        if (held->at[i] == event->target) {
            held->at[i] = fw_vec_last(held);
            held->len--;
            return;
        }
}

static struct user *self_at(const struct finder *f, const struct fw_event *event)
{
    struct users *users = users_of(f, event);

    for (size_t i = 0; i < users->len; i++)
        if (users->at[i].thread == event->thread)
            return &users->at[i];
    return NULL; /* there are too many */
}

static void note_conflict(struct finder *f, uint32_t position, enum conflict conflict)
{
    const struct fw_event *event = &f->trace->events[position];
    struct numbers *found = conflict == PATTERN ? f->patterns : f->others;
    uint32_t *last = &f->last_at[place_of(event)];

    if (f->has_first[event->thread]) {
        if (!*last)
            fw_vec_push(&found[event->thread], position);
        *last = position + 1;
    }
    f->has_first[event->thread] = true;
}

static void find(struct finder *f, const struct fw_moments *moments)
{
    for (uint32_t i = 0; i < f->count; i++) {
        const struct fw_event *event = &f->trace->events[i];
        bool uses = is_access(event) || is_acquire(event);
        struct user *self = uses ? self_at(f, event) : NULL;
        enum conflict conflict = self ? conflict_at(f, i, self) : NONE;

        if (conflict != NONE &&
            (!moments || fw_moments_has_place(moments, fw_trace_index(f->trace, i))))
            note_conflict(f, i, conflict);
        note_held(&f->held[event->thread], event);
    }
}

/* --- the list -------------------------------------------------------------------------------- */

static void order_found(const struct numbers *found, size_t threads, struct numbers *order)
{
    size_t rest = 1;

    for (size_t round = 0; rest; round++) {
        rest = 0;
        for (size_t thread = 0; thread < threads; thread++)
            if (round < found[thread].len) {
                fw_vec_push(order, found[thread].at[round]);
                rest++;
            }
    }
}

static void list_all(const struct finder *f, size_t threads, struct fw_conflicts *list)
{
    struct numbers order = { 0 };
    size_t places;

    order_found(f->patterns, threads, &order);
    order_found(f->others, threads, &order);
    places = order.len;
    for (size_t i = 0; i < places; i++) {
        uint32_t last = f->last_at[place_of(&f->trace->events[order.at[i]])] - 1;

        if (last != order.at[i])
            fw_vec_push(&order, last);
    }
    for (size_t i = 0; i < order.len; i++)
        fw_vec_push(list, fw_trace_index(f->trace, order.at[i]));
    fw_vec_release(&order);
}

static void release(struct finder *f, size_t threads)
{
    for (uint32_t i = 0; i < fw_symbols_count(f->trace->symbols, FW_SPACE_VARIABLE); i++)
        fw_vec_release(&f->variables[i]);
    for (uint32_t i = 0; i < fw_symbols_count(f->trace->symbols, FW_SPACE_LOCK); i++)
        fw_vec_release(&f->locks[i]);
    for (size_t i = 0; i < threads; i++) {
        fw_vec_release(&f->held[i]);
        fw_vec_release(&f->patterns[i]);
        fw_vec_release(&f->others[i]);
    }
    free(f->lives);
    free(f->variables);
    free(f->locks);
    free(f->held);
    free(f->patterns);
    free(f->others);
    free(f->has_first);
    free(f->last_at);
}

void fw_conflicts_find(const struct fw_trace *trace, const struct fw_moments *moments,
                       struct fw_conflicts *list)
{
    const struct fw_symbols *symbols = trace->symbols;
    size_t threads = fw_trace_thread_count(trace);
    size_t places = 2 * (fw_symbols_count(symbols, FW_SPACE_SITE) + (size_t)1);
    struct finder f = { .trace = trace,
                        .count = trace->count < LOOKED_AT ? trace->count : LOOKED_AT };

    f.lives = fw_xcalloc(threads + 1, sizeof *f.lives);
    f.variables = fw_xcalloc(fw_symbols_count(symbols, FW_SPACE_VARIABLE) + (size_t)1,
                             sizeof *f.variables);
    f.locks = fw_xcalloc(fw_symbols_count(symbols, FW_SPACE_LOCK) + (size_t)1, sizeof *f.locks);
    f.held = fw_xcalloc(threads + 1, sizeof *f.held);
    f.patterns = fw_xcalloc(threads + 1, sizeof *f.patterns);
    f.others = fw_xcalloc(threads + 1, sizeof *f.others);
    f.has_first = fw_xcalloc(threads + 1, sizeof *f.has_first);
    f.last_at = fw_xcalloc(places, sizeof *f.last_at);
    for (size_t i = 0; i < threads; i++)
        f.lives[i] = (struct life){ 0, f.count, UINT32_MAX, UINT32_MAX };
    note_uses(&f);
    find(&f, moments);
    list_all(&f, threads, list);
    release(&f, threads);
}
