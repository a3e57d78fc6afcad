/* witness.c - see witness.h. */
#include "explore/witness.h"

#include "base/alloc.h"
#include "explore/moments.h"

#include <inttypes.h>
#include <stdlib.h>

#define FAR 100000u /* events before and behind those of the witness that are looked at */

struct builder {
    const struct fw_moments *moments;
    struct fw_session *session;
    struct fw_steps *steps;
    FW_VEC(uint64_t) begun; /* by thread: 1 + the latest event whose moment it has begun */
    FW_VEC(uint64_t) aligned; /* by thread: 1 + the event of the latest landmark it was led to */
    FW_VEC(uint64_t) led;     /* by thread: 1 + the event that it was led to last */
    struct fw_way way;
    struct fw_error *err;
};

static bool is_loose(const struct builder *b)
{
    return b->way.loosely && b->steps->len >= b->way.exactly;
}

static struct fw_control_step *add_step(struct builder *b, uint32_t thread, enum fw_step_how how)
{
    fw_vec_push(b->steps, ((struct fw_control_step) { .path = thread, .how = (uint8_t)how }));
    return &b->steps->at[b->steps->len - 1];
}

static uint64_t *begun(struct builder *b, uint32_t thread)
{
    fw_vec_extend(&b->begun, (size_t)thread + 1);
    return &b->begun.at[thread];
}

/* How often the thread comes to the place of the event, from where the steps have left it; as far
 * as the trace tells, which leaves out repeats. */
static uint64_t arrivals(struct builder *b, uint64_t index, const struct fw_landmark *mark)
{
    const struct fw_moment *moment = &b->moments->events.at[index];
    uint64_t from = *begun(b, moment->thread), led = b->led.at[moment->thread];
    uint64_t count = 1, latest = index;

    if (mark && from < mark->event)
        from = mark->event;
    if (from + 1 < led)
        from = led - 1; /* it stands there, which counts */
    for (uint64_t i = index; i-- > from && index - i < FAR;) {
        const struct fw_moment *earlier = &b->moments->events.at[i];

        if (earlier->thread != moment->thread || earlier->site != moment->site ||
            earlier->kind != moment->kind || fw_moments_same(b->moments, i, latest))
            continue;
        latest = i;
        count++;
    }
    return count;
}

/* The thread's steps to just before the event: by its latest landmark, and from there. */
static struct fw_control_step *lead_to(struct builder *b, uint64_t index, uint32_t site)
{
    uint32_t thread = b->moments->events.at[index].thread;
    const struct fw_landmark *mark = fw_moments_landmark(b->moments, index);
    struct fw_control_step *step = NULL;
    bool loosely = is_loose(b);

    fw_vec_extend(&b->aligned, (size_t)thread + 1);
    fw_vec_extend(&b->led, (size_t)thread + 1);
    if (mark && b->aligned.at[thread] != mark->event + 1) {
        uint32_t at = fw_moments_site(b->moments, mark->event, b->session);

        step = add_step(b, thread, FW_STEP_SITE);
        step->site = at;
        step->ordinal = mark->ordinal;
        b->aligned.at[thread] = mark->event + 1;
        if (fw_moments_same(b->moments, mark->event, index))
            return step;
    }
    step = add_step(b, thread, loosely ? FW_STEP_PLACE : FW_STEP_BLOCKS);
    step->site = site;
    step->ordinal = loosely
                        ? arrivals(b, index, mark)
                        : fw_moments_blocks(b->moments, index) - (mark ? mark->blocks : 0);
    b->led.at[thread] = index + 1;
    return step;
}

/* The thread runs until the event is next: it has not begun what makes it. */
static int until_before(struct builder *b, uint64_t event, int goal)
{
    uint64_t index = fw_moments_start(b->moments, event);
    uint32_t site = FW_CONTROL_NONE;
    struct fw_control_step *step;

    if (fw_moments_has_place(b->moments, index))
        site = fw_moments_site(b->moments, index, b->session);
    if (site == FW_CONTROL_NONE)
        return fw_error_set(b->err, "event %" PRIu64 " has no place in the program", index);
    step = lead_to(b, index, site);
    if (goal >= 0) {
        step->flags = FW_STEP_GOAL;
        step->goal = (uint16_t)goal;
    }
    return 0;
}

static bool has_begun(struct builder *b, uint64_t index)
{
    uint64_t last = *begun(b, b->moments->events.at[index].thread);

    return last && fw_moments_same(b->moments, last - 1, index);
}

/* The thread runs until the event is done. */
static int through(struct builder *b, uint64_t index, int goal)
{
    uint32_t thread = b->moments->events.at[index].thread;

    if (!has_begun(b, index) && until_before(b, index, goal) < 0)
        return -1;
    add_step(b, thread, FW_STEP_ONE);
    *begun(b, thread) = index + 1;
    return 0;
}

/* The latest event of order[from..to] with a place; `to` + 1 if there is none. */
static size_t last_placed(const struct fw_moments *moments, const uint64_t *order, size_t from,
                          size_t to)
{
    for (size_t i = to + 1; i > from; i--)
        if (fw_moments_has_place(moments, order[i - 1]))
            return i - 1;
    return to + 1;
}

static int goal_of(const struct fw_shown *witness, uint64_t index)
{
    for (size_t i = 0; i < witness->event_count && i < FW_CONTROL_GOALS; i++)
        if (witness->events[i] == index)
            return (int)i;
    return -1;
}

/* Does a stretch end behind order[i]: another thread comes next, or a goal is here or next? */
static bool ends_stretch(const struct fw_moments *moments, const struct fw_shown *witness,
                         size_t count, size_t i)
{
    if (i + 1 == count || goal_of(witness, witness->order[i]) >= 0)
        return true;
    return moments->events.at[witness->order[i]].thread !=
           moments->events.at[witness->order[i + 1]].thread;
}

/* An access of a race may belong to a call that has told of something else already: then the call
 * as a whole is what comes next, and is not begun. */
static bool is_held(const struct builder *b, const struct fw_shown *witness, uint64_t index)
{
    for (size_t i = 0; i < witness->event_count && witness->claim == FW_CLAIM_RACE; i++)
        if (fw_moments_same(b->moments, index, witness->events[i]))
            return true;
    return false;
}

/* Has its thread begun the call that acquires for the deadlock?  Then it waits there, and would
 * acquire if it went on. */
static bool waits_already(struct builder *b, const struct fw_shown *witness, uint64_t index)
{
    for (size_t i = 0; i < witness->event_count && witness->claim == FW_CLAIM_DEADLOCK; i++)
        if (fw_moments_same(b->moments, index, witness->events[i]))
            return has_begun(b, index);
    return false;
}

/* A stretch of one thread that ends with the event. */
static int add_stretch(struct builder *b, const struct fw_shown *witness, uint64_t index)
{
    if (waits_already(b, witness, index))
        return 0;
    if (is_held(b, witness, index))
        return until_before(b, index, -1);
    return through(b, index, goal_of(witness, index));
}

/* Threads that are joined in order[from..to] come to their end before; what they do behind their
 * last events was of no interest until now. */
static void end_joined(struct builder *b, const uint64_t *order, size_t from, size_t to)
{
    for (size_t i = from; i <= to; i++)
        if (b->moments->events.at[order[i]].kind == FW_JOIN)
            add_step(b, fw_moments_joined(b->moments, order[i]), FW_STEP_END);
}

static int add_order(struct builder *b, const struct fw_shown *witness, size_t count)
{
    size_t from = 0;

    for (size_t i = 0; i < count; i++) {
        size_t last;

        if (!ends_stretch(b->moments, witness, count, i))
            continue;
        end_joined(b, witness->order, from, i);
        last = last_placed(b->moments, witness->order, from, i);
        if (last <= i && add_stretch(b, witness, witness->order[last]) < 0)
            return -1;
        from = i + 1;
    }
    return 0;
}

/* Both accesses next, then one after the other. */
static int add_race(struct builder *b, const struct fw_shown *witness, unsigned variant)
{
    const uint64_t *events = witness->events;

    for (int i = 0; i < 2; i++)
        if (until_before(b, events[i], i) < 0)
            return -1;
    for (int i = 0; i < 2; i++)
        add_step(b, b->moments->events.at[events[variant & 1 ? 1 - i : i]].thread, FW_STEP_ONE);
    return 0;
}

/* Each one at its acquire, then each one tries. */
static int add_deadlock(struct builder *b, const struct fw_shown *witness)
{
    for (size_t i = 0; i < witness->event_count; i++)
        if (!has_begun(b, witness->events[i]) &&
            until_before(b, witness->events[i], (int)(i % FW_CONTROL_GOALS)) < 0)
            return -1;
    for (size_t i = 0; i < witness->event_count; i++)
        add_step(b, b->moments->events.at[witness->events[i]].thread, FW_STEP_AWAY);
    return 0;
}

/* The n-th of the threads that did not make the last step: the finding's first, then all others,
 * the main one last; from the beginning again behind the last. */
static uint32_t other_thread(const struct builder *b, const struct fw_shown *witness, size_t n)
{
    uint32_t last = b->steps->at[b->steps->len - 1].path;
    size_t threads = b->moments->paths.len, wanted = n % (threads > 1 ? threads - 1 : 1), seen = 0;

    for (size_t i = 0; i < witness->event_count + threads; i++) {
        bool of_finding = i < witness->event_count;
        uint32_t thread = of_finding ? b->moments->events.at[witness->events[i]].thread
                                     : (uint32_t)((i - witness->event_count + 1) % threads);
        bool known = thread == last;

        for (size_t j = 0; j < i && j < witness->event_count; j++)
            known |= b->moments->events.at[witness->events[j]].thread == thread;
        if (!known && seen++ == wanted)
            return thread;
    }
    return last;
}

/* The thread goes as far as it can, if it is there and can. */
static void let(struct builder *b, uint32_t thread)
{
    add_step(b, thread, FW_STEP_AWAY)->flags = FW_STEP_MAY;
}

/* Everybody but one; the main thread first, so that all are born. */
static void let_others(struct builder *b, uint32_t held_back)
{
    for (size_t i = 0; i < b->moments->paths.len; i++)
        if (i != held_back)
            let(b, (uint32_t)i);
}

/*
 * Who runs next.  0: the one who made the last step; 1: everybody else; otherwise one other thread,
 * each in its turn, but in 4 everybody else.  In even variants at once, in odd ones when he holds
 * no lock any more, since others could not do much until then.
 */
static void add_continuation(struct builder *b, const struct fw_shown *witness, unsigned variant)
{
    uint32_t last, other;

    if (!variant || witness->claim == FW_CLAIM_DEADLOCK || !witness->order_count || !b->steps->len)
        return;
    last = b->steps->at[b->steps->len - 1].path;
    if (variant % 2)
        add_step(b, last, FW_STEP_FREE)->flags = FW_STEP_MAY;
    if (variant == 1 || variant == 4) {
        let_others(b, last);
        return;
    }
    other = other_thread(b, witness, (variant - 1) / 2);
    if (other && b->moments->paths.at[other].parent != last)
        let(b, b->moments->paths.at[other].parent); /* it may not be born yet */
    let(b, other);
}

static int check_indices(const struct fw_moments *moments, const uint64_t *indices, size_t count,
                         struct fw_error *err)
{
    for (size_t i = 0; i < count; i++)
        if (indices[i] >= moments->events.len)
            return fw_error_set(err, "the trace has no event %" PRIu64, indices[i]);
    return 0;
}

static int add_all(struct builder *b, const struct fw_shown *witness, unsigned variant)
{
    bool is_race = witness->claim == FW_CLAIM_RACE && witness->event_count == 2;
    size_t count = witness->order_count - (is_race && witness->order_count >= 2 ? 2 : 0);

    if (add_order(b, witness, count) < 0 || (is_race && add_race(b, witness, variant) < 0) ||
        (witness->claim == FW_CLAIM_DEADLOCK && add_deadlock(b, witness) < 0))
        return -1;
    add_continuation(b, witness, is_race ? variant / 2 : variant);
    return 0;
}

static void take_paths(const struct fw_moments *moments, struct fw_steps *steps,
                       struct fw_paths *paths)
{
    paths->len = steps->len = 0;
    for (size_t i = 0; i < moments->paths.len; i++)
        fw_vec_push(paths, moments->paths.at[i]);
}

static void release(struct builder *b)
{
    fw_vec_release(&b->begun);
    fw_vec_release(&b->aligned);
    fw_vec_release(&b->led);
}

/* The order that the schedule tells; NULL: there is one already. */
static uint64_t *unpack(struct fw_shown *witness)
{
    struct fw_schedule_walk walk;
    uint64_t *order;
    uint32_t position;

    if (!witness->schedule)
        return NULL;
    order = fw_xcalloc(witness->schedule->steps + (size_t)1, sizeof *order);
    witness->order = order;
    witness->order_count = 0;
    fw_schedule_walk_init(&walk, witness->schedule, witness->index);
    while (fw_schedule_next(&walk, &position))
        order[witness->order_count++] = fw_trace_index(witness->index->trace, position);
    fw_schedule_walk_release(&walk);
    return order;
}

static int make_steps(struct builder *b, const struct fw_shown *witness, unsigned variant,
                      struct fw_paths *paths)
{
    if (check_indices(b->moments, witness->order, witness->order_count, b->err) < 0 ||
        check_indices(b->moments, witness->events, witness->event_count, b->err) < 0 ||
        fw_session_fits(0, b->moments->paths.len, b->err) < 0)
        return -1;
    take_paths(b->moments, b->steps, paths);
    if (add_all(b, witness, variant) < 0)
        return -1;
    return fw_session_fits(b->steps->len, paths->len, b->err);
}

int fw_witness_steps(const struct fw_moments *moments, const struct fw_shown *witness,
                     struct fw_way way, struct fw_session *session, struct fw_steps *steps,
                     struct fw_paths *paths, struct fw_error *err)
{
    struct builder b = { .moments = moments,
                         .session = session,
                         .steps = steps,
                         .way = way,
                         .err = err };
    struct fw_shown whole = *witness;
    uint64_t *order = unpack(&whole);
    int status = make_steps(&b, &whole, way.variant, paths);

    free(order);
    release(&b);
    return status;
}

/* The ones who make the thread, from the main one on. */
static void let_ancestors(struct builder *b, uint32_t thread)
{
    uint32_t parent = b->moments->paths.at[thread].parent;

    if (!thread)
        return;
    let_ancestors(b, parent);
    let(b, parent);
}

int fw_preemption_steps(const struct fw_moments *moments, uint64_t event,
                        struct fw_session *session, struct fw_steps *steps,
                        struct fw_paths *paths, struct fw_error *err)
{
    struct builder b = { .moments = moments,
                         .session = session,
                         .steps = steps,
                         .way = { .loosely = true },
                         .err = err };
    uint32_t thread;
    int status;

    if (check_indices(moments, &event, 1, err) < 0 ||
        fw_session_fits(0, moments->paths.len, err) < 0)
        return -1;
    thread = moments->events.at[event].thread;
    take_paths(moments, steps, paths);
    let_ancestors(&b, thread);
    status = until_before(&b, event, -1);
    let_others(&b, thread);
    release(&b);
    return status < 0 ? -1 : fw_session_fits(steps->len, paths->len, err);
}
