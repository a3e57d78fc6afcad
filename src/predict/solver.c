/*
 * solver.c - see solver.h: from cheap to costly.
 *
 *   1. the events that the claim needs (question.c): do they contradict it?
 *   2. those events, sections closed where another one follows, in the order
 *      of the trace (a sync-preserving reordering): do they show it?
 *   3. the closure of all orders, and choices where it leaves any (search.c)
 *
 * With values all this is done twice: first with every read held to the write
 * that it saw, then with the choice of all writes of its value.
 */
#include "predict/solver.h"

#include "base/alloc.h"
#include "predict/window.h"

#include <stdlib.h>
#include <string.h>

static uint32_t *nothing(size_t count)
{
    uint32_t *numbers = fw_xmalloc((count + 1) * sizeof *numbers);

    memset(numbers, 0xff, (count + 1) * sizeof *numbers);
    return numbers;
}

struct fw_solver *fw_solver_create(const struct fw_core *core, const struct fw_budget *budget)
{
    struct fw_solver *s = fw_xcalloc(1, sizeof *s);
    const struct fw_symbols *symbols = core->trace->symbols;

    s->core = core;
    if (budget)
        s->budget = *budget;
    if (s->budget.steps == 0)
        s->budget.steps = FW_BUDGET_STEPS;
    s->cap = fw_xmalloc(((size_t)core->threads + 1) * sizeof *s->cap);
    memcpy(s->cap, core->limit, core->threads * sizeof *s->cap);
    fw_cut_init(&s->cut, core);
    fw_cut_init(&s->scratch, core);
    s->lane_by_thread = nothing(core->threads);
    s->cell_by_variable = nothing(fw_symbols_count(symbols, FW_SPACE_VARIABLE));
    s->holding_by_lock = nothing(fw_symbols_count(symbols, FW_SPACE_LOCK));
    return s;
}

void fw_solver_destroy(struct fw_solver *s)
{
    if (!s)
        return;
    free(s->cap);
    fw_cut_release(&s->cut);
    fw_cut_release(&s->scratch);
    free(s->lane_by_thread);
    free(s->cell_by_variable);
    free(s->holding_by_lock);
    fw_vec_release(&s->capped);
    fw_vec_release(&s->edges);
    fw_vec_release(&s->forced);
    fw_vec_release(&s->assigned);
    fw_vec_release(&s->held);
    fw_vec_release(&s->witness);
    fw_window_release(&s->window);
    free(s);
}

static void forget_question(struct fw_solver *s)
{
    for (size_t i = 0; i < s->capped.len; i++)
        s->cap[s->capped.at[i]] = s->core->limit[s->capped.at[i]];
    fw_vec_clear(&s->capped);
    fw_cut_clear(&s->cut);
    fw_vec_clear(&s->edges);
    fw_window_forget(s);
}

/* loose: as far as values allow. */
static enum fw_answer attempt(struct fw_solver *s, bool loose)
{
    const struct fw_core *core = s->core;

    forget_question(s);
    s->loose = loose;
    s->cut.need = loose ? core->loose : core->need;
    s->how = FW_AT_ONCE;
    s->unwritten = FW_WITNESS_WRITTEN;
    if (!fw_question_begin(s))
        return FW_INFEASIBLE;
    if (loose || !fw_question_in_order(s))
        return fw_search(s);
    s->unwritten = FW_WITNESS_IN_ORDER;
    return FW_FEASIBLE;
}

static void count_answer(struct fw_solver_stats *stats, enum fw_answer answer, enum fw_how how)
{
    bool feasible = answer == FW_FEASIBLE;

    stats->asked++;
    if (answer == FW_UNDECIDED)
        stats->undecided++;
    else if (how == FW_BY_CHOICE)
        stats->chosen++;
    else if (how == FW_BY_CLOSURE)
        *(feasible ? &stats->feasible_closed : &stats->infeasible_closed) += 1;
    else
        *(feasible ? &stats->feasible_at_once : &stats->infeasible_at_once) += 1;
}

enum fw_answer fw_solver_ask(struct fw_solver *s, enum fw_claim claim, const uint32_t *events,
                             uint32_t count)
{
    enum fw_answer answer = FW_UNDECIDED;

    s->claim = claim;
    s->events = events;
    s->event_count = count;
    s->tie_count = 0;
    if (claim == FW_CLAIM_IROOT)
        fw_ties_set(s);
    s->steps = s->budget.steps;
    if (!fw_stopped(s))
        answer = attempt(s, false);
    if (answer == FW_INFEASIBLE && s->core->loose)
        answer = attempt(s, true);
    count_answer(&s->stats, answer, s->how);
    return answer;
}

const uint32_t *fw_solver_witness(struct fw_solver *s, uint32_t *count)
{
    if (s->unwritten == FW_WITNESS_IN_ORDER)
        fw_question_write(s, &s->scratch, UINT32_MAX);
    else if (s->unwritten == FW_WITNESS_SEARCHED)
        fw_question_write(s, &s->cut, s->window.start);
    s->unwritten = FW_WITNESS_WRITTEN;
    *count = (uint32_t)s->witness.len;
    return s->witness.at;
}

struct fw_solver_stats fw_solver_stats(const struct fw_solver *s)
{
    return s->stats;
}
