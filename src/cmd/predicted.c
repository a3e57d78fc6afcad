/* predicted.c - see predicted.h. */
#include "cmd/predicted.h"

#include "base/alloc.h"
#include "cmd/cmd.h"
#include "cmd/reading.h"
#include "explore/leftover.h"
#include "record/recorder.h"

#include <inttypes.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define LONGEST  1000000u /* events of a recorded run that is tried itself */
#define SHORTEST 0.1      /* seconds for predicting, if they are limited */

/* --- recording ------------------------------------------------------------------------------- */

/* Those of one thread can hold nothing. */
static void tell_further(const struct fw_recorded *recorded)
{
    for (size_t i = 1; i < recorded->traces.len; i++)
        if (recorded->traces.at[i].result.threads > 1)
            fw_cmd_warning("another process with %" PRIu32 " threads was recorded, which is not "
                           "looked at here; next: foreweave check %s",
                           recorded->traces.at[i].result.threads, recorded->traces.at[i].path);
}

static int use_recording(struct fw_predicted *predicted, const struct fw_predicted_setup *setup,
                         const struct fw_recorded *recorded)
{
    const struct fw_recorded_trace *trace = &recorded->traces.at[0];

    predicted->status = recorded->status;
    if (!trace->connected) {
        fw_cmd_error("'%s' did not load the runtime: build it with 'foreweave cc'",
                     setup->argv[0]);
        return FW_EXIT_INPUT;
    }
    if (trace->failed[0]) {
        fw_cmd_error("'%s' is cut: %s", trace->path, trace->failed);
        return FW_EXIT_FAILURE;
    }
    if (!setup->quiet)
        fw_cmd_error("recorded %" PRIu64 " event%s of %" PRIu32 " thread%s in %s",
                     trace->result.events, trace->result.events == 1 ? "" : "s",
                     trace->result.threads, trace->result.threads == 1 ? "" : "s", trace->path);
    if (setup->further)
        tell_further(recorded);
    return 0;
}

static int record(struct fw_predicted *predicted, const struct fw_predicted_setup *setup)
{
    struct fw_record_setup recording = { .argv = setup->argv,
                                         .path = setup->trace,
                                         .runtime = setup->runtime,
                                         .seed = setup->seed,
                                         .quantum = setup->quantum,
                                         .hide = setup->hide,
                                         .limit = setup->limit,
                                         .stuck = setup->quiet ? NULL : setup->stuck,
                                         .end_stuck = setup->end_stuck,
                                         .stop = setup->stop,
                                         .positions = true };
    struct fw_recorded recorded;
    struct fw_leftover leftover;
    struct fw_error err;
    enum fw_record_end end;
    int status;

    fw_leftover_init(&leftover);
    end = fw_record(&recording, &recorded, &err);
    fw_cmd_warn_left(fw_leftover_end(&leftover));
    fw_leftover_release(&leftover);
    if (end == FW_RECORD_DONE)
        status = use_recording(predicted, setup, &recorded);
    else
        status = fw_cmd_fail(end == FW_RECORD_NO_PROGRAM ? FW_EXIT_INPUT : FW_EXIT_FAILURE, &err);
    fw_recorded_release(&recorded);
    return status;
}

/* --- predicting ------------------------------------------------------------------------------ */

static int predict(struct fw_predicted *predicted, const struct fw_predicted_setup *setup)
{
    struct fw_read_options reading = { .symbols = true };
    double start = fw_check_now(), half = (setup->until - start) / 2;
    double seconds = half > SHORTEST ? half : SHORTEST;
    struct fw_words none = { 0 };
    int status;

    if (!setup->selection)
        fw_selection_make(&predicted->selection, &none);
    predicted->job = (struct fw_check_job) { .path = setup->trace,
                                             .selection = setup->selection
                                                              ? setup->selection
                                                              : &predicted->selection,
                                             .options.two_variables = setup->two_variables,
                                             .limits.start = start,
                                             .limits.seconds = setup->until > 0 ? seconds : 0,
                                             .limits.stop = setup->stop,
                                             .limits.all_steps = true };
    status = fw_cmd_open_trace(&predicted->job.reader, setup->trace, &reading);
    return status ? status : fw_check_run(&predicted->job);
}

static void add_prediction(struct fw_predicted *predicted, const struct fw_finding *finding)
{
    const struct fw_index *index = fw_forecast_index(predicted->job.forecast);
    struct fw_foreseen prediction = {
        .finding = finding,
        .shown = { .claim = finding->claim, .schedule = finding->witness, .index = index }
    };
    uint64_t *events = fw_xcalloc(finding->events.len + 1, sizeof *events);

    for (size_t i = 0; i < finding->events.len; i++)
        events[prediction.shown.event_count++] = finding->events.at[i].index;
    prediction.shown.events = events;
    fw_vec_push(&predicted->list, prediction);
}

static void list_all(struct fw_predicted *predicted)
{
    const struct fw_engine *engine = predicted->job.engine;

    for (size_t i = 0; i < fw_engine_count(engine); i++) {
        const struct fw_findings *findings = fw_engine_findings(engine, i);

        for (uint64_t j = 0; j < fw_findings_count(findings); j++)
            if (fw_findings_get(findings, j)->witness)
                add_prediction(predicted, fw_findings_get(findings, j));
    }
}

int fw_predicted_make(struct fw_predicted *predicted, const struct fw_predicted_setup *setup)
{
    struct fw_error err;
    int status;

    *predicted = (struct fw_predicted) { 0 };
    status = record(predicted, setup);
    if (!status)
        status = predict(predicted, setup);
    if (status)
        return status;
    list_all(predicted);
    predicted->moments = fw_moments_load(setup->trace, &err);
    return predicted->moments || !predicted->list.len ? 0 : fw_cmd_fail(FW_EXIT_FAILURE, &err);
}

/* The recorded run, if it did not pass: step by step the same once more. */
static void propose_itself(struct fw_predicted *predicted)
{
    const struct fw_trace *trace = predicted->job.trace;
    struct fw_shown shown = { .claim = FW_CLAIM_ORDER };

    if ((WIFEXITED(predicted->status) && !WEXITSTATUS(predicted->status)) ||
        trace->count > LONGEST)
        return;
    predicted->order = fw_xcalloc(trace->count + (size_t)1, sizeof *predicted->order);
    for (uint32_t i = 0; i < trace->count; i++)
        predicted->order[i] = fw_trace_index(trace, i);
    shown.order = predicted->order;
    shown.order_count = trace->count;
    fw_vec_push(&predicted->proposed, shown);
}

/* The line where its witness ends: what several go on from is worth one try before the others. */
static uint32_t ends_at(const struct fw_predicted *predicted, const struct fw_shown *shown)
{
    struct fw_schedule_walk walk;
    uint32_t last = FW_NO_EVENT;

    if (shown->claim == FW_CLAIM_DEADLOCK || !shown->schedule->steps)
        return 0;
    fw_schedule_walk_init(&walk, shown->schedule, shown->index);
    fw_schedule_skip(&walk, shown->schedule->steps - 1);
    fw_schedule_next(&walk, &last);
    fw_schedule_walk_release(&walk);
    return last == FW_NO_EVENT ? 0 : predicted->job.trace->events[last].site;
}

/* Those that end at places of their own first; returns how many these are. */
static size_t propose_predictions(struct fw_predicted *predicted)
{
    bool *met = fw_xcalloc(fw_symbols_count(predicted->job.trace->symbols, FW_SPACE_SITE) +
                               (size_t)1,
                           sizeof *met);
    FW_VEC(struct fw_shown) later = { 0 };
    size_t first;

    for (size_t i = 0; i < predicted->list.len; i++) {
        uint32_t site = ends_at(predicted, &predicted->list.at[i].shown);

        if (site && met[site])
            fw_vec_push(&later, predicted->list.at[i].shown);
        else
            fw_vec_push(&predicted->proposed, predicted->list.at[i].shown);
        met[site] = true;
    }
    first = predicted->proposed.len;
    for (size_t i = 0; i < later.len; i++)
        fw_vec_push(&predicted->proposed, later.at[i]);
    fw_vec_release(&later);
    free(met);
    return first;
}

struct fw_proposals fw_predicted_propose(struct fw_predicted *predicted)
{
    size_t first = 0;

    if (predicted->moments && predicted->job.trace) {
        propose_itself(predicted);
        fw_conflicts_find(predicted->job.trace, predicted->moments, &predicted->conflicts);
        first = propose_predictions(predicted);
    }
    return (struct fw_proposals){ .moments = predicted->moments,
                                  .predicted = predicted->proposed.at,
                                  .predicted_count = predicted->proposed.len,
                                  .first_count = first,
                                  .preemptions = predicted->conflicts.at,
                                  .preemption_count = predicted->conflicts.len };
}

void fw_predicted_release(struct fw_predicted *predicted, int status)
{
    if (predicted->job.abandoned) {
        fflush(NULL);
        _exit(status);
    }
    for (size_t i = 0; i < predicted->list.len; i++)
        free((uint64_t *)predicted->list.at[i].shown.events);
    fw_vec_release(&predicted->list);
    fw_vec_release(&predicted->proposed);
    fw_vec_release(&predicted->conflicts);
    free(predicted->order);
    fw_moments_destroy(predicted->moments);
    fw_check_release(&predicted->job);
    fw_reader_close(predicted->job.reader);
    fw_vec_release(&predicted->selection);
}
