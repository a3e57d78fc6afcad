/* profile.c - see profile.h.  Events: clocks, locks held, accesses in order. */
#include "iroot/profile.h"

#include "base/alloc.h"
#include "iroot/profile_state.h"

#include <stdlib.h>

#define LOOK_UP 1024u /* is it wanted at all?  asked every so many events */

struct fw_profiler *fw_profiler_create(const struct fw_symbols *symbols,
                                       struct fw_strtab *accesses,
                                       const struct fw_profile_options *options)
{
    struct fw_profiler *profiler = fw_xcalloc(1, sizeof *profiler);

    profiler->options = *options;
    profiler->window = options->window ? options->window : FW_IROOT_WINDOW;
    profiler->most = options->most ? options->most : FW_PROFILE_MOST;
    profiler->share = fw_profiler_share(options);
    profiler->symbols = symbols;
    profiler->naming = fw_naming_create(symbols, accesses, options->lacks_repeats);
    profiler->flow = fw_flow_create();
    fw_vec_push(&profiler->lock_sets, ((struct marks) { 0 }));
    return profiler;
}

static void release_thread(struct profiled *thread)
{
    fw_clock_release(&thread->clock);
    for (size_t i = 0; i < thread->seen.len; i++)
        fw_vec_release(&thread->seen.at[i]);
    fw_vec_release(&thread->seen);
    fw_vec_release(&thread->held);
    fw_vec_release(&thread->late);
    fw_vec_release(&thread->late_held);
    fw_vec_release(&thread->late_marks);
    fw_vec_release(&thread->recent);
    fw_profiled_release_latest(thread);
    fw_vec_release(&thread->occurrences);
    free(thread->above);
    free(thread->match);
    free(thread->met);
}

void fw_profiler_destroy(struct fw_profiler *profiler)
{
    if (!profiler)
        return;
    for (size_t i = 0; i < profiler->threads.len; i++)
        release_thread(&profiler->threads.at[i]);
    for (size_t i = 0; i < profiler->slots.len; i++)
        fw_clock_release(&profiler->slots.at[i]);
    fw_vec_release(&profiler->threads);
    fw_vec_release(&profiler->slots);
    fw_profiler_release_entries(profiler);
    fw_profiler_release_couples(profiler);
    fw_flow_destroy(profiler->flow);
    fw_naming_destroy(profiler->naming);
    free(profiler);
}

bool fw_profiler_overlooks(const struct fw_profiler *profiler)
{
    return profiler->overlooks;
}

uint64_t fw_profiler_hurried(const struct fw_profiler *profiler)
{
    return profiler->hurried;
}

static struct profiled *thread_of(struct fw_profiler *profiler, uint32_t number)
{
    while (profiler->threads.len <= number) {
        struct profiled made = { 0 };

        fw_profiled_sent(&made, (uint32_t)profiler->threads.len); /* epochs count from 1 */
        fw_profiled_version(&made);
        fw_vec_push(&profiler->threads, made);
    }
    return &profiler->threads.at[number];
}

/* --- clocks ----------------------------------------------------------------------------------- */

static struct fw_clock *slot_at(struct fw_profiler *profiler, uint32_t slot)
{
    fw_vec_extend(&profiler->slots, (size_t)slot + 1);
    return &profiler->slots.at[slot];
}

static void slot_receive(void *me, uint32_t slot)
{
    struct fw_profiler *profiler = me;

    profiler->received = true;
    fw_profiled_receive(thread_of(profiler, profiler->thread), slot_at(profiler, slot));
}

static void slot_send(void *me, uint32_t slot, bool keep)
{
    struct fw_profiler *profiler = me;
    struct profiled *thread = thread_of(profiler, profiler->thread);

    if (keep)
        fw_clock_join(slot_at(profiler, slot), &thread->clock);
    else
        fw_clock_copy(slot_at(profiler, slot), &thread->clock);
    fw_profiled_sent(thread, profiler->thread);
}

static void slot_copy(void *me, uint32_t from, uint32_t to, bool keep)
{
    struct fw_profiler *profiler = me;
    struct fw_clock *target;

    slot_at(profiler, from);
    target = slot_at(profiler, to);
    if (keep)
        fw_clock_join(target, &profiler->slots.at[from]);
    else
        fw_clock_copy(target, &profiler->slots.at[from]);
}

static void slot_clear(void *me, uint32_t slot)
{
    fw_clock_clear(slot_at(me, slot));
}

static const struct fw_flow_ops flow_ops = { slot_receive, slot_send, slot_copy, slot_clear };

static void on_fork(struct fw_profiler *profiler, uint32_t child)
{
    struct profiled *born = thread_of(profiler, child);
    struct profiled *parent = &profiler->threads.at[profiler->thread];

    fw_profiled_receive(born, &parent->clock);
    born->outside |= parent->outside;
    fw_profiled_sent(parent, profiler->thread);
}

static void on_join(struct fw_profiler *profiler, uint32_t child)
{
    struct profiled *gone = thread_of(profiler, child);

    fw_profiled_receive(&profiler->threads.at[profiler->thread], &gone->clock);
}

/* --- accesses --------------------------------------------------------------------------------- */

static bool still_holds(const struct profiled *thread, const struct held *held)
{
    for (size_t i = 0; i < thread->held.len; i++)
        if (thread->held.at[i].lock == held->lock && thread->held.at[i].since == held->since)
            return true;
    return false;
}

/* The object is accessed again: the access before was not the last one of sections still open. */
static void unmark_last(struct profiled *thread, uint64_t number)
{
    const struct late *late;

    if (number < thread->late_before)
        return;
    late = &thread->late.at[number - thread->late_before];
    for (uint32_t i = late->held; i < late->held + late->held_count; i++)
        if (still_holds(thread, &thread->late_held.at[i]))
            thread->late_marks.at[i] &= ~(uint64_t)HELD_LAST;
}

static void add_late(struct profiled *thread, struct late late)
{
    late.held = (uint32_t)thread->late_held.len;
    late.held_count = (uint32_t)thread->held.len;
    for (size_t i = 0; i < thread->held.len; i++) {
        const struct held *held = &thread->held.at[i];
        uint64_t mark = (uint64_t)held->lock << HELD_LOCK_BITS | HELD_LAST;

        mark |= (held->shared ? HELD_SHARED : 0) | (late.before < held->since ? HELD_FIRST : 0);
        fw_vec_push(&thread->late_held, *held);
        fw_vec_push(&thread->late_marks, mark);
    }
    fw_vec_push(&thread->late, late);
}

static uint8_t flags_of(const struct fw_event *event, enum fw_iroot_does does)
{
    return (uint8_t)((fw_iroot_writes(event->kind) ? ENTRY_WRITES : 0) |
                     (does == FW_DOES_LOCK ? ENTRY_LOCKS : 0) |
                     (does == FW_DOES_UNLOCK ? ENTRY_UNLOCKS : 0) |
                     (fw_is_class(event->kind, FW_CLASS_BLOCKING) ? ENTRY_BLOCKS : 0));
}

static bool is_left_out(const struct fw_profiler *profiler, uint32_t access, uint64_t object)
{
    const struct fw_shared *shared = profiler->options.shared;

    return shared && ((access != FW_ACCESS_NONE && !fw_shared_has(shared, access)) ||
                      (profiler->options.same_run && !fw_shared_object(shared, object)));
}

static void note_access(struct fw_profiler *profiler, const struct fw_event *event,
                        enum fw_iroot_does does)
{
    struct profiled *thread = &profiler->threads.at[profiler->thread];
    struct late late = {
        .at = thread->count,
        .object = (uint64_t)event->target << 1 | (does >= FW_DOES_LOCK),
        .access = fw_naming_access(profiler->naming, event),
        .flags = flags_of(event, does) | (thread->outside ? ENTRY_OUTSIDE : 0),
    };
    struct latest *latest;

    if (is_left_out(profiler, late.access, late.object))
        return;
    late.version = fw_profiled_version(thread);
    latest = fw_profiled_latest(thread, late.object);
    late.before = latest->at;
    if (latest->at)
        unmark_last(thread, latest->late);
    latest->at = late.at;
    latest->late = thread->late_before + thread->late.len;
    add_late(thread, late);
}

static void give_back(struct profiled *thread, uint32_t lock)
{
    for (size_t i = 0; i < thread->held.len; i++) {
        if (thread->held.at[i].lock != lock)
            continue;
        thread->held.at[i] = fw_vec_pop(&thread->held);
        return;
    }
}

static void on_access(struct fw_profiler *profiler, const struct fw_event *event,
                      enum fw_iroot_does does)
{
    struct profiled *thread = &profiler->threads.at[profiler->thread];

    thread->count++;
    if (does == FW_DOES_UNLOCK)
        give_back(thread, event->target);
    note_access(profiler, event, does);
    if (does == FW_DOES_LOCK)
        fw_vec_push(&thread->held, ((struct held) { event->target,
                                                    fw_is_class(event->kind, FW_CLASS_SHARED),
                                                    thread->count }));
    if (thread->held.len && thread->late.len >= FW_PROFILE_LATE)
        profiler->hurried += thread->late.len;
    if (!thread->held.len || thread->late.len >= FW_PROFILE_LATE)
        fw_profiler_settle(profiler, profiler->thread);
}

/* --- events ----------------------------------------------------------------------------------- */

static bool flows(const struct fw_profiler *profiler, unsigned kind)
{
    return fw_flow_listens(kind) &&
           (!profiler->options.free_atomics ||
            !fw_is_class(kind, FW_CLASS_ATOMIC | FW_CLASS_READ | FW_CLASS_WRITE));
}

static void on_event(struct fw_profiler *profiler, const struct fw_batch *batch, uint32_t i)
{
    const struct fw_event *event = &batch->events[i];
    enum fw_iroot_does does = fw_iroot_does_of(event->kind);
    bool flowing = flows(profiler, event->kind);

    profiler->thread = event->thread;
    profiler->received = false;
    thread_of(profiler, event->thread);
    if (flowing)
        fw_flow_receive(profiler->flow, batch, i, &flow_ops, profiler);
    if (event->kind == FW_PEND && !profiler->received)
        profiler->threads.at[event->thread].outside = true;
    if (event->kind == FW_FORK)
        on_fork(profiler, event->target);
    else if (event->kind == FW_JOIN)
        on_join(profiler, event->target);
    else if (does != FW_DOES_COUNT && !fw_is_class(event->kind, FW_CLASS_REQUEST))
        on_access(profiler, event, does);
    if (flowing)
        fw_flow_send(profiler->flow, batch, i, &flow_ops, profiler);
}

void fw_profiler_batch(struct fw_profiler *profiler, const struct fw_batch *batch)
{
    for (uint32_t i = 0; i < batch->count; i++) {
        if (!(i % LOOK_UP) && fw_profiler_stopped(profiler)) {
            profiler->overlooks = true;
            return;
        }
        on_event(profiler, batch, i);
    }
}

void fw_profiler_finish(struct fw_profiler *profiler, struct fw_iroot_set *set,
                        struct fw_iroot_set *outside)
{
    for (uint32_t i = 0; i < profiler->threads.len; i++)
        fw_profiler_settle(profiler, i);
    fw_profiler_guess(profiler, set, outside);
}

/* What the first pass learns. */
struct learnt {
    struct fw_shared *shared;
    struct fw_guards *guards;
};

static void learn_access(const struct learnt *learnt, const struct fw_event *event,
                         enum fw_iroot_does does, uint32_t access)
{
    if (does == FW_DOES_LOCK)
        fw_guards_lock(learnt->guards, event->thread, event->target,
                       fw_is_class(event->kind, FW_CLASS_SHARED));
    else if (does == FW_DOES_UNLOCK)
        fw_guards_unlock(learnt->guards, event->thread, event->target);
    else
        fw_guards_access(learnt->guards, event->thread, event->target);
    fw_shared_touch(learnt->shared, event->thread,
                    (uint64_t)event->target << 1 | (does >= FW_DOES_LOCK), access);
}

static struct learnt learn(const struct fw_trace *trace, struct fw_strtab *accesses)
{
    struct fw_naming *naming =
        fw_naming_create(trace->symbols, accesses, trace->lacks_repeats);
    struct learnt learnt = { fw_shared_create(), fw_guards_create() };

    for (uint32_t i = 0; i < trace->count; i++) {
        const struct fw_event *event = &trace->events[i];
        enum fw_iroot_does does = fw_iroot_does_of(event->kind);

        if (does != FW_DOES_COUNT && !fw_is_class(event->kind, FW_CLASS_REQUEST))
            learn_access(&learnt, event, does, fw_naming_access(naming, event));
    }
    fw_naming_destroy(naming);
    fw_guards_finish(learnt.guards);
    return learnt;
}

struct fw_profile_limits fw_profile_trace(const struct fw_trace *trace, struct fw_strtab *accesses,
                                          const struct fw_profile_options *options,
                                          struct fw_iroot_set *set, struct fw_iroot_set *outside)
{
    struct learnt learnt = learn(trace, accesses);
    struct fw_batch batch = fw_trace_batch(trace);
    struct fw_profile_options second = *options;
    struct fw_profiler *profiler;
    struct fw_profile_limits limits;

    second.shared = learnt.shared;
    second.guards = learnt.guards;
    second.same_run = true;
    second.lacks_repeats = trace->lacks_repeats;
    profiler = fw_profiler_create(trace->symbols, accesses, &second);
    fw_profiler_batch(profiler, &batch);
    fw_profiler_finish(profiler, set, outside);
    limits = (struct fw_profile_limits) { fw_profiler_hurried(profiler),
                                          fw_profiler_overlooks(profiler) };
    fw_profiler_destroy(profiler);
    fw_shared_destroy(learnt.shared);
    fw_guards_destroy(learnt.guards);
    return limits;
}
