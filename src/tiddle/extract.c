/*
 * extract.c - see extract.h: what is tried, and whether it is still the finding.
 *
 * Delta debugging (Zeller and Hildebrandt, 2002) over units that go together: all that may go of a
 * thread, then sections, then single events; halves, quarters and so on of them are tried at once.
 * The finding, projected to what is kept, must convince the verifier.
 */
#include "tiddle/extract.h"

#include "base/alloc.h"
#include "tiddle/extract_state.h"

/* ---- is it still the finding? ---- */

static void collect(struct fw_extract_state *state)
{
    fw_vec_clear(&state->list);
    for (size_t i = 0; i < state->base.len; i++)
        if (state->kept[state->base.at[i]])
            fw_vec_push(&state->list, state->base.at[i]);
    fw_vec_clear(&state->other);
    for (uint32_t i = 0; !state->reordered && i < state->witness->order_count; i++)
        if (state->kept[state->witness->order[i]])
            fw_vec_push(&state->other, state->witness->order[i]);
}

/* The witness in places of the list; its lists are the caller's to free. */
static struct fw_witness project(const struct fw_extract_state *state)
{
    const struct fw_witness *from = state->witness;
    const struct fw_positions *way = state->reordered ? &state->list : &state->other;
    uint32_t *place = fw_xrealloc(NULL, state->trace->count, sizeof *place);
    uint32_t *events = fw_xrealloc(NULL, from->event_count, sizeof *events);
    uint32_t *order = fw_xrealloc(NULL, way->len, sizeof *order);

    for (size_t i = 0; i < state->list.len; i++)
        place[state->list.at[i]] = (uint32_t)i;
    for (uint32_t i = 0; i < from->event_count; i++)
        events[i] = place[from->events[i]];
    for (size_t i = 0; i < way->len; i++)
        order[i] = place[way->at[i]];
    free(place);
    return (struct fw_witness) { from->claim, events, from->event_count, order,
                                 (uint32_t)way->len };
}

static void release_witness(struct fw_witness *witness)
{
    free((uint32_t *)witness->events);
    free((uint32_t *)witness->order);
}

static bool is_accepted(const struct fw_extract_state *state, const struct fw_trace *trace,
                        struct fw_error *err)
{
    struct fw_verifier *verifier = fw_verifier_create(trace);
    struct fw_witness witness = project(state);
    struct fw_verdict verdict;

    fw_verifier_use_values(verifier, state->values);
    verdict = fw_verify(verifier, &witness);
    if (!verdict.accepted)
        fw_error_set(err, "%s", verdict.reason);
    fw_verifier_destroy(verifier);
    release_witness(&witness);
    return verdict.accepted;
}

/* With `kept` as it is; the cheap questions first. */
static bool is_finding(struct fw_extract_state *state, struct fw_error *err)
{
    struct fw_trace *trace;
    char *text;
    size_t size;
    bool accepted;

    collect(state);
    if (!fw_extract_closed(state) || !fw_extract_keeps_order(state)) {
        fw_error_set(err, "events belong together");
        return false;
    }
    if (fw_extract_write(state, true, &text, &size, &trace, err) < 0)
        return false;
    accepted = is_accepted(state, trace, err);
    fw_trace_destroy(trace);
    free(text);
    return accepted;
}

/* ---- dropping ---- */

/* Events that are dropped together: slices of `events`. */
struct units {
    struct fw_positions events;
    struct fw_positions ends; /* of each slice */
};

static void units_add(struct units *units, const struct fw_extract_state *state, uint32_t event)
{
    if (event != FW_NO_EVENT && state->role[event] == FW_ROLE_MAY && state->kept[event])
        fw_vec_push(&units->events, event);
}

static void units_end(struct units *units)
{
    uint32_t before = units->ends.len ? fw_vec_last(&units->ends) : 0;

    if (units->events.len > before)
        fw_vec_push(&units->ends, (uint32_t)units->events.len);
}

static void units_release(struct units *units)
{
    fw_vec_release(&units->events);
    fw_vec_release(&units->ends);
}

/* Tries to do without the units from..to; true if something went. */
static bool drop(struct fw_extract_state *state, const struct units *units, size_t from, size_t to)
{
    uint32_t first = from ? units->ends.at[from - 1] : 0, last = units->ends.at[to - 1];
    struct fw_positions dropped = { 0 };
    struct fw_error err;
    bool gone;

    for (uint32_t i = first; i < last; i++) {
        uint32_t event = units->events.at[i];

        if (!state->kept[event])
            continue;
        state->kept[event] = false;
        fw_vec_push(&dropped, event);
    }
    gone = dropped.len > 0 && is_finding(state, &err);
    for (size_t i = 0; !gone && i < dropped.len; i++)
        state->kept[dropped.at[i]] = true;
    fw_vec_release(&dropped);
    return gone;
}

/* Later ones first: what answers goes before what it answers. */
static bool drop_pieces(struct fw_extract_state *state, const struct units *units, size_t piece)
{
    bool gone = false;

    for (size_t to = units->ends.len; to > 0;) {
        size_t from = to > piece ? to - piece : 0;

        gone |= drop(state, units, from, to);
        to = from;
    }
    return gone;
}

static void drop_units(struct fw_extract_state *state, struct units *units)
{
    size_t piece = units->ends.len;

    for (; piece > 1; piece = (piece + 1) / 2)
        drop_pieces(state, units, piece);
    while (drop_pieces(state, units, 1))
        ;
    units_release(units);
}

static void drop_threads(struct fw_extract_state *state)
{
    const struct fw_rows *threads = &state->index->by_thread;
    struct units units = { 0 };

    for (uint32_t t = 0; t < threads->rows; t++) {
        for (uint32_t i = 0; i < fw_row_count(threads, t); i++)
            units_add(&units, state, fw_row(threads, t)[i]);
        units_end(&units);
    }
    drop_units(state, &units);
}

/* From an acquire to its release; what a barrier lets in and out. */
static void drop_sections(struct fw_extract_state *state)
{
    struct units units = { 0 };

    for (size_t i = 0; i < state->base.len; i++) {
        uint32_t e = state->base.at[i];
        unsigned kind = state->trace->events[e].kind;

        if (!fw_is_class(kind, FW_CLASS_ACQUIRE) && kind != FW_BARRIER_OUT)
            continue;
        units_add(&units, state, e);
        units_add(&units, state, state->index->partner[e]);
        units_end(&units);
    }
    drop_units(state, &units);
}

static void drop_events(struct fw_extract_state *state)
{
    struct units units = { 0 };

    for (size_t i = 0; i < state->base.len; i++) {
        units_add(&units, state, state->base.at[i]);
        units_end(&units);
    }
    drop_units(state, &units);
}

/* ---- from beginning to end ---- */

/* With all that may stay: is it the finding? */
static bool begin(struct fw_extract_state *state, bool wide, struct fw_error *err)
{
    fw_extract_slice(state, wide);
    for (uint32_t i = 0; i < state->trace->count; i++)
        state->kept[i] = state->role[i] != FW_ROLE_OUT;
    collect(state);
    fw_extract_note_order(state);
    return is_finding(state, err);
}

static struct fw_extract *finish(struct fw_extract_state *state, struct fw_error *err)
{
    struct fw_extract *extract = fw_xcalloc(1, sizeof *extract);

    collect(state);
    if (fw_extract_write(state, false, &extract->text, &extract->size, &extract->trace, err) < 0) {
        free(extract);
        return NULL;
    }
    extract->witness = project(state);
    extract->reordered = state->reordered;
    extract->left_out = state->left_out;
    extract->from = state->list.at;
    state->list.at = NULL;
    return extract;
}

int fw_extract_create(struct fw_extract **extract, const struct fw_index *index,
                      const struct fw_witness *witness, bool values, struct fw_error *err)
{
    struct fw_extract_state state = {
        .index = index, .trace = index->trace, .witness = witness, .values = values
    };

    state.role = fw_xcalloc(index->trace->count, sizeof *state.role);
    state.kept = fw_xcalloc(index->trace->count, sizeof *state.kept);
    state.order = fw_extract_order_create(index);
    fw_extract_base(&state);
    *extract = NULL;
    if (begin(&state, false, err) || begin(&state, true, err)) {
        drop_threads(&state);
        drop_sections(&state);
        drop_events(&state);
        *extract = finish(&state, err);
    }
    fw_extract_order_destroy(state.order);
    fw_vec_release(&state.base);
    fw_vec_release(&state.list);
    fw_vec_release(&state.other);
    fw_vec_release(&state.pairs);
    fw_vec_release(&state.other_pairs);
    free(state.writer);
    free(state.role);
    free(state.kept);
    return *extract ? 0 : -1;
}

void fw_extract_destroy(struct fw_extract *extract)
{
    if (!extract)
        return;
    fw_trace_destroy(extract->trace);
    release_witness(&extract->witness);
    free(extract->text);
    free(extract->from);
    free(extract);
}
