/*
 * smt.c - claims as assumptions about a reordering, and the witness from the model.
 *
 * Races, deadlocks and nondeterminism speak of the state that a reordering
 * leads to; it is the one whose events are present.
 */
#include "support/oracle_iroot.h"
#include "support/smt_internal.h"

#include "base/bug.h"

/* ---- assumptions ---- */

static void assume(struct fw_smt *s, Z3_ast literal)
{
    fw_vec_push(&s->assumptions, literal);
}

/* The event is next in its thread, which has started. */
static void assume_next(struct fw_smt *s, uint32_t e)
{
    uint32_t before = smt_previous(s, e);
    uint32_t fork = s->oracle->threads[smt_event(s, e)->thread].fork;

    assume(s, Z3_mk_not(s->z3, s->present[e]));
    if (before == FW_NO_EVENT) {
        if (fork != FW_NO_EVENT)
            assume(s, s->present[fork]);
        return;
    }
    assume(s, s->present[before]);
    if (s->strict && fw_is_read(smt_event(s, before)->kind))
        assume(s, s->clean[before]); /* or the implied branch is next */
}

/* a is before b; false: it cannot be. */
static bool assume_before(struct fw_smt *s, uint32_t a, uint32_t b)
{
    Z3_ast *known = &s->asked[(size_t)a * s->count + b], before = smt_before(s, a, b);

    if (!before)
        return false;
    if (!*known) {
        *known = smt_boolean(s);
        smt_or_not(s, *known);
        smt_or(s, before);
        smt_add(s);
    }
    assume(s, *known);
    return true;
}

/* A Boolean that implies that the variable's last write is this one, or that it has none. */
static Z3_ast last_write(struct fw_smt *s, uint32_t variable, uint32_t write)
{
    Z3_ast *known = write == FW_NO_EVENT ? &s->unwritten[variable] : &s->last[write];
    const struct smt_events *writes = &s->writes[variable];

    if (*known)
        return *known;
    *known = smt_boolean(s);
    if (write != FW_NO_EVENT) {
        smt_or_not(s, *known);
        smt_or(s, s->present[write]);
        smt_add(s);
    }
    for (size_t i = 0; i < writes->len; i++) {
        if (writes->at[i] == write)
            continue;
        smt_or_not(s, *known);
        smt_or_not(s, s->present[writes->at[i]]);
        if (write != FW_NO_EVENT)
            smt_or_before(s, writes->at[i], write);
        smt_add(s);
    }
    return *known;
}

/* ---- claims; false: there is no such reordering, whatever the rules ---- */

static bool claim_race(struct fw_smt *s, const uint32_t *events, uint32_t count)
{
    const struct fw_event *a, *b;

    if (count != 2)
        return false;
    a = smt_event(s, events[0]);
    b = smt_event(s, events[1]);
    if (a->thread == b->thread || a->target != b->target || !fw_kinds_conflict(a->kind, b->kind))
        return false;
    assume_next(s, events[0]);
    assume_next(s, events[1]);
    return true;
}

/* Does the holder's thread, when it is next at its event, keep the acquire waiting? */
static bool blocks(const struct fw_smt *s, uint32_t acquire, uint32_t holder)
{
    const struct fw_event *event = smt_event(s, acquire);

    for (size_t i = 0; i < s->holds.len; i++) {
        const struct smt_hold *hold = &s->holds.at[i];

        if (hold->thread == smt_event(s, holder)->thread && hold->thread != event->thread &&
            hold->lock == event->target && hold->acquire < holder && holder <= hold->release &&
            !(hold->shared && fw_is_class(event->kind, FW_CLASS_SHARED)))
            return true;
    }
    return false;
}

static bool claim_deadlock(struct fw_smt *s, const uint32_t *events, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        bool waits = false;

        if (!fw_is_class(smt_event(s, events[i])->kind, FW_CLASS_BLOCKING))
            return false;
        for (uint32_t k = 0; k < count; k++) {
            if (k != i && smt_event(s, events[k])->thread == smt_event(s, events[i])->thread)
                return false;
            waits |= blocks(s, events[i], events[k]);
        }
        if (!waits)
            return false;
        assume_next(s, events[i]);
    }
    return count >= 2;
}

static bool claim_order(struct fw_smt *s, const uint32_t *events, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        assume(s, s->present[events[i]]);
        if (i > 0 && !assume_before(s, events[i - 1], events[i]))
            return false;
    }
    return count >= 1;
}

/* Bits: 1 reads, 2 writes. */
static unsigned access_of(const struct fw_smt *s, uint32_t e)
{
    unsigned kind = smt_event(s, e)->kind;

    return (fw_is_read(kind) ? 1u : 0u) | (fw_is_write(kind) ? 2u : 0u);
}

/* Consecutive accesses of a thread, b of another one, not to be serialised. */
static bool is_triple(const struct fw_smt *s, const uint32_t *events)
{
    static const unsigned patterns[][3] = { { 1, 2, 1 }, { 2, 2, 1 }, { 2, 1, 2 }, { 1, 2, 2 } };
    const struct fw_event *a1 = smt_event(s, events[0]), *b = smt_event(s, events[1]);
    const struct fw_event *a2 = smt_event(s, events[2]);
    unsigned kinds[3] = { access_of(s, events[0]), access_of(s, events[1]),
                          access_of(s, events[2]) };

    if (!kinds[0] || !kinds[1] || !kinds[2] || a1->target != b->target ||
        a1->target != a2->target || a1->thread != a2->thread || a1->thread == b->thread)
        return false;
    for (uint32_t e = events[0] + 1; e < events[2]; e++)
        if (smt_event(s, e)->thread == a1->thread && access_of(s, e) &&
            smt_event(s, e)->target == a1->target)
            return false;
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
        if (patterns[i][0] & kinds[0] && patterns[i][1] & kinds[1] && patterns[i][2] & kinds[2])
            return true;
    return false;
}

static bool claim_atomicity(struct fw_smt *s, const uint32_t *events, uint32_t count)
{
    return count == 3 && is_triple(s, events) && claim_order(s, events, count);
}

/* Before the read nothing is tainted, and the last write is another one, which changes it. */
static bool claim_nondeterminism(struct fw_smt *s, const uint32_t *events, uint32_t count)
{
    uint32_t read, instead;

    if (count < 1 || count > 2)
        return false;
    read = events[0];
    instead = count == 2 ? events[1] : FW_NO_EVENT;
    if (!fw_is_read(smt_event(s, read)->kind) || smt_fact(s, read)->must_see ||
        smt_fact(s, read)->writer == instead)
        return false;
    if (count == 2 && (!fw_is_write(smt_event(s, instead)->kind) ||
                       smt_event(s, instead)->target != smt_event(s, read)->target ||
                       oracle_same_value(s->oracle, read, instead)))
        return false;
    assume_next(s, read);
    assume(s, s->all_clean);
    assume(s, last_write(s, smt_event(s, read)->target, instead));
    return true;
}

/* a => b: whatever is there and would part them is before a or behind b. */
static bool assume_immediate(struct fw_smt *s, uint32_t a, uint32_t b)
{
    Z3_ast immediate = smt_boolean(s);

    assume(s, s->present[a]);
    assume(s, s->present[b]);
    for (uint32_t e = 0; e < s->count; e++) {
        if (e == a || e == b || !fw_oracle_parts(s->oracle, e, a, b))
            continue;
        smt_or_not(s, immediate);
        smt_or_not(s, s->present[e]);
        smt_or_before(s, e, a);
        smt_or_before(s, b, e);
        smt_add(s);
    }
    assume(s, immediate);
    return assume_before(s, a, b);
}

static bool claim_iroot(struct fw_smt *s, const uint32_t *events, uint32_t count)
{
    uint32_t second = count == 3 ? 1 : 2;

    if (fw_oracle_waits(s->oracle, events, count, FW_VERIFY_WINDOW))
        return claim_deadlock(s, (uint32_t[]) { events[3], events[1] }, 2);
    if (!fw_oracle_idiom(s->oracle, events, count, FW_VERIFY_WINDOW) ||
        !assume_immediate(s, events[0], events[1]))
        return false;
    return count == 2 || assume_immediate(s, events[second], events[second + 1]);
}

/* ---- the answer ---- */

/* Place of an event in the model, for sorting. */
struct moment {
    int64_t time;
    uint32_t event;
};

static int by_time(const void *a, const void *b)
{
    const struct moment *x = a, *y = b;

    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return (x->event > y->event) - (x->event < y->event);
}

static Z3_ast value_of(const struct fw_smt *s, Z3_model model, Z3_ast ast)
{
    Z3_ast value = NULL;

    if (!Z3_model_eval(s->z3, model, ast, true, &value))
        FW_BUG("the model has no value");
    return value;
}

/* The events that are present, in the order of their times. */
static void read_witness(struct fw_smt *s)
{
    struct moment *moments = fw_xcalloc((size_t)s->count + 1, sizeof *moments);
    Z3_model model = Z3_solver_get_model(s->z3, s->solver);
    uint32_t count = 0;

    Z3_model_inc_ref(s->z3, model);
    for (uint32_t e = 0; e < s->count; e++) {
        if (Z3_get_bool_value(s->z3, value_of(s, model, s->present[e])) != Z3_L_TRUE)
            continue;
        moments[count].event = e;
        if (!Z3_get_numeral_int64(s->z3, value_of(s, model, s->time[e]), &moments[count++].time))
            FW_BUG("a time is no number");
    }
    Z3_model_dec_ref(s->z3, model);
    qsort(moments, count, sizeof *moments, by_time);
    for (uint32_t i = 0; i < count; i++)
        fw_vec_push(&s->witness, moments[i].event);
    free(moments);
}

/* What the witness of the claim has behind the reordering. */
static void end_witness(struct fw_smt *s, enum fw_claim claim, const uint32_t *events)
{
    if (claim == FW_CLAIM_RACE || claim == FW_CLAIM_NONDETERMINISM)
        fw_vec_push(&s->witness, events[0]);
    if (claim == FW_CLAIM_RACE)
        fw_vec_push(&s->witness, events[1]);
}

static bool make_assumptions(struct fw_smt *s, enum fw_claim claim, const uint32_t *events,
                             uint32_t count)
{
    fw_vec_clear(&s->assumptions);
    switch (claim) {
    case FW_CLAIM_RACE:
        return claim_race(s, events, count);
    case FW_CLAIM_DEADLOCK:
        return claim_deadlock(s, events, count);
    case FW_CLAIM_ORDER:
        return claim_order(s, events, count);
    case FW_CLAIM_ATOMICITY:
        return claim_atomicity(s, events, count);
    case FW_CLAIM_NONDETERMINISM:
        return claim_nondeterminism(s, events, count);
    case FW_CLAIM_IROOT:
        return claim_iroot(s, events, count);
    case FW_CLAIM_FINAL:
        break;
    }
    FW_BUG("no encoding of claim %d", (int)claim);
}

enum fw_smt_answer fw_smt_ask(struct fw_smt *smt, enum fw_claim claim, const uint32_t *events,
                              uint32_t count)
{
    Z3_lbool answer;

    fw_vec_clear(&smt->witness);
    if (!make_assumptions(smt, claim, events, count))
        return FW_SMT_INFEASIBLE;
    answer = Z3_solver_check_assumptions(smt->z3, smt->solver, (unsigned)smt->assumptions.len,
                                         smt->assumptions.at);
    if (answer != Z3_L_TRUE)
        return answer == Z3_L_FALSE ? FW_SMT_INFEASIBLE : FW_SMT_UNKNOWN;
    read_witness(smt);
    end_witness(smt, claim, events);
    return FW_SMT_FEASIBLE;
}

const uint32_t *fw_smt_witness(struct fw_smt *smt, uint32_t *count)
{
    *count = (uint32_t)smt->witness.len;
    return smt->witness.at;
}

/* ---- life cycle ---- */

static void fail(Z3_context z3, Z3_error_code code)
{
    FW_BUG("Z3: %s", Z3_get_error_msg(z3, code));
}

static void start_z3(struct fw_smt *s, unsigned limit)
{
    Z3_config config = Z3_mk_config();
    Z3_params params;

    s->z3 = Z3_mk_context(config);
    Z3_del_config(config);
    Z3_set_error_handler(s->z3, fail);
    s->solver = Z3_mk_simple_solver(s->z3);
    Z3_solver_inc_ref(s->z3, s->solver);
    params = Z3_mk_params(s->z3);
    Z3_params_inc_ref(s->z3, params);
    Z3_params_set_uint(s->z3, params, Z3_mk_string_symbol(s->z3, "rlimit"),
                       limit ? limit : FW_SMT_LIMIT);
    Z3_solver_set_params(s->z3, s->solver, params);
    Z3_params_dec_ref(s->z3, params);
}

static struct fw_smt *create(const struct fw_trace *trace, unsigned limit, bool values)
{
    struct fw_smt *s = fw_xcalloc(1, sizeof *s);
    size_t n = trace->count, variables = fw_symbols_count(trace->symbols, FW_SPACE_VARIABLE);

    s->trace = trace;
    s->count = trace->count;
    s->strict = !trace->has_branches;
    s->oracle = fw_oracle_create(trace);
    fw_oracle_use_values(s->oracle, values);
    s->words = s->count / 64 + 1;
    s->present = fw_xcalloc(n + 1, sizeof *s->present);
    s->clean = fw_xcalloc(n + 1, sizeof *s->clean);
    s->time = fw_xcalloc(n + 1, sizeof *s->time);
    s->last = fw_xcalloc(n + 1, sizeof *s->last);
    s->earlier = fw_xcalloc((n + 1) * s->words, sizeof *s->earlier);
    s->order = fw_xcalloc(n * n + 1, sizeof *s->order);
    s->asked = fw_xcalloc(n * n + 1, sizeof *s->asked);
    s->unwritten = fw_xcalloc(variables + 1, sizeof *s->unwritten);
    s->writes = fw_xcalloc(variables + 1, sizeof *s->writes);
    start_z3(s, limit);
    smt_encode(s);
    return s;
}

struct fw_smt *fw_smt_create(const struct fw_trace *trace, unsigned limit)
{
    return create(trace, limit, false);
}

struct fw_smt *fw_smt_create_values(const struct fw_trace *trace, unsigned limit)
{
    return create(trace, limit, true);
}

void fw_smt_destroy(struct fw_smt *s)
{
    if (!s)
        return;
    Z3_solver_dec_ref(s->z3, s->solver);
    Z3_del_context(s->z3);
    for (uint32_t v = 0; v < fw_symbols_count(s->trace->symbols, FW_SPACE_VARIABLE); v++)
        fw_vec_release(&s->writes[v]);
    fw_vec_release(&s->holds);
    fw_vec_release(&s->clause);
    fw_vec_release(&s->assumptions);
    fw_vec_release(&s->witness);
    fw_oracle_destroy(s->oracle);
    free(s->present);
    free(s->clean);
    free(s->time);
    free(s->last);
    free(s->earlier);
    free(s->order);
    free(s->asked);
    free(s->unwritten);
    free(s->writes);
    free(s);
}
