/*
 * prop_beginning.c - what is proved of the beginning of a trace is true of the whole of it: the
 * verifier of the whole trace accepts the witness.  So an analysis that had room or time for the
 * beginning only is still sound.
 */
#include "predict/predict.h"
#include "support/property.h"

#include <stdio.h>
#include <string.h>

/* The trace's first `count` events, as check reads them. */
static struct fw_trace *beginning(const struct fw_sample *sample, uint32_t count, bool branches)
{
    struct fw_trace_builder *builder = fw_trace_builder_create();
    struct fw_reader *reader;
    struct fw_trace *trace;
    struct fw_batch batch;
    struct fw_error err;

    if (fw_reader_open_memory(&reader, sample->text, sample->size, "b.std", NULL, &err) < 0)
        return NULL;
    while (count && fw_reader_next(reader, &batch, &err) > 0) {
        batch.count = batch.count < count ? batch.count : count;
        fw_trace_builder_add(builder, &batch, reader, &err);
        count -= batch.count;
    }
    trace = fw_trace_builder_finish(builder, reader, branches, false);
    fw_reader_close(reader);
    return trace;
}

static bool judge(struct fw_verifier *verifier, const struct fw_index *index,
                  const struct fw_prediction *prediction, char *why, size_t size)
{
    struct fw_witness witness = { prediction->claim, prediction->events, prediction->event_count,
                                  NULL, 0 };
    uint32_t *order = fw_xcalloc((size_t)prediction->witness.steps + 1, sizeof *order);
    struct fw_schedule_walk walk;
    struct fw_verdict verdict;

    fw_schedule_walk_init(&walk, &prediction->witness, index);
    while (fw_schedule_next(&walk, &order[witness.order_count]))
        witness.order_count++;
    fw_schedule_walk_release(&walk);
    witness.order = order;
    verdict = fw_verify(verifier, &witness);
    if (!verdict.accepted)
        snprintf(why, size, "of the first %u events: claim %d on event %u: %s", index->trace->count,
                 (int)witness.claim, witness.events[0], verdict.reason);
    free(order);
    return verdict.accepted;
}

static bool all_true(struct fw_team *team, const struct fw_predictor *predictor,
                     const struct fw_index *index, struct fw_verifier *verifier, char *why,
                     size_t size)
{
    struct fw_predictions *predictions = fw_predictions_create();
    struct fw_prediction **list;
    size_t count;
    bool ok = true;

    fw_team_run(team, predictor, predictions);
    count = fw_predictions_get(predictions, &list, NULL);
    if (fw_predictions_rejection(predictions)) {
        snprintf(why, size, "rejected: %s", fw_predictions_rejection(predictions)->reason);
        ok = false;
    }
    for (size_t i = 0; ok && i < count; i++)
        ok = judge(verifier, index, list[i], why, size);
    free(list);
    fw_predictions_destroy(predictions);
    return ok;
}

static bool beginning_holds(const struct fw_trace *part, struct fw_verifier *verifier, char *why,
                            size_t size)
{
    static const struct fw_predictor *const predictors[] = {
        &fw_predictor_race, &fw_predictor_deadlock, &fw_predictor_atomicity, &fw_predictor_nondet
    };
    struct fw_index *index = fw_index_create(part);
    struct fw_core_options how = { .values = false };
    struct fw_core *core = fw_core_create(index, &how);
    struct fw_predict_options options = { .pairs_all = true };
    struct fw_team_setup setup = { .core = core, .options = &options, .jobs = 1 };
    struct fw_team *team = fw_team_create(&setup);
    bool ok = true;

    for (size_t i = 0; ok && i < sizeof predictors / sizeof *predictors; i++)
        ok = all_true(team, predictors[i], index, verifier, why, size);
    fw_team_destroy(team);
    fw_core_destroy(core);
    fw_index_destroy(index);
    return ok;
}

static bool holds(const struct fw_sample *sample, char *why, size_t size)
{
    struct fw_trace *whole = fw_load_text(sample->text, sample->size, "w.std", false, why, size);
    struct fw_verifier *verifier;
    struct fw_random random;
    bool ok = true;

    if (!whole)
        return false;
    verifier = fw_verifier_create(whole);
    fw_random_init(&random, sample->seed);
    for (int i = 0; ok && i < 3; i++) {
        uint32_t count = fw_random_below(&random, whole->count + 1);
        struct fw_trace *part = beginning(sample, count, whole->has_branches);

        ok = part && beginning_holds(part, verifier, why, size);
        fw_trace_destroy(part);
    }
    fw_verifier_destroy(verifier);
    fw_trace_destroy(whole);
    return ok;
}

int main(void)
{
    static const char *const profiles[] = { "atomics",  "barriers", "waits",      "semaphores",
                                            "forks",    "branches", "locks",      "shared",
                                            "monitors", "heap",     "everything", NULL };

    return fw_property_run("prop_beginning", profiles, 8000, holds);
}
