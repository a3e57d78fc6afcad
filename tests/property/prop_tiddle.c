/*
 * prop_tiddle.c - the equivalent traces of a trace are those of the definition.
 *
 * The definition is written down again, pair by pair, without history.  All
 * orders that keep every dependent pair are counted by plain recursion where
 * there are few; the enumeration and the counting must agree with that.  Each
 * order must be a well-formed trace in which every event answers the event that
 * it answered before.
 */
#include "support/property.h"

#include "base/alloc.h"
#include "tiddle/enumerate.h"

#include <stdio.h>
#include <string.h>

#define LOOK_AT      20u   /* orders of each trace */
#define RECURSE_UPTO 9u    /* events: plain recursion */
#define COUNT_UPTO   5000u /* orders: enumeration */

struct check {
    const struct fw_trace *trace;
    const struct fw_index *index;
    bool swap_races;
    uint64_t found;
    char *why;
    size_t why_size;
};

static const struct fw_event *at(const struct check *c, uint32_t e)
{
    return &c->trace->events[e];
}

static bool fail(const struct check *c, const char *what, uint64_t got, uint64_t wanted)
{
    snprintf(c->why, c->why_size, "%s%s: %llu, should be %llu", what,
             c->swap_races ? " (races swapped)" : "", (unsigned long long)got,
             (unsigned long long)wanted);
    return false;
}

static bool is_notify(unsigned kind)
{
    return kind == FW_NOTIFY || kind == FW_NOTIFY_ALL;
}

/* Does the release begin a wait that ends with a wake of the condition? */
static bool begins_wait(const struct check *c, uint32_t release, uint32_t condition)
{
    for (uint32_t i = release + 1; i < c->trace->count; i++) {
        if (at(c, i)->thread != at(c, release)->thread)
            continue;
        if (fw_is_class(at(c, i)->kind, FW_CLASS_RELEASE))
            return false;
        if (at(c, i)->kind == FW_WAKE && at(c, i)->target == condition)
            return true;
    }
    return false;
}

static bool finds_it_held(const struct fw_event *event)
{
    return event->kind == FW_TRY_FAIL || fw_is_class(event->kind, FW_CLASS_REQUEST);
}

static bool locks_depend(const struct fw_event *a, const struct fw_event *b)
{
    bool shared = fw_is_class(a->kind, FW_CLASS_SHARED) && fw_is_class(b->kind, FW_CLASS_SHARED);

    if (finds_it_held(a) || finds_it_held(b))
        return !finds_it_held(a) || !finds_it_held(b);
    return !shared;
}

static bool variables_depend(const struct check *c, const struct fw_event *a,
                             const struct fw_event *b)
{
    const char *name_a = fw_symbols_name(c->trace->symbols, FW_SPACE_VARIABLE, a->target);
    const char *name_b = fw_symbols_name(c->trace->symbols, FW_SPACE_VARIABLE, b->target);
    bool life = !fw_is_class(a->kind, FW_CLASS_READ | FW_CLASS_WRITE) ||
                !fw_is_class(b->kind, FW_CLASS_READ | FW_CLASS_WRITE);
    bool plain = !fw_is_class(a->kind, FW_CLASS_ATOMIC) || !fw_is_class(b->kind, FW_CLASS_ATOMIC);

    if (life)
        return strcmp(name_a, name_b) == 0;
    return a->target == b->target && (fw_is_write(a->kind) || fw_is_write(b->kind)) &&
           !(plain && c->swap_races);
}

/* A fork or join of the thread of the other event, or of the same thread as the other one. */
static bool life_depends(const struct fw_event *a, const struct fw_event *b)
{
    bool of_thread = a->kind == FW_FORK || a->kind == FW_JOIN;

    return of_thread && (a->target == b->thread ||
                         ((b->kind == FW_FORK || b->kind == FW_JOIN) && a->target == b->target));
}

static bool depend(const struct check *c, uint32_t i, uint32_t j)
{
    const struct fw_event *a = at(c, i), *b = at(c, j);
    enum fw_space space = fw_kind_info[a->kind].space;

    if (a->thread == b->thread || life_depends(a, b) || life_depends(b, a))
        return true;
    if (is_notify(a->kind) && fw_is_class(b->kind, FW_CLASS_RELEASE))
        return begins_wait(c, j, a->target);
    if (is_notify(b->kind) && fw_is_class(a->kind, FW_CLASS_RELEASE))
        return begins_wait(c, i, b->target);
    if (space != fw_kind_info[b->kind].space)
        return false;
    if (space == FW_SPACE_VARIABLE)
        return variables_depend(c, a, b);
    if (a->target != b->target)
        return false;
    switch (space) {
    case FW_SPACE_LOCK:
        return locks_depend(a, b);
    case FW_SPACE_CONDITION:
        return a->kind != FW_WAKE || b->kind != FW_WAKE;
    case FW_SPACE_SEMAPHORE:
        return true;
    case FW_SPACE_BARRIER:
        return a->kind != b->kind;
    default:
        return false;
    }
}

/* Plain recursion over all orders of the events that are not in `done`. */
static uint64_t count_naively(const struct check *c, uint32_t done)
{
    uint64_t ways = 0;

    if (done == (1u << c->trace->count) - 1)
        return 1;
    for (uint32_t j = 0; j < c->trace->count; j++) {
        bool ready = !(done & 1u << j);

        for (uint32_t i = 0; ready && i < j; i++)
            ready = done & 1u << i || !depend(c, i, j);
        if (ready)
            ways += count_naively(c, done | 1u << j);
    }
    return ways;
}

static bool partners_stay(const struct check *c, const uint32_t *order, const uint32_t *place,
                          const struct fw_index *moved)
{
    for (uint32_t i = 0; i < c->trace->count; i++) {
        uint32_t before = c->index->partner[order[i]];
        uint32_t wanted = before == FW_NO_EVENT ? FW_NO_EVENT : place[before];

        if (c->swap_races && fw_is_read(at(c, order[i])->kind))
            continue;
        if (moved->partner[i] != wanted)
            return fail(c, "partner of a moved event", moved->partner[i], wanted);
    }
    return true;
}

static bool order_is_kept(const struct check *c, const uint32_t *place)
{
    for (uint32_t j = 0; j < c->trace->count; j++)
        for (uint32_t i = 0; i < j; i++)
            if (place[i] > place[j] && depend(c, i, j))
                return fail(c, "dependent events changed places", i, j);
    return true;
}

/* The order, written and read again, is a trace of the same events. */
static bool order_is_good(struct check *c, const uint32_t *order)
{
    uint32_t *place = fw_xcalloc(c->trace->count, sizeof *place);
    struct fw_output text;
    struct fw_error err;
    struct fw_trace *moved = NULL;
    struct fw_index *index = NULL;
    bool good;

    for (uint32_t i = 0; i < c->trace->count; i++)
        place[order[i]] = i;
    fw_output_open_memory(&text);
    if (fw_write_order(c->index, order, &text, &err) < 0) {
        snprintf(c->why, c->why_size, "%.150s", err.message);
        good = false;
    } else {
        moved = fw_load_text(text.buffer, text.used, "order.tid", false, c->why, c->why_size);
        good = moved && order_is_kept(c, place);
    }
    if (good) {
        index = fw_index_create(moved);
        good = partners_stay(c, order, place, index);
    }
    fw_index_destroy(index);
    fw_trace_destroy(moved);
    fw_output_abandon(&text);
    free(place);
    return good;
}

static bool look(void *data, const uint32_t *order)
{
    struct check *c = data;

    if (c->found < LOOK_AT && !order_is_good(c, order)) {
        c->found = UINT64_MAX;
        return false;
    }
    return ++c->found <= COUNT_UPTO;
}

static bool check_orders(struct check *c)
{
    struct fw_depend *depends = fw_depend_create(c->index, c->swap_races);
    unsigned __int128 count = 0;
    bool good;

    c->found = 0;
    fw_enumerate(c->index, depends, look, c);
    good = c->found != UINT64_MAX;
    if (good && fw_count_orders(c->index, depends, &count) == 0 &&
        (c->found <= COUNT_UPTO ? count != c->found : count < c->found))
        good = fail(c, "orders counted", (uint64_t)count, c->found);
    if (good && c->trace->count <= RECURSE_UPTO && c->found <= COUNT_UPTO) {
        uint64_t naive = count_naively(c, 0);

        good = naive == c->found || fail(c, "orders found", c->found, naive);
    }
    fw_depend_destroy(depends);
    return good;
}

static bool orders_are_right(const struct fw_sample *sample, char *why, size_t why_size)
{
    struct check c = { .why = why, .why_size = why_size };
    struct fw_trace *trace = fw_load_sample(sample, why, why_size);
    struct fw_index *index;
    bool good;

    if (!trace)
        return false;
    c.trace = trace;
    c.index = index = fw_index_create(trace);
    good = check_orders(&c);
    c.swap_races = true;
    good = good && check_orders(&c);
    fw_index_destroy(index);
    fw_trace_destroy(trace);
    return good;
}

int main(void)
{
    static const char *const profiles[] = { "tiny",     "waits",  "tiny", "everything", "tiny",
                                            "barriers", "tiny",   "heap", "tiny",       "forks",
                                            "tiny",     "shared", NULL };

    return fw_property_run("prop_tiddle", profiles, 2400, orders_are_right);
}
