/*
 * index_partner.c - who answers whom: reads-from, wakes, pends, forks, joins,
 * blocks and calls.
 *
 * One pass in trace order.  An explicit rf attribute wins; otherwise a read
 * sees the latest write, a wake answers the latest notify since its thread's
 * latest release, a pend the oldest unanswered post.  The reader has checked
 * that all of this is possible.
 */
#include "base/vec.h"
#include "trace/index_build.h"

FW_VEC_TYPE(positions, uint32_t);

struct queue {
    struct positions posts;
    size_t head;
};

struct pass {
    struct fw_index *index;
    const struct fw_trace *trace;
    uint32_t *last_write;    /* by variable */
    uint32_t *last_notify;   /* by condition */
    struct queue *queues;    /* by semaphore */
    struct positions *blocks; /* by thread: open begins, innermost last */
    struct positions *calls;  /* by thread: open calls, innermost last */
};

static uint32_t count_of(const struct fw_trace *trace, enum fw_space space)
{
    return fw_symbols_count(trace->symbols, space);
}

/* The position that an explicit rf names, or FW_NO_EVENT if the event has none. */
static uint32_t explicit_rf(const struct fw_trace *trace, const struct fw_event *event)
{
    const struct fw_attr *attr = &trace->attrs[event->attr];

    return attr->has & FW_ATTR_RF ? fw_trace_position(trace, attr->rf, 0) : FW_NO_EVENT;
}

static void access(struct pass *pass, uint32_t at, const struct fw_event *event)
{
    uint32_t *last = &pass->last_write[event->target];

    if (fw_is_read(event->kind))
        pass->index->partner[at] = *last;
    if (fw_is_write(event->kind))
        *last = at;
}

static void wake(struct pass *pass, uint32_t at, const struct fw_event *event)
{
    uint32_t notify = explicit_rf(pass->trace, event);

    pass->index->partner[at] = notify != FW_NO_EVENT ? notify : pass->last_notify[event->target];
}

static void pend(struct pass *pass, uint32_t at, const struct fw_event *event)
{
    struct queue *queue = &pass->queues[event->target];
    uint32_t post = explicit_rf(pass->trace, event);
    size_t i = queue->head;

    while (post != FW_NO_EVENT && i < queue->posts.len && queue->posts.at[i] != post)
        i++;
    if (i == queue->posts.len)
        return; /* an initial token */
    pass->index->partner[at] = queue->posts.at[i];
    memmove(queue->posts.at + queue->head + 1, queue->posts.at + queue->head,
            (i - queue->head) * sizeof *queue->posts.at);
    queue->head++;
}

static void fork_or_join(struct pass *pass, uint32_t at, const struct fw_event *event)
{
    struct fw_index *index = pass->index;
    uint32_t count = fw_row_count(&index->by_thread, event->target);
    const uint32_t *row = fw_row(&index->by_thread, event->target);
    uint32_t *first = event->kind == FW_FORK ? &index->fork_of[event->target]
                                             : &index->join_of[event->target];

    if (*first == FW_NO_EVENT)
        *first = at;
    if (count)
        index->partner[at] = event->kind == FW_FORK ? row[0] : row[count - 1];
}

/*
 * begin/end and call/ret.  Blocks nest properly; calls may lose their return
 * (longjmp, the trace's end), so a return closes the innermost call of its
 * function, and the calls inside that one stay without partner.
 */
static void close_bracket(struct pass *pass, uint32_t at, struct positions *open)
{
    const struct fw_event *events = pass->trace->events;

    for (size_t i = open->len; i-- > 0;) {
        if (events[open->at[i]].target != events[at].target)
            continue;
        pass->index->partner[at] = open->at[i];
        pass->index->partner[open->at[i]] = at;
        open->len = i;
        return;
    }
}

static void visit(struct pass *pass, uint32_t at)
{
    const struct fw_event *event = &pass->trace->events[at];

    switch (event->kind) {
    case FW_READ:
    case FW_WRITE:
    case FW_ATOMIC_LOAD:
    case FW_ATOMIC_STORE:
    case FW_ATOMIC_RMW:
        access(pass, at, event);
        break;
    case FW_NOTIFY:
    case FW_NOTIFY_ALL:
        pass->last_notify[event->target] = at;
        break;
    case FW_WAKE:
        wake(pass, at, event);
        break;
    case FW_POST:
        fw_vec_push(&pass->queues[event->target].posts, at);
        break;
    case FW_PEND:
        pend(pass, at, event);
        break;
    case FW_FORK:
    case FW_JOIN:
        fork_or_join(pass, at, event);
        break;
    case FW_BEGIN:
        fw_vec_push(&pass->blocks[event->thread], at);
        break;
    case FW_END:
        close_bracket(pass, at, &pass->blocks[event->thread]);
        break;
    case FW_CALL:
        fw_vec_push(&pass->calls[event->thread], at);
        break;
    case FW_RETURN:
        close_bracket(pass, at, &pass->calls[event->thread]);
        break;
    default: /* locks: index_lockset.c; barriers: index_round.c; the rest has no partner */
        break;
    }
}

void fw_index_build_partners(struct fw_index *index)
{
    const struct fw_trace *trace = index->trace;
    uint32_t threads = count_of(trace, FW_SPACE_THREAD);
    uint32_t semaphores = count_of(trace, FW_SPACE_SEMAPHORE);
    struct pass pass = {
        .index = index,
        .trace = trace,
        .last_write = fw_index_nothing(count_of(trace, FW_SPACE_VARIABLE)),
        .last_notify = fw_index_nothing(count_of(trace, FW_SPACE_CONDITION)),
        .queues = fw_xcalloc(semaphores, sizeof *pass.queues),
        .blocks = fw_xcalloc(threads, sizeof *pass.blocks),
        .calls = fw_xcalloc(threads, sizeof *pass.calls),
    };

    index->fork_of = fw_index_nothing(threads);
    index->join_of = fw_index_nothing(threads);
    for (uint32_t i = 0; i < trace->count; i++)
        visit(&pass, i);
    for (uint32_t i = 0; i < semaphores; i++)
        fw_vec_release(&pass.queues[i].posts);
    for (uint32_t i = 0; i < threads; i++) {
        fw_vec_release(&pass.blocks[i]);
        fw_vec_release(&pass.calls[i]);
    }
    free(pass.queues);
    free(pass.blocks);
    free(pass.calls);
    free(pass.last_write);
    free(pass.last_notify);
}
