/*
 * flow.c - see flow.h.
 *
 * A notify or post gets a slot of its own, since an answer may name it by rf;
 * slots of notifies that no waiting thread can answer any more are given back.
 * A thread that released a lock once and waits for nothing since would keep
 * them for ever, so only the latest notifies of a condition have their own
 * slots and the older ones share one.
 * A barrier round has one slot that all ins go into; outs of the round and ins
 * of the next one take from it.  An atomic variable has
 * one, for the release sequence that its latest value belongs to; a thread has
 * one for its latest releasing fence and one for what its relaxed loads have
 * seen, which the next acquiring fence takes.
 */
#include "order/flow.h"

#include "base/bug.h"
#include "base/vec.h"

#define NO_SLOT 0u /* slots are numbered from 1 inside; analyses see them from 0 */
#define MOST_LETTERS (1u << 16) /* notifies of a condition with their own slots */

/* A notify or post that may still be answered. */
struct letter {
    uint64_t index;
    uint32_t slot;
};

FW_VEC_TYPE(letters, struct letter);

struct condition {
    struct letters notifies;
    uint32_t older; /* slot of those before them */
};

struct semaphore {
    struct letters posts; /* oldest at head; the answered ones behind it have no slot */
    size_t head;
    size_t answered; /* of those behind the head */
};

/* A thread inside a barrier, and the slot of its round. */
struct inside {
    uint32_t thread, slot;
};

struct barrier {
    uint32_t slot;   /* of the current round; NO_SLOT before the first */
    uint32_t before; /* of the round before it */
    bool has_out;    /* somebody has left the current round */
    FW_VEC(struct inside) inside;
};

struct thread {
    uint64_t last_release; /* index of its latest lock release, plus one */
    bool joined;
    uint32_t released; /* slot of its latest releasing fence */
    uint32_t relaxed;  /* slot of what its relaxed loads have seen */
};

struct fw_flow {
    uint32_t slots;         /* made so far */
    FW_VEC(uint32_t) spare; /* to be used again */
    FW_VEC(struct condition) conditions;
    FW_VEC(struct semaphore) semaphores;
    FW_VEC(struct barrier) barriers;
    FW_VEC(struct thread) threads;
    FW_VEC(uint32_t) atomics; /* by variable */
};

/* The present call, passed around as one. */
struct call {
    struct fw_flow *flow;
    const struct fw_event *event;
    const struct fw_batch *batch;
    uint32_t i;
    const struct fw_flow_ops *ops;
    void *me;
};

struct fw_flow *fw_flow_create(void)
{
    return fw_xcalloc(1, sizeof(struct fw_flow));
}

void fw_flow_destroy(struct fw_flow *flow)
{
    if (!flow)
        return;
    for (size_t i = 0; i < flow->conditions.len; i++)
        fw_vec_release(&flow->conditions.at[i].notifies);
    for (size_t i = 0; i < flow->semaphores.len; i++)
        fw_vec_release(&flow->semaphores.at[i].posts);
    for (size_t i = 0; i < flow->barriers.len; i++)
        fw_vec_release(&flow->barriers.at[i].inside);
    fw_vec_release(&flow->spare);
    fw_vec_release(&flow->conditions);
    fw_vec_release(&flow->semaphores);
    fw_vec_release(&flow->barriers);
    fw_vec_release(&flow->threads);
    fw_vec_release(&flow->atomics);
    free(flow);
}

/* --- slots ------------------------------------------------------------------------------- */

static uint32_t new_slot(struct fw_flow *flow)
{
    return flow->spare.len ? fw_vec_pop(&flow->spare) : ++flow->slots;
}

static void receive(const struct call *call, uint32_t slot)
{
    if (slot != NO_SLOT)
        call->ops->receive(call->me, slot - 1);
}

static void send(const struct call *call, uint32_t *slot, bool keep)
{
    if (*slot == NO_SLOT)
        *slot = new_slot(call->flow);
    call->ops->send(call->me, *slot - 1, keep);
}

static void copy(const struct call *call, uint32_t from, uint32_t *to, bool keep)
{
    if (from == NO_SLOT)
        return;
    if (*to == NO_SLOT)
        *to = new_slot(call->flow);
    call->ops->copy(call->me, from - 1, *to - 1, keep);
}

static void clear(const struct call *call, uint32_t slot)
{
    if (slot != NO_SLOT)
        call->ops->clear(call->me, slot - 1);
}

static void give_back(const struct call *call, uint32_t slot)
{
    clear(call, slot);
    fw_vec_push(&call->flow->spare, slot);
}

static struct thread *self(const struct call *call)
{
    fw_vec_extend(&call->flow->threads, call->event->thread + 1);
    return &call->flow->threads.at[call->event->thread];
}

static const struct fw_attr *attr_of(const struct call *call)
{
    return &call->batch->attrs[call->event->attr];
}

/* --- letters ----------------------------------------------------------------------------- */

/* The place of the letter with this index, or the end. */
static size_t find_letter(const struct letters *letters, size_t from, uint64_t index)
{
    size_t low = from, high = letters->len;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (letters->at[middle].index < index)
            low = middle + 1;
        else
            high = middle;
    }
    return low < letters->len && letters->at[low].index == index ? low : letters->len;
}

static void drop_letters(struct letters *letters, size_t count)
{
    letters->len -= count;
    memmove(letters->at, letters->at + count, letters->len * sizeof *letters->at);
}

/* --- notify and wake --------------------------------------------------------------------- */

static struct condition *condition(const struct call *call)
{
    fw_vec_extend(&call->flow->conditions, call->event->target + 1);
    return &call->flow->conditions.at[call->event->target];
}

/* Notifies before every thread's latest release can be answered by nobody. */
static uint64_t oldest_release(const struct fw_flow *flow)
{
    uint64_t oldest = UINT64_MAX;

    for (size_t i = 0; i < flow->threads.len; i++) {
        const struct thread *thread = &flow->threads.at[i];

        if (!thread->joined && thread->last_release && thread->last_release < oldest)
            oldest = thread->last_release;
    }
    return oldest;
}

static void forget_notifies(const struct call *call, struct condition *condition)
{
    struct letters *letters = &condition->notifies;
    uint64_t oldest = oldest_release(call->flow);
    size_t gone = 0;

    while (gone < letters->len && letters->at[gone].index + 1 < oldest)
        give_back(call, letters->at[gone++].slot);
    for (; letters->len - gone >= MOST_LETTERS; gone++) {
        copy(call, letters->at[gone].slot, &condition->older, true);
        give_back(call, letters->at[gone].slot);
    }
    drop_letters(letters, gone);
}

static void send_notify(const struct call *call)
{
    struct condition *to = condition(call);
    struct letter letter = { .index = fw_batch_index(call->batch, call->i) };

    if (to->notifies.len >= 16 && to->notifies.len == to->notifies.cap) {
        forget_notifies(call, to);
        if (to->notifies.len * 2 > to->notifies.cap)
            fw_vec_reserve(&to->notifies, to->notifies.cap * 2);
    }
    send(call, &letter.slot, false);
    fw_vec_push(&to->notifies, letter);
}

static void receive_wake(const struct call *call)
{
    const struct condition *from = condition(call);
    const struct letters *letters = &from->notifies;
    const struct fw_attr *attr = attr_of(call);
    size_t at = letters->len - 1; /* the latest; there is one, or the trace is ill-formed */

    if (attr->has & FW_ATTR_RF)
        at = find_letter(letters, 0, attr->rf);
    receive(call, at < letters->len ? letters->at[at].slot : from->older);
}

/* --- post and pend ----------------------------------------------------------------------- */

static struct semaphore *semaphore(const struct call *call)
{
    fw_vec_extend(&call->flow->semaphores, call->event->target + 1);
    return &call->flow->semaphores.at[call->event->target];
}

/* Keeps the unanswered posts only. */
static void pack_posts(struct semaphore *sem)
{
    size_t kept = 0;

    for (size_t i = sem->head; i < sem->posts.len; i++)
        if (sem->posts.at[i].slot != NO_SLOT)
            sem->posts.at[kept++] = sem->posts.at[i];
    sem->posts.len = kept;
    sem->head = sem->answered = 0;
}

static void send_post(const struct call *call)
{
    struct semaphore *sem = semaphore(call);
    struct letter letter = { .index = fw_batch_index(call->batch, call->i) };

    if (sem->posts.len == sem->posts.cap && (sem->head + sem->answered) * 2 > sem->posts.len)
        pack_posts(sem);
    send(call, &letter.slot, false);
    fw_vec_push(&sem->posts, letter);
}

static void answer(const struct call *call, struct semaphore *sem, size_t at)
{
    receive(call, sem->posts.at[at].slot);
    give_back(call, sem->posts.at[at].slot);
    sem->posts.at[at].slot = NO_SLOT;
    sem->answered++;
    while (sem->head < sem->posts.len && sem->posts.at[sem->head].slot == NO_SLOT) {
        sem->head++;
        sem->answered--;
    }
}

static void receive_pend(const struct call *call)
{
    struct semaphore *sem = semaphore(call);
    const struct fw_attr *attr = attr_of(call);
    size_t at = sem->head;

    if (attr->has & FW_ATTR_RF)
        at = find_letter(&sem->posts, sem->head, attr->rf);
    if (at < sem->posts.len && sem->posts.at[at].slot != NO_SLOT)
        answer(call, sem, at); /* else: an initial token */
}

/* --- barriers ---------------------------------------------------------------------------- */

static struct barrier *barrier(const struct call *call)
{
    fw_vec_extend(&call->flow->barriers, call->event->target + 1);
    return &call->flow->barriers.at[call->event->target];
}

static bool in_use(const struct barrier *state, uint32_t slot)
{
    if (state->slot == slot || state->before == slot)
        return true;
    for (size_t i = 0; i < state->inside.len; i++)
        if (state->inside.at[i].slot == slot)
            return true;
    return false;
}

/* All ins of a round come before those of the next one. */
static void receive_barrier_in(const struct call *call)
{
    const struct barrier *state = barrier(call);

    receive(call, state->has_out ? state->slot : state->before);
}

static void send_barrier_in(const struct call *call)
{
    struct barrier *state = barrier(call);

    if (state->slot == NO_SLOT || state->has_out) {
        uint32_t old = state->before;

        state->before = state->slot;
        state->slot = new_slot(call->flow);
        state->has_out = false;
        if (old != NO_SLOT && !in_use(state, old))
            give_back(call, old);
    }
    send(call, &state->slot, true);
    fw_vec_push(&state->inside, ((struct inside) { call->event->thread, state->slot }));
}

static void receive_barrier_out(const struct call *call)
{
    struct barrier *state = barrier(call);

    for (size_t i = 0; i < state->inside.len; i++) {
        uint32_t slot = state->inside.at[i].slot;

        if (state->inside.at[i].thread != call->event->thread)
            continue;
        receive(call, slot);
        state->inside.at[i] = fw_vec_pop(&state->inside);
        state->has_out |= slot == state->slot;
        if (!in_use(state, slot))
            give_back(call, slot);
        return;
    }
}

/* --- atomics and fences ------------------------------------------------------------------ */

static uint32_t *atomic_slot(const struct call *call)
{
    fw_vec_extend(&call->flow->atomics, call->event->target + 1);
    return &call->flow->atomics.at[call->event->target];
}

static void receive_load(const struct call *call)
{
    if (fw_order_acquires(call->event->order))
        receive(call, *atomic_slot(call));
    copy(call, *atomic_slot(call), &self(call)->relaxed, true);
}

static void send_store(const struct call *call)
{
    bool continues = call->event->kind == FW_ATOMIC_RMW; /* the release sequence */
    uint32_t *slot = atomic_slot(call);

    if (fw_order_releases(call->event->order)) {
        send(call, slot, continues);
        return;
    }
    if (!continues)
        clear(call, *slot);
    copy(call, self(call)->released, slot, true);
}

/* A plain write ends the release sequence: who reads it does not synchronise. */
static void send_plain_write(const struct call *call)
{
    if (call->event->target < call->flow->atomics.len)
        clear(call, call->flow->atomics.at[call->event->target]);
}

void fw_flow_forget(struct fw_flow *flow, uint32_t variable, const struct fw_flow_ops *ops,
                    void *me)
{
    struct call call = { .flow = flow, .ops = ops, .me = me };

    if (variable >= flow->atomics.len || flow->atomics.at[variable] == NO_SLOT)
        return;
    give_back(&call, flow->atomics.at[variable]);
    flow->atomics.at[variable] = NO_SLOT;
}

/* --- dispatch ---------------------------------------------------------------------------- */

bool fw_flow_listens(unsigned kind)
{
    switch (kind) {
    case FW_WRITE:
    case FW_ATOMIC_LOAD:
    case FW_ATOMIC_STORE:
    case FW_ATOMIC_RMW:
    case FW_FENCE:
    case FW_RELEASE:
    case FW_SHARED_RELEASE:
    case FW_NOTIFY:
    case FW_NOTIFY_ALL:
    case FW_WAKE:
    case FW_POST:
    case FW_PEND:
    case FW_BARRIER_IN:
    case FW_BARRIER_OUT:
    case FW_JOIN:
        return true;
    default:
        return false;
    }
}

void fw_flow_receive(struct fw_flow *flow, const struct fw_batch *batch, uint32_t i,
                     const struct fw_flow_ops *ops, void *me)
{
    const struct fw_event *event = &batch->events[i];
    struct call call = { flow, event, batch, i, ops, me };

    switch (event->kind) {
    case FW_WAKE:
        receive_wake(&call);
        break;
    case FW_PEND:
        receive_pend(&call);
        break;
    case FW_BARRIER_IN:
        receive_barrier_in(&call);
        break;
    case FW_BARRIER_OUT:
        receive_barrier_out(&call);
        break;
    case FW_ATOMIC_LOAD:
    case FW_ATOMIC_RMW:
        receive_load(&call);
        break;
    case FW_FENCE:
        if (fw_order_acquires(event->order))
            receive(&call, self(&call)->relaxed);
        break;
    default:
        break;
    }
}

void fw_flow_send(struct fw_flow *flow, const struct fw_batch *batch, uint32_t i,
                  const struct fw_flow_ops *ops, void *me)
{
    const struct fw_event *event = &batch->events[i];
    struct call call = { flow, event, batch, i, ops, me };

    switch (event->kind) {
    case FW_NOTIFY:
    case FW_NOTIFY_ALL:
        send_notify(&call);
        break;
    case FW_POST:
        send_post(&call);
        break;
    case FW_BARRIER_IN:
        send_barrier_in(&call);
        break;
    case FW_ATOMIC_STORE:
    case FW_ATOMIC_RMW:
        send_store(&call);
        break;
    case FW_WRITE:
        send_plain_write(&call);
        break;
    case FW_FENCE:
        if (fw_order_releases(event->order))
            send(&call, &self(&call)->released, false);
        break;
    case FW_RELEASE:
    case FW_SHARED_RELEASE:
        self(&call)->last_release = fw_batch_index(batch, i) + 1;
        break;
    case FW_JOIN:
        fw_vec_extend(&flow->threads, event->target + 1);
        flow->threads.at[event->target].joined = true;
        break;
    default:
        break;
    }
}
