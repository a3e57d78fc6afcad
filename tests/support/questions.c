/* questions.c - see questions.h. */
#include "support/questions.h"

#include "base/bug.h"
#include "support/oracle_iroot.h"

#include <inttypes.h>
#include <stdio.h>

#define MAX_CYCLES 20000u /* of acquires; beyond that the list is cut */

static const struct fw_event *at(const struct fw_trace *trace, uint32_t e)
{
    return &trace->events[e];
}

static bool is_access(const struct fw_trace *trace, uint32_t e)
{
    return fw_is_class(at(trace, e)->kind, FW_CLASS_READ | FW_CLASS_WRITE);
}

static void add(struct fw_questions *questions, enum fw_claim claim, const uint32_t *events,
                uint32_t count)
{
    struct fw_question question = { .claim = claim, .count = count };

    FW_ASSERT(count <= FW_QUESTION_EVENTS);
    memcpy(question.events, events, count * sizeof *events);
    fw_vec_push(questions, question);
}

static void list_races(struct fw_questions *questions, const struct fw_trace *trace)
{
    for (uint32_t a = 0; a < trace->count; a++)
        for (uint32_t b = a + 1; b < trace->count; b++)
            if (at(trace, a)->thread != at(trace, b)->thread &&
                fw_kinds_conflict(at(trace, a)->kind, at(trace, b)->kind) &&
                at(trace, a)->target == at(trace, b)->target)
                add(questions, FW_CLAIM_RACE, (uint32_t[]) { a, b }, 2);
}

static void list_nondeterminism(struct fw_questions *questions, const struct fw_trace *trace)
{
    for (uint32_t r = 0; r < trace->count; r++) {
        if (!fw_is_read(at(trace, r)->kind))
            continue;
        add(questions, FW_CLAIM_NONDETERMINISM, &r, 1);
        for (uint32_t w = 0; w < trace->count; w++)
            if (w != r && fw_is_write(at(trace, w)->kind) &&
                at(trace, w)->target == at(trace, r)->target)
                add(questions, FW_CLAIM_NONDETERMINISM, (uint32_t[]) { r, w }, 2);
    }
}

static bool unserialisable(unsigned a1, unsigned b, unsigned a2)
{
    bool r1 = fw_is_read(a1), w1 = fw_is_write(a1), rb = fw_is_read(b), wb = fw_is_write(b);

    if (wb && (r1 || w1) && fw_is_read(a2))
        return true; /* r-w-r, w-w-r */
    return fw_is_write(a2) && ((w1 && rb) || (r1 && wb));
}

/* The thread's next access to the variable after this one, or FW_NO_EVENT. */
static uint32_t next_access(const struct fw_trace *trace, uint32_t a1)
{
    for (uint32_t e = a1 + 1; e < trace->count; e++)
        if (at(trace, e)->thread == at(trace, a1)->thread && is_access(trace, e) &&
            at(trace, e)->target == at(trace, a1)->target)
            return e;
    return FW_NO_EVENT;
}

static void list_atomicity(struct fw_questions *questions, const struct fw_trace *trace)
{
    for (uint32_t a1 = 0; a1 < trace->count; a1++) {
        uint32_t a2 = is_access(trace, a1) ? next_access(trace, a1) : FW_NO_EVENT;

        for (uint32_t b = 0; a2 != FW_NO_EVENT && b < trace->count; b++)
            if (is_access(trace, b) && at(trace, b)->target == at(trace, a1)->target &&
                at(trace, b)->thread != at(trace, a1)->thread &&
                unserialisable(at(trace, a1)->kind, at(trace, b)->kind, at(trace, a2)->kind))
                add(questions, FW_CLAIM_ATOMICITY, (uint32_t[]) { a1, b, a2 }, 3);
    }
}

/* Does the thread of `holder`, before that event, hold what the acquire waits for? */
static bool waits_for(const struct fw_trace *trace, uint32_t acquire, uint32_t holder)
{
    for (uint32_t e = holder; e-- > 0;) {
        unsigned kind = at(trace, e)->kind;

        if (at(trace, e)->thread != at(trace, holder)->thread ||
            at(trace, e)->target != at(trace, acquire)->target ||
            !fw_is_class(kind, FW_CLASS_ACQUIRE | FW_CLASS_RELEASE))
            continue;
        return fw_is_class(kind, FW_CLASS_ACQUIRE) &&
               !(fw_is_class(kind, FW_CLASS_SHARED) &&
                 fw_is_class(at(trace, acquire)->kind, FW_CLASS_SHARED));
    }
    return false;
}

/* A chain of acquires, each waiting for the thread of the next one, that may close. */
struct chain {
    const struct fw_trace *trace;
    struct fw_questions *questions;
    uint32_t events[FW_QUESTION_EVENTS], count;
    size_t first; /* question of this list */
};

static int by_position(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

static void close_chain(struct chain *chain)
{
    uint32_t sorted[FW_QUESTION_EVENTS];
    size_t bytes = chain->count * sizeof *sorted;

    memcpy(sorted, chain->events, bytes);
    qsort(sorted, chain->count, sizeof *sorted, by_position);
    /* Two cycles through the same acquires are one question. */
    for (size_t i = chain->first; i < chain->questions->len; i++)
        if (chain->questions->at[i].count == chain->count &&
            memcmp(chain->questions->at[i].events, sorted, bytes) == 0)
            return;
    add(chain->questions, FW_CLAIM_DEADLOCK, sorted, chain->count);
}

/* No thread twice, and nobody in between waits for it or is waited for by it already. */
static bool can_follow(const struct chain *chain, uint32_t e)
{
    if (!fw_is_class(at(chain->trace, e)->kind, FW_CLASS_BLOCKING) || e < chain->events[0] ||
        !waits_for(chain->trace, chain->events[chain->count - 1], e))
        return false;
    for (uint32_t i = 0; i < chain->count; i++)
        if (at(chain->trace, chain->events[i])->thread == at(chain->trace, e)->thread ||
            (i + 1 < chain->count && waits_for(chain->trace, chain->events[i], e)) ||
            (i > 0 && waits_for(chain->trace, e, chain->events[i])))
            return false;
    return true;
}

static void extend_chain(struct chain *chain)
{
    for (uint32_t e = 0; e < chain->trace->count; e++) {
        if (chain->questions->len - chain->first >= MAX_CYCLES || !can_follow(chain, e))
            continue;
        chain->events[chain->count++] = e;
        if (waits_for(chain->trace, e, chain->events[0]))
            close_chain(chain);
        else if (chain->count < FW_QUESTION_EVENTS)
            extend_chain(chain);
        chain->count--;
    }
}

static void list_deadlocks(struct fw_questions *questions, const struct fw_trace *trace)
{
    struct chain chain = { .trace = trace, .questions = questions, .first = questions->len };

    for (uint32_t e = 0; e < trace->count; e++) {
        if (!fw_is_class(at(trace, e)->kind, FW_CLASS_BLOCKING))
            continue;
        chain.events[0] = e;
        chain.count = 1;
        extend_chain(&chain);
    }
}

void fw_questions_list(struct fw_questions *questions, const struct fw_trace *trace,
                       enum fw_claim claim)
{
    switch (claim) {
    case FW_CLAIM_RACE:
        list_races(questions, trace);
        return;
    case FW_CLAIM_DEADLOCK:
        list_deadlocks(questions, trace);
        return;
    case FW_CLAIM_ATOMICITY:
        list_atomicity(questions, trace);
        return;
    case FW_CLAIM_NONDETERMINISM:
        list_nondeterminism(questions, trace);
        return;
    case FW_CLAIM_ORDER:
    case FW_CLAIM_FINAL: /* prop_final and prop_iroot_ask list them themselves */
    case FW_CLAIM_IROOT:
        break;
    }
    FW_BUG("no list of questions for claim %d", (int)claim);
}

void fw_questions_draw_orders(struct fw_questions *questions, const struct fw_trace *trace,
                              uint32_t count, struct fw_random *random)
{
    for (uint32_t i = 0; trace->count && i < count; i++) {
        uint32_t events[4], size = 2 + fw_random_below(random, 3);

        for (uint32_t k = 0; k < size; k++)
            events[k] = fw_random_below(random, trace->count);
        add(questions, FW_CLAIM_ORDER, events, size);
    }
}

/* The accesses of an instance, one by one, each drawn until it fits. */
static uint32_t draw_instance(const struct fw_oracle *oracle, uint32_t events[4], uint32_t total,
                              struct fw_random *random)
{
    uint32_t count = 2 + fw_random_below(random, 3);

    for (uint32_t tries = 0; tries < 4000; tries++) {
        if (tries % 100 == 0)
            for (uint32_t k = 0; k < 2; k++)
                events[k] = fw_random_below(random, total);
        for (uint32_t k = 2; k < count; k++)
            events[k] = fw_random_below(random, total);
        if (fw_oracle_waits(oracle, events, count, FW_VERIFY_WINDOW) ||
            fw_oracle_idiom(oracle, events, count, FW_VERIFY_WINDOW))
            return count;
        if (!fw_oracle_idiom(oracle, events, 2, FW_VERIFY_WINDOW))
            tries |= 99; /* others to begin with */
    }
    return 0;
}

void fw_questions_draw_iroots(struct fw_questions *questions, const struct fw_oracle *oracle,
                              uint32_t total, uint32_t count, struct fw_random *random)
{
    for (uint32_t i = 0; total && i < count; i++) {
        uint32_t events[4], size = draw_instance(oracle, events, total, random);

        if (size)
            add(questions, FW_CLAIM_IROOT, events, size);
    }
}

void fw_questions_sample(struct fw_questions *questions, size_t from, size_t count,
                         struct fw_random *random)
{
    if (questions->len <= from + count)
        return;
    for (size_t i = 0; i < count; i++) {
        size_t left = questions->len - from - i;
        size_t other = from + i + fw_random_below(random, (uint32_t)left);
        struct fw_question drawn = questions->at[other];

        questions->at[other] = questions->at[from + i];
        questions->at[from + i] = drawn;
    }
    questions->len = from + count;
}

const char *fw_question_text(const struct fw_question *question, char *text, size_t size)
{
    int used = snprintf(text, size, "%s", fw_claim_names[question->claim]);

    for (uint32_t i = 0; i < question->count && used + 12 < (int)size; i++)
        used += snprintf(text + used, size - (size_t)used, " %" PRIu32, question->events[i]);
    return text;
}
