/*
 * smt_encode.c - the rules of correct reorderings as clauses, one function each.
 *
 * The numbers are those of docs/soundness.md.
 */
#include "support/smt_internal.h"

#include "base/bug.h"

/* ---- clauses ---- */

Z3_ast smt_boolean(struct fw_smt *s)
{
    return Z3_mk_fresh_const(s->z3, "b", Z3_mk_bool_sort(s->z3));
}

void smt_or(struct fw_smt *s, Z3_ast literal)
{
    if (literal)
        fw_vec_push(&s->clause, literal);
}

void smt_or_not(struct fw_smt *s, Z3_ast literal)
{
    fw_vec_push(&s->clause, Z3_mk_not(s->z3, literal));
}

bool smt_must_precede(const struct fw_smt *s, uint32_t a, uint32_t b)
{
    return s->earlier[(size_t)b * s->words + a / 64] >> a % 64 & 1;
}

Z3_ast smt_before(struct fw_smt *s, uint32_t a, uint32_t b)
{
    Z3_ast *known = &s->order[(size_t)a * s->count + b];

    if (smt_must_precede(s, a, b))
        return Z3_mk_true(s->z3);
    if (a == b || smt_must_precede(s, b, a))
        return NULL;
    if (!*known)
        *known = Z3_mk_lt(s->z3, s->time[a], s->time[b]);
    return *known;
}

void smt_or_before(struct fw_smt *s, uint32_t a, uint32_t b)
{
    smt_or(s, smt_before(s, a, b));
}

void smt_add(struct fw_smt *s)
{
    bool trivial = false;

    for (size_t i = 0; i < s->clause.len && !trivial; i++)
        trivial = Z3_get_bool_value(s->z3, s->clause.at[i]) == Z3_L_TRUE;
    if (!trivial)
        Z3_solver_assert(s->z3, s->solver, Z3_mk_or(s->z3, (unsigned)s->clause.len, s->clause.at));
    fw_vec_clear(&s->clause);
}

static void implies(struct fw_smt *s, Z3_ast condition, Z3_ast consequence)
{
    smt_or_not(s, condition);
    smt_or(s, consequence);
    smt_add(s);
}

/* ---- what must come after what ---- */

/* b needs a, and comes after it. */
static void needs(struct fw_smt *s, uint32_t b, uint32_t a)
{
    uint64_t *row = s->earlier + (size_t)b * s->words;

    FW_ASSERT(a < b); /* as in the trace */
    implies(s, s->present[b], s->present[a]);
    Z3_solver_assert(s->z3, s->solver, Z3_mk_lt(s->z3, s->time[a], s->time[b]));
    for (uint32_t w = 0; w < s->words; w++)
        row[w] |= s->earlier[(size_t)a * s->words + w];
    row[a / 64] |= UINT64_C(1) << a % 64;
}

uint32_t smt_previous(const struct fw_smt *s, uint32_t event)
{
    uint32_t place = smt_fact(s, event)->place;

    return place ? s->oracle->threads[smt_event(s, event)->thread].events.at[place - 1]
                 : FW_NO_EVENT;
}

/* Rules 1 and 2: prefixes in program order, a thread after its fork. */
static void encode_thread_order(struct fw_smt *s, uint32_t e)
{
    uint32_t previous = smt_previous(s, e), fork = s->oracle->threads[smt_event(s, e)->thread].fork;

    if (previous != FW_NO_EVENT)
        needs(s, e, previous);
    else if (fork != FW_NO_EVENT)
        needs(s, e, fork);
}

/* The last event of a thread; of one without events its fork, if it has one. */
static uint32_t end_of(const struct fw_smt *s, uint32_t thread)
{
    const struct oracle_thread *t = &s->oracle->threads[thread];

    return t->events.len ? fw_vec_last(&t->events) : t->fork;
}

/* Rule 8: a barout needs all ins of its round, a barin all ins of the round before. */
static void encode_barrier(struct fw_smt *s, uint32_t e)
{
    bool in = smt_event(s, e)->kind == FW_BARRIER_IN;
    uint32_t round = smt_fact(s, e)->round;

    if (round == UINT32_MAX || (in && round == 0))
        return;
    for (uint32_t i = 0; i < e; i++)
        if (smt_event(s, i)->kind == FW_BARRIER_IN &&
            smt_event(s, i)->target == smt_event(s, e)->target &&
            smt_fact(s, i)->round == round - in)
            needs(s, e, i);
}

/* Rules 1, 2, 3, 6 (first half), 7, 8, and that a load that synchronised comes after its store. */
static void encode_needs(struct fw_smt *s)
{
    for (uint32_t e = 0; e < s->count; e++) {
        const struct fw_event *event = smt_event(s, e);
        const struct oracle_fact *fact = smt_fact(s, e);

        encode_thread_order(s, e);
        if (event->kind == FW_JOIN && end_of(s, event->target) != FW_NO_EVENT)
            needs(s, e, end_of(s, event->target));
        if ((event->kind == FW_WAKE || event->kind == FW_PEND) && fact->answers != FW_NO_EVENT)
            needs(s, e, fact->answers);
        if (event->kind == FW_BARRIER_IN || event->kind == FW_BARRIER_OUT)
            encode_barrier(s, e);
        if (fact->must_see)
            needs(s, e, fact->writer);
    }
}

/* Rule 6, second half: the notify comes after the waiter's own release. */
static void encode_wake(struct fw_smt *s, uint32_t e)
{
    const struct oracle_fact *fact = smt_fact(s, e);

    if (fact->answers == FW_NO_EVENT || fact->released == FW_NO_EVENT)
        return;
    smt_or_not(s, s->present[e]);
    smt_or_before(s, fact->released, fact->answers);
    smt_add(s);
}

/* ---- locks ---- */

static void find_holds(struct fw_smt *s)
{
    for (uint32_t e = 0; e < s->count; e++) {
        const struct fw_event *event = smt_event(s, e);

        if (fw_is_class(event->kind, FW_CLASS_ACQUIRE)) {
            fw_vec_push(&s->holds,
                        ((struct smt_hold) { event->thread, event->target, e, FW_NO_EVENT,
                                             fw_is_class(event->kind, FW_CLASS_SHARED) }));
        } else if (fw_is_class(event->kind, FW_CLASS_RELEASE)) {
            size_t i = s->holds.len;

            while (i-- > 0 &&
                   (s->holds.at[i].thread != event->thread || s->holds.at[i].lock != event->target))
                ;
            FW_ASSERT(i < s->holds.len && s->holds.at[i].release == FW_NO_EVENT);
            s->holds.at[i].release = e;
        }
    }
}

/* "The hold has ended before e", of an e that is present. */
static Z3_ast ended_before(struct fw_smt *s, const struct smt_hold *hold, uint32_t e)
{
    Z3_ast both[2];

    if (hold->release == FW_NO_EVENT)
        return NULL;
    both[0] = s->present[hold->release];
    both[1] = smt_before(s, hold->release, e);
    return both[1] ? Z3_mk_and(s->z3, 2, both) : NULL;
}

/* Rule 4: of two holds that exclude each other, one has ended when the other begins. */
static void encode_exclusion(struct fw_smt *s)
{
    for (size_t i = 0; i < s->holds.len; i++)
        for (size_t k = 0; k < i; k++) {
            const struct smt_hold *a = &s->holds.at[i], *b = &s->holds.at[k];

            if (a->lock != b->lock || a->thread == b->thread || (a->shared && b->shared))
                continue;
            smt_or_not(s, s->present[a->acquire]);
            smt_or_not(s, s->present[b->acquire]);
            smt_or(s, ended_before(s, a, b->acquire));
            smt_or(s, ended_before(s, b, a->acquire));
            smt_add(s);
        }
}

/* "The hold has begun and not ended at e". */
static Z3_ast held_at(struct fw_smt *s, const struct smt_hold *hold, uint32_t e)
{
    Z3_ast open[2] = { NULL, NULL }, all[3];
    unsigned count = 1;

    all[0] = s->present[hold->acquire];
    all[1] = smt_before(s, hold->acquire, e);
    if (!all[1])
        return NULL;
    if (hold->release != FW_NO_EVENT) {
        open[0] = Z3_mk_not(s->z3, s->present[hold->release]);
        open[1] = smt_before(s, e, hold->release);
        count = open[1] ? 2 : 1;
    }
    all[2] = open[0] ? Z3_mk_or(s->z3, count, open) : Z3_mk_true(s->z3);
    return Z3_mk_and(s->z3, 3, all);
}

/* Rule 5: another thread holds the lock. */
static void encode_try_fail(struct fw_smt *s, uint32_t e)
{
    smt_or_not(s, s->present[e]);
    for (size_t i = 0; i < s->holds.len; i++)
        if (s->holds.at[i].lock == smt_event(s, e)->target &&
            s->holds.at[i].thread != smt_event(s, e)->thread)
            smt_or(s, held_at(s, &s->holds.at[i], e));
    smt_add(s);
}

/* ---- memory ---- */

/* If `condition`, the read, which is present, sees this write (FW_NO_EVENT: none). */
static void encode_sees(struct fw_smt *s, Z3_ast condition, uint32_t read, uint32_t write)
{
    const struct smt_events *writes = &s->writes[smt_event(s, read)->target];

    if (write != FW_NO_EVENT) {
        implies(s, condition, s->present[write]);
        implies(s, condition, smt_before(s, write, read));
    }
    for (size_t i = 0; i < writes->len; i++) {
        uint32_t other = writes->at[i];

        if (other == write || other == read)
            continue;
        smt_or_not(s, condition);
        smt_or_not(s, s->present[other]);
        smt_or_before(s, read, other);
        if (write != FW_NO_EVENT)
            smt_or_before(s, other, write);
        smt_add(s);
    }
}

/* If `condition`, the read sees this write, and that is untainted. */
static void encode_sees_clean(struct fw_smt *s, Z3_ast condition, uint32_t read, uint32_t write)
{
    encode_sees(s, condition, read, write);
    if (write != FW_NO_EVENT)
        implies(s, condition, s->clean[write]);
}

/* Rule 10: a clean read sees an untainted write: the one that it saw, or one of the same value. */
static void encode_clean_read(struct fw_smt *s, uint32_t e)
{
    const struct smt_events *writes = &s->writes[smt_event(s, e)->target];
    uint32_t writer = smt_fact(s, e)->writer;
    struct smt_literals ways = { 0 };

    fw_vec_push(&ways, smt_boolean(s));
    encode_sees_clean(s, ways.at[0], e, writer);
    for (size_t i = 0; i < writes->len; i++) {
        uint32_t other = writes->at[i];

        if (other == writer || other == e || !oracle_same_value(s->oracle, e, other))
            continue;
        fw_vec_push(&ways, smt_boolean(s));
        encode_sees_clean(s, fw_vec_last(&ways), e, other);
    }
    smt_or_not(s, s->clean[e]);
    for (size_t i = 0; i < ways.len; i++)
        smt_or(s, ways.at[i]);
    smt_add(s);
    fw_vec_release(&ways);
}

/* Rule 10: taint stays in a thread, and comes by its fork and by its joins. */
static void encode_clean_thread(struct fw_smt *s, uint32_t e)
{
    const struct fw_event *event = smt_event(s, e);
    uint32_t before = smt_previous(s, e);

    if (before == FW_NO_EVENT)
        before = s->oracle->threads[event->thread].fork;
    implies(s, s->clean[e], s->present[e]);
    if (before != FW_NO_EVENT)
        implies(s, s->clean[e], s->clean[before]);
    if (event->kind == FW_JOIN && end_of(s, event->target) != FW_NO_EVENT)
        implies(s, s->clean[e], s->clean[end_of(s, event->target)]);
    if (event->kind == FW_BRANCH)
        implies(s, s->present[e], s->clean[e]);
}

/* The branch that is implied behind a read: whatever follows needs the read clean. */
static void encode_strict(struct fw_smt *s, uint32_t e)
{
    uint32_t before = smt_previous(s, e), end;

    if (before != FW_NO_EVENT && fw_is_read(smt_event(s, before)->kind))
        implies(s, s->present[e], s->clean[before]);
    if (smt_event(s, e)->kind != FW_JOIN)
        return;
    end = end_of(s, smt_event(s, e)->target);
    if (end != FW_NO_EVENT && fw_is_read(smt_event(s, end)->kind))
        implies(s, s->present[e], s->clean[end]);
}

static void encode_event(struct fw_smt *s, uint32_t e)
{
    unsigned kind = smt_event(s, e)->kind;

    if (kind == FW_WAKE)
        encode_wake(s, e);
    if (kind == FW_TRY_FAIL)
        encode_try_fail(s, e);
    if (smt_fact(s, e)->must_see) /* rule 9 */
        encode_sees(s, s->present[e], e, smt_fact(s, e)->writer);
    if (fw_is_read(kind))
        encode_clean_read(s, e);
    encode_clean_thread(s, e);
    if (s->strict)
        encode_strict(s, e);
    smt_or_not(s, s->all_clean);
    smt_or_not(s, s->present[e]);
    smt_or(s, s->clean[e]);
    smt_add(s);
}

void smt_encode(struct fw_smt *s)
{
    for (uint32_t e = 0; e < s->count; e++) {
        s->present[e] = smt_boolean(s);
        s->clean[e] = smt_boolean(s);
        s->time[e] = Z3_mk_fresh_const(s->z3, "t", Z3_mk_int_sort(s->z3));
        if (fw_is_write(smt_event(s, e)->kind))
            fw_vec_push(&s->writes[smt_event(s, e)->target], e);
    }
    s->all_clean = smt_boolean(s);
    find_holds(s);
    encode_needs(s); /* first: the others look at what must precede what */
    encode_exclusion(s);
    for (uint32_t e = 0; e < s->count; e++)
        encode_event(s, e);
}
