/*
 * prop_verify.c - the verifier and the oracle agree.
 *
 * On random traces: every finding of the oracle has a witness that the
 * verifier accepts; and on witnesses of all sorts, right ones, walks through
 * the correct reorderings, and both with something wrong put in, the verifier
 * says what the oracle's judge says.  On tiny traces this is done for every
 * correct reordering and each way to go wrong in one more step.  Half of the
 * traces are judged with values.
 */
#include "support/oracle.h"
#include "support/property.h"
#include "support/random.h"

#include "base/bug.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MAX_STATES    300000u
#define MAX_ORDER     512u
#define MAX_EVENTS    8u
#define WALKS         12u
#define MUTATIONS     3u     /* of each witness */
#define MAX_SEQUENCES 20000u /* of a tiny trace */

/* Counters over the whole run: a test that compares nothing must show. */
static uint64_t findings_seen[5], accepted, rejected, sequences, too_large;

struct trial {
    const struct fw_trace *trace;
    struct fw_oracle *oracle;
    struct fw_verifier *verifier;
    struct fw_random random;
    char *why;
    size_t why_size;
};

/* A witness that can be changed. */
struct draft {
    enum fw_claim claim;
    uint32_t order[MAX_ORDER], order_count;
    uint32_t events[MAX_EVENTS], event_count;
};

static const char *const claim_names[] = { "race", "deadlock", "order", "atomicity",
                                           "nondeterminism" };

static int put_list(char *to, size_t size, const uint32_t *list, uint32_t count)
{
    int used = 0;

    for (uint32_t i = 0; i < count && used + 16 < (int)size; i++)
        used += snprintf(to + used, size - (size_t)used, " %" PRIu32, list[i]);
    return used;
}

static void describe(struct trial *trial, const struct fw_witness *w, const char *what,
                     const struct fw_verdict *verdict)
{
    size_t used = (size_t)snprintf(trial->why, trial->why_size, "%s (step %" PRIu32 ": %s): %s of",
                                   what, verdict->step, verdict->reason, claim_names[w->claim]);

    if (used >= trial->why_size)
        return;
    used += (size_t)put_list(trial->why + used, trial->why_size - used, w->events, w->event_count);
    used += (size_t)snprintf(trial->why + used, trial->why_size - used, ", order");
    if (used < trial->why_size)
        put_list(trial->why + used, trial->why_size - used, w->order, w->order_count);
}

/* Do verifier and judge say the same? */
static bool agree(struct trial *trial, const struct fw_witness *w)
{
    struct fw_verdict verdict = fw_verify(trial->verifier, w);
    bool judged = fw_oracle_judge(trial->oracle, w);

    accepted += judged;
    rejected += !judged;
    if (verdict.accepted == judged)
        return true;
    describe(trial, w, judged ? "rejected, but right" : "accepted, but wrong", &verdict);
    return false;
}

static bool agree_on(struct trial *trial, const struct draft *draft)
{
    struct fw_witness w = { draft->claim, draft->events, draft->event_count, draft->order,
                            draft->order_count };

    return agree(trial, &w);
}

static uint32_t draw(struct trial *trial, uint32_t n)
{
    return fw_random_below(&trial->random, n);
}

/* Some event; every now and then a number that is none. */
static uint32_t draw_event(struct trial *trial)
{
    if (fw_random_percent(&trial->random, 3))
        return fw_random_percent(&trial->random, 50) ? trial->trace->count : FW_NO_EVENT;
    return draw(trial, trial->trace->count);
}

static void remove_at(uint32_t *list, uint32_t *count, uint32_t at)
{
    memmove(list + at, list + at + 1, (*count - at - 1) * sizeof *list);
    --*count;
}

static void insert_at(uint32_t *list, uint32_t *count, uint32_t at, uint32_t event)
{
    memmove(list + at + 1, list + at, (*count - at) * sizeof *list);
    list[at] = event;
    ++*count;
}

static void swap(uint32_t *a, uint32_t *b)
{
    uint32_t c = *a;

    *a = *b;
    *b = c;
}

static void mutate_order(struct trial *trial, struct draft *draft)
{
    uint32_t n = draft->order_count, at = n ? draw(trial, n) : 0, event;

    switch (n < 2 ? 4 : draw(trial, 8)) {
    case 0: /* swap neighbours */
        at = draw(trial, n - 1);
        swap(&draft->order[at], &draft->order[at + 1]);
        break;
    case 1: /* swap any two */
        swap(&draft->order[at], &draft->order[draw(trial, n)]);
        break;
    case 2: /* drop one */
        remove_at(draft->order, &draft->order_count, at);
        break;
    case 3: /* twice */
        insert_at(draft->order, &draft->order_count, draw(trial, n), draft->order[at]);
        break;
    case 4: /* one more */
        insert_at(draft->order, &draft->order_count, draw(trial, n + 1), draw_event(trial));
        break;
    case 5: /* cut */
        draft->order_count = at;
        break;
    case 6: /* another one */
        draft->order[at] = draw_event(trial);
        break;
    default: /* moved */
        event = draft->order[at];
        remove_at(draft->order, &draft->order_count, at);
        insert_at(draft->order, &draft->order_count, draw(trial, n), event);
        break;
    }
}

static void mutate_events(struct trial *trial, struct draft *draft)
{
    uint32_t n = draft->event_count, at = n ? draw(trial, n) : 0;

    switch (n < 1 ? 3 : draw(trial, 5)) {
    case 0: /* swap */
        swap(&draft->events[at], &draft->events[draw(trial, n)]);
        break;
    case 1: /* drop one */
        remove_at(draft->events, &draft->event_count, at);
        break;
    case 2: /* another one */
        draft->events[at] = draw_event(trial);
        break;
    case 3: /* one more */
        if (n < MAX_EVENTS)
            insert_at(draft->events, &draft->event_count, draw(trial, n + 1), draw_event(trial));
        break;
    default: /* the same as something else */
        draft->claim = (enum fw_claim)draw(trial, 5);
        break;
    }
}

static bool agree_on_mutations(struct trial *trial, const struct draft *right)
{
    for (unsigned i = 0; i < MUTATIONS; i++) {
        struct draft draft = *right;

        do {
            if (fw_random_percent(&trial->random, 65))
                mutate_order(trial, &draft);
            else
                mutate_events(trial, &draft);
        } while (fw_random_percent(&trial->random, 25) && draft.order_count + 2 < MAX_ORDER);
        if (!agree_on(trial, &draft))
            return false;
    }
    return true;
}

static void fill_draft(struct draft *draft, const struct fw_witness *w)
{
    FW_ASSERT(w->order_count + 8 < MAX_ORDER && w->event_count <= MAX_EVENTS);
    draft->claim = w->claim;
    draft->order_count = w->order_count;
    draft->event_count = w->event_count;
    memcpy(draft->order, w->order, w->order_count * sizeof *w->order);
    memcpy(draft->events, w->events, w->event_count * sizeof *w->events);
}

/* The verifier must accept; and agree on what comes of changing the witness. */
static bool check_finding(struct trial *trial, const struct fw_oracle_finding *finding)
{
    struct fw_witness w = fw_oracle_witness(finding);
    struct fw_verdict verdict = fw_verify(trial->verifier, &w);
    struct draft draft;

    findings_seen[finding->claim]++;
    if (!verdict.accepted) {
        describe(trial, &w, "the oracle's witness is rejected", &verdict);
        return false;
    }
    fill_draft(&draft, &w);
    return agree_on(trial, &draft) && agree_on_mutations(trial, &draft);
}

static bool check_findings(struct trial *trial, enum fw_claim claim)
{
    struct fw_oracle_findings findings = { 0 };
    bool good = true;

    fw_oracle_find(trial->oracle, claim, true, &findings);
    for (size_t i = 0; good && i < findings.len; i++)
        good = check_finding(trial, &findings.at[i]);
    fw_oracle_findings_release(&findings);
    return good;
}

/* A few orders of two or three events: the oracle's witness if feasible. */
static bool check_orders(struct trial *trial)
{
    bool good = true;

    for (unsigned i = 0; good && i < 4; i++) {
        uint32_t events[3], count = 2 + draw(trial, 2);
        struct fw_oracle_finding finding;

        for (uint32_t k = 0; k < count; k++)
            events[k] = draw(trial, trial->trace->count);
        if (!fw_oracle_order(trial->oracle, events, count, &finding))
            continue;
        good = check_finding(trial, &finding);
        fw_oracle_finding_release(&finding);
    }
    return good;
}

/* Goes on from the start at random; returns the state it ends in. */
static struct fw_oracle_state walk(struct trial *trial, struct draft *draft)
{
    uint32_t threads = fw_trace_thread_count(trial->trace);
    uint32_t wanted = draw(trial, trial->trace->count + 1), misses = 0;
    struct fw_oracle_state state;

    fw_oracle_start(trial->oracle, &state);
    draft->order_count = 0;
    while (draft->order_count < wanted && misses < 4 * threads) {
        uint32_t event = fw_oracle_next(trial->oracle, &state, draw(trial, threads));

        if (event == FW_NO_EVENT || !fw_oracle_may(trial->oracle, &state, event)) {
            misses++;
            continue;
        }
        misses = 0;
        fw_oracle_step(trial->oracle, &state, event);
        draft->order[draft->order_count++] = event;
    }
    return state;
}

/* Claims what the walk's end may show, true or not: whatever the threads are next at. */
static void claim_end(struct trial *trial, struct draft *draft, const struct fw_oracle_state *state)
{
    uint32_t threads = fw_trace_thread_count(trial->trace);
    uint32_t wanted = draft->claim == FW_CLAIM_RACE ? 2 : 2 + draw(trial, 2);

    draft->event_count = 0;
    for (uint32_t t = 0; t < threads && draft->event_count < wanted; t++) {
        uint32_t next = fw_oracle_next(trial->oracle, state, t);

        if (next != FW_NO_EVENT)
            draft->events[draft->event_count++] = next;
    }
    if (draft->claim == FW_CLAIM_DEADLOCK)
        return;
    for (uint32_t i = 0; i < draft->event_count; i++)
        draft->order[draft->order_count++] = draft->events[i];
}

/* Claims that the walk has these events in this order. */
static void claim_order(struct trial *trial, struct draft *draft)
{
    uint32_t wanted = 1 + draw(trial, 4);

    draft->event_count = 0;
    for (uint32_t i = 0; i < draft->order_count && draft->event_count < wanted; i++)
        if (fw_random_percent(&trial->random, 30))
            draft->events[draft->event_count++] = draft->order[i];
}

/* Claims that the next read of some thread sees what it would see now. */
static void claim_nondeterminism(struct trial *trial, struct draft *draft,
                                 const struct fw_oracle_state *state)
{
    uint32_t thread = draw(trial, fw_trace_thread_count(trial->trace));
    uint32_t next = fw_oracle_next(trial->oracle, state, thread), sees;

    draft->event_count = 0;
    if (next == FW_NO_EVENT)
        return;
    draft->order[draft->order_count++] = next;
    draft->events[draft->event_count++] = next;
    sees = fw_is_read(trial->trace->events[next].kind) ? fw_oracle_sees(trial->oracle, state, next)
                                                       : FW_NO_EVENT;
    if (sees != FW_NO_EVENT)
        draft->events[draft->event_count++] = sees;
}

static bool check_walk(struct trial *trial)
{
    struct draft draft;
    struct fw_oracle_state state = walk(trial, &draft);

    draft.claim = (enum fw_claim)draw(trial, 5);
    if (draft.claim == FW_CLAIM_RACE || draft.claim == FW_CLAIM_DEADLOCK)
        claim_end(trial, &draft, &state);
    else if (draft.claim == FW_CLAIM_NONDETERMINISM)
        claim_nondeterminism(trial, &draft, &state);
    else
        claim_order(trial, &draft);
    return agree_on(trial, &draft) && agree_on_mutations(trial, &draft);
}

/* The trace is a correct reordering of itself. */
static bool check_itself(struct trial *trial)
{
    struct draft draft = { .claim = FW_CLAIM_ORDER, .event_count = 1 };
    struct fw_witness w = { FW_CLAIM_ORDER, draft.events, 1, draft.order, trial->trace->count };
    struct fw_verdict verdict;

    for (uint32_t i = 0; i < trial->trace->count; i++)
        draft.order[i] = i;
    draft.events[0] = trial->trace->count - 1;
    verdict = fw_verify(trial->verifier, &w);
    if (verdict.accepted && fw_oracle_judge(trial->oracle, &w))
        return true;
    describe(trial, &w, "the trace itself is rejected", &verdict);
    return false;
}

struct exhaustive {
    struct trial *trial;
    bool good;
};

/* Behind each correct reordering, each event of the trace as the next one. */
static bool check_sequence(void *context, const uint32_t *order, uint32_t count)
{
    struct exhaustive *run = context;
    struct draft draft = { .claim = FW_CLAIM_ORDER, .event_count = 1 };

    sequences++;
    memcpy(draft.order, order, count * sizeof *order);
    draft.order_count = count + 1;
    for (uint32_t e = 0; run->good && e < run->trial->trace->count; e++) {
        draft.order[count] = draft.events[0] = e;
        run->good = agree_on(run->trial, &draft);
    }
    return run->good;
}

static bool check_all_sequences(struct trial *trial)
{
    struct exhaustive run = { trial, true };

    fw_oracle_enumerate(trial->oracle, MAX_SEQUENCES, check_sequence, &run);
    return run.good;
}

static bool check_trace(struct trial *trial, const char *profile)
{
    if (!fw_oracle_fits(trial->oracle) || !trial->trace->count)
        return true;
    if (!check_itself(trial))
        return false;
    if (strcmp(profile, "tiny") == 0 && !check_all_sequences(trial))
        return false;
    for (unsigned i = 0; i < WALKS; i++)
        if (!check_walk(trial))
            return false;
    if (fw_oracle_explore(trial->oracle, MAX_STATES) < 0) {
        too_large++;
        return true;
    }
    return check_findings(trial, FW_CLAIM_RACE) && check_findings(trial, FW_CLAIM_DEADLOCK) &&
           check_findings(trial, FW_CLAIM_ATOMICITY) &&
           check_findings(trial, FW_CLAIM_NONDETERMINISM) && check_orders(trial);
}

static bool verifier_and_oracle_agree(const struct fw_sample *sample, char *why, size_t why_size)
{
    struct trial trial = { .why = why, .why_size = why_size };
    struct fw_trace *trace = fw_load_sample(sample, why, why_size);
    bool values, good;

    if (!trace)
        return false;
    trial.trace = trace;
    trial.oracle = fw_oracle_create(trace);
    trial.verifier = fw_verifier_create(trace);
    fw_random_init(&trial.random, sample->seed ^ UINT64_C(0x7665726966792121));
    values = fw_random_percent(&trial.random, 50);
    fw_oracle_use_values(trial.oracle, values);
    fw_verifier_use_values(trial.verifier, values);
    good = check_trace(&trial, sample->profile);
    fw_verifier_destroy(trial.verifier);
    fw_oracle_destroy(trial.oracle);
    fw_trace_destroy(trace);
    return good;
}

int main(void)
{
    static const char *const profiles[] = { "locks",     "branches",   "two",        "forks",
                                            "shared",    "waits",      "semaphores", "monitors",
                                            "barriers",  "atomics",    "blocks",     "heap",
                                            "deadlocks", "everything", "tiny",       "values",
                                            NULL };
    int status = fw_property_run("prop_verify", profiles, 40000, verifier_and_oracle_agree);

    printf("findings: %" PRIu64 " races, %" PRIu64 " deadlocks, %" PRIu64 " orders, %" PRIu64
           " atomicity violations, %" PRIu64 " nondeterministic reads\n",
           findings_seen[FW_CLAIM_RACE], findings_seen[FW_CLAIM_DEADLOCK],
           findings_seen[FW_CLAIM_ORDER], findings_seen[FW_CLAIM_ATOMICITY],
           findings_seen[FW_CLAIM_NONDETERMINISM]);
    printf("witnesses compared: %" PRIu64 " right, %" PRIu64 " wrong; %" PRIu64
           " reorderings enumerated; %" PRIu64 " traces too large to explore\n",
           accepted, rejected, sequences, too_large);
    return status;
}
