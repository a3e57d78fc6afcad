/* iroot_forecast.c - see iroot.h: the answers to all questions of a trace, as a list. */
#include "base/vec.h"
#include "predict/iroot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

FW_VEC_TYPE(list, struct fw_iroot_prediction);

static void copy_schedule(struct fw_schedule *to, const struct fw_schedule *from)
{
    *to = *from;
    to->bytes = fw_xmalloc(from->size + 1);
    memcpy(to->bytes, from->bytes, from->size);
}

static void note(void *context, const struct fw_iroot *iroot, enum fw_answer answer,
                 const struct fw_prediction *proved)
{
    struct list *list = context;
    struct fw_iroot_prediction prediction = { .iroot = *iroot, .answer = answer };

    if (proved) {
        memcpy(prediction.events, proved->events, proved->event_count * sizeof *proved->events);
        copy_schedule(&prediction.witness, &proved->witness);
    }
    fw_vec_push(list, prediction);
}

static int by_iroot(const void *a, const void *b)
{
    const struct fw_iroot_prediction *x = a, *y = b;

    return fw_iroot_compare(&x->iroot, &y->iroot);
}

static void run(const struct fw_iroot_setup *setup, const struct fw_predict_options *options,
                struct fw_iroot_forecast *forecast)
{
    struct fw_core_options how = { .iroots = true };
    struct fw_core *core = fw_core_create(setup->index, &how);
    struct fw_team_setup team_setup = {
        .core = core, .options = options, .budget = setup->budget, .jobs = setup->jobs
    };
    struct fw_team *team = fw_team_create(&team_setup);
    struct fw_predictions *predictions = fw_predictions_create();
    const struct fw_rejection *rejection;

    fw_team_run(team, &fw_predictor_iroot, predictions);
    fw_predictions_get(predictions, NULL, &forecast->counts);
    rejection = fw_predictions_rejection(predictions);
    if (rejection)
        snprintf(forecast->rejected, sizeof forecast->rejected, "%s", rejection->reason);
    fw_predictions_destroy(predictions);
    fw_team_destroy(team);
    fw_core_destroy(core);
}

struct fw_iroot_forecast *fw_iroot_forecast_create(const struct fw_iroot_setup *setup)
{
    struct fw_iroot_forecast *forecast = fw_xcalloc(1, sizeof *forecast);
    struct list list = { 0 };
    struct fw_iroot_source source = {
        .accesses = setup->accesses, .known = setup->known, .answered = note, .context = &list
    };
    struct fw_predict_options options = {
        .cap = setup->cap, .window = setup->window, .idioms = setup->idioms, .iroots = &source
    };

    run(setup, &options, forecast);
    if (list.len)
        qsort(list.at, list.len, sizeof *list.at, by_iroot);
    forecast->at = list.at;
    forecast->count = list.len;
    forecast->finished = !setup->budget.stop || !atomic_load(setup->budget.stop);
    forecast->cut = forecast->counts.cut;
    return forecast;
}

const struct fw_iroot_prediction *fw_iroot_forecast_find(const struct fw_iroot_forecast *forecast,
                                                         const struct fw_iroot *iroot)
{
    struct fw_iroot_prediction key = { .iroot = fw_iroot_normal(iroot) };

    return forecast->count
               ? bsearch(&key, forecast->at, forecast->count, sizeof *forecast->at, by_iroot)
               : NULL;
}

void fw_iroot_forecast_destroy(struct fw_iroot_forecast *forecast)
{
    if (!forecast)
        return;
    for (size_t i = 0; i < forecast->count; i++)
        fw_schedule_release(&forecast->at[i].witness);
    free(forecast->at);
    free(forecast);
}
