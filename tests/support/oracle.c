/*
 * oracle.c - answers read off the graph of reachable states.
 *
 * Every answer is a search over nodes or edges for one that shows what the
 * definition describes; the way to it is the witness.
 */
#include "support/oracle_internal.h"

#include "base/bug.h"

#define MAX_OWN_EVENTS                                                                             \
    100u /* between the two accesses of an atomicity violation, without blocks                     \
          */

struct fw_oracle *fw_oracle_create(const struct fw_trace *trace)
{
    struct fw_oracle *o = fw_xcalloc(1, sizeof *o);

    o->trace = trace;
    o->count = trace->count;
    o->thread_count = fw_trace_thread_count(trace);
    o->lock_count = fw_symbols_count(trace->symbols, FW_SPACE_LOCK);
    o->strict = !trace->has_branches;
    oracle_facts_init(o);
    return o;
}

void fw_oracle_destroy(struct fw_oracle *oracle)
{
    if (!oracle)
        return;
    oracle_facts_release(oracle);
    fw_vec_release(&oracle->states);
    fw_vec_release(&oracle->nodes);
    fw_vec_release(&oracle->edges);
    free(oracle->table);
    free(oracle);
}

void fw_oracle_use_values(struct fw_oracle *oracle, bool on)
{
    oracle->values = on;
}

bool fw_oracle_fits(const struct fw_oracle *oracle)
{
    return oracle->fits;
}

uint32_t fw_oracle_writer(const struct fw_oracle *oracle, uint32_t event)
{
    return oracle->facts[event].writer;
}

uint32_t fw_oracle_answers(const struct fw_oracle *oracle, uint32_t event)
{
    return oracle->facts[event].answers;
}

bool fw_oracle_must_see(const struct fw_oracle *oracle, uint32_t event)
{
    return oracle->facts[event].must_see;
}

/* Definitions that do not depend on the reordering. */

static bool is_access(unsigned kind)
{
    return fw_is_class(kind, FW_CLASS_READ | FW_CLASS_WRITE);
}

/* A race's pair: same variable, different threads, one writes or frees, not both atomic. */
bool oracle_conflict(const struct fw_oracle *o, uint32_t a, uint32_t b)
{
    const struct fw_event *x = oracle_event(o, a), *y = oracle_event(o, b);
    bool x_writes = fw_is_write(x->kind) || x->kind == FW_FREE;
    bool y_writes = fw_is_write(y->kind) || y->kind == FW_FREE;
    bool x_atomic = is_access(x->kind) && fw_is_class(x->kind, FW_CLASS_ATOMIC);
    bool y_atomic = is_access(y->kind) && fw_is_class(y->kind, FW_CLASS_ATOMIC);

    if (!(is_access(x->kind) || x->kind == FW_FREE) || !(is_access(y->kind) || y->kind == FW_FREE))
        return false;
    return x->target == y->target && x->thread != y->thread && (x_writes || y_writes) &&
           !(x_atomic && y_atomic);
}

/* r-w-r, w-w-r, w-r-w, r-w-w on one variable, b in another thread. */
bool oracle_unserialisable(const struct fw_oracle *o, uint32_t a1, uint32_t b, uint32_t a2)
{
    const struct fw_event *x = oracle_event(o, a1), *y = oracle_event(o, b);
    const struct fw_event *z = oracle_event(o, a2);
    bool xr = fw_is_read(x->kind), xw = fw_is_write(x->kind);
    bool yr = fw_is_read(y->kind), yw = fw_is_write(y->kind);
    bool zr = fw_is_read(z->kind), zw = fw_is_write(z->kind);

    if (!is_access(y->kind) || y->target != x->target || y->thread == x->thread)
        return false;
    return (xr && yw && zr) || (xw && yw && zr) || (xw && yr && zw) || (xr && yw && zw);
}

bool oracle_consecutive(const struct fw_oracle *o, uint32_t a1, uint32_t a2)
{
    const struct fw_event *x = oracle_event(o, a1), *z = oracle_event(o, a2);

    if (a1 >= a2 || x->thread != z->thread || !is_access(x->kind) || !is_access(z->kind) ||
        x->target != z->target)
        return false;
    for (uint32_t i = a1 + 1; i < a2; i++) {
        const struct fw_event *between = oracle_event(o, i);

        if (between->thread == x->thread && is_access(between->kind) &&
            between->target == x->target)
            return false;
    }
    return true;
}

bool oracle_in_scope(const struct fw_oracle *o, uint32_t a1, uint32_t a2, bool all_pairs)
{
    const struct oracle_fact *x = &o->facts[a1], *z = &o->facts[a2];

    if (o->has_blocks)
        return x->block != 0 && x->block == z->block;
    return all_pairs || (x->activation == z->activation && z->place - x->place <= MAX_OWN_EVENTS);
}

/* Findings. */

static const uint8_t *state_of(const struct fw_oracle *o, uint32_t node)
{
    return o->states.at + (size_t)node * o->state_size;
}

/* The way to the node, with room for the whole trace. */
static uint32_t *path_to(const struct fw_oracle *o, uint32_t node, uint32_t *count)
{
    uint32_t *path = fw_xcalloc(o->count + 1, sizeof *path);

    *count = 0;
    for (uint32_t at = node; o->nodes.at[at].parent != FW_NO_EVENT; at = o->nodes.at[at].parent)
        ++*count;
    for (uint32_t at = node, i = *count; i-- > 0; at = o->nodes.at[at].parent)
        path[i] = o->nodes.at[at].via;
    return path;
}

/* Adds a finding unless its events are known; its witness is the way to the node. */
static struct fw_oracle_finding *add_finding(const struct fw_oracle *o,
                                             struct fw_oracle_findings *findings,
                                             enum fw_claim claim, const uint32_t *events,
                                             uint32_t count, uint32_t node)
{
    struct fw_oracle_finding finding = { .claim = claim, .event_count = count };

    for (size_t i = 0; i < findings->len; i++)
        if (findings->at[i].event_count == count &&
            memcmp(findings->at[i].events, events, count * sizeof *events) == 0)
            return NULL;
    finding.events = fw_xcalloc(count, sizeof *events);
    memcpy(finding.events, events, count * sizeof *events);
    finding.order = path_to(o, node, &finding.order_count);
    fw_vec_push(findings, finding);
    return &fw_vec_last(findings);
}

static void append(struct fw_oracle_finding *finding, uint32_t event)
{
    finding->order[finding->order_count++] = event;
}

static void add_race(const struct fw_oracle *o, struct fw_oracle_findings *findings, uint8_t *known,
                     uint32_t x, uint32_t y, uint32_t node)
{
    uint32_t events[2] = { x < y ? x : y, x < y ? y : x };
    struct fw_oracle_finding *finding;

    if (known[events[0] * o->count + events[1]])
        return;
    known[events[0] * o->count + events[1]] = 1;
    finding = add_finding(o, findings, FW_CLAIM_RACE, events, 2, node);
    append(finding, events[0]);
    append(finding, events[1]);
}

static void find_races(const struct fw_oracle *o, struct fw_oracle_findings *findings)
{
    uint8_t *known = fw_xcalloc((size_t)o->count * o->count + 1, 1);
    uint32_t nodes = fw_oracle_state_count(o);
    uint32_t next[ORACLE_MAX_THREADS];

    for (uint32_t i = 0; i < nodes; i++) {
        for (uint32_t t = 0; t < o->thread_count; t++)
            next[t] = oracle_next(o, state_of(o, i), t);
        for (uint32_t t = 0; t < o->thread_count; t++)
            for (uint32_t u = 0; u < t; u++)
                if (next[t] != FW_NO_EVENT && next[u] != FW_NO_EVENT &&
                    oracle_conflict(o, next[t], next[u]))
                    add_race(o, findings, known, next[t], next[u], i);
    }
    free(known);
}

/* Every thread of the set is next at a blocking acquire of a lock that another of it holds. */
static bool is_deadlock(const struct fw_oracle *o, const uint8_t *state, const uint32_t *next,
                        uint32_t set)
{
    for (uint32_t t = 0; t < o->thread_count; t++) {
        bool waits = false;

        for (uint32_t u = 0; set >> t & 1 && u < o->thread_count && !waits; u++)
            waits = set >> u & 1 && oracle_waits_for(o, state, next[t], u);
        if (set >> t & 1 && !waits)
            return false;
    }
    return set != 0;
}

/* The largest deadlock in the state: drops threads that wait for nobody in the set. */
static uint32_t largest_deadlock(const struct fw_oracle *o, const uint8_t *state, uint32_t *next)
{
    uint32_t set = 0, before;

    for (uint32_t t = 0; t < o->thread_count; t++) {
        next[t] = oracle_next(o, state, t);
        if (next[t] != FW_NO_EVENT &&
            fw_is_class(oracle_event(o, next[t])->kind, FW_CLASS_BLOCKING))
            set |= 1u << t;
    }
    do {
        before = set;
        for (uint32_t t = 0; t < o->thread_count; t++) {
            bool waits = false;

            for (uint32_t u = 0; set >> t & 1 && u < o->thread_count && !waits; u++)
                waits = set >> u & 1 && oracle_waits_for(o, state, next[t], u);
            if (!waits)
                set &= ~(1u << t);
        }
    } while (set != before);
    return set;
}

static bool has_smaller_deadlock(const struct fw_oracle *o, const uint8_t *state,
                                 const uint32_t *next, uint32_t set)
{
    for (uint32_t part = (set - 1) & set; part; part = (part - 1) & set)
        if (is_deadlock(o, state, next, part))
            return true;
    return false;
}

static int by_position(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

static void add_deadlock(const struct fw_oracle *o, struct fw_oracle_findings *findings,
                         const uint32_t *next, uint32_t set, uint32_t node)
{
    uint32_t events[ORACLE_MAX_THREADS], count = 0;

    for (uint32_t t = 0; t < o->thread_count; t++)
        if (set >> t & 1)
            events[count++] = next[t];
    qsort(events, count, sizeof *events, by_position);
    add_finding(o, findings, FW_CLAIM_DEADLOCK, events, count, node);
}

static void find_deadlocks(const struct fw_oracle *o, struct fw_oracle_findings *findings)
{
    uint32_t nodes = fw_oracle_state_count(o);

    for (uint32_t i = 0; i < nodes; i++) {
        const uint8_t *state = state_of(o, i);
        uint32_t next[ORACLE_MAX_THREADS];
        uint32_t all = largest_deadlock(o, state, next);

        for (uint32_t set = all; set; set = (set - 1) & all)
            if (is_deadlock(o, state, next, set) && !has_smaller_deadlock(o, state, next, set))
                add_deadlock(o, findings, next, set, i);
    }
}

static void find_nondeterminism(const struct fw_oracle *o, struct fw_oracle_findings *findings)
{
    uint32_t nodes = fw_oracle_state_count(o);

    for (uint32_t i = 0; i < nodes; i++) {
        const uint8_t *state = state_of(o, i);

        if (oracle_any_tainted(o, state))
            continue;
        for (uint32_t t = 0; t < o->thread_count; t++) {
            uint32_t read = oracle_next(o, state, t), sees;
            struct fw_oracle_finding *finding;

            if (read == FW_NO_EVENT || !fw_is_read(oracle_event(o, read)->kind) ||
                !oracle_may(o, state, read))
                continue;
            sees = oracle_sees(o, state, read);
            if (sees == o->facts[read].writer ||
                (sees != FW_NO_EVENT && oracle_same_value(o, read, sees)))
                continue;
            finding = add_finding(o, findings, FW_CLAIM_NONDETERMINISM, (uint32_t[]) { read, sees },
                                  sees == FW_NO_EVENT ? 1 : 2, i);
            if (finding)
                append(finding, read);
        }
    }
}

/* For each node the set of events that some way from it runs; `words` words each. */
static uint64_t *find_futures(const struct fw_oracle *o, uint32_t words)
{
    uint32_t nodes = fw_oracle_state_count(o);
    uint64_t *future = fw_xcalloc((size_t)nodes * words, sizeof *future);

    for (uint32_t i = nodes; i-- > 0;) {
        uint64_t *own = future + (size_t)i * words;

        for (uint32_t e = o->nodes.at[i].first_edge; e < o->nodes.at[i + 1].first_edge; e++) {
            const struct oracle_edge *edge = &o->edges.at[e];

            own[edge->event / 64] |= UINT64_C(1) << edge->event % 64;
            for (uint32_t w = 0; w < words; w++)
                own[w] |= future[(size_t)edge->to * words + w];
        }
    }
    return future;
}

static bool in_future(const uint64_t *future, uint32_t words, uint32_t node, uint32_t event)
{
    return future[(size_t)node * words + event / 64] >> event % 64 & 1;
}

/* Extends the witness, which leads to the node, up to the event. */
static void extend(const struct fw_oracle *o, struct fw_oracle_finding *finding, uint32_t node,
                   uint32_t event, const uint64_t *future, uint32_t words)
{
    for (;;) {
        uint32_t e = o->nodes.at[node].first_edge;

        while (o->edges.at[e].event != event && !in_future(future, words, o->edges.at[e].to, event))
            e++;
        FW_ASSERT(e < o->nodes.at[node + 1].first_edge);
        append(finding, o->edges.at[e].event);
        if (o->edges.at[e].event == event)
            return;
        node = o->edges.at[e].to;
    }
}

struct access_pair {
    uint32_t a1, a2;
};

FW_VEC_TYPE(access_pairs, struct access_pair);

static void find_pairs(const struct fw_oracle *o, bool all_pairs, struct access_pairs *pairs)
{
    for (uint32_t a1 = 0; a1 < o->count; a1++)
        for (uint32_t a2 = a1 + 1; a2 < o->count; a2++)
            if (oracle_consecutive(o, a1, a2) && oracle_in_scope(o, a1, a2, all_pairs))
                fw_vec_push(pairs, ((struct access_pair) { a1, a2 }));
}

/* b runs over the edge, a1 has run before it, a2 has not and still can behind it. */
static void find_triples(const struct fw_oracle *o, const struct access_pairs *pairs,
                         const uint64_t *future, uint32_t words,
                         struct fw_oracle_findings *findings, uint32_t node, uint32_t e)
{
    uint32_t b = o->edges.at[e].event, to = o->edges.at[e].to;

    if (!is_access(oracle_event(o, b)->kind))
        return;
    for (size_t i = 0; i < pairs->len; i++) {
        uint32_t events[3] = { pairs->at[i].a1, b, pairs->at[i].a2 };
        struct fw_oracle_finding *finding;

        if (!oracle_unserialisable(o, events[0], b, events[2]) ||
            !oracle_done(o, state_of(o, node), events[0]) ||
            !in_future(future, words, to, events[2]))
            continue;
        finding = add_finding(o, findings, FW_CLAIM_ATOMICITY, events, 3, node);
        if (!finding)
            continue;
        append(finding, b);
        extend(o, finding, to, events[2], future, words);
    }
}

static void find_atomicity(const struct fw_oracle *o, bool all_pairs,
                           struct fw_oracle_findings *findings)
{
    uint32_t nodes = fw_oracle_state_count(o), words = o->count / 64 + 1;
    uint64_t *future = find_futures(o, words);
    struct access_pairs pairs = { 0 };

    find_pairs(o, all_pairs, &pairs);
    for (uint32_t i = 0; i < nodes && pairs.len; i++)
        for (uint32_t e = o->nodes.at[i].first_edge; e < o->nodes.at[i + 1].first_edge; e++)
            find_triples(o, &pairs, future, words, findings, i, e);
    fw_vec_release(&pairs);
    free(future);
}

static int by_events(const void *a, const void *b)
{
    const struct fw_oracle_finding *x = a, *y = b;

    for (uint32_t i = 0; i < x->event_count && i < y->event_count; i++)
        if (x->events[i] != y->events[i])
            return x->events[i] < y->events[i] ? -1 : 1;
    return (x->event_count > y->event_count) - (x->event_count < y->event_count);
}

void fw_oracle_find(struct fw_oracle *oracle, enum fw_claim claim, bool all_pairs,
                    struct fw_oracle_findings *findings)
{
    FW_ASSERT(oracle->nodes.len > 0);
    if (claim == FW_CLAIM_RACE)
        find_races(oracle, findings);
    else if (claim == FW_CLAIM_DEADLOCK)
        find_deadlocks(oracle, findings);
    else if (claim == FW_CLAIM_ATOMICITY)
        find_atomicity(oracle, all_pairs, findings);
    else if (claim == FW_CLAIM_NONDETERMINISM)
        find_nondeterminism(oracle, findings);
    else
        FW_BUG("no list of findings for claim %d", (int)claim);
    if (findings->len)
        qsort(findings->at, findings->len, sizeof *findings->at, by_events);
}

void fw_oracle_finding_release(struct fw_oracle_finding *finding)
{
    free(finding->events);
    free(finding->order);
    *finding = (struct fw_oracle_finding) { 0 };
}

void fw_oracle_findings_release(struct fw_oracle_findings *findings)
{
    for (size_t i = 0; i < findings->len; i++)
        fw_oracle_finding_release(&findings->at[i]);
    fw_vec_release(findings);
}

/* Orders. */

/* May the event of the order run from this node, i.e. have all before it in the order run? */
static bool in_order(const struct fw_oracle *o, uint32_t node, uint32_t event,
                     const uint32_t *events, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (events[i] == event)
            return true;
        if (!oracle_done(o, state_of(o, node), events[i]))
            break;
    }
    for (uint32_t i = 0; i < count; i++)
        if (events[i] == event)
            return false;
    return true;
}

/* The witness along the events that first led to each node. */
static void fill_order(const struct fw_oracle *o, struct fw_oracle_finding *finding,
                       const struct oracle_node *from, uint32_t node)
{
    uint32_t count = 0;

    for (uint32_t at = node; at != 0; at = from[at].parent)
        count++;
    finding->order = fw_xcalloc(o->count + 1, sizeof *finding->order);
    finding->order_count = count;
    for (uint32_t at = node; at != 0; at = from[at].parent)
        finding->order[--count] = from[at].via;
}

bool fw_oracle_order(struct fw_oracle *oracle, const uint32_t *events, uint32_t count,
                     struct fw_oracle_finding *finding)
{
    uint32_t nodes = fw_oracle_state_count(oracle), found = FW_NO_EVENT;
    struct oracle_node *from = fw_xcalloc(nodes + 1, sizeof *from);

    FW_ASSERT(nodes > 0 && count > 0);
    for (uint32_t i = 1; i < count; i++)
        for (uint32_t k = 0; k < i; k++)
            if (events[i] == events[k])
                nodes = 0; /* no event comes before itself */
    /* Node numbers rise along edges, so one pass in their order visits all that is reachable. */
    for (uint32_t i = 0; i < nodes && found == FW_NO_EVENT; i++) {
        if (i > 0 && from[i].first_edge == 0)
            continue;
        if (oracle_done(oracle, state_of(oracle, i), events[count - 1])) {
            found = i;
            break;
        }
        for (uint32_t e = oracle->nodes.at[i].first_edge; e < oracle->nodes.at[i + 1].first_edge;
             e++) {
            const struct oracle_edge *edge = &oracle->edges.at[e];

            if (from[edge->to].first_edge == 0 && in_order(oracle, i, edge->event, events, count))
                from[edge->to] = (struct oracle_node) { i, edge->event, 1 };
        }
    }
    if (found != FW_NO_EVENT) {
        *finding = (struct fw_oracle_finding) { .claim = FW_CLAIM_ORDER, .event_count = count };
        finding->events = fw_xcalloc(count, sizeof *events);
        memcpy(finding->events, events, count * sizeof *events);
        fill_order(oracle, finding, from, found);
    }
    free(from);
    return found != FW_NO_EVENT;
}
