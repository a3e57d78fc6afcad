/*
 * prop_between.c - between reports exactly the triples of its definition, written down as loops
 * over the trace: an access, the next one of its thread to the variable, a block that holds both,
 * and the first read and the first write of others in between that cannot be serialised.
 */
#include "support/expect.h"
#include "support/naive_blocks.h"
#include "support/property.h"

#include <inttypes.h>
#include <stdio.h>

static uint64_t triples_seen;

static bool is_access(const struct fw_event *event)
{
    return event->kind <= FW_ATOMIC_RMW;
}

static bool does(const struct fw_event *event, unsigned class_)
{
    return fw_kind_info[event->kind].classes & class_;
}

/* The accesses of one thread to one variable that follow each other. */
static bool are_next(const struct fw_trace *trace, uint32_t a, uint32_t z)
{
    const struct fw_event *first = &trace->events[a], *last = &trace->events[z];

    if (!is_access(first) || !is_access(last) || first->thread != last->thread ||
        first->target != last->target)
        return false;
    for (uint32_t i = a + 1; i < z; i++)
        if (is_access(&trace->events[i]) && trace->events[i].thread == first->thread &&
            trace->events[i].target == first->target)
            return false;
    return true;
}

static bool in_one_block(const struct fw_trace *trace, const struct fw_naive_blocks *blocks,
                         uint32_t a, uint32_t z)
{
    for (uint32_t i = 0; i < blocks->count; i++)
        if (fw_naive_block_holds(trace, &blocks->at[i], a) &&
            fw_naive_block_holds(trace, &blocks->at[i], z))
            return true;
    return false;
}

/* The first access of another thread in between of this class; z: there is none. */
static uint32_t first_between(const struct fw_trace *trace, uint32_t a, uint32_t z, unsigned class_)
{
    for (uint32_t i = a + 1; i < z; i++)
        if (is_access(&trace->events[i]) && trace->events[i].thread != trace->events[a].thread &&
            trace->events[i].target == trace->events[a].target && does(&trace->events[i], class_))
            return i;
    return z;
}

/* The table, row by row. */
static bool cannot_be_serialised(const struct fw_event *a, const struct fw_event *b,
                                 const struct fw_event *z)
{
    static const unsigned rows[4][3] = {
        { FW_CLASS_READ, FW_CLASS_WRITE, FW_CLASS_READ },
        { FW_CLASS_WRITE, FW_CLASS_WRITE, FW_CLASS_READ },
        { FW_CLASS_WRITE, FW_CLASS_READ, FW_CLASS_WRITE },
        { FW_CLASS_READ, FW_CLASS_WRITE, FW_CLASS_WRITE },
    };

    for (unsigned i = 0; i < 4; i++)
        if (does(a, rows[i][0]) && does(b, rows[i][1]) && does(z, rows[i][2]))
            return true;
    return false;
}

static bool is_found(const struct fw_trace *trace, const struct fw_findings *findings, uint32_t a,
                     uint32_t b, uint32_t z)
{
    for (uint64_t i = 0; i < fw_findings_count(findings); i++) {
        const struct fw_finding *finding = fw_findings_get(findings, i);

        if (fw_trace_position(trace, finding->events.at[0].index, 0) == a &&
            fw_trace_position(trace, finding->events.at[1].index, 0) == b &&
            fw_trace_position(trace, finding->events.at[2].index, 0) == z)
            return true;
    }
    return false;
}

/* Those of a and z, which are found; how many?  UINT64_MAX: one is not. */
static uint64_t count_found(const struct fw_trace *trace, const struct fw_findings *findings,
                            uint32_t a, uint32_t z)
{
    uint32_t b[2] = { first_between(trace, a, z, FW_CLASS_READ),
                      first_between(trace, a, z, FW_CLASS_WRITE) };
    uint64_t count = 0;

    for (unsigned i = 0; i < 2; i++) {
        if (b[i] == z || (i == 1 && b[0] == b[1]) ||
            !cannot_be_serialised(&trace->events[a], &trace->events[b[i]], &trace->events[z]))
            continue;
        if (!is_found(trace, findings, a, b[i], z))
            return UINT64_MAX;
        count++;
    }
    return count;
}

static bool are_all(const struct fw_trace *trace, const struct fw_findings *findings,
                    const struct fw_naive_blocks *blocks, char *why, size_t size)
{
    uint64_t count = 0;

    for (uint32_t a = 0; a < trace->count; a++)
        for (uint32_t z = a + 1; z < trace->count; z++) {
            uint64_t found;

            if (!are_next(trace, a, z) || !in_one_block(trace, blocks, a, z))
                continue;
            found = count_found(trace, findings, a, z);
            if (found == UINT64_MAX) {
                snprintf(why, size, "what came between %u and %u is not reported", a, z);
                return false;
            }
            count += found;
        }
    triples_seen += count;
    if (count == fw_findings_count(findings))
        return true;
    snprintf(why, size, "%" PRIu64 " findings, but there are %" PRIu64 " triples",
             fw_findings_count(findings), count);
    return false;
}

static bool holds(const struct fw_sample *sample, char *why, size_t size)
{
    struct fw_trace *trace = fw_load_text(sample->text, sample->size, "b.std", false, why, size);
    struct fw_analysis_setup setup = { .pairs_all = true };
    struct fw_naive_blocks blocks;
    struct fw_engine *engine;
    struct fw_index *index;
    bool ok;

    if (!trace)
        return false;
    index = fw_index_create(trace);
    blocks = fw_naive_blocks(index, false);
    engine = fw_run_analysis(trace, &fw_analysis_between, &setup, 3);
    ok = are_all(trace, fw_engine_findings(engine, 0), &blocks, why, size);
    fw_engine_destroy(engine);
    fw_naive_blocks_release(&blocks);
    fw_index_destroy(index);
    fw_trace_destroy(trace);
    return ok;
}

int main(void)
{
    static const char *const profiles[] = { "blocks", "everything", NULL };
    int status = fw_property_run("prop_between", profiles, 20000, holds);

    if (!triples_seen) {
        puts("nothing was ever violated");
        return 1;
    }
    return status;
}
