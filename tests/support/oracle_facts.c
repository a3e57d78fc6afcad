/*
 * oracle_facts.c - who sees, answers, holds and needs what in the trace.
 *
 * Each fact is found by looking back over the trace from the event, the way the
 * definition says it, without any help from src/trace/index.c.  Quadratic, and
 * meant to be.
 */
#include "support/oracle_internal.h"

#include "base/bug.h"

/* The event that an rf attribute names; false if there is none. */
static bool explicit_answer(const struct fw_oracle *o, uint32_t event, uint32_t *answer)
{
    const struct fw_attr *attr = &o->trace->attrs[oracle_event(o, event)->attr];

    if (!(attr->has & FW_ATTR_RF))
        return false;
    *answer = fw_trace_position(o->trace, attr->rf, 0);
    return true;
}

/* The latest write of the variable before the read. */
static uint32_t find_writer(const struct fw_oracle *o, uint32_t read)
{
    uint32_t answer;

    if (explicit_answer(o, read, &answer))
        return answer;
    for (uint32_t i = read; i-- > 0;)
        if (fw_is_write(oracle_event(o, i)->kind) &&
            oracle_event(o, i)->target == oracle_event(o, read)->target)
            return i;
    return FW_NO_EVENT;
}

/* The latest release, in any mode, of the thread before its event. */
static uint32_t find_release(const struct fw_oracle *o, uint32_t event)
{
    for (uint32_t i = event; i-- > 0;)
        if (oracle_event(o, i)->thread == oracle_event(o, event)->thread &&
            fw_is_class(oracle_event(o, i)->kind, FW_CLASS_RELEASE))
            return i;
    return FW_NO_EVENT;
}

/* The latest notify of the condition behind the thread's latest release. */
static uint32_t find_notify(const struct fw_oracle *o, uint32_t wake, uint32_t release)
{
    uint32_t answer, from = release == FW_NO_EVENT ? 0 : release;

    if (explicit_answer(o, wake, &answer))
        return answer;
    for (uint32_t i = wake; i-- > from;) {
        const struct fw_event *event = oracle_event(o, i);

        if ((event->kind == FW_NOTIFY || event->kind == FW_NOTIFY_ALL) &&
            event->target == oracle_event(o, wake)->target)
            return i;
    }
    return FW_NO_EVENT;
}

/* Has a pend before `before` answered the post? */
static bool is_answered(const struct fw_oracle *o, uint32_t post, uint32_t before)
{
    for (uint32_t i = 0; i < before; i++)
        if (oracle_event(o, i)->kind == FW_PEND && o->facts[i].answers == post)
            return true;
    return false;
}

/* The oldest post of the semaphore that no pend has answered; none: an initial token. */
static uint32_t find_post(const struct fw_oracle *o, uint32_t pend)
{
    uint32_t answer;

    if (explicit_answer(o, pend, &answer))
        return answer;
    for (uint32_t i = 0; i < pend; i++)
        if (oracle_event(o, i)->kind == FW_POST &&
            oracle_event(o, i)->target == oracle_event(o, pend)->target && !is_answered(o, i, pend))
            return i;
    return FW_NO_EVENT;
}

/* A barin opens a round if a barout of the current round has been seen, else it joins it. */
static uint32_t round_of_in(const struct fw_oracle *o, uint32_t in)
{
    uint32_t round = 0;

    for (uint32_t i = 0; i < in; i++) {
        const struct fw_event *event = oracle_event(o, i);
        bool same = event->target == oracle_event(o, in)->target;

        if (same && event->kind == FW_BARRIER_IN && o->facts[i].round > round)
            round = o->facts[i].round;
    }
    for (uint32_t i = 0; i < in; i++) {
        const struct fw_event *event = oracle_event(o, i);

        if (event->kind == FW_BARRIER_OUT && event->target == oracle_event(o, in)->target &&
            o->facts[i].round == round)
            return round + 1;
    }
    return round;
}

/* A barout is of the round of its thread's latest barin of the barrier. */
static uint32_t round_of_out(const struct fw_oracle *o, uint32_t out)
{
    for (uint32_t i = out; i-- > 0;) {
        const struct fw_event *event = oracle_event(o, i);

        if (event->kind == FW_BARRIER_IN && event->thread == oracle_event(o, out)->thread &&
            event->target == oracle_event(o, out)->target)
            return o->facts[i].round;
    }
    return UINT32_MAX; /* ill-formed; nothing to wait for */
}

static bool fence_before(const struct fw_oracle *o, uint32_t event)
{
    for (uint32_t i = 0; i < event; i++)
        if (oracle_event(o, i)->kind == FW_FENCE &&
            oracle_event(o, i)->thread == oracle_event(o, event)->thread &&
            fw_order_releases(oracle_event(o, i)->order))
            return true;
    return false;
}

static bool fence_behind(const struct fw_oracle *o, uint32_t event)
{
    for (uint32_t i = event + 1; i < o->count; i++)
        if (oracle_event(o, i)->kind == FW_FENCE &&
            oracle_event(o, i)->thread == oracle_event(o, event)->thread &&
            fw_order_acquires(oracle_event(o, i)->order))
            return true;
    return false;
}

/* Does the store release, by itself, by a fence before it, or as part of a release sequence? */
static bool releases(const struct fw_oracle *o, uint32_t store)
{
    while (store != FW_NO_EVENT) {
        const struct fw_event *event = oracle_event(o, store);

        if (event->kind != FW_ATOMIC_STORE && event->kind != FW_ATOMIC_RMW)
            return false;
        if (fw_order_releases(event->order) || fence_before(o, store))
            return true;
        store = event->kind == FW_ATOMIC_RMW ? o->facts[store].writer : FW_NO_EVENT;
    }
    return false;
}

/* An atomic load that synchronised: it acquires, its store releases, in another thread. */
static bool find_must_see(const struct fw_oracle *o, uint32_t load)
{
    const struct fw_event *event = oracle_event(o, load);
    uint32_t store = o->facts[load].writer;

    if (event->kind != FW_ATOMIC_LOAD && event->kind != FW_ATOMIC_RMW)
        return false;
    if (store == FW_NO_EVENT || oracle_event(o, store)->thread == event->thread)
        return false;
    return (fw_order_acquires(event->order) || fence_behind(o, load)) && releases(o, store);
}

static void find_partners(struct fw_oracle *o)
{
    for (uint32_t i = 0; i < o->count; i++) {
        struct oracle_fact *fact = &o->facts[i];
        unsigned kind = oracle_event(o, i)->kind;

        fact->writer = fw_is_read(kind) ? find_writer(o, i) : FW_NO_EVENT;
        fact->released = kind == FW_WAKE ? find_release(o, i) : FW_NO_EVENT;
        fact->answers = FW_NO_EVENT;
        if (kind == FW_WAKE) {
            fact->answers = find_notify(o, i, fact->released);
            fact->wake = o->wake_count++;
        } else if (kind == FW_PEND) {
            fact->answers = find_post(o, i);
        } else if (kind == FW_BARRIER_IN) {
            fact->round = round_of_in(o, i);
        } else if (kind == FW_BARRIER_OUT) {
            fact->round = round_of_out(o, i);
        }
    }
    for (uint32_t i = 0; i < o->count; i++)
        o->facts[i].must_see = find_must_see(o, i);
}

static const int64_t *recorded_value(const struct fw_oracle *o, uint32_t event)
{
    const struct fw_attr *attr = &o->trace->attrs[oracle_event(o, event)->attr];

    return attr->has & FW_ATTR_VALUE ? &attr->value : NULL;
}

/* What the read got: by its own record and by that of its write, which must not disagree. */
static const int64_t *value_read(const struct fw_oracle *o, uint32_t read)
{
    uint32_t writer = o->facts[read].writer;
    const int64_t *own = NULL, *written = NULL;

    if (oracle_event(o, read)->kind != FW_ATOMIC_RMW)
        own = recorded_value(o, read);
    if (writer != FW_NO_EVENT)
        written = recorded_value(o, writer);
    if (own && written && *own != *written)
        return NULL;
    return own ? own : written;
}

bool oracle_same_value(const struct fw_oracle *o, uint32_t read, uint32_t write)
{
    const int64_t *got, *left;

    if (!o->values)
        return false;
    got = value_read(o, read);
    left = recorded_value(o, write);
    return got && left && *got == *left;
}

/* An open function call; the outermost one stands for what was called before the trace. */
struct frame {
    uint32_t activation, function;
};

FW_VEC_TYPE(frames, struct frame);

/* A ret closes the innermost open call of its function; without one it opens an activation. */
static void leave_function(struct frames *frames, uint32_t function, uint32_t *next)
{
    for (size_t i = frames->len; i-- > 1;) {
        if (frames->at[i].function != function)
            continue;
        frames->len = i;
        return;
    }
    frames->len = 1;
    frames->at[0].activation = ++*next;
}

/* Blocks and activations of one thread; *next numbers them over the whole trace. */
static void find_scopes(struct fw_oracle *o, const struct oracle_thread *thread, uint32_t *next)
{
    struct frames frames = { 0 };
    uint32_t depth = 0, block = 0;

    fw_vec_push(&frames, ((struct frame) { ++*next, 0 }));
    for (size_t i = 0; i < thread->events.len; i++) {
        uint32_t event = thread->events.at[i];
        unsigned kind = oracle_event(o, event)->kind;

        if (kind == FW_BEGIN && depth++ == 0)
            block = ++*next;
        if (kind == FW_CALL)
            fw_vec_push(&frames, ((struct frame) { ++*next, oracle_event(o, event)->target }));
        o->facts[event].block = block;
        o->facts[event].activation = fw_vec_last(&frames).activation;
        if (kind == FW_END && depth > 0 && --depth == 0)
            block = 0;
        if (kind == FW_RETURN)
            leave_function(&frames, oracle_event(o, event)->target, next);
    }
    fw_vec_release(&frames);
}

static void find_threads(struct fw_oracle *o)
{
    for (uint32_t t = 0; t < o->thread_count; t++)
        o->threads[t].fork = FW_NO_EVENT;
    for (uint32_t i = 0; i < o->count; i++) {
        const struct fw_event *event = oracle_event(o, i);
        struct oracle_thread *thread = &o->threads[event->thread];

        o->facts[i].place = (uint32_t)thread->events.len;
        fw_vec_push(&thread->events, i);
        if (event->kind == FW_FORK && o->threads[event->target].fork == FW_NO_EVENT)
            o->threads[event->target].fork = i;
        if (event->kind == FW_BEGIN || event->kind == FW_END)
            o->has_blocks = true;
        if (thread->events.len > ORACLE_MAX_PLACES)
            o->fits = false;
    }
}

/* Numbers the variables that are both read and written; for the others a state says nothing. */
static void find_slots(struct fw_oracle *o)
{
    uint32_t variables = fw_symbols_count(o->trace->symbols, FW_SPACE_VARIABLE);
    uint32_t *slots = fw_xcalloc(variables + 1, sizeof *slots);
    uint8_t *uses = fw_xcalloc(variables + 1, 1);

    for (uint32_t i = 0; i < o->count; i++) {
        const struct fw_event *event = oracle_event(o, i);

        if (fw_kind_info[event->kind].space == FW_SPACE_VARIABLE)
            uses[event->target] |=
                fw_kind_info[event->kind].classes & (FW_CLASS_READ | FW_CLASS_WRITE);
    }
    for (uint32_t v = 0; v < variables; v++)
        slots[v] = uses[v] == (FW_CLASS_READ | FW_CLASS_WRITE) ? o->slot_count++ : ORACLE_NO_SLOT;
    for (uint32_t i = 0; i < o->count; i++) {
        const struct fw_event *event = oracle_event(o, i);

        o->facts[i].slot = ORACLE_NO_SLOT;
        if (fw_kind_info[event->kind].space == FW_SPACE_VARIABLE)
            o->facts[i].slot = slots[event->target];
    }
    if (o->slot_count > ORACLE_MAX_VARIABLES)
        o->fits = false;
    free(slots);
    free(uses);
}

static void number_writes(struct fw_oracle *o)
{
    uint32_t counts[ORACLE_MAX_VARIABLES] = { 0 };

    for (uint32_t s = 0; s < o->slot_count; s++)
        o->writes[s] = fw_xcalloc(o->count, sizeof *o->writes[s]);
    for (uint32_t i = 0; i < o->count; i++) {
        uint32_t slot = o->facts[i].slot;

        if (slot == ORACLE_NO_SLOT || !fw_is_write(oracle_event(o, i)->kind))
            continue;
        o->writes[slot][counts[slot]] = i;
        o->facts[i].writing = ++counts[slot];
        if (counts[slot] > ORACLE_MAX_PLACES)
            o->fits = false;
    }
}

/* What the thread holds before each of its events, and at its end. */
static void find_holds(const struct fw_oracle *o, struct oracle_thread *thread)
{
    size_t places = thread->events.len, locks = o->lock_count;

    thread->holds = fw_xcalloc((places + 1) * (locks + 1), 1);
    for (size_t i = 0; i < places; i++) {
        const struct fw_event *event = oracle_event(o, thread->events.at[i]);
        uint8_t *now = thread->holds + (i + 1) * locks;

        if (locks)
            memcpy(now, thread->holds + i * locks, locks);
        if (fw_is_class(event->kind, FW_CLASS_ACQUIRE))
            now[event->target] =
                fw_is_class(event->kind, FW_CLASS_SHARED) ? ORACLE_SHARED : ORACLE_EXCLUSIVE;
        else if (fw_is_class(event->kind, FW_CLASS_RELEASE))
            now[event->target] = ORACLE_FREE;
    }
}

/*
 * The variables that the thread may still read from each place on.  A tainted thread gets no
 * further than its next branch; in the strict model, no further than its next read, and if it
 * stands behind a read then nowhere.
 */
static void find_reads(const struct fw_oracle *o, struct oracle_thread *thread)
{
    size_t places = thread->events.len;

    thread->reads = fw_xcalloc(places + 1, sizeof *thread->reads);
    thread->reads_tainted = fw_xcalloc(places + 1, sizeof *thread->reads_tainted);
    for (size_t i = places; i-- > 0;) {
        uint32_t event = thread->events.at[i];
        unsigned kind = oracle_event(o, event)->kind;
        bool stops = kind == FW_BRANCH || (o->strict && fw_is_read(kind));
        uint64_t own = 0;

        if (fw_is_read(kind) && o->facts[event].slot != ORACLE_NO_SLOT)
            own = UINT64_C(1) << o->facts[event].slot;
        thread->reads[i] = thread->reads[i + 1] | own;
        thread->reads_tainted[i] = own | (stops ? 0 : thread->reads_tainted[i + 1]);
    }
    for (size_t i = 1; o->strict && i <= places; i++)
        if (fw_is_read(oracle_event(o, thread->events.at[i - 1])->kind))
            thread->reads_tainted[i] = 0;
}

static void lay_out_state(struct fw_oracle *o)
{
    o->at_last = o->thread_count;
    o->at_variable_taint = o->at_last + o->slot_count;
    o->at_thread_taint = o->at_variable_taint + (o->slot_count + 7) / 8;
    o->at_wake = o->at_thread_taint + (o->thread_count + 7) / 8;
    o->state_size = o->at_wake + (o->wake_count + 7) / 8 + 1; /* a byte for the empty trace */
    if (o->fits && o->state_size > FW_ORACLE_STATE_BYTES)
        FW_BUG("a state takes %u bytes", o->state_size);
}

void oracle_facts_init(struct fw_oracle *o)
{
    uint32_t scopes = 0;

    o->facts = fw_xcalloc(o->count + 1, sizeof *o->facts);
    o->threads = fw_xcalloc(o->thread_count + 1, sizeof *o->threads);
    o->fits = o->thread_count <= ORACLE_MAX_THREADS;
    find_threads(o);
    find_partners(o);
    find_slots(o);
    if (o->wake_count > ORACLE_MAX_WAKES)
        o->fits = false;
    if (!o->fits)
        return;
    number_writes(o);
    for (uint32_t t = 0; t < o->thread_count; t++) {
        find_scopes(o, &o->threads[t], &scopes);
        find_holds(o, &o->threads[t]);
        find_reads(o, &o->threads[t]);
    }
    lay_out_state(o);
}

void oracle_facts_release(struct fw_oracle *o)
{
    for (uint32_t t = 0; t < o->thread_count; t++) {
        fw_vec_release(&o->threads[t].events);
        free(o->threads[t].holds);
        free(o->threads[t].reads);
        free(o->threads[t].reads_tainted);
    }
    for (uint32_t s = 0; s < ORACLE_MAX_VARIABLES; s++)
        free(o->writes[s]);
    free(o->threads);
    free(o->facts);
}
