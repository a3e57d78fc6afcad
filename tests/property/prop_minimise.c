/*
 * prop_minimise.c - a minimised witness is still a witness, of the same steps, with no more
 * switches; asked of the verifier and of the brute-force oracle, for the oracle's findings and for
 * random reorderings.  And what is packed as a schedule comes out again.
 */
#include "predict/minimise.h"
#include "predict/schedule.h"
#include "support/oracle.h"
#include "support/property.h"

#include <stdio.h>
#include <string.h>

struct judge {
    const struct fw_index *index;
    struct fw_oracle *oracle;
    struct fw_verifier *verifier;
    struct fw_minimiser *minimiser;
    char *why;
    size_t size;
};

static bool refuse(const struct judge *judge, const struct fw_witness *witness, const char *cause)
{
    int used =
        snprintf(judge->why, judge->size, "claim %d: %s; order:", (int)witness->claim, cause);

    for (uint32_t i = 0; i < witness->order_count && used + 12 < (int)judge->size; i++)
        used += snprintf(judge->why + used, judge->size - (size_t)used, " %u", witness->order[i]);
    return false;
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

static bool same_steps(const uint32_t *a, const uint32_t *b, uint32_t count)
{
    uint32_t *both = fw_xcalloc((size_t)count * 2 + 1, sizeof *both);
    bool same;

    if (count) {
        memcpy(both, a, count * sizeof *both);
        memcpy(both + count, b, count * sizeof *both);
    }
    qsort(both, count, sizeof *both, by_number);
    qsort(both + count, count, sizeof *both, by_number);
    same = memcmp(both, both + count, count * sizeof *both) == 0;
    free(both);
    return same;
}

static bool packs(const struct judge *judge, const uint32_t *order, uint32_t count)
{
    struct fw_schedule schedule = { 0 };
    struct fw_schedule_walk walk;
    uint32_t position, skipped = count / 3;
    bool ok;

    fw_schedule_pack(&schedule, judge->index->trace, order, count);
    ok = schedule.steps == count &&
         (count == 0 || schedule.runs == fw_count_switches(judge->index->trace, order, count) + 1);
    fw_schedule_walk_init(&walk, &schedule, judge->index);
    fw_schedule_skip(&walk, skipped);
    for (uint32_t i = skipped; i < count; i++)
        ok &= fw_schedule_next(&walk, &position) && position == order[i];
    ok &= !fw_schedule_next(&walk, &position);
    fw_schedule_walk_release(&walk);
    fw_schedule_release(&schedule);
    return ok;
}

static bool stays(const struct judge *judge, const struct fw_witness *witness)
{
    const struct fw_trace *trace = judge->index->trace;
    struct fw_witness small = *witness;
    struct fw_verdict verdict;

    small.order = fw_minimise(judge->minimiser, witness);
    if (!same_steps(small.order, witness->order, witness->order_count))
        return refuse(judge, &small, "not the same steps");
    if (fw_count_switches(trace, small.order, small.order_count) >
        fw_count_switches(trace, witness->order, witness->order_count))
        return refuse(judge, &small, "more switches");
    verdict = fw_verify(judge->verifier, &small);
    if (!verdict.accepted)
        return refuse(judge, &small, verdict.reason);
    if (!fw_oracle_judge(judge->oracle, &small))
        return refuse(judge, &small, "the oracle rejects it");
    if (!packs(judge, small.order, small.order_count) ||
        !packs(judge, witness->order, witness->order_count))
        return refuse(judge, &small, "does not come out of its schedule");
    return true;
}

static bool findings_stay(const struct judge *judge, enum fw_claim claim)
{
    struct fw_oracle_findings findings = { 0 };
    bool ok = true;

    fw_oracle_find(judge->oracle, claim, true, &findings);
    for (size_t i = 0; ok && i < findings.len; i++) {
        struct fw_witness witness = fw_oracle_witness(&findings.at[i]);

        ok = stays(judge, &witness);
    }
    fw_oracle_findings_release(&findings);
    return ok;
}

/* A random walk through the states; its latest events are the claim. */
static bool walk_stays(const struct judge *judge, struct fw_random *random)
{
    uint32_t threads = fw_trace_thread_count(judge->index->trace), tries = 0;
    FW_VEC(uint32_t) order = { 0 };
    struct fw_oracle_state state;
    struct fw_witness witness;
    bool ok = true;

    fw_oracle_start(judge->oracle, &state);
    while (tries < 4 * threads) {
        uint32_t event = fw_oracle_next(judge->oracle, &state, fw_random_below(random, threads));

        tries++;
        if (event == FW_NO_EVENT || !fw_oracle_may(judge->oracle, &state, event))
            continue;
        fw_oracle_step(judge->oracle, &state, event);
        fw_vec_push(&order, event);
        tries = 0;
    }
    if (order.len) {
        uint32_t count = (uint32_t)(order.len < 3 ? order.len : 3);

        witness = (struct fw_witness) { FW_CLAIM_ORDER, order.at + order.len - count, count,
                                        order.at, (uint32_t)order.len };
        ok = stays(judge, &witness);
    }
    fw_vec_release(&order);
    return ok;
}

static bool all_stay(const struct judge *judge, uint64_t seed)
{
    struct fw_random random;
    bool ok = true;

    fw_random_init(&random, seed);
    for (int i = 0; ok && i < 4 && fw_oracle_fits(judge->oracle); i++)
        ok = walk_stays(judge, &random);
    if (!ok || fw_oracle_explore(judge->oracle, 50000) != 0)
        return ok;
    return findings_stay(judge, FW_CLAIM_RACE) && findings_stay(judge, FW_CLAIM_DEADLOCK) &&
           findings_stay(judge, FW_CLAIM_ATOMICITY) &&
           findings_stay(judge, FW_CLAIM_NONDETERMINISM);
}

static bool holds(const struct fw_sample *sample, char *why, size_t size)
{
    struct fw_trace *trace = fw_load_sample(sample, why, size);
    struct judge judge = { .why = why, .size = size };
    struct fw_index *index;
    bool ok;

    if (!trace)
        return false;
    judge.index = index = fw_index_create(trace);
    judge.oracle = fw_oracle_create(trace);
    judge.verifier = fw_verifier_create(trace);
    judge.minimiser = fw_minimiser_create(index);
    ok = all_stay(&judge, sample->seed);
    fw_minimiser_destroy(judge.minimiser);
    fw_verifier_destroy(judge.verifier);
    fw_oracle_destroy(judge.oracle);
    fw_index_destroy(index);
    fw_trace_destroy(trace);
    return ok;
}

int main(void)
{
    static const char *const profiles[] = { "locks",     "branches", "two",      "forks",
                                            "shared",    "waits",    "monitors", "semaphores",
                                            "barriers",  "atomics",  "heap",     "everything",
                                            "deadlocks", "nested",   NULL };

    return fw_property_run("prop_minimise", profiles, 20000, holds);
}
