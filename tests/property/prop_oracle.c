/*
 * prop_oracle.c - the oracle's graph finds what a plain enumeration finds.
 *
 * The oracle merges states with equal futures and reads its answers off the
 * graph.  Here every correct reordering of a tiny trace is enumerated without
 * any merging, the judge is asked what each of them shows, and the two sets of
 * answers must be equal.
 */
#include "support/oracle_internal.h"
#include "support/property.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MAX_EVENTS    8u
#define MAX_SEQUENCES 200000u

static uint64_t answers, enumerated;

struct naive {
    const struct fw_oracle *oracle;
    uint32_t count;
    bool race[MAX_EVENTS][MAX_EVENTS];
    bool deadlock[1u << MAX_EVENTS]; /* by set of events */
    bool order[MAX_EVENTS][MAX_EVENTS];
    bool atomicity[MAX_EVENTS][MAX_EVENTS][MAX_EVENTS];
    bool nondeterminism[MAX_EVENTS][MAX_EVENTS + 1]; /* the last column: no write */
};

static bool shows(const struct naive *n, enum fw_claim claim, const uint32_t *order, uint32_t count,
                  const uint32_t *events, uint32_t event_count)
{
    struct fw_witness w = { claim, events, event_count, order, count };

    return fw_oracle_judge(n->oracle, &w);
}

static void note_races(struct naive *n, const uint32_t *order, uint32_t count)
{
    uint32_t longer[MAX_EVENTS + 2];

    memcpy(longer, order, count * sizeof *order);
    for (uint32_t a = 0; a < n->count; a++)
        for (uint32_t b = a + 1; b < n->count; b++) {
            longer[count] = a;
            longer[count + 1] = b;
            n->race[a][b] |= shows(n, FW_CLAIM_RACE, longer, count + 2, longer + count, 2);
        }
}

static void note_deadlocks(struct naive *n, const uint32_t *order, uint32_t count)
{
    for (uint32_t set = 1; set < 1u << n->count; set++) {
        uint32_t events[MAX_EVENTS], size = 0;

        for (uint32_t e = 0; e < n->count; e++)
            if (set >> e & 1)
                events[size++] = e;
        if (size <= n->oracle->thread_count && !n->deadlock[set])
            n->deadlock[set] = shows(n, FW_CLAIM_DEADLOCK, order, count, events, size);
    }
}

static void note_orders(struct naive *n, const uint32_t *order, uint32_t count)
{
    uint32_t last = order[count - 1];

    for (uint32_t i = 0; i + 1 < count; i++) {
        n->order[order[i]][last] = true;
        for (uint32_t k = i + 1; k + 1 < count; k++) {
            uint32_t events[3] = { order[i], order[k], last };

            if (oracle_in_scope(n->oracle, order[i], last, true))
                n->atomicity[order[i]][order[k]][last] |=
                    shows(n, FW_CLAIM_ATOMICITY, order, count, events, 3);
        }
    }
}

static void note_nondeterminism(struct naive *n, const uint32_t *order, uint32_t count)
{
    uint32_t read = order[count - 1];

    n->nondeterminism[read][MAX_EVENTS] |=
        shows(n, FW_CLAIM_NONDETERMINISM, order, count, &read, 1);
    for (uint32_t e = 0; e < n->count; e++) {
        uint32_t events[2] = { read, e };

        n->nondeterminism[read][e] |= shows(n, FW_CLAIM_NONDETERMINISM, order, count, events, 2);
    }
}

static bool note(void *context, const uint32_t *order, uint32_t count)
{
    struct naive *n = context;

    note_races(n, order, count);
    note_deadlocks(n, order, count);
    if (count) {
        note_orders(n, order, count);
        note_nondeterminism(n, order, count);
    }
    return true;
}

/* Only sets without a smaller deadlock inside count. */
static void keep_minimal(struct naive *n)
{
    bool all[1u << MAX_EVENTS];

    memcpy(all, n->deadlock, sizeof all);
    for (uint32_t set = 1; set < 1u << n->count; set++)
        for (uint32_t part = (set - 1) & set; part; part = (part - 1) & set)
            if (all[part])
                n->deadlock[set] = false;
}

/* Finds the finding among the naive answers and strikes it out. */
static bool strike(struct naive *n, const struct fw_oracle_finding *finding)
{
    const uint32_t *e = finding->events;
    uint32_t set = 0;
    bool *answer = NULL;

    for (uint32_t i = 0; i < finding->event_count; i++)
        set |= 1u << e[i];
    if (finding->claim == FW_CLAIM_RACE)
        answer = &n->race[e[0]][e[1]];
    else if (finding->claim == FW_CLAIM_DEADLOCK)
        answer = &n->deadlock[set];
    else if (finding->claim == FW_CLAIM_ATOMICITY)
        answer = &n->atomicity[e[0]][e[1]][e[2]];
    else
        answer = &n->nondeterminism[e[0]][finding->event_count == 2 ? e[1] : MAX_EVENTS];
    if (!*answer)
        return false;
    *answer = false;
    answers++;
    return true;
}

static bool same_findings(struct naive *n, struct fw_oracle *oracle, enum fw_claim claim, char *why,
                          size_t why_size)
{
    struct fw_oracle_findings findings = { 0 };
    bool good = true;

    fw_oracle_find(oracle, claim, true, &findings);
    for (size_t i = 0; good && i < findings.len; i++)
        good = strike(n, &findings.at[i]);
    if (!good)
        snprintf(why, why_size, "claim %d: the graph shows more than the enumeration", (int)claim);
    fw_oracle_findings_release(&findings);
    return good;
}

static bool same_orders(const struct naive *n, struct fw_oracle *oracle, char *why, size_t why_size)
{
    for (uint32_t a = 0; a < n->count; a++)
        for (uint32_t b = 0; b < n->count; b++) {
            uint32_t events[2] = { a, b };
            struct fw_oracle_finding finding = { 0 };
            bool feasible = fw_oracle_order(oracle, events, 2, &finding);

            fw_oracle_finding_release(&finding);
            if (feasible != n->order[a][b]) {
                snprintf(why, why_size, "order %u < %u: graph %d, enumeration %d", a, b, feasible,
                         n->order[a][b]);
                return false;
            }
        }
    return true;
}

/* After striking out, nothing may be left but the orders. */
static bool nothing_left(const struct naive *n, char *why, size_t why_size)
{
    const struct {
        const char *name;
        const bool *first;
        size_t count;
    } lists[] = {
        { "race", &n->race[0][0], sizeof n->race },
        { "deadlock", n->deadlock, sizeof n->deadlock },
        { "atomicity violation", &n->atomicity[0][0][0], sizeof n->atomicity },
        { "nondeterministic read", &n->nondeterminism[0][0], sizeof n->nondeterminism },
    };

    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (memchr(lists[i].first, 1, lists[i].count)) {
            snprintf(why, why_size, "the graph misses a %s", lists[i].name);
            return false;
        }
    return true;
}

static bool compare(struct fw_oracle *oracle, uint32_t count, char *why, size_t why_size)
{
    struct naive naive = { .oracle = oracle, .count = count };
    uint64_t calls;

    if (count > MAX_EVENTS || fw_oracle_explore(oracle, FW_ORACLE_STATES) < 0)
        return true;
    note(&naive, &(uint32_t) { 0 }, 0); /* the empty reordering */
    calls = fw_oracle_enumerate(oracle, MAX_SEQUENCES, note, &naive);
    enumerated += calls;
    if (calls == MAX_SEQUENCES)
        return true;
    keep_minimal(&naive);
    return same_findings(&naive, oracle, FW_CLAIM_RACE, why, why_size) &&
           same_findings(&naive, oracle, FW_CLAIM_DEADLOCK, why, why_size) &&
           same_findings(&naive, oracle, FW_CLAIM_ATOMICITY, why, why_size) &&
           same_findings(&naive, oracle, FW_CLAIM_NONDETERMINISM, why, why_size) &&
           nothing_left(&naive, why, why_size) && same_orders(&naive, oracle, why, why_size);
}

static bool graph_and_enumeration_agree(const struct fw_sample *sample, char *why, size_t why_size)
{
    struct fw_trace *trace = fw_load_sample(sample, why, why_size);
    struct fw_oracle *oracle;
    bool good;

    if (!trace)
        return false;
    oracle = fw_oracle_create(trace);
    good = compare(oracle, trace->count, why, why_size);
    fw_oracle_destroy(oracle);
    fw_trace_destroy(trace);
    return good;
}

int main(void)
{
    static const char *const profiles[] = { "tiny", "nested", NULL };
    int status = fw_property_run("prop_oracle", profiles, 6000, graph_and_enumeration_agree);

    printf("%" PRIu64 " reorderings enumerated, %" PRIu64 " answers equal\n", enumerated, answers);
    return status;
}
