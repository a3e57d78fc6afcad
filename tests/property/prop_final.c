/*
 * prop_final.c - which writes can be the last of their variable, in a complete
 * reordering in which every read keeps its write: the suspects of
 * --final-reads and the solver's answers against an enumeration of all
 * reorderings.  Every witness is accepted by the verifier.
 */
#include "predict/final.h"
#include "support/oracle.h"
#include "support/property.h"

#include <stdio.h>
#include <string.h>

#define MAX_EVENTS 64u
#define CALLS      400000u

struct run {
    const struct fw_index *index;
    struct fw_solver *solver;
    struct fw_verifier *verifier;
    struct fw_oracle *oracle;
    bool last[MAX_EVENTS];      /* by event: it can be the last write */
    bool suspected[MAX_EVENTS];
    char *why;
    size_t size;
};

/* Marks the last writes of a complete order in which every read keeps its write. */
static bool visit(void *context, const uint32_t *order, uint32_t count)
{
    struct run *run = context;
    const struct fw_trace *trace = run->index->trace;
    uint32_t last[MAX_EVENTS]; /* by variable */

    if (count < trace->count)
        return true;
    memset(last, 0xff, sizeof last);
    for (uint32_t i = 0; i < count; i++) {
        const struct fw_event *event = &trace->events[order[i]];

        if (fw_is_read(event->kind) && last[event->target] != run->index->partner[order[i]])
            return true;
        if (fw_is_write(event->kind))
            last[event->target] = order[i];
    }
    for (uint32_t i = 0; i < MAX_EVENTS; i++)
        if (last[i] != FW_NO_EVENT)
            run->last[last[i]] = true;
    return true;
}

static bool fail(struct run *run, uint32_t write, const char *what)
{
    snprintf(run->why, run->size, "write %u as the last one: %s", write, what);
    return false;
}

static bool write_agrees(struct run *run, uint32_t write)
{
    struct fw_witness witness = { FW_CLAIM_FINAL, &write, 1, NULL, 0 };
    enum fw_answer answer = fw_solver_ask(run->solver, FW_CLAIM_FINAL, &write, 1);
    struct fw_verdict verdict;

    if (answer == FW_UNDECIDED)
        return fail(run, write, "undecided");
    if ((answer == FW_FEASIBLE) != run->last[write])
        return fail(run, write, answer == FW_FEASIBLE ? "no such reordering" : "missed");
    if (run->last[write] && !run->suspected[write])
        return fail(run, write, "not suspected");
    if (answer != FW_FEASIBLE)
        return true;
    witness.order = fw_solver_witness(run->solver, &witness.order_count);
    verdict = fw_verify(run->verifier, &witness);
    if (!fw_oracle_judge(run->oracle, &witness))
        return fail(run, write, "the oracle rejects the witness");
    return verdict.accepted || fail(run, write, verdict.reason);
}

static void suspect(struct run *run, const struct fw_core *core)
{
    struct fw_unit unit = { 0 };
    uint32_t variable = 0;

    while (fw_final_next(core, false, &variable, &unit))
        for (size_t i = 0; i < unit.suspects.len; i++)
            run->suspected[unit.events.at[unit.suspects.at[i].first]] = true;
    fw_vec_release(&unit.events);
    fw_vec_release(&unit.suspects);
}

/* The write that came last in the trace itself. */
static bool was_last(const struct fw_trace *trace, uint32_t write)
{
    for (uint32_t i = write + 1; i < trace->count; i++)
        if (fw_is_write(trace->events[i].kind) &&
            trace->events[i].target == trace->events[write].target)
            return false;
    return true;
}

static bool all_agree(struct run *run)
{
    const struct fw_trace *trace = run->index->trace;

    for (uint32_t i = 0; i < trace->count; i++)
        if (fw_is_write(trace->events[i].kind) && !was_last(trace, i) && !write_agrees(run, i))
            return false;
    return true;
}

static bool holds(const struct fw_sample *sample, char *why, size_t size)
{
    struct fw_trace *trace = fw_load_text(sample->text, sample->size, "final.std", false, why,
                                          size);
    struct fw_core *core;
    struct run run = { .why = why, .size = size };
    bool ok = true;

    if (!trace)
        return false;
    run.index = fw_index_create(trace);
    run.oracle = fw_oracle_create(trace);
    core = fw_core_create(run.index, NULL);
    run.solver = fw_solver_create(core, NULL);
    run.verifier = fw_verifier_create(trace);
    if (trace->count < MAX_EVENTS && fw_oracle_enumerate(run.oracle, CALLS, visit, &run) < CALLS) {
        suspect(&run, core);
        ok = all_agree(&run);
    }
    fw_verifier_destroy(run.verifier);
    fw_solver_destroy(run.solver);
    fw_core_destroy(core);
    fw_oracle_destroy(run.oracle);
    fw_index_destroy((struct fw_index *)run.index);
    fw_trace_destroy(trace);
    return ok;
}

int main(void)
{
    static const char *const profiles[] = { "tiny", "nested", "tiny", "two", "waits", NULL };

    return fw_property_run("prop_final", profiles, 5000, holds);
}
