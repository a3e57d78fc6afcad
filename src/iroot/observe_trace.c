/* observe_trace.c - see observe_trace.h. */
#include "iroot/observe_trace.h"

#include "base/alloc.h"
#include "base/idmap.h"
#include "base/vec.h"
#include "iroot/naming.h"

/* The latest event of a thread, if it asks for a lock. */
struct request {
    bool waits;
    struct fw_observed observed;
};

struct fw_watch {
    const struct fw_symbols *symbols;
    struct fw_naming *naming;
    struct fw_observer *observer;
    FW_VEC(uint32_t) allocated; /* the variable that a name means, of names that were allocated */
    struct fw_idmap by_text;
    FW_VEC(struct request) requests; /* by thread */
};

struct fw_watch *fw_watch_create(const struct fw_symbols *symbols, struct fw_strtab *accesses,
                                 struct fw_iroot_set *set,
                                 const struct fw_observe_options *options)
{
    struct fw_watch *watch = fw_xcalloc(1, sizeof *watch);

    watch->symbols = symbols;
    watch->naming = fw_naming_create(symbols, accesses, options->lacks_repeats);
    watch->observer = fw_observer_create(set, options);
    return watch;
}

void fw_watch_destroy(struct fw_watch *watch)
{
    if (!watch)
        return;
    fw_vec_release(&watch->allocated);
    fw_idmap_release(&watch->by_text);
    fw_vec_release(&watch->requests);
    fw_observer_destroy(watch->observer);
    fw_naming_destroy(watch->naming);
    free(watch);
}

static uint64_t object_of(unsigned kind, uint32_t target)
{
    return (uint64_t)target << 1 | (fw_kind_info[kind].space == FW_SPACE_LOCK);
}

/* --- variables that will not be met again ----------------------------------------------------- */

struct sought {
    const struct fw_watch *watch;
    const char *text;
};

/* Equal names are one text in memory (strtab.h). */
static bool has_text(const void *key, uint32_t id)
{
    const struct sought *sought = key;

    return fw_symbols_name(sought->watch->symbols, FW_SPACE_VARIABLE,
                           sought->watch->allocated.at[id]) == sought->text;
}

/* A name that is allocated again means another variable. */
static void watch_alloc(struct fw_watch *watch, uint32_t variable)
{
    struct sought sought = { watch, fw_symbols_name(watch->symbols, FW_SPACE_VARIABLE, variable) };
    uint32_t hash = (uint32_t)((uintptr_t)sought.text * 0x9e3779b97f4a7c15u >> 32);
    uint32_t id = fw_idmap_find(&watch->by_text, hash, has_text, &sought);

    if (id == FW_IDMAP_NONE) {
        fw_idmap_add(&watch->by_text, hash, (uint32_t)watch->allocated.len);
        fw_vec_push(&watch->allocated, variable);
        return;
    }
    if (watch->allocated.at[id] != variable)
        fw_observer_forget(watch->observer, object_of(FW_ALLOC, watch->allocated.at[id]));
    watch->allocated.at[id] = variable;
}

/* --- events ----------------------------------------------------------------------------------- */

static void watch_request(struct fw_watch *watch, const struct fw_observed *observed)
{
    fw_vec_extend(&watch->requests, (size_t)observed->thread + 1);
    watch->requests.at[observed->thread] = (struct request) { true, *observed };
}

static void watch_event(struct fw_watch *watch, const struct fw_event *event)
{
    struct fw_observed observed = { .thread = event->thread };

    if (event->thread < watch->requests.len)
        watch->requests.at[event->thread].waits = false;
    if (event->kind == FW_ALLOC)
        watch_alloc(watch, event->target);
    if (event->kind == FW_JOIN)
        fw_observer_end_thread(watch->observer, event->target);
    observed.does = (uint8_t)fw_iroot_does_of(event->kind);
    if (observed.does == FW_DOES_COUNT)
        return;
    observed.access = fw_naming_access(watch->naming, event);
    observed.object = object_of(event->kind, event->target);
    observed.writes = fw_iroot_writes(event->kind);
    if (fw_is_class(event->kind, FW_CLASS_REQUEST))
        watch_request(watch, &observed);
    else
        fw_observer_access(watch->observer, &observed);
}

void fw_watch_batch(struct fw_watch *watch, const struct fw_batch *batch)
{
    for (uint32_t i = 0; i < batch->count; i++)
        watch_event(watch, &batch->events[i]);
}

void fw_watch_finish(struct fw_watch *watch)
{
    for (size_t i = 0; i < watch->requests.len; i++)
        if (watch->requests.at[i].waits)
            fw_observer_wait(watch->observer, &watch->requests.at[i].observed);
    fw_observer_finish(watch->observer);
}

void fw_observe_trace(const struct fw_trace *trace, struct fw_strtab *accesses,
                      struct fw_iroot_set *set, const struct fw_observe_options *options)
{
    struct fw_observe_options how = *options;
    struct fw_batch batch = fw_trace_batch(trace);
    struct fw_watch *watch;

    how.lacks_repeats = trace->lacks_repeats;
    watch = fw_watch_create(trace->symbols, accesses, set, &how);
    fw_watch_batch(watch, &batch);
    fw_watch_finish(watch);
    fw_watch_destroy(watch);
}
