/*
 * extract_slice.c - what must stay in an extract, and what may go.
 *
 * A branch may depend on all that its thread has read, and a value on all that the writing thread
 * has read (docs/soundness.md).  So an event needs the reads before the last branch before it, each
 * with its write; and that write needs all reads of its thread before it.  In a trace without
 * branches every read is one.  Reads of what no other thread writes cannot differ, and of several
 * that see the same write the first is enough.
 */
#include "tiddle/extract_state.h"

#include "base/alloc.h"

#define MOST_NEEDED 256u /* events that must stay; more help nobody */

struct slice {
    struct fw_extract_state *state;
    bool branches;       /* what they look at must stay */
    uint32_t *branch;    /* event → the last branch of its thread before it */
    uint32_t *clean;     /* thread → reads before this place must stay */
    uint32_t *looked;    /* thread → ... and before this one they do */
    uint32_t *shared;    /* variable → thread that writes it, plus 1; SEVERAL */
    uint32_t *seen, *by; /* variable → the write of the latest read that stays, and its reader */
    struct fw_positions open; /* threads whose `clean` has grown */
    uint32_t needed;
};

#define SEVERAL UINT32_MAX

/* ---- the base ---- */

static bool is_reordered(enum fw_claim claim)
{
    return claim == FW_CLAIM_RACE || claim == FW_CLAIM_ATOMICITY;
}

static bool is_claimed(const struct fw_witness *witness, uint32_t event)
{
    for (uint32_t i = 0; i < witness->event_count; i++)
        if (witness->events[i] == event)
            return true;
    return false;
}

/* A witness as far as the last event of its finding.  Memory is used before it is freed. */
static void take_witness(struct fw_extract_state *state)
{
    const struct fw_witness *witness = state->witness;
    uint32_t count = witness->order_count;
    uint32_t *last;

    while (count > 0 && !is_claimed(witness, witness->order[count - 1]))
        count--;
    for (uint32_t i = 0; i < count; i++)
        fw_vec_push(&state->base, witness->order[i]);
    if (witness->claim != FW_CLAIM_RACE || count < 2)
        return;
    last = state->base.at + count - 2;
    if (state->trace->events[last[0]].kind == FW_FREE) {
        uint32_t freed = last[0];

        last[0] = last[1];
        last[1] = freed;
    }
}

static void find_writers(struct fw_extract_state *state)
{
    uint32_t variables = fw_symbols_count(state->trace->symbols, FW_SPACE_VARIABLE);
    uint32_t *last = fw_xrealloc(NULL, variables, sizeof *last);

    state->writer = fw_xrealloc(NULL, state->trace->count, sizeof *state->writer);
    for (uint32_t i = 0; i < variables; i++)
        last[i] = FW_NO_EVENT;
    for (uint32_t i = 0; i < state->trace->count; i++)
        state->writer[i] = FW_NO_EVENT;
    for (size_t i = 0; i < state->base.len; i++) {
        const struct fw_event *event = &state->trace->events[state->base.at[i]];

        if (fw_is_read(event->kind))
            state->writer[state->base.at[i]] = last[event->target];
        if (fw_is_write(event->kind))
            last[event->target] = state->base.at[i];
    }
    free(last);
}

void fw_extract_base(struct fw_extract_state *state)
{
    state->reordered = is_reordered(state->witness->claim);
    if (state->reordered)
        take_witness(state);
    else
        for (uint32_t i = 0; i < state->trace->count; i++)
            fw_vec_push(&state->base, i);
    find_writers(state);
}

/* ---- what must stay ---- */

static void slice_init(struct slice *slice, struct fw_extract_state *state, bool branches)
{
    const struct fw_trace *trace = state->trace;
    uint32_t threads = fw_trace_thread_count(trace);
    uint32_t variables = fw_symbols_count(trace->symbols, FW_SPACE_VARIABLE);
    uint32_t *latest = fw_xrealloc(NULL, threads, sizeof *latest);

    *slice = (struct slice) {
        .state = state,
        .branches = branches,
        .branch = fw_xrealloc(NULL, trace->count, sizeof *slice->branch),
        .clean = fw_xcalloc(threads, sizeof *slice->clean),
        .looked = fw_xcalloc(threads, sizeof *slice->looked),
        .shared = fw_xcalloc(variables, sizeof *slice->shared),
        .seen = fw_xcalloc(variables, sizeof *slice->seen),
        .by = fw_xcalloc(variables, sizeof *slice->by),
    };
    for (uint32_t t = 0; t < threads; t++)
        latest[t] = FW_NO_EVENT;
    for (uint32_t i = 0; i < trace->count; i++) {
        const struct fw_event *event = &trace->events[i];

        slice->branch[i] = latest[event->thread];
        if (event->kind == FW_BRANCH)
            latest[event->thread] = i;
    }
    for (size_t i = 0; i < state->base.len; i++) {
        const struct fw_event *event = &trace->events[state->base.at[i]];
        uint32_t thread = event->thread + 1u;

        if (fw_is_write(event->kind) && slice->shared[event->target] != thread)
            slice->shared[event->target] = slice->shared[event->target] ? SEVERAL : thread;
    }
    free(latest);
}

static void slice_release(struct slice *slice)
{
    free(slice->branch);
    free(slice->clean);
    free(slice->looked);
    free(slice->shared);
    free(slice->seen);
    free(slice->by);
    fw_vec_release(&slice->open);
}

static void need_reads(struct slice *slice, uint32_t thread, uint32_t place)
{
    if (!slice->branches || place <= slice->clean[thread])
        return;
    slice->clean[thread] = place;
    fw_vec_push(&slice->open, thread);
}

static void need_event(struct slice *slice, uint32_t event)
{
    const struct fw_extract_state *state = slice->state;
    uint32_t thread = state->trace->events[event].thread;
    uint32_t branch = slice->branch[event];

    if (state->role[event] == FW_ROLE_MUST)
        return;
    state->role[event] = FW_ROLE_MUST;
    slice->needed++;
    if (fw_is_class(state->trace->events[event].kind, FW_CLASS_RELEASE))
        return; /* what a section ends with says nothing of how its thread came there */
    if (!state->trace->has_branches)
        need_reads(slice, thread, state->index->in_thread[event]);
    else if (branch != FW_NO_EVENT)
        need_reads(slice, thread, state->index->in_thread[branch]);
}

/* A write whose value matters: all reads before it do. */
static void need_write(struct slice *slice, uint32_t write)
{
    need_event(slice, write);
    need_reads(slice, slice->state->trace->events[write].thread,
               slice->state->index->in_thread[write]);
}

static void need_read(struct slice *slice, uint32_t read)
{
    const struct fw_event *event = &slice->state->trace->events[read];
    uint32_t shared = slice->shared[event->target], write = slice->state->writer[read];
    uint32_t reader = event->thread + 1u;

    if (shared == 0 || shared == reader)
        return;
    if (slice->by[event->target] == reader && slice->seen[event->target] == write)
        return;
    slice->by[event->target] = reader;
    slice->seen[event->target] = write;
    need_event(slice, read);
    if (write != FW_NO_EVENT)
        need_write(slice, write);
}

static void follow(struct slice *slice)
{
    const struct fw_index *index = slice->state->index;

    while (slice->open.len && slice->needed <= MOST_NEEDED) {
        uint32_t thread = fw_vec_pop(&slice->open);
        uint32_t from = slice->looked[thread], to = slice->clean[thread];
        const uint32_t *row = fw_row(&index->by_thread, thread);

        slice->looked[thread] = to;
        for (; from < to && slice->needed <= MOST_NEEDED; from++)
            if (fw_is_read(slice->state->trace->events[row[from]].kind))
                need_read(slice, row[from]);
    }
}

/* Branches stay where they look at something that stays. */
static void need_branches(struct slice *slice)
{
    const struct fw_extract_state *state = slice->state;
    const struct fw_rows *threads = &state->index->by_thread;

    for (uint32_t t = 0; slice->branches && t < threads->rows; t++) {
        const uint32_t *row = fw_row(threads, t);
        uint32_t count = fw_row_count(threads, t);
        uint32_t first = 0;

        while (first < count && !(state->role[row[first]] == FW_ROLE_MUST &&
                                  fw_is_read(state->trace->events[row[first]].kind)))
            first++;
        for (uint32_t i = first; i < count; i++) {
            uint32_t branch = slice->branch[row[i]];

            if (state->role[row[i]] == FW_ROLE_MUST && branch != FW_NO_EVENT &&
                !fw_is_class(state->trace->events[row[i]].kind, FW_CLASS_RELEASE) &&
                state->index->in_thread[branch] > first)
                state->role[branch] = FW_ROLE_MUST;
        }
    }
}

/* The sections that the event is in, with their ends. */
static void need_locks(struct slice *slice, uint32_t event)
{
    const struct fw_index *index = slice->state->index;
    const uint32_t *row = fw_row(&index->by_thread, slice->state->trace->events[event].thread);

    if (fw_row_count(&index->lock_sets, index->lock_set[event]) == 0)
        return;
    for (uint32_t i = 0; i < index->in_thread[event]; i++) {
        uint32_t end = index->partner[row[i]];

        if (!fw_is_class(slice->state->trace->events[row[i]].kind, FW_CLASS_ACQUIRE) ||
            (end != FW_NO_EVENT && end <= event))
            continue;
        need_event(slice, row[i]);
        if (end != FW_NO_EVENT)
            need_event(slice, end);
    }
}

/* The variable's last write in the trace, which the one of the finding comes behind. */
static uint32_t last_write(const struct fw_extract_state *state, uint32_t variable)
{
    const struct fw_rows *rows = &state->index->by_variable;
    uint32_t i = fw_row_count(rows, variable);

    while (i > 0 && !fw_is_write(state->trace->events[fw_row(rows, variable)[i - 1]].kind))
        i--;
    return i ? fw_row(rows, variable)[i - 1] : FW_NO_EVENT;
}

static void need_finding(struct slice *slice)
{
    const struct fw_extract_state *state = slice->state;
    const struct fw_witness *witness = state->witness;

    for (uint32_t i = 0; i < witness->event_count; i++) {
        uint32_t event = witness->events[i], other = FW_NO_EVENT;

        need_event(slice, event);
        need_locks(slice, event);
        if (witness->claim == FW_CLAIM_DEADLOCK)
            other = state->index->partner[event];
        else if (witness->claim == FW_CLAIM_FINAL)
            other = last_write(state, state->trace->events[event].target);
        else if (!state->reordered && fw_is_read(state->trace->events[event].kind))
            other = state->writer[event];
        if (other != FW_NO_EVENT)
            need_event(slice, other);
    }
}

/* Takes out again what is not in the base: ends of sections that the witness leaves open. */
static void keep_to_base(struct fw_extract_state *state)
{
    uint8_t *role = fw_xcalloc(state->trace->count, sizeof *role);

    for (size_t i = 0; i < state->base.len; i++)
        role[state->base.at[i]] = state->role[state->base.at[i]];
    free(state->role);
    state->role = role;
}

static bool slice_needed(struct fw_extract_state *state, bool branches)
{
    struct slice slice;
    bool few;

    memset(state->role, FW_ROLE_OUT, state->trace->count);
    slice_init(&slice, state, branches);
    need_finding(&slice);
    follow(&slice);
    need_branches(&slice);
    few = slice.needed <= MOST_NEEDED;
    slice_release(&slice);
    return few;
}

/* ---- what may stay ---- */

/*
 * Orders nothing, but asks for something: a try that fails, that the lock be held.  A pend that
 * took a token of the beginning might take another one elsewhere.
 */
static bool is_idle(const struct fw_extract_state *state, uint32_t e)
{
    unsigned kind = state->trace->events[e].kind;

    return kind == FW_TRY_FAIL ||
           ((kind == FW_PEND || kind == FW_WAKE) && state->index->partner[e] == FW_NO_EVENT);
}

static bool synchronises(unsigned kind)
{
    switch (fw_kind_info[kind].space) {
    case FW_SPACE_THREAD:
    case FW_SPACE_LOCK:
    case FW_SPACE_CONDITION:
    case FW_SPACE_SEMAPHORE:
    case FW_SPACE_BARRIER:
        return true;
    default:
        return fw_is_class(kind, FW_CLASS_ATOMIC);
    }
}

/* Of the locks that are held at a deadlock only those of the cycle need to stay. */
static void free_sections(struct fw_extract_state *state)
{
    for (size_t i = 0; i < state->base.len; i++) {
        uint32_t e = state->base.at[i], partner = state->index->partner[e];
        unsigned kind = state->trace->events[e].kind;

        if (!fw_is_class(kind, FW_CLASS_ACQUIRE | FW_CLASS_RELEASE) ||
            is_claimed(state->witness, e) ||
            (fw_is_class(kind, FW_CLASS_RELEASE) && is_claimed(state->witness, partner)))
            continue;
        state->role[e] = FW_ROLE_OUT;
    }
}

/* Cuts off what comes after all that must stay or is in the witness. */
static void cut_base(struct fw_extract_state *state)
{
    bool *in_witness = fw_xcalloc(state->trace->count, sizeof *in_witness);
    size_t end = state->base.len;

    for (uint32_t i = 0; i < state->witness->order_count; i++)
        in_witness[state->witness->order[i]] = true;
    while (end > 0 && !in_witness[state->base.at[end - 1]] &&
           state->role[state->base.at[end - 1]] != FW_ROLE_MUST)
        end--;
    state->base.len = end;
    free(in_witness);
}

void fw_extract_slice(struct fw_extract_state *state, bool wide)
{

    state->left_out = !slice_needed(state, true);
    if (state->left_out)
        slice_needed(state, false);
    keep_to_base(state);
    cut_base(state);
    if (state->witness->claim == FW_CLAIM_DEADLOCK)
        free_sections(state);
    for (size_t i = 0; i < state->base.len; i++) {
        uint32_t e = state->base.at[i];

        if (state->role[e] == FW_ROLE_OUT && !is_idle(state, e) &&
            (wide || synchronises(state->trace->events[e].kind)))
            state->role[e] = FW_ROLE_MAY;
    }
}

/*
 * What an event cannot be without: what it answers; the end of a section, if there is one.  What
 * the reads of a reordered finding see does not matter.
 */
static uint32_t belongs_to(const struct fw_extract_state *state, uint32_t e)
{
    unsigned kind = state->trace->events[e].kind;
    uint32_t other = FW_NO_EVENT;

    if (fw_is_class(kind, FW_CLASS_ACQUIRE | FW_CLASS_RELEASE) || kind == FW_WAKE ||
        kind == FW_PEND || kind == FW_BARRIER_OUT)
        other = state->index->partner[e];
    else if (fw_is_read(kind) && !(state->reordered && is_claimed(state->witness, e)))
        other = state->writer[e];
    return other != FW_NO_EVENT && state->role[other] != FW_ROLE_OUT ? other : FW_NO_EVENT;
}

bool fw_extract_closed(const struct fw_extract_state *state)
{
    for (size_t i = 0; i < state->list.len; i++) {
        uint32_t other = belongs_to(state, state->list.at[i]);

        if (other != FW_NO_EVENT && !state->kept[other])
            return false;
    }
    return true;
}
