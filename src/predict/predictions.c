/* predictions.c - see predict.h and predictions.h. */
#include "predict/predictions.h"

#include <stdio.h>

struct fw_predictions *fw_predictions_create(void)
{
    struct fw_predictions *predictions = fw_xcalloc(1, sizeof *predictions);

    pthread_mutex_init(&predictions->lock, NULL);
    return predictions;
}

void fw_prediction_destroy(struct fw_prediction *prediction)
{
    free(prediction->events);
    fw_schedule_release(&prediction->witness);
    free(prediction);
}

static void destroy_rejection(struct fw_rejection *rejection)
{
    if (!rejection)
        return;
    free(rejection->events);
    free(rejection->order);
    free(rejection);
}

void fw_predictions_destroy(struct fw_predictions *predictions)
{
    if (!predictions)
        return;
    for (size_t i = 0; i < predictions->list.len; i++)
        fw_prediction_destroy(predictions->list.at[i]);
    fw_vec_release(&predictions->list);
    destroy_rejection(predictions->rejection);
    pthread_mutex_destroy(&predictions->lock);
    free(predictions);
}

static int compare_numbers(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int by_place(const void *a, const void *b)
{
    const struct fw_prediction *x = *(struct fw_prediction *const *)a;
    const struct fw_prediction *y = *(struct fw_prediction *const *)b;
    int order = compare_numbers(x->unit, y->unit);

    return order ? order : compare_numbers(x->suspect, y->suspect);
}

size_t fw_predictions_get(struct fw_predictions *predictions, struct fw_prediction ***list,
                          struct fw_predict_counts *counts)
{
    size_t count;

    pthread_mutex_lock(&predictions->lock);
    count = predictions->list.len;
    if (list) {
        *list = fw_xcalloc(count + 1, sizeof **list);
        if (count)
            memcpy(*list, predictions->list.at, count * sizeof **list);
    }
    if (counts)
        *counts = predictions->counts;
    pthread_mutex_unlock(&predictions->lock);
    if (list)
        qsort(*list, count, sizeof **list, by_place);
    return count;
}

const struct fw_rejection *fw_predictions_rejection(const struct fw_predictions *predictions)
{
    return predictions->rejection;
}

static void add_counts(struct fw_predict_counts *to, const struct fw_predict_counts *more)
{
    to->units += more->units;
    to->asked += more->asked;
    to->proved += more->proved;
    to->undecided += more->undecided;
    to->left += more->left;
    to->cut |= more->cut;
    to->refuted += more->refuted;
    to->unreached += more->unreached;
}

void fw_predictions_publish(struct fw_predictions *to, struct fw_prediction_list *found,
                            const struct fw_predict_counts *counts)
{
    pthread_mutex_lock(&to->lock);
    for (size_t i = 0; i < found->len; i++) {
        fw_vec_push(&to->list, found->at[i]);
        to->counts.steps += found->at[i]->witness.steps;
    }
    add_counts(&to->counts, counts);
    pthread_mutex_unlock(&to->lock);
    fw_vec_clear(found);
}

static struct fw_solver_stats difference(struct fw_solver_stats a, struct fw_solver_stats b)
{
    return (struct fw_solver_stats) {
        a.asked - b.asked,
        a.infeasible_at_once - b.infeasible_at_once,
        a.feasible_at_once - b.feasible_at_once,
        a.infeasible_closed - b.infeasible_closed,
        a.feasible_closed - b.feasible_closed,
        a.chosen - b.chosen,
        a.choices - b.choices,
        a.undecided - b.undecided,
    };
}

static void add_stats(struct fw_solver_stats *to, struct fw_solver_stats more)
{
    to->asked += more.asked;
    to->infeasible_at_once += more.infeasible_at_once;
    to->feasible_at_once += more.feasible_at_once;
    to->infeasible_closed += more.infeasible_closed;
    to->feasible_closed += more.feasible_closed;
    to->chosen += more.chosen;
    to->choices += more.choices;
    to->undecided += more.undecided;
}

void fw_predictions_add_stats(struct fw_predictions *to, struct fw_solver_stats after,
                              struct fw_solver_stats before)
{
    pthread_mutex_lock(&to->lock);
    add_stats(&to->counts.solver, difference(after, before));
    pthread_mutex_unlock(&to->lock);
}

uint32_t *fw_copy_numbers(const uint32_t *numbers, uint32_t count)
{
    uint32_t *copy = fw_xcalloc((size_t)count + 1, sizeof *copy);

    if (count)
        memcpy(copy, numbers, count * sizeof *copy);
    return copy;
}

void fw_predictions_reject(struct fw_predictions *to, const struct fw_prediction *prediction,
                           const struct fw_witness *witness, const struct fw_verdict *verdict)
{
    struct fw_rejection *rejection = fw_xcalloc(1, sizeof *rejection), *other;

    *rejection = (struct fw_rejection) {
        .unit = prediction->unit,
        .suspect = prediction->suspect,
        .claim = witness->claim,
        .events = fw_copy_numbers(witness->events, witness->event_count),
        .event_count = witness->event_count,
        .order = fw_copy_numbers(witness->order, witness->order_count),
        .order_count = witness->order_count,
    };
    snprintf(rejection->reason, sizeof rejection->reason, "%s", verdict->reason);
    pthread_mutex_lock(&to->lock);
    other = to->rejection;
    if (!other || rejection->unit < other->unit ||
        (rejection->unit == other->unit && rejection->suspect < other->suspect)) {
        to->rejection = rejection;
        rejection = other;
    }
    pthread_mutex_unlock(&to->lock);
    destroy_rejection(rejection);
}

/* --- which of several is shown ----------------------------------------------------------- */

/* When a prediction was complete in the trace: the indices of its two latest events. */
struct moment {
    uint64_t latest, second;
};

static struct moment moment_of(const struct fw_trace *trace, const struct fw_prediction *prediction)
{
    struct moment moment = { 0, 0 };

    for (uint32_t i = 0; i < prediction->event_count; i++) {
        uint64_t index = fw_trace_index(trace, prediction->events[i]);

        if (index >= moment.latest)
            moment = (struct moment) { index, moment.latest };
        else if (index > moment.second)
            moment.second = index;
    }
    return moment;
}

/* As findings are merged. */
bool fw_prediction_is_earlier(const struct fw_trace *trace, const struct fw_prediction *a,
                              const struct fw_prediction *b)
{
    struct moment x = moment_of(trace, a), y = moment_of(trace, b);
    int order = compare_numbers(x.latest, y.latest);

    if (order == 0)
        order = compare_numbers(x.second, y.second);
    for (uint32_t i = 0; order == 0 && i < a->event_count && i < b->event_count; i++)
        order = compare_numbers(fw_trace_index(trace, a->events[i]),
                                fw_trace_index(trace, b->events[i]));
    return order < 0;
}

static uint32_t site_of(const struct fw_trace *trace, const struct fw_prediction *prediction,
                        uint32_t i)
{
    return trace->events[prediction->events[i]].site;
}

bool fw_prediction_has_sites(const struct fw_trace *trace, const struct fw_prediction *prediction)
{
    for (uint32_t i = 0; i < prediction->event_count; i++)
        if (!site_of(trace, prediction, i))
            return false;
    return true;
}

static bool same_label(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "") == 0;
}

bool fw_predictions_equal(const struct fw_trace *trace, const struct fw_prediction *a,
                          const struct fw_prediction *b)
{
    if (a->event_count != b->event_count || !same_label(a->label, b->label))
        return false;
    if (a->claim == FW_CLAIM_RACE && site_of(trace, a, 0) == site_of(trace, b, 1) &&
        site_of(trace, a, 1) == site_of(trace, b, 0))
        return true;
    for (uint32_t i = 0; i < a->event_count; i++)
        if (site_of(trace, a, i) != site_of(trace, b, i))
            return false;
    return true;
}
