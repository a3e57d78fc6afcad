/* repeats.c - see repeats.h. */
#include "predict/repeats.h"

#include "base/vec.h"

/* An access of a thread to a variable, in the segment that it had then. */
struct touch {
    uint32_t thread, segment;
    bool wrote;
    uint32_t next; /* touch of the same variable, by number + 1; 0: none */
};

/* How far a thread has come since another one interfered with its segment. */
enum {
    AT_EASE,
    CROSSED,  /* somebody has accessed what it accessed */
    WENT_ON,  /* and it has done one more event of its segment: now it must stop */
};

struct walker {
    const struct fw_trace *trace;
    bool strictly;     /* no read but the last one may be changed */
    uint32_t *segment; /* by thread */
    uint8_t *state;    /* by thread */
    uint32_t *touched; /* by variable: its latest touch, by number + 1 */
    uint32_t *written; /* by variable: the touch that is its latest write; 0: another kind of one */
    FW_VEC(struct touch) touches;
};

static bool ends_segment(unsigned kind)
{
    return kind != FW_READ && kind != FW_WRITE && kind != FW_BRANCH && kind != FW_CALL &&
           kind != FW_RETURN && kind != FW_ALLOC && kind != FW_FREE;
}

/* The event's thread goes on.  True: it does more than may be. */
static bool advance(struct walker *walker, const struct fw_event *event)
{
    uint8_t *state = &walker->state[event->thread];

    if (*state == WENT_ON)
        return true;
    if (ends_segment(event->kind)) {
        walker->segment[event->thread]++;
        *state = AT_EASE;
    } else if (*state == CROSSED) {
        *state = WENT_ON;
    }
    return false;
}

/* Whom does this access cross?  Touches of segments that have ended are dropped on the way. */
static void cross(struct walker *walker, const struct fw_event *event)
{
    uint32_t *link = &walker->touched[event->target];
    bool writes = fw_is_write(event->kind) || event->kind == FW_FREE;

    while (*link) {
        struct touch *touch = &walker->touches.at[*link - 1];

        if (touch->segment != walker->segment[touch->thread]) {
            *link = touch->next;
            continue;
        }
        if (touch->thread != event->thread && (writes || touch->wrote) &&
            walker->state[touch->thread] == AT_EASE)
            walker->state[touch->thread] = CROSSED;
        link = &touch->next;
    }
}

/* Does it read what another thread has written in a segment that has not ended? */
static bool reads_unfinished(const struct walker *walker, const struct fw_event *event)
{
    uint32_t number = walker->written[event->target];
    const struct touch *touch = number ? &walker->touches.at[number - 1] : NULL;

    return touch && touch->thread != event->thread &&
           touch->segment == walker->segment[touch->thread];
}

static void touch(struct walker *walker, const struct fw_event *event)
{
    struct touch touch = { event->thread, walker->segment[event->thread],
                           event->kind == FW_WRITE, walker->touched[event->target] };

    fw_vec_push(&walker->touches, touch);
    walker->touched[event->target] = (uint32_t)walker->touches.len;
    if (touch.wrote)
        walker->written[event->target] = (uint32_t)walker->touches.len;
}

/* Has the thread written the variable in its present segment already?  Then this is a write that is
 * said again, and the one that it stands for may have come before what its thread did last. */
static bool writes_again(const struct walker *walker, const struct fw_event *event)
{
    uint32_t number = event->kind == FW_WRITE ? walker->touched[event->target] : 0;

    while (number) {
        const struct touch *touch = &walker->touches.at[number - 1];

        if (touch->wrote && touch->thread == event->thread &&
            touch->segment == walker->segment[event->thread])
            return true;
        number = touch->next;
    }
    return false;
}

static bool leans_at(struct walker *walker, const struct fw_event *event, bool last)
{
    bool unfinished = false;

    if (walker->state[event->thread] == CROSSED && !last && writes_again(walker, event))
        return true;
    if (advance(walker, event))
        return true;
    if (event->kind == FW_JOIN && walker->state[event->target] == WENT_ON)
        return true; /* it has done all it does */
    if (event->kind == FW_JOIN)
        walker->segment[event->target]++;
    if (fw_is_class(event->kind, FW_CLASS_CONFLICT))
        cross(walker, event);
    if (fw_is_read(event->kind) && reads_unfinished(walker, event)) {
        walker->state[event->thread] = WENT_ON;
        unfinished = true;
    }
    if (fw_is_write(event->kind))
        walker->written[event->target] = 0;
    if (event->kind == FW_READ || event->kind == FW_WRITE)
        touch(walker, event);
    return unfinished && (walker->strictly || fw_is_write(event->kind)) && !last;
}

bool fw_witness_leans(const struct fw_schedule *witness, enum fw_claim claim,
                      const struct fw_index *index)
{
    const struct fw_trace *trace = index->trace;
    uint32_t threads = fw_trace_thread_count(trace);
    struct walker walker = { .trace = trace, .strictly = claim == FW_CLAIM_NONDETERMINISM };
    struct fw_schedule_walk walk;
    bool leans = false;
    uint64_t left = witness->steps, end = claim == FW_CLAIM_RACE ? 2 : 1;
    uint32_t position;

    walker.segment = fw_xcalloc(threads, sizeof *walker.segment);
    walker.state = fw_xcalloc(threads, sizeof *walker.state);
    walker.touched = fw_xcalloc(index->by_variable.rows + 1, sizeof *walker.touched);
    walker.written = fw_xcalloc(index->by_variable.rows + 1, sizeof *walker.written);
    fw_schedule_walk_init(&walk, witness, index);
    while (!leans && fw_schedule_next(&walk, &position))
        leans = leans_at(&walker, &trace->events[position], left-- <= end);
    fw_schedule_walk_release(&walk);
    fw_vec_release(&walker.touches);
    free(walker.written);
    free(walker.touched);
    free(walker.state);
    free(walker.segment);
    return leans;
}

bool fw_witness_hangs(const struct fw_schedule *witness, const struct fw_id_ranges *variables,
                      const struct fw_index *index)
{
    struct fw_schedule_walk walk;
    uint32_t position, done = 0, end = 0; /* so many events, all of them before `end` */
    bool hangs = false;

    fw_schedule_walk_init(&walk, witness, index);
    while (!hangs && fw_schedule_next(&walk, &position)) {
        const struct fw_event *event = &index->trace->events[position];

        hangs = fw_is_read(event->kind) && fw_id_ranges_have(variables, event->target) &&
                (done != position || end > position);
        done++;
        end = position >= end ? position + 1 : end;
    }
    fw_schedule_walk_release(&walk);
    return hangs;
}
