/*
 * prop_extract.c - an extract is the finding that it was made from, and little else.
 *
 * For findings of random traces: the extract's events are those of the trace, the verifier accepts
 * its witness, the predictor finds the same events in it, a reordered one ends with the finding,
 * and two extracts are the same.  Synchronisation is kept by what it orders in the witness,
 * which is not all that it forbids: so one extract in a hundred may have a race of its own.
 */
#include "predict/predict.h"
#include "support/property.h"
#include "tiddle/extract.h"

#include <stdio.h>
#include <string.h>

#define MOST_FINDINGS 6u /* of a trace and predictor */

static unsigned long extracts_made, new_races;

static const struct fw_predictor *const predictors[] = {
    &fw_predictor_race,
    &fw_predictor_deadlock,
    &fw_predictor_atomicity,
    &fw_predictor_nondet,
};

/* All that a predictor proves of a trace. */
struct forecast {
    struct fw_index *index;
    struct fw_core *core;
    struct fw_team *team;
    struct fw_predictions *predictions;
    struct fw_prediction **list;
    size_t count;
};

static const struct fw_predict_options every = { .pairs_all = true };

static void forecast_init(struct forecast *forecast, const struct fw_trace *trace,
                          const struct fw_predictor *predictor)
{
    static const struct fw_core_options core = { 0 };
    struct fw_team_setup setup = { .options = &every, .jobs = 1 };

    forecast->index = fw_index_create(trace);
    setup.core = forecast->core = fw_core_create(forecast->index, &core);
    forecast->team = fw_team_create(&setup);
    forecast->predictions = fw_predictions_create();
    fw_team_run(forecast->team, predictor, forecast->predictions);
    forecast->count = fw_predictions_get(forecast->predictions, &forecast->list, NULL);
}

static void forecast_release(struct forecast *forecast)
{
    free(forecast->list);
    fw_predictions_destroy(forecast->predictions);
    fw_team_destroy(forecast->team);
    fw_core_destroy(forecast->core);
    fw_index_destroy(forecast->index);
}

static bool has(const uint32_t *list, uint32_t count, uint32_t event)
{
    for (uint32_t i = 0; i < count; i++)
        if (list[i] == event)
            return true;
    return false;
}

static bool same_events(const struct fw_prediction *prediction, const struct fw_witness *witness)
{
    if (prediction->claim != witness->claim || prediction->event_count != witness->event_count)
        return false;
    for (uint32_t i = 0; i < witness->event_count; i++)
        if (!has(prediction->events, prediction->event_count, witness->events[i]))
            return false;
    return true;
}

static bool is_found(const struct fw_extract *extract, const struct fw_predictor *predictor)
{
    struct forecast forecast;
    bool found = false;

    forecast_init(&forecast, extract->trace, predictor);
    for (size_t i = 0; i < forecast.count; i++)
        found |= same_events(forecast.list[i], &extract->witness);
    forecast_release(&forecast);
    return found;
}

/* Is every race of the extract one of the trace? */
static bool has_no_new_race(const struct fw_extract *extract, const struct fw_core *core)
{
    struct fw_solver *solver = fw_solver_create(core, &(struct fw_budget) { 0 });
    struct forecast forecast;
    bool all = true;

    forecast_init(&forecast, extract->trace, &fw_predictor_race);
    for (size_t i = 0; i < forecast.count; i++) {
        uint32_t pair[2] = { extract->from[forecast.list[i]->events[0]],
                             extract->from[forecast.list[i]->events[1]] };

        all &= fw_solver_ask(solver, FW_CLAIM_RACE, pair, 2) == FW_FEASIBLE;
    }
    forecast_release(&forecast);
    fw_solver_destroy(solver);
    return all;
}

static bool is_accepted(const struct fw_trace *trace, const struct fw_witness *witness)
{
    struct fw_verifier *verifier = fw_verifier_create(trace);
    bool accepted = fw_verify(verifier, witness).accepted;

    fw_verifier_destroy(verifier);
    return accepted;
}

static bool same_kinds(const struct fw_extract *extract, const struct fw_trace *trace)
{
    for (uint32_t i = 0; i < extract->trace->count; i++)
        if (extract->trace->events[i].kind != trace->events[extract->from[i]].kind ||
            extract->trace->events[i].order != trace->events[extract->from[i]].order)
            return false;
    return true;
}

static bool refuse(char *why, size_t size, const struct fw_extract *extract, const char *cause)
{
    snprintf(why, size, "claim %d: %s:\n%.*s", (int)extract->witness.claim, cause,
             (int)extract->size, extract->text);
    return false;
}

static bool is_same(const struct fw_extract *extract, const struct fw_index *index,
                    const struct fw_witness *witness)
{
    struct fw_extract *again;
    struct fw_error err;
    bool same = fw_extract_create(&again, index, witness, false, &err) == 0 &&
                again->size == extract->size &&
                memcmp(again->text, extract->text, extract->size) == 0;

    fw_extract_destroy(again);
    return same;
}

/* The end of a reordered extract is the finding's last event. */
static bool ends_well(const struct fw_extract *extract)
{
    const struct fw_witness *witness = &extract->witness;

    return !extract->reordered ||
           has(witness->events, witness->event_count, extract->trace->count - 1);
}

static bool judge(const struct fw_extract *extract, const struct forecast *forecast,
                  const struct fw_witness *witness, const struct fw_predictor *predictor, char *why,
                  size_t size)
{
    const struct fw_index *index = forecast->index;

    extracts_made++;
    new_races += !has_no_new_race(extract, forecast->core);
    if (!same_kinds(extract, index->trace))
        return refuse(why, size, extract, "events have changed");
    if (!is_accepted(extract->trace, &extract->witness))
        return refuse(why, size, extract, "the verifier rejects it");
    if (!is_found(extract, predictor))
        return refuse(why, size, extract, "the predictor does not find it");
    if (!ends_well(extract))
        return refuse(why, size, extract, "it does not end with the finding");
    if (!is_same(extract, index, witness))
        return refuse(why, size, extract, "another extract differs");
    return true;
}

static bool extracts(const struct forecast *forecast, const struct fw_prediction *prediction,
                     const struct fw_predictor *predictor, char *why, size_t size)
{
    struct fw_schedule_walk walk;
    FW_VEC(uint32_t) order = { 0 };
    struct fw_witness witness = { prediction->claim, prediction->events, prediction->event_count,
                                  NULL, 0 };
    struct fw_extract *extract;
    struct fw_error err;
    uint32_t at;
    bool ok;

    fw_schedule_walk_init(&walk, &prediction->witness, forecast->index);
    while (fw_schedule_next(&walk, &at))
        fw_vec_push(&order, at);
    fw_schedule_walk_release(&walk);
    witness.order = order.at;
    witness.order_count = (uint32_t)order.len;
    ok = fw_extract_create(&extract, forecast->index, &witness, false, &err) == 0;
    if (ok)
        ok = judge(extract, forecast, &witness, predictor, why, size);
    else
        snprintf(why, size, "claim %d, events %u ..: %s", (int)witness.claim, witness.events[0],
                 err.message);
    fw_extract_destroy(extract);
    fw_vec_release(&order);
    return ok;
}

static bool holds(const struct fw_sample *sample, char *why, size_t size)
{
    struct fw_trace *trace = fw_load_sample(sample, why, size);
    bool ok = true;

    if (!trace)
        return false;
    for (size_t p = 0; ok && p < sizeof predictors / sizeof *predictors; p++) {
        struct forecast forecast;

        forecast_init(&forecast, trace, predictors[p]);
        for (size_t i = 0; ok && i < forecast.count && i < MOST_FINDINGS; i++)
            if (forecast.list[i]->witness.size || forecast.list[i]->claim == FW_CLAIM_DEADLOCK)
                ok = extracts(&forecast, forecast.list[i], predictors[p], why, size);
        forecast_release(&forecast);
    }
    fw_trace_destroy(trace);
    return ok;
}

int main(void)
{
    static const char *const profiles[] = { "locks",     "branches", "two",      "forks",
                                            "shared",    "waits",    "monitors", "semaphores",
                                            "barriers",  "atomics",  "heap",     "everything",
                                            "deadlocks", "nested",   NULL };

    int status = fw_property_run("prop_extract", profiles, 5000, holds);

    printf("prop_extract: %lu extracts, %lu of them with a race that the trace does not have\n",
           extracts_made, new_races);
    return status == 0 && extracts_made >= 1000 && new_races * 100 > extracts_made ? 1 : status;
}
