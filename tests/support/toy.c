/* toy.c - see toy.h. */
#include "support/toy.h"

#include "base/vec.h"

#include <inttypes.h>
#include <stdio.h>

int fw_toys_alive;

struct last {
    struct fw_mark mark;
    bool known;
};

struct toy {
    const struct fw_analysis_setup *setup;
    bool triples;
    FW_VEC(struct last) last; /* by variable */
    uint64_t letters;         /* of all names seen: proves that they could be read */
    uint64_t locks;
};

static void *create(const struct fw_analysis_setup *setup, bool triples)
{
    struct toy *toy = fw_xcalloc(1, sizeof *toy);

    toy->setup = setup;
    toy->triples = triples;
    fw_toys_alive++;
    return toy;
}

static void *toy_create(const struct fw_analysis_setup *setup)
{
    return create(setup, false);
}

static void *toy_create_triples(const struct fw_analysis_setup *setup)
{
    return create(setup, true);
}

static void look_around(struct toy *toy, const struct fw_mark *mark)
{
    const struct fw_symbols *symbols = toy->setup->symbols;
    uint32_t count;

    toy->letters += strlen(fw_symbols_name(symbols, FW_SPACE_VARIABLE, mark->target));
    toy->letters += strlen(fw_symbols_name(symbols, FW_SPACE_SITE, mark->site));
    toy->letters += strlen(fw_thread_name(symbols, mark->thread));
    if (mark->context.stack)
        toy->letters += fw_contexts_frame(toy->setup->contexts, mark->context.stack)->function;
    fw_contexts_locks(toy->setup->contexts, mark->context.lock_set, &count);
    toy->locks += count;
}

static void report(struct toy *toy, const struct fw_mark *before, const struct fw_mark *mark)
{
    const struct fw_mark events[] = { *before, *mark, *before };
    struct fw_occurrence occurrence = {
        .kind = FW_FINDING_RACE, .events = events, .event_count = 2, .variable = mark->target
    };
    char detail[64];

    if (toy->triples) {
        snprintf(detail, sizeof detail, "first line\nevent %" PRIu64, mark->index);
        occurrence.kind = FW_FINDING_ATOMICITY;
        occurrence.event_count = 3;
        occurrence.label = fw_is_write(mark->kind) ? "by-write" : "by-read";
        occurrence.detail = detail;
    }
    fw_findings_add(toy->setup->findings, &occurrence);
}

static void toy_access(void *state, const struct fw_event *event, const struct fw_place *place)
{
    struct toy *toy = state;
    struct fw_mark mark = fw_place_mark(place);
    struct last *last;

    look_around(toy, &mark);
    fw_vec_extend(&toy->last, event->target + (size_t)1);
    last = &toy->last.at[event->target];
    if (last->known && last->mark.thread != mark.thread &&
        fw_kinds_conflict(last->mark.kind, mark.kind))
        report(toy, &last->mark, &mark);
    *last = (struct last) { mark, true };
}

/* Every operation on a lock whose latest one was another thread's. */
static void toy_lock(void *state, const struct fw_event *event, const struct fw_place *place)
{
    struct toy *toy = state;
    struct fw_mark mark = fw_place_mark(place);
    struct last *last;

    fw_vec_extend(&toy->last, event->target + (size_t)1);
    last = &toy->last.at[event->target];
    if (last->known && last->mark.thread != mark.thread)
        fw_findings_add(toy->setup->findings,
                        &(struct fw_occurrence) { .kind = FW_FINDING_DEADLOCK,
                                                  .events = (struct fw_mark[]) { last->mark, mark },
                                                  .event_count = 2,
                                                  .variable = FW_NO_VARIABLE });
    *last = (struct last) { mark, true };
}

static void toy_finish(void *state, struct fw_outcome *outcome)
{
    const struct toy *toy = state;

    snprintf(outcome->note, sizeof outcome->note, "%" PRIu64 " letters, %" PRIu64 " locks",
             toy->letters, toy->locks);
    if (toy->triples) {
        outcome->complete = false;
        snprintf(outcome->why, sizeof outcome->why, "it is a toy");
    }
}

static void toy_destroy(void *state)
{
    struct toy *toy = state;

    fw_vec_release(&toy->last);
    free(toy);
    fw_toys_alive--;
}

#define ACCESSES                                                                                   \
    {                                                                                              \
        [FW_READ] = toy_access, [FW_WRITE] = toy_access, [FW_ATOMIC_LOAD] = toy_access,            \
        [FW_ATOMIC_STORE] = toy_access, [FW_ATOMIC_RMW] = toy_access, [FW_FREE] = toy_access,      \
    }

const struct fw_analysis fw_analysis_toy = {
    .name = "toy",
    .summary = "accesses that follow one another",
    .guarantee = FW_FIRST,
    .create = toy_create,
    .finish = toy_finish,
    .destroy = toy_destroy,
    .on = ACCESSES,
};

const struct fw_analysis fw_analysis_toy_triples = {
    .name = "toy-triples",
    .summary = "the same as triples",
    .guarantee = FW_OBSERVED,
    .observed = true,
    .create = toy_create_triples,
    .finish = toy_finish,
    .destroy = toy_destroy,
    .on = ACCESSES,
};

const struct fw_analysis fw_analysis_toy_locks = {
    .name = "toy-locks",
    .summary = "operations on locks that follow one another",
    .guarantee = FW_HEURISTIC,
    .create = toy_create,
    .finish = toy_finish,
    .destroy = toy_destroy,
    .on = { [FW_ACQUIRE] = toy_lock,
            [FW_TRY_FAIL] = toy_lock,
            [FW_RELEASE] = toy_lock,
            [FW_SHARED_ACQUIRE] = toy_lock },
};
