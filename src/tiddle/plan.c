/* plan.c - see plan.h: threads, locks, semaphores. */
#include "tiddle/plan.h"

#include "base/alloc.h"

#include <stdio.h>
#include <string.h>

const char *fw_plan_event_text(const struct fw_plan *plan, uint32_t event, char *text, size_t size)
{
    const struct fw_trace *trace = plan->trace;
    char operation[160];

    snprintf(text, size, "event %llu, '%s' of %.40s,",
             (unsigned long long)fw_trace_index(trace, event),
             fw_event_text(trace->symbols, &trace->events[event], operation, sizeof operation),
             fw_thread_name(trace->symbols, trace->events[event].thread));
    return text;
}

static int join_thread(struct fw_plan *plan, uint32_t event, struct fw_error *err)
{
    struct fw_plan_thread *thread = &plan->threads[plan->trace->events[event].target];
    char text[256];

    if (thread->joined)
        return fw_error_set(err, "%s joins a thread for the second time, which no C program can do",
                            fw_plan_event_text(plan, event, text, sizeof text));
    thread->joined = thread->exists = true;
    return 0;
}

/* T0 is the main thread, unless the trace forks or joins it. */
static void choose_main(struct fw_plan *plan)
{
    uint32_t zero = fw_strtab_find(&plan->trace->symbols->table[FW_SPACE_THREAD], "T0", 2);
    struct fw_plan_thread *thread;

    if (zero == FW_STRTAB_NONE)
        return;
    thread = &plan->threads[zero];
    thread->is_main = thread->exists && !thread->forked && !thread->joined;
}

static int plan_threads(struct fw_plan *plan, struct fw_error *err)
{
    const struct fw_trace *trace = plan->trace;
    uint32_t count = fw_trace_thread_count(trace);

    plan->threads = fw_xcalloc(count, sizeof *plan->threads);
    for (uint32_t i = 0; i < trace->count; i++) {
        const struct fw_event *event = &trace->events[i];

        plan->threads[event->thread].exists = true;
        if (event->kind == FW_FORK)
            plan->threads[event->target].forked = plan->threads[event->target].exists = true;
        else if (event->kind == FW_JOIN && join_thread(plan, i, err) < 0)
            return -1;
    }
    for (uint32_t i = 0; i < count; i++)
        plan->thread_count += plan->threads[i].exists;
    choose_main(plan);
    return 0;
}

void fw_plan_held(const struct fw_plan *plan, uint32_t thread,
                  void (*visit)(void *data, uint32_t lock, bool shared), void *data)
{
    const struct fw_index *index = plan->index;
    const uint32_t *row = fw_row(&index->by_thread, thread);

    for (uint32_t i = 0; i < fw_row_count(&index->by_thread, thread); i++) {
        const struct fw_event *event = &plan->trace->events[row[i]];

        if (fw_is_class(event->kind, FW_CLASS_ACQUIRE) && index->partner[row[i]] == FW_NO_EVENT)
            visit(data, event->target, fw_is_class(event->kind, FW_CLASS_SHARED));
    }
}

static void mark_left(void *data, uint32_t lock, bool shared)
{
    (void)shared;
    ((bool *)data)[lock] = true;
}

/* Does the thread already hold what it acquires, exclusively? */
static bool takes_again(const struct fw_index *index, uint32_t event)
{
    uint32_t set = index->lock_set[event], key = index->trace->events[event].target * 2;

    for (uint32_t i = 0; i < fw_row_count(&index->lock_sets, set); i++)
        if (fw_row(&index->lock_sets, set)[i] == key)
            return true;
    return false;
}

static int plan_lock_event(struct fw_plan *plan, uint32_t at, struct fw_error *err)
{
    const struct fw_event *event = &plan->trace->events[at];
    char text[256];

    if (!fw_is_class(event->kind, FW_CLASS_ACQUIRE) || !takes_again(plan->index, at))
        return 0;
    plan->recursive[event->target] = true;
    if (!plan->shared_lock[event->target])
        return 0;
    return fw_error_set(err,
                        "%s takes a read-write lock that its thread holds exclusively, which no C "
                        "program can do",
                        fw_plan_event_text(plan, at, text, sizeof text));
}

static int plan_locks(struct fw_plan *plan, struct fw_error *err)
{
    const struct fw_trace *trace = plan->trace;
    uint32_t count = fw_symbols_count(trace->symbols, FW_SPACE_LOCK);

    plan->shared_lock = fw_xcalloc(count, sizeof *plan->shared_lock);
    plan->recursive = fw_xcalloc(count, sizeof *plan->recursive);
    plan->left_locked = fw_xcalloc(count, sizeof *plan->left_locked);
    for (uint32_t i = 0; i < trace->count; i++)
        if (fw_is_class(trace->events[i].kind, FW_CLASS_SHARED))
            plan->shared_lock[trace->events[i].target] = true;
    for (uint32_t i = 0; i < trace->count; i++)
        if (plan_lock_event(plan, i, err) < 0)
            return -1;
    for (uint32_t t = 0; t < fw_trace_thread_count(trace); t++)
        if (plan->threads[t].joined && !plan->options->free)
            fw_plan_held(plan, t, mark_left, plan->left_locked);
    return 0;
}

/* A semaphore begins with what its pends need beyond the posts before them. */
static void plan_semaphores(struct fw_plan *plan)
{
    const struct fw_trace *trace = plan->trace;
    uint32_t count = fw_symbols_count(trace->symbols, FW_SPACE_SEMAPHORE);
    int64_t *balance = fw_xcalloc(count, sizeof *balance);

    plan->tokens = fw_xcalloc(count, sizeof *plan->tokens);
    for (uint32_t i = 0; i < trace->count; i++) {
        const struct fw_event *event = &trace->events[i];

        if (event->kind == FW_POST)
            balance[event->target]++;
        else if (event->kind == FW_PEND && --balance[event->target] < 0 &&
                 -balance[event->target] > (int64_t)plan->tokens[event->target])
            plan->tokens[event->target]++;
    }
    free(balance);
}

int fw_plan_init(struct fw_plan *plan, const struct fw_trace *trace,
                 const struct fw_tiddle_options *options, struct fw_error *err)
{
    memset(plan, 0, sizeof *plan);
    plan->trace = trace;
    plan->options = options;
    plan->index = fw_index_create(trace);
    plan->form = fw_xcalloc(trace->count, sizeof *plan->form);
    plan->link = fw_xrealloc(NULL, trace->count, sizeof *plan->link);
    if (trace->count)
        memset(plan->link, 0xff, trace->count * sizeof *plan->link);
    if (plan_threads(plan, err) < 0 || fw_plan_variables(plan, err) < 0 ||
        plan_locks(plan, err) < 0)
        return -1;
    plan_semaphores(plan);
    fw_plan_waits(plan);
    fw_plan_barriers(plan);
    fw_plan_calls(plan);
    return 0;
}

void fw_plan_release(struct fw_plan *plan)
{
    fw_index_destroy(plan->index);
    free(plan->form);
    free(plan->link);
    free(plan->value);
    free(plan->variables);
    free(plan->threads);
    free(plan->shared_lock);
    free(plan->recursive);
    free(plan->left_locked);
    free(plan->tokens);
    fw_vec_release(&plan->barriers);
    memset(plan, 0, sizeof *plan);
}
