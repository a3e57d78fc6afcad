/* gen_sync.c - condition waits and barriers of the style `recorded`. */
#include "gen_run.h"

/* Events kept back for a thread that waits: notify, wake, acquire, release. */
#define WAIT_EVENTS 4u

static uint32_t condition_lock(const struct gen *g, const struct thread *thread)
{
    return run_lock_of(g, thread->object[0]);
}

/* The thread holds the lock of its condition and nothing else. */
void run_wait(struct gen *g, uint32_t t)
{
    struct recorded *r = g->recorded;
    struct thread *thread = &r->threads[t];

    thread->condition = thread->object[0];
    thread->state = WAITS;
    r->waiters[thread->condition]++;
    r->waiting++;
    gen_pop(g, t, program_site(g, LIB_WAIT));
    g->unfinished += WAIT_EVENTS;
}

bool run_come_back(struct gen *g, uint32_t t)
{
    struct recorded *r = g->recorded;
    struct thread *thread = &r->threads[t];
    uint32_t lock = condition_lock(g, thread), site = program_site(g, LIB_WAIT);

    if (g->holder[lock])
        return false;
    thread->state = RUNS;
    r->waiting--;
    g->unfinished -= WAIT_EVENTS;
    gen_emit(g, FW_WAKE, t, thread->condition, site);
    gen_acquire(g, t, lock, site);
    return true;
}

static void notify(struct gen *g, uint32_t t, uint32_t condition, bool all)
{
    struct recorded *r = g->recorded;

    gen_emit(g, all ? FW_NOTIFY_ALL : FW_NOTIFY, t, condition, program_site(g, LIB_NOTIFY));
    for (uint32_t i = 0; i < g->options.threads && r->waiters[condition]; i++) {
        struct thread *thread = &r->threads[i];

        if (thread->state != WAITS || thread->condition != condition)
            continue;
        thread->state = NOTIFIED;
        r->waiters[condition]--;
        if (!all)
            break;
    }
}

void run_notify(struct gen *g, uint32_t t, uint32_t condition)
{
    if (g->recorded->waiters[condition])
        notify(g, t, condition, gen_one_in(g, 4));
}

static void notify_everybody(struct gen *g, uint32_t t)
{
    for (uint32_t c = 0; c < CONDITIONS; c++)
        if (g->recorded->waiters[c])
            notify(g, t, c, true);
}

/* Each thread owes an event when it comes and one when it goes. */
void run_request_barrier(struct gen *g)
{
    struct recorded *r = g->recorded;
    uint64_t events = 2 * (uint64_t)g->options.threads;

    if (!g->options.barriers || r->barrier != NO_BARRIER || gen_done(g) < r->next_barrier ||
        !gen_room(g, events + STEP_EVENTS))
        return;
    g->unfinished += events;
    r->barrier = GATHERING;
}

/* Nobody may wait for a notify of those who wait at the barrier. */
void run_enter_barrier(struct gen *g, uint32_t t)
{
    struct recorded *r = g->recorded;

    notify_everybody(g, t);
    g->unfinished--;
    gen_emit(g, FW_BARRIER_IN, t, 0, program_site(g, LIB_BARRIER));
    r->threads[t].state = IN_BARRIER;
    if (++r->in_barrier == g->options.threads)
        r->barrier = LEAVING;
}

bool run_leave_barrier(struct gen *g, uint32_t t)
{
    struct recorded *r = g->recorded;

    if (r->barrier != LEAVING)
        return false;
    g->unfinished--;
    gen_emit(g, FW_BARRIER_OUT, t, 0, program_site(g, LIB_BARRIER));
    r->threads[t].state = RUNS;
    if (--r->in_barrier == 0) {
        r->barrier = NO_BARRIER;
        r->next_barrier = gen_done(g) + g->options.barriers;
    }
    return true;
}

void run_end_sync(struct gen *g)
{
    struct recorded *r = g->recorded;

    for (uint32_t t = 0; t < g->options.threads; t++) {
        struct thread *thread = &r->threads[t];

        if (thread->state == WAITS)
            notify(g, 0, thread->condition, true);
        if (thread->state == NOTIFIED) {
            run_come_back(g, t);
            gen_pop(g, t, program_site(g, LIB_WAIT));
        }
    }
    for (uint32_t t = 0; t < g->options.threads && r->barrier == GATHERING; t++)
        if (r->threads[t].state == RUNS)
            run_enter_barrier(g, t);
    for (uint32_t t = 0; t < g->options.threads && r->barrier == LEAVING; t++)
        if (r->threads[t].state == IN_BARRIER)
            run_leave_barrier(g, t);
}
