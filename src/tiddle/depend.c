/*
 * depend.c - see depend.h.
 *
 * Each thing has a history of groups.  The events of a group commute with each
 * other and with no event of the groups before and after; edges lead from each
 * event of a group to each of the next.  An event belongs to a class of uses
 * (for a variable: reads, writes); it joins the last group if that is of its
 * class and the class commutes, and begins a new group otherwise.
 */
#include "tiddle/depend.h"

#include "base/alloc.h"

FW_VEC_TYPE(positions, uint32_t);

enum class {
    CLASS_NONE,
    CLASS_ORDERED, /* commutes with nothing */
    CLASS_ONE,     /* commutes with its like */
    CLASS_OTHER,   /* likewise, but not with CLASS_ONE */
};

struct history {
    enum class class; /* of the last group */
    struct positions last, before;
};

/* All things of one sort, by id. */
struct things {
    struct history *at;
    uint32_t count;
};

struct edge {
    uint32_t from, to;
};

/* A release begins to wait for the condition. */
struct wait {
    uint32_t release, condition;
};

struct build {
    const struct fw_index *index;
    const struct fw_trace *trace;
    bool swap_races;
    FW_VEC(struct edge) edges;
    struct things locks, variables, names, conditions, entries, semaphores, barriers, threads;
    uint32_t *last_of_thread;  /* FW_NO_EVENT: none yet */
    uint32_t *name_of;         /* variable → the first one with the same name */
    FW_VEC(struct wait) waits; /* in the order of their releases */
    size_t next_wait;
};

static struct things things_of(const struct build *build, enum fw_space space)
{
    uint32_t count = fw_symbols_count(build->trace->symbols, space);

    return (struct things) { fw_xcalloc(count, sizeof(struct history)), count };
}

static void release_things(struct things *things)
{
    for (uint32_t i = 0; i < things->count; i++) {
        fw_vec_release(&things->at[i].last);
        fw_vec_release(&things->at[i].before);
    }
    free(things->at);
}

static void add_edge(struct build *build, uint32_t from, uint32_t to)
{
    if (from != to)
        fw_vec_push(&build->edges, ((struct edge) { from, to }));
}

static void touch(struct build *build, struct history *history, enum class class, uint32_t event)
{
    if (class == CLASS_ORDERED || class != history->class) {
        struct positions freed = history->before;

        history->before = history->last;
        history->last = freed;
        history->last.len = 0;
        history->class = class;
    }
    for (size_t i = 0; i < history->before.len; i++)
        add_edge(build, history->before.at[i], event);
    fw_vec_push(&history->last, event);
}

static void touch_lock(struct build *build, const struct fw_event *event, uint32_t at)
{
    enum class class = CLASS_ORDERED;

    if (event->kind == FW_TRY_FAIL || fw_is_class(event->kind, FW_CLASS_REQUEST))
        class = CLASS_OTHER;
    else if (fw_is_class(event->kind, FW_CLASS_SHARED))
        class = CLASS_ONE;
    touch(build, &build->locks.at[event->target], class, at);
    for (; build->next_wait < build->waits.len; build->next_wait++) {
        const struct wait *wait = &build->waits.at[build->next_wait];

        if (wait->release != at)
            break;
        touch(build, &build->entries.at[wait->condition], CLASS_ONE, at);
    }
}

/* Plain accesses that may race have an order only among the alloc and free of their variable. */
static void touch_variable(struct build *build, const struct fw_event *event, uint32_t at)
{
    bool is_access = fw_is_class(event->kind, FW_CLASS_READ | FW_CLASS_WRITE);
    bool plain = event->kind == FW_READ || event->kind == FW_WRITE;

    if (is_access && !(plain && build->swap_races))
        touch(build, &build->variables.at[event->target],
              fw_is_write(event->kind) ? CLASS_ORDERED : CLASS_ONE, at);
    touch(build, &build->names.at[build->name_of[event->target]],
          is_access ? CLASS_ONE : CLASS_ORDERED, at);
}

static void touch_condition(struct build *build, const struct fw_event *event, uint32_t at)
{
    bool wake = event->kind == FW_WAKE;

    touch(build, &build->conditions.at[event->target], wake ? CLASS_ONE : CLASS_ORDERED, at);
    if (!wake)
        touch(build, &build->entries.at[event->target], CLASS_OTHER, at);
}

static void touch_target(struct build *build, const struct fw_event *event, uint32_t at)
{
    switch (fw_kind_info[event->kind].space) {
    case FW_SPACE_LOCK:
        touch_lock(build, event, at);
        break;
    case FW_SPACE_VARIABLE:
        touch_variable(build, event, at);
        break;
    case FW_SPACE_CONDITION:
        touch_condition(build, event, at);
        break;
    case FW_SPACE_SEMAPHORE:
        touch(build, &build->semaphores.at[event->target], CLASS_ORDERED, at);
        break;
    case FW_SPACE_BARRIER:
        touch(build, &build->barriers.at[event->target],
              event->kind == FW_BARRIER_IN ? CLASS_ONE : CLASS_OTHER, at);
        break;
    case FW_SPACE_THREAD:
        touch(build, &build->threads.at[event->target], CLASS_ORDERED, at);
        break;
    default: /* labels, functions: nothing that is shared */
        break;
    }
}

static void add_event(struct build *build, uint32_t at)
{
    const struct fw_event *event = &build->trace->events[at];
    uint32_t *last = &build->last_of_thread[event->thread];

    if (*last != FW_NO_EVENT)
        add_edge(build, *last, at);
    *last = at;
    touch(build, &build->threads.at[event->thread], CLASS_ONE, at);
    touch_target(build, event, at);
}

bool fw_release_is_outermost(const struct fw_index *index, uint32_t release)
{
    const struct fw_event *event = &index->trace->events[release];
    uint32_t key = event->target * 2 + fw_is_class(event->kind, FW_CLASS_SHARED);
    uint32_t set = index->lock_set[release], depth = 0;

    for (uint32_t i = 0; i < fw_row_count(&index->lock_sets, set); i++)
        depth += fw_row(&index->lock_sets, set)[i] == key;
    return depth == 1;
}

static int compare_waits(const void *a, const void *b)
{
    uint32_t x = ((const struct wait *)a)->release, y = ((const struct wait *)b)->release;

    return x < y ? -1 : x > y;
}

/* The release before each wake begins its wait: the thread's latest one, of any mode. */
static void find_waits(struct build *build)
{
    uint32_t threads = fw_trace_thread_count(build->trace);
    uint32_t *release = fw_xcalloc(threads, sizeof *release); /* plus 1 */

    for (uint32_t i = 0; i < build->trace->count; i++) {
        const struct fw_event *event = &build->trace->events[i];

        if (fw_is_class(event->kind, FW_CLASS_RELEASE) && fw_release_is_outermost(build->index, i))
            release[event->thread] = i + 1;
        else if (event->kind == FW_WAKE && release[event->thread])
            fw_vec_push(&build->waits,
                        ((struct wait) { release[event->thread] - 1, event->target }));
    }
    free(release);
    if (build->waits.len)
        qsort(build->waits.at, build->waits.len, sizeof *build->waits.at, compare_waits);
}

static void find_names(struct build *build)
{
    const struct fw_strtab *table = &build->trace->symbols->table[FW_SPACE_VARIABLE];
    struct fw_strtab names;

    fw_strtab_init(&names);
    for (uint32_t i = 0; i < table->count; i++)
        build->name_of[i] = fw_strtab_intern(&names, table->entries[i].text, table->entries[i].len);
    fw_strtab_release(&names);
}

static void begin(struct build *build)
{
    const struct fw_trace *trace = build->trace;
    uint32_t variables = fw_symbols_count(trace->symbols, FW_SPACE_VARIABLE);
    uint32_t threads = fw_trace_thread_count(trace);

    build->locks = things_of(build, FW_SPACE_LOCK);
    build->variables = things_of(build, FW_SPACE_VARIABLE);
    build->names = things_of(build, FW_SPACE_VARIABLE);
    build->conditions = things_of(build, FW_SPACE_CONDITION);
    build->entries = things_of(build, FW_SPACE_CONDITION);
    build->semaphores = things_of(build, FW_SPACE_SEMAPHORE);
    build->barriers = things_of(build, FW_SPACE_BARRIER);
    build->threads = things_of(build, FW_SPACE_THREAD);
    build->last_of_thread = fw_xrealloc(NULL, threads, sizeof *build->last_of_thread);
    for (uint32_t i = 0; i < threads; i++)
        build->last_of_thread[i] = FW_NO_EVENT;
    build->name_of = fw_xcalloc(variables, sizeof *build->name_of);
    find_names(build);
    find_waits(build);
}

static void end(struct build *build)
{
    struct things *all[] = { &build->locks,      &build->variables, &build->names,
                             &build->conditions, &build->entries,   &build->semaphores,
                             &build->barriers,   &build->threads };

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        release_things(all[i]);
    fw_vec_release(&build->edges);
    free(build->last_of_thread);
    free(build->name_of);
    fw_vec_release(&build->waits);
}

static void make_rows(struct fw_depend *depend, const struct build *build)
{
    struct fw_rows *rows = &depend->after;
    uint32_t *next;

    rows->rows = depend->count;
    rows->start = fw_xcalloc((size_t)rows->rows + 1, sizeof *rows->start);
    depend->before = fw_xcalloc(depend->count, sizeof *depend->before);
    for (size_t i = 0; i < build->edges.len; i++) {
        rows->start[build->edges.at[i].from + 1]++;
        depend->before[build->edges.at[i].to]++;
    }
    for (uint32_t i = 0; i < rows->rows; i++)
        rows->start[i + 1] += rows->start[i];
    rows->items = fw_xrealloc(NULL, build->edges.len, sizeof *rows->items);
    next = fw_xrealloc(NULL, rows->rows, sizeof *next);
    if (rows->rows)
        memcpy(next, rows->start, rows->rows * sizeof *next);
    for (size_t i = 0; i < build->edges.len; i++)
        rows->items[next[build->edges.at[i].from]++] = build->edges.at[i].to;
    free(next);
}

struct fw_depend *fw_depend_create(const struct fw_index *index, bool swap_races)
{
    struct fw_depend *depend = fw_xcalloc(1, sizeof *depend);
    struct build build = { .index = index, .trace = index->trace, .swap_races = swap_races };

    depend->count = index->trace->count;
    begin(&build);
    for (uint32_t i = 0; i < depend->count; i++)
        add_event(&build, i);
    make_rows(depend, &build);
    end(&build);
    return depend;
}

void fw_depend_destroy(struct fw_depend *depend)
{
    if (!depend)
        return;
    free(depend->after.start);
    free(depend->after.items);
    free(depend->before);
    free(depend);
}
