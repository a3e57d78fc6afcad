/*
 * gen_recorded.c - the style `recorded`: runs the threads of the program.
 *
 * See gen_program.h for the program and gen_run.h for how threads take turns.
 */
#include "gen_run.h"

/* One in so many of the accesses is not executed: a condition in the loop. */
#define SKIPPED 8u

/* One in so many: a switch to another thread. */
#define SWITCH_ANYWHERE 256u
#define SWITCH_IN_LOCK  8u
#define SWITCH_AT_LOOP  4u
static const uint32_t switch_at_round[LOOP_KINDS] = {
    [LOOP_LOCAL] = 32, [LOOP_SECTION] = 4, [LOOP_READ] = 16, [LOOP_HEAP] = 16, [LOOP_QUEUE] = 2
};

/* How often a loop of the kind is begun, and its rounds. */
struct habit {
    uint32_t weight, least, most;
};
static const struct habit habits[LOOP_KINDS] = {
    [LOOP_LOCAL] = { 2, 30, 240 }, [LOOP_SECTION] = { 12, 2, 20 }, [LOOP_READ] = { 3, 1, 40 },
    [LOOP_HEAP] = { 2, 1, 20 },    [LOOP_QUEUE] = { 2, 1, 4 },
};

static struct thread *thread_of(struct gen *g, uint32_t t)
{
    return &g->recorded->threads[t];
}

/* --- what a round works on ---------------------------------------------------------------- */

static void reverse_objects(struct thread *thread)
{
    for (uint32_t i = 0, j = thread->loop->depth - 1; i < j; i++, j--) {
        uint32_t object = thread->object[i];

        thread->object[i] = thread->object[j];
        thread->object[j] = object;
    }
}

/* Objects of different locks, in the order of their locks. */
static void choose_objects(struct gen *g, struct thread *thread)
{
    const struct region *objects = &g->recorded->program.objects;

    for (uint32_t i = 0; i < thread->loop->depth; i++) {
        uint32_t object = zipf_rank(g, &objects->zipf), j = 0;

        while (j < i) {
            if (run_lock_of(g, object) != run_lock_of(g, thread->object[j])) {
                j++;
                continue;
            }
            object = (object + 1) % objects->count;
            j = 0;
        }
        for (j = i; j && run_lock_of(g, thread->object[j - 1]) > run_lock_of(g, object); j--)
            thread->object[j] = thread->object[j - 1];
        thread->object[j] = object;
    }
}

/* The lock, of those that the round takes one after the other, that the step belongs to. */
static uint32_t level_of(const struct thread *thread)
{
    return thread->step * thread->loop->depth / thread->loop->length;
}

static uint32_t choose_variable(struct gen *g, uint32_t t, const struct step *step)
{
    struct recorded *r = g->recorded;
    const struct program *p = &r->program;
    struct thread *thread = thread_of(g, t);
    uint32_t own = p->local.first + t * p->local.count;

    switch (step->meaning) {
    case MEANS_LOCAL:
        return own + zipf_rank(g, &p->local.zipf);
    case MEANS_ARRAY:
        return own + thread->cursor++ % p->local.count;
    case MEANS_CONSTANT:
        return p->constants.first + zipf_rank(g, &p->constants.zipf);
    case MEANS_TABLE:
        return p->constants.first + thread->table++ % p->constants.count;
    case MEANS_FIXED:
        return step->variable;
    case MEANS_FIELD:
        return run_field(r, thread->object[level_of(thread)], step->variable);
    case MEANS_HEAP:
        return r->heap[thread->heap_slot] - 1;
    }
    abort();
}

/* --- loops and rounds --------------------------------------------------------------------- */

static enum loop_kind choose_kind(struct gen *g)
{
    uint32_t total = 0, kind = 0, draw;

    for (int i = 0; i < LOOP_KINDS; i++)
        total += habits[i].weight;
    draw = gen_below(g, total);
    while (draw >= habits[kind].weight)
        draw -= habits[kind++].weight;
    return kind == LOOP_HEAP && !g->options.heap ? LOOP_READ : (enum loop_kind)kind;
}

static uint32_t block_of(const struct loop *loop)
{
    return 1 + 2 * loop->function;
}

static void begin_block(struct gen *g, uint32_t t, uint32_t block)
{
    if (g->options.blocks)
        gen_begin(g, t, block, program_site(g, thread_of(g, t)->loop->block_site));
}

/* Earlier loops of a kind are more popular. */
static void start_loop(struct gen *g, uint32_t t)
{
    const struct program *p = &g->recorded->program;
    struct thread *thread = thread_of(g, t);
    enum loop_kind kind = choose_kind(g);
    const struct habit *habit = &habits[kind];
    uint32_t a = gen_below(g, p->count[kind]), b = gen_below(g, p->count[kind]);

    thread->loop = &p->loops[p->first[kind] + (a < b ? a : b)];
    thread->rounds = habit->least + gen_below(g, habit->most - habit->least + 1);
    if (thread->loop->block == BLOCK_PAIR)
        thread->rounds += thread->rounds % 2;
    if (g->options.calls)
        gen_emit(g, FW_CALL, t, thread->loop->function, thread->loop->step[0].site);
    if (thread->loop->block == BLOCK_WHOLE)
        begin_block(g, t, block_of(thread->loop));
}

static bool second_of_pair(const struct thread *thread)
{
    return thread->loop->block == BLOCK_PAIR && thread->rounds % 2 == 1;
}

static void begin_round(struct gen *g, uint32_t t)
{
    struct thread *thread = thread_of(g, t);
    const struct loop *loop = thread->loop;

    thread->in_round = true;
    thread->locked = 0;
    thread->step = 0;
    thread->unlocked = loop->forgets && gen_below(g, MOST_UNLOCKED) < g->options.unlocked;
    if (loop->kind == LOOP_QUEUE)
        thread->object[0] = gen_below(g, CONDITIONS) % g->recorded->program.objects.count;
    else if (!second_of_pair(thread))
        choose_objects(g, thread);
    thread->reversed =
        loop->reverses && g->options.reversed && gen_below(g, MOST_REVERSED) < g->options.reversed;
    if (thread->reversed)
        reverse_objects(thread);
    if (loop->kind == LOOP_HEAP)
        run_heap_alloc(g, t);
    if (loop->block == BLOCK_ROUND || (loop->block == BLOCK_PAIR && !second_of_pair(thread)))
        begin_block(g, t, block_of(loop));
}

/* May the round take locks in the wrong order now? */
static bool all_free(struct gen *g, const struct thread *thread)
{
    for (uint32_t i = 0; i < thread->loop->depth; i++)
        if (g->holder[run_lock_of(g, thread->object[i])])
            return false;
    return true;
}

/* The locks of the round that its next step needs. */
static uint32_t locks_due(struct gen *g, const struct thread *thread)
{
    if (!thread->loop->depth)
        return 0;
    if (!thread->reversed)
        return level_of(thread) + 1;
    return thread->locked || all_free(g, thread) ? thread->loop->depth : 0;
}

/* Takes the next lock of the round; false if another thread has it. */
static bool take_lock(struct gen *g, uint32_t t)
{
    struct thread *thread = thread_of(g, t);
    const struct loop *loop = thread->loop;
    uint32_t lock = run_lock_of(g, thread->object[thread->locked]);

    if (!thread->unlocked && g->holder[lock])
        return false;
    if (thread->locked == 1 && loop->block == BLOCK_ROUND)
        begin_block(g, t, block_of(loop) + 1);
    if (!thread->unlocked)
        gen_acquire(g, t, lock, program_site(g, loop->lock_site + 2 * thread->locked));
    if (!thread->locked++ && g->options.heap && loop->kind == LOOP_SECTION)
        run_heap_exchange(g, t);
    return true;
}

/* Gives back what the round has taken; `keep`: blocks that span more than the round. */
static void give_back(struct gen *g, uint32_t t, uint32_t keep)
{
    const struct loop *loop = thread_of(g, t)->loop;
    const struct stack *stack = &g->stacks[t];
    uint32_t locks = thread_of(g, t)->locked;

    while (stack->depth > keep) {
        bool block = stack->owed[stack->depth - 1].block;
        uint32_t number = block ? loop->block_site : loop->lock_site + 2 * --locks;

        gen_pop(g, t, program_site(g, number + 1));
    }
}

/* True if another thread should go on now. */
static bool end_round(struct gen *g, uint32_t t)
{
    struct thread *thread = thread_of(g, t);
    const struct loop *loop = thread->loop;
    bool spans =
        loop->block == BLOCK_WHOLE || (loop->block == BLOCK_PAIR && !second_of_pair(thread));

    if (loop->kind == LOOP_QUEUE)
        run_notify(g, t, thread->object[0]);
    give_back(g, t, spans && g->options.blocks && thread->rounds > 1);
    if (loop->kind == LOOP_HEAP)
        run_heap_drop(g, t);
    if (thread->gift)
        run_heap_use_gift(g, t);
    thread->in_round = false;
    if (--thread->rounds)
        return gen_one_in(g, switch_at_round[loop->kind]);
    if (g->options.calls)
        gen_emit(g, FW_RETURN, t, loop->function, loop->step[loop->length - 1].site);
    thread->loop = NULL;
    return gen_one_in(g, SWITCH_AT_LOOP);
}

/* --- threads ------------------------------------------------------------------------------ */

static void do_step(struct gen *g, uint32_t t)
{
    struct thread *thread = thread_of(g, t);
    const struct step *step = &thread->loop->step[thread->step];

    if (!gen_one_in(g, SKIPPED))
        gen_emit(g, step->kind, t, choose_variable(g, t, step), step->site);
    if (g->options.branches && fw_is_read(step->kind) && gen_one_in(g, 2))
        gen_emit(g, FW_BRANCH, t, 0, step->site);
    thread->step++;
}

/* Half of the threads, among them the first, are always there to notify the others. */
static bool should_wait(struct gen *g, uint32_t t)
{
    const struct recorded *r = g->recorded;
    const struct thread *thread = thread_of(g, t);

    return thread->loop->kind == LOOP_QUEUE && thread->step == thread->loop->length / 2 && t &&
           r->waiting < g->options.threads / 2 && r->barrier == NO_BARRIER && gen_one_in(g, 4);
}

/* Runs the thread in its loop by one step; true if another thread should go on now. */
static bool run_loop(struct gen *g, uint32_t t)
{
    struct thread *thread = thread_of(g, t);
    uint32_t had;

    if (!thread->in_round)
        begin_round(g, t);
    had = thread->locked;
    if (thread->loop->depth && !locks_due(g, thread))
        return true;
    while (thread->locked < locks_due(g, thread))
        if (!take_lock(g, t))
            return true;
    if (thread->locked > had && gen_one_in(g, SWITCH_IN_LOCK))
        return true;
    do_step(g, t);
    if (thread->step == thread->loop->length)
        return end_round(g, t);
    if (should_wait(g, t)) {
        run_wait(g, t);
        return true;
    }
    return gen_one_in(g, SWITCH_ANYWHERE);
}

static bool run_thread(struct gen *g, uint32_t t)
{
    struct thread *thread = thread_of(g, t);

    switch (thread->state) {
    case WAITS:
        return true;
    case NOTIFIED:
        return !run_come_back(g, t);
    case IN_BARRIER:
        return !run_leave_barrier(g, t);
    case RUNS:
        break;
    }
    if (!thread->loop && g->recorded->barrier == GATHERING) {
        run_enter_barrier(g, t);
        return true;
    }
    if (!thread->loop)
        start_loop(g, t);
    return run_loop(g, t);
}

/* --- the style ---------------------------------------------------------------------------- */

void recorded_create(struct gen *g)
{
    const struct options *o = &g->options;
    struct recorded *r = g->recorded = fw_xcalloc(1, sizeof *r);

    program_init(&r->program, g);
    r->threads = fw_xcalloc(o->threads, sizeof *r->threads);
    r->heap = fw_xcalloc((size_t)o->threads * HEAP_SLOTS, sizeof *r->heap);
    r->slot_taken = fw_xcalloc((size_t)o->threads * HEAP_SLOTS, sizeof *r->slot_taken);
    r->mailbox = fw_xcalloc(r->program.objects.count, sizeof *r->mailbox);
    r->next_barrier = o->barriers;
    gen_names(g, FW_SPACE_FUNCTION, "f%u", r->program.loop_count);
    gen_names(g, FW_SPACE_CONDITION, "C%u", CONDITIONS);
    if (o->blocks)
        gen_names(g, FW_SPACE_BLOCK, "block%u", 2 * r->program.loop_count);
    if (o->barriers)
        gen_names(g, FW_SPACE_BARRIER, "B%u", 1);
}

/* The first thread writes the constants. */
void recorded_start(struct gen *g)
{
    const struct region *constants = &g->recorded->program.constants;

    for (uint32_t i = 0; i < constants->count && gen_room(g, STEP_EVENTS); i++)
        gen_emit(g, FW_WRITE, 0, constants->first + i, program_site(g, LIB_MAIN));
}

void recorded_run(struct gen *g)
{
    struct recorded *r = g->recorded;

    while (gen_room(g, STEP_EVENTS)) {
        run_request_barrier(g);
        if (run_thread(g, r->running))
            r->running = gen_below(g, g->options.threads);
    }
    for (uint32_t t = 0; t < g->options.threads; t++)
        while (g->stacks[t].depth)
            gen_pop(g, t, program_site(g, LIB_MAIN));
    run_end_sync(g);
}

void recorded_destroy(struct gen *g)
{
    struct recorded *r = g->recorded;

    program_release(&r->program);
    free(r->threads);
    free(r->heap);
    free(r->slot_taken);
    free(r->mailbox);
    free(r);
}
