/*
 * emit_body.c - the threads of the program: each event a statement.
 *
 * A line is TURN(e); statement; DONE(e);.  Nothing else in these functions can
 * be seen by an analysis: no branch, no access, no call that is not an event.
 */
#include "base/bug.h"
#include "tiddle/emit.h"

#include <inttypes.h>

static const struct fw_event *event_of(const struct fw_emit *emit, uint32_t e)
{
    return &emit->trace->events[e];
}

/* --- accesses ---------------------------------------------------------------------------- */

static void put_number(struct fw_emit *emit, int64_t value)
{
    if (value == INT64_MIN)
        fw_output_text(emit->out, "(-9223372036854775807LL - 1)");
    else if (value >= INT32_MIN && value <= INT32_MAX)
        fw_output_printf(emit->out, "%" PRId64, value);
    else
        fw_output_printf(emit->out, "%" PRId64 "LL", value);
}

/* Loads do not release and stores do not acquire: the nearest order that C allows them. */
static const char *order_of(unsigned kind, unsigned order)
{
    static const char *const names[FW_ORDER_COUNT] = {
        [FW_ORDER_SEQ_CST] = "memory_order_seq_cst", [FW_ORDER_RELAXED] = "memory_order_relaxed",
        [FW_ORDER_CONSUME] = "memory_order_consume", [FW_ORDER_ACQUIRE] = "memory_order_acquire",
        [FW_ORDER_RELEASE] = "memory_order_release", [FW_ORDER_ACQ_REL] = "memory_order_acq_rel",
    };

    if (kind == FW_ATOMIC_LOAD && order == FW_ORDER_RELEASE)
        order = FW_ORDER_RELAXED;
    if (kind == FW_ATOMIC_LOAD && order == FW_ORDER_ACQ_REL)
        order = FW_ORDER_ACQUIRE;
    if (kind == FW_ATOMIC_STORE && (order == FW_ORDER_ACQUIRE || order == FW_ORDER_CONSUME))
        order = FW_ORDER_RELAXED;
    if (kind == FW_ATOMIC_STORE && order == FW_ORDER_ACQ_REL)
        order = FW_ORDER_RELEASE;
    return names[order];
}

static void put_check(struct fw_emit *emit, uint32_t e)
{
    const struct fw_attr *attr = &emit->trace->attrs[event_of(emit, e)->attr];

    if (!(attr->has & FW_ATTR_VALUE) || emit->plan->options->any_value)
        return;
    fw_output_printf(emit->out, " READ(%u, v, ", e);
    put_number(emit, attr->value);
    fw_output_text(emit->out, ");");
}

static void put_access(struct fw_emit *emit, uint32_t e)
{
    const struct fw_event *event = event_of(emit, e);
    const char *name = emit->variable[event->target];
    const char *type = fw_emit_type(&emit->plan->variables[event->target]);

    switch (event->kind) {
    case FW_READ:
        fw_output_printf(emit->out, "v = %s;", name);
        put_check(emit, e);
        return;
    case FW_WRITE:
        fw_output_printf(emit->out, "%s = ", name);
        put_number(emit, emit->plan->value[e]);
        fw_output_text(emit->out, ";");
        return;
    case FW_ATOMIC_LOAD:
        fw_output_printf(emit->out, "v = atomic_load_explicit(ATOMIC(%s, %s), %s);", type, name,
                         order_of(event->kind, event->order));
        put_check(emit, e);
        return;
    case FW_ATOMIC_STORE:
        fw_output_printf(emit->out, "atomic_store_explicit(ATOMIC(%s, %s), ", type, name);
        break;
    default:
        fw_output_printf(emit->out, "v = atomic_exchange_explicit(ATOMIC(%s, %s), ", type, name);
        break;
    }
    put_number(emit, emit->plan->value[e]);
    fw_output_printf(emit->out, ", %s);", order_of(event->kind, event->order));
}

static void put_memory(struct fw_emit *emit, uint32_t e)
{
    const struct fw_event *event = event_of(emit, e);
    const struct fw_plan_variable *variable = &emit->plan->variables[event->target];

    if (event->kind == FW_ALLOC)
        fw_output_printf(emit->out, "foreweave_ignore_put(%u, calloc(1, %u));", variable->slot,
                         variable->size);
    else
        fw_output_printf(emit->out, "free(foreweave_ignore_take(%u));", variable->slot);
}

/* --- locks ------------------------------------------------------------------------------- */

/* The call for a lock operation, for a mutex and for a read-write lock. */
static const char *const lock_calls[FW_KIND_COUNT][2] = {
    [FW_ACQUIRE] = { "pthread_mutex_lock", "pthread_rwlock_wrlock" },
    [FW_RELEASE] = { "pthread_mutex_unlock", "pthread_rwlock_unlock" },
    [FW_TRY_ACQUIRE] = { "pthread_mutex_trylock", "pthread_rwlock_trywrlock" },
    [FW_TRY_FAIL] = { "pthread_mutex_trylock", "pthread_rwlock_trywrlock" },
    [FW_SHARED_ACQUIRE] = { NULL, "pthread_rwlock_rdlock" },
    [FW_SHARED_RELEASE] = { NULL, "pthread_rwlock_unlock" },
    [FW_TRY_SHARED_ACQUIRE] = { NULL, "pthread_rwlock_tryrdlock" },
};

static const char *lock_call(const struct fw_emit *emit, unsigned kind, uint32_t lock)
{
    return lock_calls[kind][emit->plan->shared_lock[lock]];
}

/* Running free, a try may go either way: what follows needs the lock as in the trace. */
static void put_free_try(struct fw_emit *emit, uint32_t e)
{
    const struct fw_event *event = event_of(emit, e);
    const char *lock = emit->lock[event->target];
    bool fails = event->kind == FW_TRY_FAIL;
    unsigned remedy = FW_ACQUIRE;

    if (fails)
        remedy = FW_RELEASE;
    else if (event->kind == FW_TRY_SHARED_ACQUIRE)
        remedy = FW_SHARED_ACQUIRE;
    fw_output_printf(emit->out, "if (%s(&%s) %s 0) OK(%u, %s(&%s));",
                     lock_call(emit, event->kind, event->target), lock, fails ? "==" : "!=", e,
                     lock_call(emit, remedy, event->target), lock);
}

static void put_lock(struct fw_emit *emit, uint32_t e)
{
    const struct fw_event *event = event_of(emit, e);
    bool is_try = event->kind == FW_TRY_ACQUIRE || event->kind == FW_TRY_FAIL ||
                  event->kind == FW_TRY_SHARED_ACQUIRE;

    if (is_try && emit->free)
        put_free_try(emit, e);
    else
        fw_output_printf(emit->out, "%s(%u, %s(&%s));", event->kind == FW_TRY_FAIL ? "BUSY" : "OK",
                         e, lock_call(emit, event->kind, event->target), emit->lock[event->target]);
}

/* --- the rest ---------------------------------------------------------------------------- */

static void put_notify(struct fw_emit *emit, uint32_t e)
{
    const struct fw_event *event = event_of(emit, e);

    if (emit->free)
        fw_output_printf(emit->out, "foreweave_ignore_notify(%u); ", e);
    fw_output_printf(emit->out, "OK(%u, pthread_cond_%s(&%s));", e,
                     event->kind == FW_NOTIFY ? "signal" : "broadcast",
                     emit->condition[event->target]);
}

static void put_wake(struct fw_emit *emit, uint32_t e)
{
    uint32_t notify = emit->plan->index->partner[e];

    if (emit->free && notify != FW_NO_EVENT)
        fw_output_printf(emit->out, "foreweave_ignore_await(%u); ", notify);
    fw_output_printf(emit->out, "foreweave_ignore_mark(foreweave_wake, &%s);",
                     emit->condition[event_of(emit, e)->target]);
}

static void put_label(struct fw_emit *emit, const char *hook, uint32_t label)
{
    fw_output_printf(emit->out, "foreweave_ignore_label(%s, ", hook);
    fw_emit_literal(emit, fw_symbols_name(emit->trace->symbols, FW_SPACE_BLOCK, label));
    fw_output_text(emit->out, ");");
}

/* The statement of an event whose form is plain or a mark. */
static void put_statement(struct fw_emit *emit, uint32_t e)
{
    const struct fw_event *event = event_of(emit, e);
    struct fw_output *out = emit->out;
    uint32_t target = event->target;

    switch (event->kind) {
    case FW_READ:
    case FW_WRITE:
    case FW_ATOMIC_LOAD:
    case FW_ATOMIC_STORE:
    case FW_ATOMIC_RMW:
        put_access(emit, e);
        break;
    case FW_FENCE:
        fw_output_printf(out, "atomic_thread_fence(%s);", order_of(event->kind, event->order));
        break;
    case FW_NOTIFY:
    case FW_NOTIFY_ALL:
        put_notify(emit, e);
        break;
    case FW_WAKE:
        put_wake(emit, e);
        break;
    case FW_POST:
        fw_output_printf(out, "OK(%u, sem_post(&%s));", e, emit->semaphore[target]);
        break;
    case FW_PEND:
        fw_output_printf(out, "OK(%u, sem_wait(&%s));", e, emit->semaphore[target]);
        break;
    case FW_BARRIER_IN:
    case FW_BARRIER_OUT:
        fw_output_printf(out, "foreweave_ignore_mark(foreweave_barrier_%s, &%s);",
                         event->kind == FW_BARRIER_IN ? "in" : "out",
                         emit->barrier[emit->plan->link[e]]);
        break;
    case FW_FORK:
        fw_output_printf(out,
                         "OK(%u, pthread_create(foreweave_ignore_handle(%u), NULL, %s, NULL));", e,
                         target, emit->thread[target]);
        break;
    case FW_JOIN:
        fw_output_printf(out, "OK(%u, pthread_join(foreweave_ignore_thread(%u), NULL));", e,
                         target);
        break;
    case FW_BRANCH:
        fw_output_text(out, "BRANCH(v);");
        break;
    case FW_BEGIN:
        put_label(emit, "foreweave_begin", target);
        break;
    case FW_END:
        put_label(emit, "foreweave_end", target);
        break;
    case FW_ALLOC:
    case FW_FREE:
        put_memory(emit, e);
        break;
    default:
        put_lock(emit, e);
        break;
    }
}

/* The whole of a real condition wait but for the turns of its wake and acq. */
static void put_wait(struct fw_emit *emit, uint32_t e)
{
    uint32_t notify = emit->plan->link[e];
    const char *condition = emit->condition[event_of(emit, notify)->target];
    const char *mutex = emit->lock[event_of(emit, e)->target];

    if (emit->free) {
        fw_output_printf(emit->out,
                         "DONE(%u); while (foreweave_ignore_early(%u)) "
                         "OK(%u, pthread_cond_wait(&%s, &%s));",
                         e, notify, e, condition, mutex);
        return;
    }
    fw_output_printf(emit->out,
                     "foreweave_ignore_enter(%u, &%s); OK(%u, pthread_cond_wait(&%s, &%s)); "
                     "foreweave_ignore_woken(%u, &%s, &%s);",
                     e, mutex, e, condition, mutex, notify, condition, mutex);
}

static void put_comment(struct fw_emit *emit, uint32_t e)
{
    fw_output_text(emit->out, " /* ");
    fw_emit_comment_text(emit, emit->lines[e]);
    fw_output_text(emit->out, " */\n");
}

static void put_event(struct fw_emit *emit, uint32_t e)
{
    struct fw_output *out = emit->out;

    fw_output_printf(out, "    TURN(%u); ", e);
    switch (emit->plan->form[e]) {
    case FW_FORM_WAIT:
        put_wait(emit, e);
        break;
    case FW_FORM_BARRIER:
        fw_output_printf(out, "DONE(%u); OK(%u, pthread_barrier_wait(&%s));", e, e,
                         emit->barrier[emit->plan->link[e]]);
        break;
    case FW_FORM_WAITED:
    case FW_FORM_PASSED:
    case FW_FORM_COMMENT:
        fw_output_printf(out, "DONE(%u);", e);
        break;
    default:
        put_statement(emit, e);
        fw_output_printf(out, " DONE(%u);", e);
        break;
    }
    put_comment(emit, e);
}

/* The ret that ends the activation, or FW_NO_EVENT. */
static uint32_t return_of(const struct fw_emit *emit, uint32_t call)
{
    return emit->plan->index->partner[call];
}

static void put_call(struct fw_emit *emit, uint32_t call)
{
    uint32_t ret = return_of(emit, call);

    fw_output_printf(emit->out, "    TURN(%u); v = %s(v);", call, emit->function[call]);
    if (ret != FW_NO_EVENT)
        fw_output_printf(emit->out, " DONE(%u);", ret);
    put_comment(emit, call);
}

/* The events of a thread's row from place `from` up to `to`, calls as calls. */
static void put_events(struct fw_emit *emit, uint32_t thread, uint32_t from, uint32_t to)
{
    const uint32_t *row = fw_row(&emit->plan->index->by_thread, thread);

    for (uint32_t i = from; i < to;) {
        if (emit->plan->form[row[i]] == FW_FORM_CALL) {
            put_call(emit, row[i]);
            i = emit->plan->link[row[i]];
        } else {
            put_event(emit, row[i++]);
        }
    }
}

static void put_function(struct fw_emit *emit, uint32_t call)
{
    uint32_t thread = event_of(emit, call)->thread, ret = return_of(emit, call);
    uint32_t from = emit->plan->index->in_thread[call] + 1, to = emit->plan->link[call];

    fw_output_printf(emit->out, "static long long %s(long long v)\n{\n", emit->function[call]);
    fw_output_printf(emit->out, "    DONE(%u);", call);
    put_comment(emit, call);
    put_events(emit, thread, from, ret == FW_NO_EVENT ? to : to - 1);
    if (ret != FW_NO_EVENT) {
        fw_output_printf(emit->out, "    TURN(%u);", ret);
        put_comment(emit, ret);
    }
    fw_output_text(emit->out, "    return v;\n}\n\n");
}

static void put_unlock(void *data, uint32_t lock, bool shared)
{
    struct fw_emit *emit = data;

    (void)shared;
    fw_output_printf(emit->out, "    foreweave_ignore_%s(&%s);\n",
                     emit->plan->shared_lock[lock] ? "rwunlock" : "unlock", emit->lock[lock]);
}

static void note_held(void *data, uint32_t lock, bool shared)
{
    (void)lock;
    (void)shared;
    *(bool *)data = true;
}

/* Blocks that are open at the end are closed, the innermost first. */
static void put_open_blocks(struct fw_emit *emit, uint32_t thread)
{
    const struct fw_index *index = emit->plan->index;
    const uint32_t *row = fw_row(&index->by_thread, thread);

    for (uint32_t i = fw_row_count(&index->by_thread, thread); i-- > 0;) {
        const struct fw_event *event = event_of(emit, row[i]);

        if (event->kind != FW_BEGIN || index->partner[row[i]] != FW_NO_EVENT)
            continue;
        fw_output_text(emit->out, "    ");
        put_label(emit, "foreweave_end", event->target);
        fw_output_text(emit->out, "\n");
    }
}

/*
 * What the trace leaves open.  A thread that the trace joins cannot wait for
 * the end, so it keeps its locks; the others give them back when it is over.
 */
static void put_end(struct fw_emit *emit, uint32_t thread)
{
    bool holds = false;

    fw_plan_held(emit->plan, thread, note_held, &holds);
    if (holds && emit->free) {
        fw_plan_held(emit->plan, thread, put_unlock, emit);
    } else if (holds && !emit->plan->threads[thread].joined) {
        fw_output_text(emit->out, "    foreweave_ignore_over();\n");
        fw_plan_held(emit->plan, thread, put_unlock, emit);
    }
    put_open_blocks(emit, thread);
}

static void put_thread(struct fw_emit *emit, uint32_t thread)
{
    fw_output_printf(emit->out,
                     "static void *%s(void *argument)\n{\n"
                     "    long long v = foreweave_ignore_zero();\n\n"
                     "    (void)v;\n",
                     emit->thread[thread]);
    if (emit->free)
        fw_output_text(emit->out, "    foreweave_ignore_gate();\n");
    put_events(emit, thread, 0, fw_row_count(&emit->plan->index->by_thread, thread));
    put_end(emit, thread);
    fw_output_text(emit->out, "    foreweave_ignore_ended();\n    return argument;\n}\n\n");
}

static void put_prototypes(struct fw_emit *emit)
{
    for (uint32_t t = 0; t < fw_trace_thread_count(emit->trace); t++)
        if (emit->plan->threads[t].exists)
            fw_output_printf(emit->out, "static void *%s(void *argument);\n", emit->thread[t]);
    for (uint32_t e = 0; e < emit->trace->count; e++)
        if (emit->plan->form[e] == FW_FORM_CALL)
            fw_output_printf(emit->out,
                             "static __attribute__((noinline)) long long %s(long long v);\n",
                             emit->function[e]);
    fw_output_text(emit->out, "\n");
}

void fw_emit_threads(struct fw_emit *emit)
{
    put_prototypes(emit);
    for (uint32_t e = 0; e < emit->trace->count; e++)
        if (emit->plan->form[e] == FW_FORM_CALL)
            put_function(emit, e);
    for (uint32_t t = 0; t < fw_trace_thread_count(emit->trace); t++)
        if (emit->plan->threads[t].exists)
            put_thread(emit, t);
}
