/* result_match.c - see result_match.h. */
#include "report/result_match.h"

#include "base/alloc.h"
#include "trace/places.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void fw_result_match_init(struct fw_result_match *match, const struct fw_trace *trace)
{
    memset(match, 0, sizeof *match);
    match->trace = trace;
    if (trace->index) {
        match->used = fw_xcalloc((size_t)trace->count + 1, sizeof *match->used);
        match->times = fw_xcalloc((size_t)trace->count + 1, sizeof *match->times);
    }
}

void fw_result_match_release(struct fw_result_match *match)
{
    fw_vec_release(&match->events);
    fw_vec_release(&match->order);
    free(match->used);
    free(match->times);
}

/*
 * A line of the trace may be several events (a wait): an index that a list
 * names for the nth time is the line's nth event.
 */
static uint32_t translate(struct fw_result_match *match, uint64_t index)
{
    uint32_t first = fw_trace_position(match->trace, index, 0), nth;

    if (first == FW_NO_EVENT || !match->used)
        return first;
    if (match->used[first] != match->list) {
        match->used[first] = match->list;
        match->times[first] = 0;
    }
    nth = fw_trace_position(match->trace, index, match->times[first]++);
    return nth != FW_NO_EVENT ? nth : first; /* too often: the verifier sees it twice */
}

static bool same(const char *said, const char *is)
{
    return !said || strcmp(said, is) == 0;
}

/* Names of recorded programs depend on the files at hand; they are not compared. */
static bool same_target(const struct fw_symbols *symbols, enum fw_space space, const char *said,
                        uint32_t target)
{
    char *recorded;

    if (space == FW_SPACE_NONE || same(said, fw_symbols_name(symbols, space, target)))
        return true;
    recorded = fw_places_recorded(symbols->places, space, target);
    free(recorded);
    return recorded != NULL;
}

/* Is the event at this position what the finding says of it? */
static bool as_described(const struct fw_result_match *match, const struct fw_result_event *said,
                         uint32_t at)
{
    const struct fw_event *event = &match->trace->events[at];
    const struct fw_kind_info *info = &fw_kind_info[event->kind];
    const struct fw_symbols *symbols = match->trace->symbols;

    if (!same(said->thread, fw_thread_name(symbols, event->thread)) ||
        !same(said->op, info->std_name))
        return false;
    return same_target(symbols, info->space, said->target, event->target);
}

/* The position of a finding's event; of several events of a line the one that is described. */
static uint32_t find_event(struct fw_result_match *match, const struct fw_result_event *said,
                           bool waiting)
{
    uint32_t named = translate(match, said->index), at;

    for (unsigned n = 0; (at = fw_trace_position(match->trace, said->index, n)) != FW_NO_EVENT; n++)
        if (as_described(match, said, at) && (at == named || said->op || waiting) &&
            (!waiting || fw_is_class(match->trace->events[at].kind, FW_CLASS_BLOCKING)))
            return at;
    return named;
}

static bool refuse_event(const struct fw_result_match *match, const struct fw_result_event *said,
                         uint32_t at, struct fw_verdict *verdict)
{
    char text[64];

    if (at == FW_NO_EVENT)
        snprintf(verdict->reason, sizeof verdict->reason, "the trace has no event %" PRIu64,
                 said->index);
    else
        snprintf(verdict->reason, sizeof verdict->reason,
                 "event %" PRIu64 " of the trace is '%s' by %.64s, not what the finding says",
                 said->index,
                 fw_event_text(match->trace->symbols, &match->trace->events[at], text, sizeof text),
                 fw_thread_name(match->trace->symbols, match->trace->events[at].thread));
    return false;
}

static bool translate_events(struct fw_result_match *match, const struct fw_result_finding *finding,
                             struct fw_verdict *verdict)
{
    match->list++;
    fw_vec_clear(&match->events);
    for (size_t i = 0; i < finding->event_count; i++) {
        const struct fw_result_event *said = &finding->events[i];
        uint32_t at = find_event(match, said, finding->claim == FW_CLAIM_DEADLOCK);

        if (at == FW_NO_EVENT || !as_described(match, said, at))
            return refuse_event(match, said, at, verdict);
        fw_vec_push(&match->events, at);
    }
    return true;
}

static bool translate_order(struct fw_result_match *match, const struct fw_result_finding *finding,
                            struct fw_verdict *verdict)
{
    match->list++;
    fw_vec_clear(&match->order);
    for (size_t i = 0; i < finding->witness_count; i++) {
        uint32_t at = translate(match, finding->witness[i]);

        if (at == FW_NO_EVENT) {
            verdict->step = (uint32_t)i;
            snprintf(verdict->reason, sizeof verdict->reason,
                     "step %zu: the trace has no event %" PRIu64, i + 1, finding->witness[i]);
            return false;
        }
        fw_vec_push(&match->order, at);
    }
    return true;
}

bool fw_result_match(struct fw_result_match *match, const struct fw_result_finding *finding,
                     struct fw_witness *witness, struct fw_verdict *verdict)
{
    verdict->step = (uint32_t)finding->witness_count;
    /* No reordering is longer than the trace: a list that is repeats an event. */
    if (finding->witness_count > match->trace->count) {
        snprintf(verdict->reason, sizeof verdict->reason,
                 "the witness has %zu steps, the trace only %" PRIu32 " events",
                 finding->witness_count, match->trace->count);
        return false;
    }
    if (!translate_events(match, finding, verdict) || !translate_order(match, finding, verdict))
        return false;
    *witness = (struct fw_witness) { finding->claim, match->events.at, (uint32_t)match->events.len,
                                     match->order.at, (uint32_t)match->order.len };
    return true;
}
