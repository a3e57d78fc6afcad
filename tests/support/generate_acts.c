/*
 * generate_acts.c - what simulated threads do, one function for each act.
 *
 * An act looks whether it is possible, draws its object, writes the event and
 * changes the simulated state.  Nothing here can make an ill-formed trace.
 */
#include "support/generate_internal.h"

#include <stdio.h>
#include <string.h>

static const char *const variable_names[] = { "x", "y", "z", "u", "v", "w", "p", "q" };
static const char *const atomic_names[] = { "a", "b" };
static const char *const heap_names[GEN_OBJECTS] = { "h", "k" };
static const char *const lock_names[GEN_MAX_LOCKS] = { "L", "M", "N", "O", "P", "Q", "R", "S" };
static const char *const condition_names[GEN_OBJECTS] = { "c", "d" };
static const char *const semaphore_names[GEN_OBJECTS] = { "s", "t" };
static const char *const barrier_names[GEN_OBJECTS] = { "B", "C" };
static const char *const block_names[] = { "", "tx", "rx" };
static const char *const function_names[] = { "f", "g", "main" };
static const char *const load_orders[] = { NULL, "rlx", "con", "acq" };
static const char *const store_orders[] = { NULL, "rlx", "rel" };
static const char *const rmw_orders[] = { NULL, "rlx", "con", "acq", "rel", "acq_rel" };
static const char *const fence_orders[] = { NULL, "acq", "rel", "acq_rel" };

#define COUNT(array)   ((uint32_t)(sizeof(array) / sizeof *(array)))
#define DRAW(g, array) ((array)[fw_random_below(&(g)->random, COUNT(array))])

/* Variables by number: plain ones, then atomic ones, then heap ones. */
enum {
    FIRST_ATOMIC = COUNT(variable_names),
    FIRST_HEAP = FIRST_ATOMIC + COUNT(atomic_names),
    VARIABLES = FIRST_HEAP + GEN_OBJECTS,
};

static const char *variable_name(uint32_t variable)
{
    if (variable < FIRST_ATOMIC)
        return variable_names[variable];
    return variable < FIRST_HEAP ? atomic_names[variable - FIRST_ATOMIC]
                                 : heap_names[variable - FIRST_HEAP];
}

static uint32_t draw_object(struct generator *g)
{
    return fw_random_below(&g->random, GEN_OBJECTS);
}

static uint32_t draw_plain(struct generator *g)
{
    return fw_random_below(&g->random,
                           g->variable_count < FIRST_ATOMIC ? g->variable_count : FIRST_ATOMIC);
}

/* A heap variable every now and then, if this trace has them; mostly one that is allocated. */
static uint32_t draw_variable(struct generator *g, bool atomic)
{
    uint32_t heap = draw_object(g);

    if (g->weights[FW_GEN_ALLOC] && fw_random_percent(&g->random, 40) &&
        (g->allocated[heap] || fw_random_percent(&g->random, 10)))
        return FIRST_HEAP + heap;
    if (atomic && !fw_random_percent(&g->random, g->options->mixed_percent))
        return FIRST_ATOMIC + fw_random_below(&g->random, COUNT(atomic_names));
    return draw_plain(g);
}

static bool is_held_by_other(const struct generator *g, uint32_t thread, uint32_t lock,
                             enum gen_hold at_least)
{
    for (uint32_t t = 0; t < g->thread_count; t++)
        if (t != thread && g->threads[t].holds[lock] >= at_least)
            return true;
    return false;
}

bool gen_request(struct generator *g, uint32_t thread)
{
    uint32_t lock = g->lock_count ? fw_random_below(&g->random, g->lock_count) : 0;
    bool shared = fw_random_percent(&g->random, 30);

    if (!g->lock_count || g->threads[thread].phase != GEN_RUNNING ||
        g->threads[thread].holds[lock] == GEN_EXCLUSIVE ||
        !is_held_by_other(g, thread, lock, shared ? GEN_EXCLUSIVE : GEN_SHARED))
        return false;
    gen_emit(g, &(struct gen_line) {
                    .thread = thread, .op = shared ? "rreq" : "req", .target = lock_names[lock] });
    return true;
}

static bool acquire_lock(struct generator *g, uint32_t thread, const char *op, enum gen_hold mode,
                         uint32_t lock)
{
    if (g->threads[thread].holds[lock] != GEN_FREE ||
        is_held_by_other(g, thread, lock, mode == GEN_SHARED ? GEN_EXCLUSIVE : GEN_SHARED))
        return false;
    g->threads[thread].holds[lock] = mode;
    gen_emit(g, &(struct gen_line) { .thread = thread, .op = op, .target = lock_names[lock] });
    return true;
}

static bool acquire(struct generator *g, uint32_t thread, const char *op, enum gen_hold mode)
{
    if (!g->lock_count)
        return false;
    return acquire_lock(g, thread, op, mode, fw_random_below(&g->random, g->lock_count));
}

/* Every variable has a lock; a disciplined thread takes that first. */
static bool must_lock(struct generator *g, uint32_t thread, uint32_t variable)
{
    return g->lock_count && g->weights[FW_GEN_ACQUIRE] &&
           g->threads[thread].holds[variable % g->lock_count] == GEN_FREE &&
           fw_random_percent(&g->random, g->guarded_percent);
}

/* What the access leaves, or gets; everything begins with 0. */
static uint32_t access_value(struct generator *g, uint32_t variable, bool writes)
{
    fw_vec_extend(&g->last_value, VARIABLES);
    if (writes)
        g->last_value.at[variable] = fw_random_below(&g->random, 2);
    return g->last_value.at[variable];
}

static bool access_variable(struct generator *g, uint32_t thread, const char *op, bool reads,
                            bool writes, bool atomic, const char *order)
{
    uint32_t variable = draw_variable(g, atomic), index = gen_index(g);
    struct gen_line line = { .thread = thread,
                             .op = op,
                             .target = variable_name(variable),
                             .order = order,
                             .is_access = true,
                             .takes_size = true };

    if (must_lock(g, thread, variable)) {
        bool shared = !writes && g->weights[FW_GEN_SHARED_ACQUIRE];

        return acquire_lock(g, thread, shared ? "racq" : "acq", shared ? GEN_SHARED : GEN_EXCLUSIVE,
                            variable % g->lock_count);
    }
    fw_vec_extend(&g->last_write, VARIABLES);
    if (reads && g->last_write.at[variable]) {
        line.has_rf = fw_random_percent(&g->random, g->options->answer_percent);
        line.rf = g->last_write.at[variable] - 1;
    }
    if (g->options->true_values)
        line.value = access_value(g, variable, writes);
    gen_emit(g, &line);
    if (writes)
        g->last_write.at[variable] = index + 1;
    return true;
}

/* A lock that the thread holds at least like this, or GEN_MAX_LOCKS. */
static uint32_t draw_held(struct generator *g, uint32_t thread, enum gen_hold at_least)
{
    uint32_t from = fw_random_below(&g->random, GEN_MAX_LOCKS);

    for (uint32_t i = 0; i < GEN_MAX_LOCKS; i++) {
        uint32_t lock = (from + i) % GEN_MAX_LOCKS;

        if (g->threads[thread].holds[lock] >= at_least)
            return lock;
    }
    return GEN_MAX_LOCKS;
}

static bool release_lock(struct generator *g, uint32_t thread, uint32_t lock)
{
    bool shared = g->threads[thread].holds[lock] == GEN_SHARED;

    g->threads[thread].holds[lock] = GEN_FREE;
    gen_emit(g, &(struct gen_line) {
                    .thread = thread, .op = shared ? "rrel" : "rel", .target = lock_names[lock] });
    return true;
}

static bool release(struct generator *g, uint32_t thread)
{
    uint32_t lock = draw_held(g, thread, GEN_SHARED);

    return lock != GEN_MAX_LOCKS && release_lock(g, thread, lock);
}

static bool try_fail(struct generator *g, uint32_t thread)
{
    uint32_t lock;

    if (!g->lock_count)
        return false;
    lock = fw_random_below(&g->random, g->lock_count);
    if (!is_held_by_other(g, thread, lock, GEN_SHARED))
        return false;
    gen_emit(g,
             &(struct gen_line) { .thread = thread, .op = "tryfail", .target = lock_names[lock] });
    return true;
}

static const char *condition_name(const struct generator *g, uint32_t condition)
{
    return g->options->monitors ? lock_names[condition] : condition_names[condition];
}

/* A wait mostly gives up a mutex; a read lock will do as well. */
static bool wait_begin(struct generator *g, uint32_t thread)
{
    struct gen_thread *t = &g->threads[thread];
    uint32_t lock = draw_held(g, thread, GEN_SHARED);

    if (lock == GEN_MAX_LOCKS)
        return false;
    t->phase = GEN_WAITING;
    t->wait_lock = lock;
    t->wait_mode = t->holds[lock];
    t->wait_condition = g->options->monitors ? lock : draw_object(g);
    t->wait_since = gen_index(g);
    return release_lock(g, thread, lock);
}

static bool notify(struct generator *g, uint32_t thread, const char *op)
{
    uint32_t condition = draw_object(g);

    fw_vec_push(&g->notifies[condition], gen_index(g));
    gen_emit(g, &(struct gen_line) {
                    .thread = thread, .op = op, .target = condition_name(g, condition) });
    return true;
}

/* Answers the latest notify since the release, or, saying so, any since then. */
static bool wake(struct generator *g, uint32_t thread)
{
    struct gen_thread *t = &g->threads[thread];
    const struct gen_indices *notifies = &g->notifies[t->wait_condition];
    struct gen_line line = { .thread = thread,
                             .op = "wake",
                             .target = condition_name(g, t->wait_condition) };
    uint32_t since = 0;

    for (size_t i = 0; i < notifies->len; i++)
        since += notifies->at[i] > t->wait_since;
    if (!since)
        return false;
    line.has_rf = fw_random_percent(&g->random, g->options->answer_percent);
    if (line.has_rf)
        line.rf = notifies->at[notifies->len - 1 - fw_random_below(&g->random, since)];
    t->phase = GEN_WOKEN;
    gen_emit(g, &line);
    return true;
}

static bool wait_end(struct generator *g, uint32_t thread)
{
    struct gen_thread *t = &g->threads[thread];
    bool shared = t->wait_mode == GEN_SHARED;

    if (!acquire_lock(g, thread, shared ? "racq" : "acq", t->wait_mode, t->wait_lock))
        return false;
    t->phase = GEN_RUNNING;
    return true;
}

static bool post(struct generator *g, uint32_t thread)
{
    uint32_t semaphore = draw_object(g);

    fw_vec_push(&g->posts[semaphore], gen_index(g));
    gen_emit(g, &(struct gen_line) {
                    .thread = thread, .op = "post", .target = semaphore_names[semaphore] });
    return true;
}

/* Answers the oldest post, or, saying so, any; without one it takes an initial token. */
static bool pend(struct generator *g, uint32_t thread)
{
    uint32_t semaphore = draw_object(g);
    struct gen_indices *posts = &g->posts[semaphore];
    struct gen_line line = { .thread = thread, .op = "pend", .target = semaphore_names[semaphore] };
    size_t at = 0;

    if (posts->len) {
        line.has_rf = fw_random_percent(&g->random, g->options->answer_percent);
        if (line.has_rf)
            at = fw_random_below(&g->random, (uint32_t)posts->len);
        line.rf = posts->at[at];
        memmove(posts->at + at, posts->at + at + 1, (posts->len - at - 1) * sizeof *posts->at);
        posts->len--;
    } else if (!fw_random_percent(&g->random, 20)) {
        return false;
    }
    gen_emit(g, &line);
    return true;
}

/* A full round must be left by somebody before the next one begins. */
static bool barrier_in(struct generator *g, uint32_t thread)
{
    struct gen_thread *t = &g->threads[thread];
    uint32_t number = draw_object(g);
    struct gen_barrier *barrier = &g->barriers[number];

    if (barrier->in == barrier->parties && !barrier->opened)
        return false;
    if (barrier->opened) {
        barrier->round++;
        barrier->in = 0;
        barrier->opened = false;
    }
    barrier->in++;
    t->phase = GEN_AT_BARRIER;
    t->barrier = number;
    t->round = barrier->round;
    gen_emit(
        g, &(struct gen_line) { .thread = thread, .op = "barin", .target = barrier_names[number] });
    return true;
}

static bool barrier_out(struct generator *g, uint32_t thread)
{
    struct gen_thread *t = &g->threads[thread];
    struct gen_barrier *barrier = &g->barriers[t->barrier];

    if (t->round == barrier->round && barrier->in < barrier->parties)
        return false;
    if (t->round == barrier->round)
        barrier->opened = true;
    t->phase = GEN_RUNNING;
    gen_emit(g, &(struct gen_line) {
                    .thread = thread, .op = "barout", .target = barrier_names[t->barrier] });
    return true;
}

static bool fork_or_join(struct generator *g, uint32_t thread, const char *op,
                         enum gen_phase wanted)
{
    uint32_t child = fw_random_below(&g->random, g->thread_count);
    char name[16];

    if (child == thread || g->threads[child].phase != wanted)
        return false;
    if (wanted == GEN_UNBORN)
        g->threads[child].phase = GEN_RUNNING;
    snprintf(name, sizeof name, "T%u", child);
    gen_emit(g, &(struct gen_line) { .thread = thread, .op = op, .target = name });
    return true;
}

static bool open_bracket(struct generator *g, uint32_t thread, const char *op, uint8_t *stack,
                         uint32_t *depth, const char *const *names, uint32_t name_count)
{
    if (*depth == GEN_MAX_DEPTH)
        return false;
    stack[*depth] = (uint8_t)fw_random_below(&g->random, name_count);
    gen_emit(g, &(struct gen_line) { .thread = thread, .op = op, .target = names[stack[*depth]] });
    ++*depth;
    return true;
}

static bool close_bracket(struct generator *g, uint32_t thread, const char *op,
                          const uint8_t *stack, uint32_t *depth, const char *const *names)
{
    if (*depth == 0)
        return false;
    --*depth;
    gen_emit(g, &(struct gen_line) { .thread = thread, .op = op, .target = names[stack[*depth]] });
    return true;
}

/* Mostly from the innermost call; sometimes from any, or from one that the trace does not show. */
static bool return_from(struct generator *g, uint32_t thread)
{
    struct gen_thread *t = &g->threads[thread];
    uint32_t function = fw_random_below(&g->random, COUNT(function_names)), depth = t->call_depth;

    if (!fw_random_percent(&g->random, 10))
        return close_bracket(g, thread, "ret", t->calls, &t->call_depth, function_names);
    while (depth > 0 && t->calls[depth - 1] != function)
        depth--;
    if (depth > 0)
        t->call_depth = depth - 1;
    gen_emit(g, &(struct gen_line) {
                    .thread = thread, .op = "ret", .target = function_names[function] });
    return true;
}

static bool alloc_or_free(struct generator *g, uint32_t thread, bool alloc)
{
    uint32_t heap = draw_object(g);

    if (g->allocated[heap] == alloc)
        return false;
    g->allocated[heap] = alloc;
    if (alloc) { /* a new variable of the same name */
        fw_vec_extend(&g->last_write, VARIABLES);
        fw_vec_extend(&g->last_value, VARIABLES);
        g->last_write.at[FIRST_HEAP + heap] = 0;
        g->last_value.at[FIRST_HEAP + heap] = 0;
    }
    gen_emit(g, &(struct gen_line) { .thread = thread,
                                     .op = alloc ? "alloc" : "free",
                                     .target = heap_names[heap],
                                     .takes_size = true });
    return true;
}

/* Threads end without locks mostly. */
static bool stop(struct generator *g, uint32_t thread)
{
    if (draw_held(g, thread, GEN_SHARED) != GEN_MAX_LOCKS && !fw_random_percent(&g->random, 5))
        return false;
    g->threads[thread].phase = GEN_ENDED;
    return true;
}

bool gen_resume(struct generator *g, uint32_t thread)
{
    switch (g->threads[thread].phase) {
    case GEN_WAITING:
        return wake(g, thread);
    case GEN_WOKEN:
        return wait_end(g, thread);
    case GEN_AT_BARRIER:
        return barrier_out(g, thread);
    default:
        return false;
    }
}

/* Long because it is the table of acts. */
bool gen_act(struct generator *g, uint32_t thread, enum fw_generate_act act)
{
    struct gen_thread *t = &g->threads[thread];

    switch (act) {
    case FW_GEN_READ:
        return access_variable(g, thread, "r", true, false, false, NULL);
    case FW_GEN_WRITE:
        return access_variable(g, thread, "w", false, true, false, NULL);
    case FW_GEN_ATOMIC_LOAD:
        return access_variable(g, thread, "ald", true, false, true, DRAW(g, load_orders));
    case FW_GEN_ATOMIC_STORE:
        return access_variable(g, thread, "ast", false, true, true, DRAW(g, store_orders));
    case FW_GEN_ATOMIC_RMW:
        return access_variable(g, thread, "armw", true, true, true, DRAW(g, rmw_orders));
    case FW_GEN_FENCE:
        gen_emit(g, &(struct gen_line) {
                        .thread = thread, .op = "fence", .order = DRAW(g, fence_orders) });
        return true;
    case FW_GEN_ACQUIRE:
        return acquire(g, thread, "acq", GEN_EXCLUSIVE);
    case FW_GEN_RELEASE:
        return release(g, thread);
    case FW_GEN_TRY_ACQUIRE:
        return acquire(g, thread, "tryacq", GEN_EXCLUSIVE);
    case FW_GEN_TRY_FAIL:
        return try_fail(g, thread);
    case FW_GEN_SHARED_ACQUIRE:
        return acquire(g, thread, "racq", GEN_SHARED);
    case FW_GEN_TRY_SHARED_ACQUIRE:
        return acquire(g, thread, "tryracq", GEN_SHARED);
    case FW_GEN_WAIT:
        return wait_begin(g, thread);
    case FW_GEN_NOTIFY:
        return notify(g, thread, "notify");
    case FW_GEN_NOTIFY_ALL:
        return notify(g, thread, "notifyall");
    case FW_GEN_POST:
        return post(g, thread);
    case FW_GEN_PEND:
        return pend(g, thread);
    case FW_GEN_BARRIER:
        return barrier_in(g, thread);
    case FW_GEN_FORK:
        return fork_or_join(g, thread, "fork", GEN_UNBORN);
    case FW_GEN_JOIN:
        return fork_or_join(g, thread, "join", GEN_ENDED);
    case FW_GEN_BRANCH:
        gen_emit(g, &(struct gen_line) { .thread = thread, .op = "br" });
        return true;
    case FW_GEN_BEGIN:
        return open_bracket(g, thread, "begin", t->blocks, &t->block_depth, block_names,
                            COUNT(block_names));
    case FW_GEN_END:
        return close_bracket(g, thread, "end", t->blocks, &t->block_depth, block_names);
    case FW_GEN_CALL:
        return open_bracket(g, thread, "call", t->calls, &t->call_depth, function_names,
                            COUNT(function_names));
    case FW_GEN_RETURN:
        return return_from(g, thread);
    case FW_GEN_ALLOC:
        return alloc_or_free(g, thread, true);
    case FW_GEN_FREE:
        return alloc_or_free(g, thread, false);
    case FW_GEN_STOP:
        return stop(g, thread);
    case FW_GEN_ACT_COUNT:
        break;
    }
    return false;
}
