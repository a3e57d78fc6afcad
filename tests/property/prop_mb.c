/*
 * prop_mb.c - the streaming must-before analysis against its definition.
 *
 * With --pairs=all its pairs are the must-before races of the naive fixpoint
 * and the happens-before races, also when memory is reclaimed at every
 * release; in the default mode its findings name the same variables.  Where it
 * reclaims more than is safe it says so, or the answer is the same.  Which of
 * these are checked on a trace, its seed says: all of them on one in four.
 *
 * Every other trace is closed: what is held at its end is released.
 */
#include "analysis/mb_state.h"
#include "support/naive_mb.h"
#include "support/pairs.h"
#include "support/property.h"

#include "base/alloc.h"

#include <stdio.h>
#include <stdlib.h>

#define PROFILE_COUNT 16u

struct check {
    const struct fw_trace *trace;
    const struct fw_naive *naive;
    const struct fw_naive_mb *mb;
    const char *how;
    char *why;
    size_t size;
};

/* Ends the trace by releasing all locks, the latest first; NULL if it is closed already. */
static char *close_text(const struct fw_sample *sample, const struct fw_trace *trace)
{
    struct fw_index *index = fw_index_create(trace);
    char *text = fw_xstrndup(sample->text, sample->size);
    bool open = false;

    for (uint32_t i = trace->count; i-- > 0;) {
        const struct fw_event *event = &trace->events[i];
        bool shared = fw_is_class(event->kind, FW_CLASS_SHARED);
        char *longer;

        if (!fw_is_class(event->kind, FW_CLASS_ACQUIRE) || index->partner[i] != FW_NO_EVENT)
            continue;
        longer = fw_xasprintf("%s%s|%s(%s)\n", text, fw_thread_name(trace->symbols, event->thread),
                              shared ? "rrel" : "rel",
                              fw_symbols_name(trace->symbols, FW_SPACE_LOCK, event->target));
        free(text);
        text = longer;
        open = true;
    }
    fw_index_destroy(index);
    if (open)
        return text;
    free(text);
    return NULL;
}

/* One of several coins thrown by the seed; each profile sees both sides of all. */
static bool coin(const struct fw_sample *sample, unsigned which)
{
    return sample->seed / PROFILE_COUNT >> which & 1;
}

/* The sample's trace, every other one closed (unless a holder was joined). */
static struct fw_trace *load(const struct fw_sample *sample, char *why, size_t size)
{
    struct fw_trace *trace = fw_load_text(sample->text, sample->size, "mb.std", false, why, size);
    struct fw_trace *closed = NULL;
    char *text;

    if (!trace || coin(sample, 0))
        return trace;
    text = close_text(sample, trace);
    if (text)
        closed = fw_load_text(text, strlen(text), "mb.std", false, why, size);
    free(text);
    if (!closed)
        return trace;
    fw_trace_destroy(trace);
    return closed;
}

static bool is_wanted(const struct check *c, uint32_t i, uint32_t j)
{
    return fw_naive_clash(c->trace, i, j) &&
           (!c->naive->hb[i * c->trace->count + j] || fw_naive_mb_race(c->mb, i, j));
}

static bool compare_pairs(const struct check *c, const struct fw_pairs *pairs)
{
    for (uint32_t i = 0; i < c->trace->count; i++) {
        for (uint32_t j = i + 1; j < c->trace->count; j++) {
            bool wanted = is_wanted(c, i, j);

            if (wanted == fw_pairs_has(pairs, i, j))
                continue;
            snprintf(c->why, c->size, "events %u and %u%s: mb says %s, the definition %s", i, j,
                     c->how, wanted ? "ordered" : "a race", wanted ? "a race" : "ordered");
            return false;
        }
    }
    if (pairs->repeated)
        snprintf(c->why, c->size, "%u pairs reported more than once", (unsigned)pairs->repeated);
    return !pairs->repeated;
}

static bool compare_variables(const struct check *c, const struct fw_pairs *pairs)
{
    uint32_t count = fw_symbols_count(c->trace->symbols, FW_SPACE_VARIABLE);
    bool *wanted = fw_xcalloc(count + 1, sizeof *wanted), ok = true;

    for (uint32_t i = 0; i < c->trace->count; i++)
        for (uint32_t j = i + 1; j < c->trace->count; j++)
            if (is_wanted(c, i, j))
                wanted[c->trace->events[i].target] = true;
    for (uint32_t x = 0; ok && x < count; x++) {
        ok = wanted[x] == pairs->variables[x];
        if (!ok)
            snprintf(c->why, c->size, "variable %s: the default mode reports %s",
                     fw_symbols_name(c->trace->symbols, FW_SPACE_VARIABLE, x),
                     wanted[x] ? "nothing" : "it");
    }
    free(wanted);
    return ok;
}

static bool check(const struct check *c, bool pairs_all, struct fw_mb_tuning tuning)
{
    struct fw_mb_tuning usual = fw_mb_tuning;
    struct fw_pairs pairs;
    bool ok;

    fw_mb_tuning = tuning;
    fw_pairs_run(&pairs, &fw_analysis_mb, c->trace, pairs_all, NULL);
    fw_mb_tuning = usual;
    ok = pairs_all ? compare_pairs(c, &pairs) : compare_variables(c, &pairs);
    fw_pairs_release(&pairs);
    return ok;
}

static bool says_complete(const struct check *c, struct fw_mb_tuning tuning)
{
    const struct fw_analysis *analysis = &fw_analysis_mb;
    struct fw_analysis_setup setup = { .symbols = c->trace->symbols, .pairs_all = true };
    struct fw_batch batch = fw_trace_batch(c->trace);
    struct fw_mb_tuning usual = fw_mb_tuning;
    struct fw_engine *engine;
    bool complete;

    fw_mb_tuning = tuning;
    engine = fw_engine_create(&analysis, 1, &setup);
    fw_mb_tuning = usual;
    if (batch.count)
        fw_engine_batch(engine, &batch);
    fw_engine_finish(engine);
    complete = fw_engine_outcome(engine, 0)->complete;
    fw_engine_destroy(engine);
    return complete;
}

static bool check_all(struct check *c, const struct fw_sample *sample)
{
    struct fw_mb_tuning never = { UINT64_MAX, SIZE_MAX, true }, safe = { 1, 1, true };
    struct fw_mb_tuning bold = { 1, 1, false };

    c->how = "";
    if (!check(c, true, never))
        return false;
    c->how = ", swept";
    if (!check(c, true, safe) || !check(c, false, coin(sample, 1) ? never : safe))
        return false;
    c->how = ", boldly swept";
    return coin(sample, 2) || !says_complete(c, bold) || check(c, true, bold);
}

static bool holds(const struct fw_sample *sample, char *why, size_t size)
{
    struct check c = { .trace = load(sample, why, size), .why = why, .size = size };
    struct fw_index *index;
    struct fw_naive *naive;
    struct fw_naive_mb *mb;
    bool ok;

    if (!c.trace)
        return false;
    index = fw_index_create(c.trace);
    c.naive = naive = fw_naive_create(index);
    c.mb = mb = fw_naive_mb_create(index, naive);
    ok = check_all(&c, sample);
    fw_naive_mb_destroy(mb);
    fw_naive_destroy(naive);
    fw_index_destroy(index);
    fw_trace_destroy((struct fw_trace *)c.trace);
    return ok;
}

int main(void)
{
    static const char *const profiles[PROFILE_COUNT + 1] = {
        "sections", "locks", "forks",      "deadlocks",     "few-locks", "two",
        "shared",   "waits", "sections",   "atomics",       "barriers",  "semaphores",
        "sections", "heap",  "everything", "long-sections",
    };

    return fw_property_run("prop_mb", profiles, 100000, holds);
}
