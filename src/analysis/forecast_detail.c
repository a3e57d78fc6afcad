/* forecast_detail.c - see forecast_detail.h. */
#include "analysis/forecast_detail.h"

#include "base/bisect.h"

#include <inttypes.h>
#include <stdio.h>

/* A prediction and where its words go. */
struct words {
    const struct fw_index *index;
    const struct fw_trace *trace;
    const struct fw_prediction *prediction;
    FILE *to;
};

static const struct fw_event *event_of(const struct words *words, uint32_t i)
{
    return &words->trace->events[words->prediction->events[i]];
}

static const char *thread_of(const struct words *words, uint32_t i)
{
    return fw_thread_name(words->trace->symbols, event_of(words, i)->thread);
}

static const char *target_of(const struct words *words, uint32_t i)
{
    const struct fw_event *event = event_of(words, i);

    return fw_symbols_name(words->trace->symbols, fw_kind_info[event->kind].space, event->target);
}

/* --- race -------------------------------------------------------------------------------- */

#define MAX_STEPS 200000u /* of a witness that is looked through for a sentence */

static bool is_acquire(const struct words *words, uint32_t event)
{
    return fw_is_class(words->trace->events[event].kind, FW_CLASS_ACQUIRE);
}

/* The acquire of the same lock, by another thread, that came just before in the trace. */
static uint32_t acquire_before(const struct words *words, uint32_t acquire)
{
    const struct fw_event *event = &words->trace->events[acquire];
    const uint32_t *row = fw_row(&words->index->by_lock, event->target);
    uint32_t count = fw_row_count(&words->index->by_lock, event->target);
    uint32_t low = fw_count_below(row, count, acquire);

    while (low-- > 0)
        if (is_acquire(words, row[low]) && words->trace->events[row[low]].thread != event->thread)
            return row[low];
    return FW_NO_EVENT;
}

static void tell_acquire(const struct words *words, uint32_t acquire)
{
    const struct fw_event *event = &words->trace->events[acquire];

    fputs(fw_thread_name(words->trace->symbols, event->thread), words->to);
    if (event->site)
        fprintf(words->to, " (%s)",
                fw_symbols_name(words->trace->symbols, FW_SPACE_SITE, event->site));
}

static bool is_of_pair(const struct words *words, uint32_t event)
{
    uint32_t thread = words->trace->events[event].thread;

    return thread == event_of(words, 0)->thread || thread == event_of(words, 1)->thread;
}

/* What hid it: a lock that the witness gives to threads in another order. */
static void tell_race(const struct words *words)
{
    struct fw_schedule_walk walk;
    uint32_t at, before = FW_NO_EVENT;

    if (words->prediction->witness.steps > MAX_STEPS)
        return;
    fw_schedule_walk_init(&walk, &words->prediction->witness, words->index);
    while (before == FW_NO_EVENT && fw_schedule_next(&walk, &at)) {
        if (!is_acquire(words, at))
            continue;
        before = acquire_before(words, at);
        if (before != FW_NO_EVENT &&
            (words->index->in_thread[before] < walk.done[words->trace->events[before].thread] ||
             !is_of_pair(words, before) || !is_of_pair(words, at)))
            before = FW_NO_EVENT; /* as in the trace, or another matter */
    }
    fw_schedule_walk_release(&walk);
    if (before == FW_NO_EVENT)
        return;
    fputs("This run hid it: ", words->to);
    tell_acquire(words, before);
    fprintf(
        words->to, " took '%s' before ",
        fw_symbols_name(words->trace->symbols, FW_SPACE_LOCK, words->trace->events[before].target));
    tell_acquire(words, at);
    fputs(" did", words->to);
}

/* --- deadlock ---------------------------------------------------------------------------- */

/* Does the thread of the event hold the lock, just before the event? */
static bool holds(const struct words *words, uint32_t event, uint32_t lock)
{
    uint32_t set = words->index->lock_set[event];
    const uint32_t *keys = fw_row(&words->index->lock_sets, set);

    for (uint32_t i = 0; i < fw_row_count(&words->index->lock_sets, set); i++)
        if (keys[i] / 2 == lock)
            return true;
    return false;
}

static void tell_deadlock(const struct words *words)
{
    const struct fw_prediction *prediction = words->prediction;

    if (event_of(words, 0)->kind == FW_RELOCK)
        fprintf(words->to, "%s waits for '%s', which it holds itself", thread_of(words, 0),
                target_of(words, 0));
    for (uint32_t i = 0; i < prediction->event_count; i++) {
        uint32_t holder = 0;

        while (
            holder < prediction->event_count &&
            (holder == i || !holds(words, prediction->events[holder], event_of(words, i)->target)))
            holder++;
        if (holder == prediction->event_count)
            continue;
        fprintf(words->to, "%s%s waits for '%s', which %s holds", i ? "\n" : "",
                thread_of(words, i), target_of(words, i), thread_of(words, holder));
    }
}

/* --- atomicity --------------------------------------------------------------------------- */

static bool reads(const struct words *words, uint32_t i)
{
    return fw_is_read(event_of(words, i)->kind);
}

static bool writes(const struct words *words, uint32_t i)
{
    return fw_is_write(event_of(words, i)->kind);
}

static void tell_atomicity(const struct words *words)
{
    const char *mine = thread_of(words, 0), *other = thread_of(words, 1);
    const char *variable = target_of(words, 0);

    if (writes(words, 1) && reads(words, 0) && reads(words, 2))
        fprintf(words->to, "%s can see two values of '%s': %s's write can come between its reads",
                mine, variable, other);
    else if (writes(words, 1) && writes(words, 0) && reads(words, 2))
        fprintf(words->to,
                "%s can miss its own write of '%s': %s's write can come before %s reads it", mine,
                variable, other, mine);
    else if (reads(words, 1))
        fprintf(words->to,
                "%s can see a value of '%s' that was not meant for it, between two writes of %s",
                other, variable, mine);
    else
        fprintf(words->to,
                "%s's write of '%s' can be lost: %s overwrites it by what it read before", other,
                variable, mine);
}

/* --- nondeterminism ---------------------------------------------------------------------- */

/* Of a write that is said again: the latest one that it may repeat. */
static uint32_t first_said(const struct fw_index *index, uint32_t write)
{
    const struct fw_event *events = index->trace->events;
    const uint32_t *row = fw_row(&index->by_variable, events[write].target);
    uint32_t at =
        fw_count_below(row, fw_row_count(&index->by_variable, events[write].target), write);

    while (at-- > 0)
        if (events[row[at]].thread == events[write].thread && events[row[at]].kind == FW_WRITE &&
            events[row[at]].site)
            return row[at];
    return write;
}

uint32_t fw_prediction_saw(const struct fw_index *index, uint32_t read)
{
    uint32_t write = index->partner[read];

    return write != FW_NO_EVENT && fw_trace_says_again(index->trace, &index->trace->events[write])
               ? first_said(index, write)
               : write;
}

static void tell_write(const struct words *words, uint32_t write)
{
    const struct fw_event *event;
    bool again;

    if (write == FW_NO_EVENT) {
        fputs("no write at all", words->to);
        return;
    }
    again = fw_trace_says_again(words->trace, &words->trace->events[write]);
    if (again)
        write = first_said(words->index, write);
    event = &words->trace->events[write];
    fprintf(words->to, "the write by %s", fw_thread_name(words->trace->symbols, event->thread));
    if (event->site)
        fprintf(words->to, " at %s",
                fw_symbols_name(words->trace->symbols, FW_SPACE_SITE, event->site));
    fprintf(words->to, " (event %" PRIu64 ")%s", fw_trace_index(words->trace, write),
            again ? " or one that repeats it" : "");
}

static void tell_nondeterminism(const struct words *words)
{
    const struct fw_prediction *prediction = words->prediction;

    fputs("In this run it saw ", words->to);
    tell_write(words, words->index->partner[prediction->events[0]]);
    fputs("; it can see ", words->to);
    tell_write(words, prediction->event_count > 1 ? prediction->events[1] : FW_NO_EVENT);
    fputs(" instead", words->to);
}

/* The variable's last write in the trace. */
static uint32_t last_write(const struct fw_index *index, uint32_t variable)
{
    const uint32_t *row = fw_row(&index->by_variable, variable);

    for (uint32_t i = fw_row_count(&index->by_variable, variable); i-- > 0;)
        if (fw_is_write(index->trace->events[row[i]].kind))
            return row[i];
    return FW_NO_EVENT;
}

static void tell_final(const struct words *words)
{
    uint32_t write = words->prediction->events[0];

    fputs("In this run the last write was ", words->to);
    tell_write(words, last_write(words->index, words->trace->events[write].target));
    fputs("; it can be ", words->to);
    tell_write(words, write);
    fputs(" instead, with every read as it was", words->to);
}

/* --- iroot ------------------------------------------------------------------------------- */

static const char *deed_of(const struct fw_event *event)
{
    if (fw_is_class(event->kind, FW_CLASS_ACQUIRE))
        return "takes";
    if (fw_is_class(event->kind, FW_CLASS_RELEASE))
        return "gives back";
    if (event->kind == FW_FREE)
        return "frees";
    if (fw_is_write(event->kind))
        return "writes";
    return "reads";
}

/* "T1 writes x at a.c:3" */
static void tell_access(const struct words *words, uint32_t i)
{
    const struct fw_event *event = event_of(words, i);

    fprintf(words->to, "%s %s %s", thread_of(words, i), deed_of(event), target_of(words, i));
    if (event->site)
        fprintf(words->to, " at %s",
                fw_symbols_name(words->trace->symbols, FW_SPACE_SITE, event->site));
}

/* One object's accesses that follow each other at once. */
static void tell_chain(const struct words *words, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++) {
        fputs(i > from ? ", next " : "", words->to);
        tell_access(words, i);
    }
}

/* Which places could follow each other at once, though in this run they did not. */
static void tell_iroot(const struct words *words)
{
    uint32_t count = words->prediction->event_count;

    if (count == 4 && is_acquire(words, words->prediction->events[0]) &&
        is_acquire(words, words->prediction->events[2])) {
        fprintf(words->to, "%s can hold %s and wait for %s while %s holds %s and waits for %s",
                thread_of(words, 0), target_of(words, 0), target_of(words, 3), thread_of(words, 2),
                target_of(words, 2), target_of(words, 1));
        return;
    }
    fputs("It can be that ", words->to);
    tell_chain(words, 0, count < 4 ? count : 2);
    if (count < 4)
        return;
    fputs("\nand that ", words->to);
    tell_chain(words, 2, count);
}

static void tell(const struct words *words)
{
    switch (words->prediction->claim) {
    case FW_CLAIM_RACE:
        tell_race(words);
        break;
    case FW_CLAIM_DEADLOCK:
        tell_deadlock(words);
        break;
    case FW_CLAIM_ATOMICITY:
        tell_atomicity(words);
        break;
    case FW_CLAIM_NONDETERMINISM:
        tell_nondeterminism(words);
        break;
    case FW_CLAIM_FINAL:
        tell_final(words);
        break;
    case FW_CLAIM_IROOT:
        tell_iroot(words);
        break;
    case FW_CLAIM_ORDER:
        break;
    }
}

char *fw_prediction_detail(const struct fw_index *index, const struct fw_prediction *prediction)
{
    struct words words = { index, index->trace, prediction, NULL };
    char *text = NULL;
    size_t size;

    words.to = open_memstream(&text, &size);
    if (!words.to)
        return NULL;
    tell(&words);
    fclose(words.to);
    if (!*text) {
        free(text);
        return NULL;
    }
    return text;
}
