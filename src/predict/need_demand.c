/*
 * need_demand.c - what events demand of other threads, told to a store.
 *
 * Presence: rules 2, 3, 6 to 9 of docs/soundness.md.  Cleanness: rule 10; to be
 * clean behind a read a thread must have seen what it saw in the trace, and the
 * write must be clean; behind a join, the joined thread; at its beginning, the fork.
 */
#include "predict/need_store.h"

struct teller {
    const struct fw_core *core;
    bool loose;
    const struct fw_need_sink *sink;
    void *store;
};

static void tell_join(const struct teller *t, struct fw_demander who, uint32_t child)
{
    const struct fw_core *core = t->core;
    uint32_t count = fw_thread_length(core, child), fork = core->index->fork_of[child];

    if (count && core->strict)
        t->sink->clean(t->store, who, child, count + 1);
    if (count)
        t->sink->event(t->store, who, fw_event_at(core, child, count - 1));
    else if (fork != FW_NO_EVENT)
        t->sink->event(t->store, who, fork);
}

static void tell_presence(const struct teller *t, struct fw_demander who, uint32_t e)
{
    const struct fw_core *core = t->core;
    const struct fw_index *index = core->index;
    const struct fw_event *event = &core->trace->events[e];
    uint32_t round;

    if (index->in_thread[e] == 0 && index->fork_of[event->thread] != FW_NO_EVENT)
        t->sink->event(t->store, who, index->fork_of[event->thread]);
    switch (event->kind) {
    case FW_JOIN:
        tell_join(t, who, event->target);
        break;
    case FW_WAKE:
    case FW_PEND:
        if (index->partner[e] != FW_NO_EVENT)
            t->sink->event(t->store, who, index->partner[e]);
        break;
    case FW_BARRIER_IN:
        round = core->round_before[index->round_of[e]];
        if (round != FW_NO_EVENT)
            t->sink->round(t->store, who, round);
        break;
    case FW_BARRIER_OUT:
        t->sink->round(t->store, who, index->round_of[e]);
        break;
    default:
        if (fw_core_synchronised(core, e))
            t->sink->event(t->store, who, index->partner[e]);
        break;
    }
}

/* Behind a join: the joined thread is clean at its end; one without events, at its beginning. */
static void tell_joined(const struct teller *t, struct fw_demander who, uint32_t child)
{
    const struct fw_core *core = t->core;
    uint32_t count = fw_thread_length(core, child), fork = core->index->fork_of[child];

    if (count)
        t->sink->clean(t->store, who, child, count + 1);
    else if (fork != FW_NO_EVENT)
        t->sink->clean(t->store, who, fw_thread_of(core, fork), fw_place_of(core, fork) + 1);
}

/* What it demands besides that the thread is clean behind the event. */
static void tell_match(const struct teller *t, struct fw_demander who, uint32_t e)
{
    const struct fw_core *core = t->core;
    const struct fw_event *event = &core->trace->events[e];
    uint32_t seen = core->index->partner[e], place;

    if (event->kind == FW_JOIN)
        tell_joined(t, who, event->target);
    if (!fw_is_read(event->kind) || seen == FW_NO_EVENT || fw_thread_of(core, seen) == who.thread ||
        (t->loose && fw_core_flexible(core, e)))
        return;
    place = fw_place_of(core, seen);
    t->sink->event(t->store, who, seen);
    t->sink->clean(t->store, who, fw_thread_of(core, seen),
                   core->trace->events[seen].kind == FW_ATOMIC_RMW ? place + 2 : place + 1);
}

/* Clean 1: untainted before its first event. */
static void tell_beginning(const struct teller *t, uint32_t thread)
{
    struct fw_demander who = { thread, 1, true };
    uint32_t fork = t->core->index->fork_of[thread];

    if (fork == FW_NO_EVENT)
        return;
    t->sink->event(t->store, who, fork);
    t->sink->clean(t->store, who, fw_thread_of(t->core, fork), fw_place_of(t->core, fork) + 1);
    t->sink->complete(t->store, who);
}

static void tell_event(const struct teller *t, uint32_t e)
{
    const struct fw_core *core = t->core;
    uint32_t thread = fw_thread_of(core, e), place = fw_place_of(core, e);
    struct fw_demander who = { thread, place + 1, false };

    if (place == 0)
        tell_beginning(t, thread);
    if (!core->strict) {
        tell_presence(t, who, e);
        if (core->trace->events[e].kind == FW_BRANCH)
            t->sink->clean(t->store, who, thread, place + 1);
        t->sink->complete(t->store, who);
    }
    who = (struct fw_demander) { thread, place + 2, true };
    tell_presence(t, who, e);
    tell_match(t, who, e);
    t->sink->complete(t->store, who);
}

void fw_need_tell(const struct fw_core *core, bool loose, const struct fw_need_sink *sink,
                  void *store)
{
    struct teller teller = { core, loose, sink, store };

    for (uint32_t e = 0; e < core->trace->count; e++)
        tell_event(&teller, e);
}
