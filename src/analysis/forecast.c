/* forecast.c - see forecast.h. */
#include "analysis/forecast.h"

#include "analysis/forecast_detail.h"
#include "base/bisect.h"
#include "base/bug.h"
#include "base/idsort.h"
#include "predict/repeats.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>

#define LEANS                                                                                      \
    "Not proven: the witness passes another race, which may change what the threads do next"
#define UNSEEN                                                                                     \
    "Not proven: the witness reads memory that code without hooks has written"

const struct fw_analysis fw_analysis_race = {
    .name = "race",
    .summary = "conflicting accesses that can happen at once",
    .guarantee = FW_SOUND,
    .by_default = true,
    .predictor = &fw_predictor_race,
};

const struct fw_analysis fw_analysis_deadlock = {
    .name = "deadlock",
    .summary = "threads that can wait for each other's locks",
    .guarantee = FW_SOUND,
    .by_default = true,
    .predictor = &fw_predictor_deadlock,
};

const struct fw_analysis fw_analysis_atomicity = {
    .name = "atomicity",
    .summary = "accesses that another thread can come between",
    .guarantee = FW_SOUND,
    .by_default = true,
    .predictor = &fw_predictor_atomicity,
};

const struct fw_analysis fw_analysis_nondet = {
    .name = "nondet",
    .summary = "reads that can see another write",
    .guarantee = FW_SOUND,
    .by_default = true,
    .predictor = &fw_predictor_nondet,
};

const struct fw_analysis fw_analysis_iroot = {
    .name = "iroot",
    .summary = "interleavings that the run did not test but could have",
    .guarantee = FW_SOUND,
    .predictor = &fw_predictor_iroot,
};

const struct fw_analysis fw_analysis_order = {
    .name = "order",
    .summary = "whether events can come in a given order",
    .guarantee = FW_SOUND,
    .predictor = &fw_predictor_order,
};

/* One analysis; NULL where the engine's has no predictor. */
struct row {
    const struct fw_analysis *analysis;
    struct fw_predictions *predictions;
};

struct fw_forecast {
    struct fw_forecast_setup setup;
    struct row *rows; /* as many as the engine has */
    size_t count;
    struct fw_index *index;
    struct fw_core *core;
    struct fw_team *team;
    atomic_bool ran;          /* to the end */
    pthread_mutex_t lock;     /* for whoever writes one of these three: they change together */
    _Atomic(struct row *) at; /* the row being worked on; NULL: before the first one */
    atomic_bool stop;         /* all of it ... */
    atomic_bool pass;         /* ... or the present analysis: what the team looks at */
    /* Used by fw_forecast_share alone. */
    const struct row *shared; /* the row that `until` is for */
    double until;             /* the seconds that will be left when its share is used up */
};

struct fw_forecast *fw_forecast_create(const struct fw_forecast_setup *setup,
                                       const struct fw_analysis *const *analyses, size_t count)
{
    struct fw_forecast *forecast = fw_xcalloc(1, sizeof *forecast);

    pthread_mutex_init(&forecast->lock, NULL);
    forecast->setup = *setup;
    forecast->count = count;
    forecast->rows = fw_xcalloc(count + 1, sizeof *forecast->rows);
    for (size_t i = 0; i < count; i++) {
        if (!analyses[i]->predictor)
            continue;
        forecast->rows[i].analysis = analyses[i];
        forecast->rows[i].predictions = fw_predictions_create();
    }
    return forecast;
}

void fw_forecast_destroy(struct fw_forecast *forecast)
{
    if (!forecast)
        return;
    for (size_t i = 0; i < forecast->count; i++)
        fw_predictions_destroy(forecast->rows[i].predictions);
    fw_team_destroy(forecast->team);
    fw_core_destroy(forecast->core);
    fw_index_destroy(forecast->index);
    pthread_mutex_destroy(&forecast->lock);
    free(forecast->rows);
    free(forecast);
}

/* --- running ----------------------------------------------------------------------------- */

static bool stopped(struct fw_forecast *forecast)
{
    return atomic_load(&forecast->stop);
}

static bool predicts(const struct fw_forecast *forecast, const struct fw_predictor *predictor)
{
    for (size_t i = 0; i < forecast->count; i++)
        if (forecast->rows[i].analysis && forecast->rows[i].analysis->predictor == predictor)
            return true;
    return false;
}

static void prepare(struct fw_forecast *forecast)
{
    struct fw_core_options options = { .values = forecast->setup.options.values,
                                       .iroots = predicts(forecast, &fw_predictor_iroot) };
    struct fw_team_setup team = { .options = &forecast->setup.options,
                                  .budget = { forecast->setup.steps, &forecast->pass },
                                  .jobs = forecast->setup.jobs };

    forecast->index = fw_index_create(forecast->setup.trace);
    if (stopped(forecast))
        return;
    team.core = forecast->core = fw_core_create(forecast->index, &options);
    forecast->team = fw_team_create(&team);
}

/* Goes on to the row; false: no more. */
static bool begin(struct fw_forecast *forecast, struct row *row)
{
    bool more;

    pthread_mutex_lock(&forecast->lock);
    more = !stopped(forecast);
    if (more) {
        atomic_store(&forecast->at, row);
        atomic_store(&forecast->pass, false);
    }
    pthread_mutex_unlock(&forecast->lock);
    return more;
}

void fw_forecast_run(struct fw_forecast *forecast)
{
    prepare(forecast);
    for (size_t i = 0; i < forecast->count; i++) {
        struct row *row = &forecast->rows[i];

        if (!row->analysis)
            continue;
        if (!begin(forecast, row))
            break;
        fw_team_run(forecast->team, row->analysis->predictor, row->predictions);
    }
    atomic_store(&forecast->ran, true);
}

void fw_forecast_stop(struct fw_forecast *forecast)
{
    pthread_mutex_lock(&forecast->lock);
    atomic_store(&forecast->stop, true);
    atomic_store(&forecast->pass, true);
    pthread_mutex_unlock(&forecast->lock);
}

/* Analyses from this row on. */
static size_t rows_left(const struct fw_forecast *forecast, const struct row *row)
{
    size_t left = 0;

    for (; row < forecast->rows + forecast->count; row++)
        left += row->analysis != NULL;
    return left;
}

/* Is the share of the present row used up, and is there another one? */
static bool has_had_its_share(struct fw_forecast *forecast, double left)
{
    const struct row *row = atomic_load(&forecast->at);
    size_t rows = row ? rows_left(forecast, row) : 0;

    if (rows < 2)
        return false;
    if (row != forecast->shared) {
        forecast->shared = row;
        forecast->until = left - left / (double)rows;
    }
    return left <= forecast->until;
}

bool fw_forecast_share(struct fw_forecast *forecast, double left)
{
    bool had;

    pthread_mutex_lock(&forecast->lock);
    had = has_had_its_share(forecast, left);
    if (had)
        atomic_store(&forecast->pass, true);
    pthread_mutex_unlock(&forecast->lock);
    return had;
}

void fw_forecast_progress(struct fw_forecast *forecast, char *text, size_t size)
{
    const struct row *row = atomic_load(&forecast->at);
    struct fw_predict_counts counts;

    if (!row) {
        snprintf(text, size, "ordering %" PRIu32 " events", forecast->setup.trace->count);
        return;
    }
    fw_predictions_get(row->predictions, NULL, &counts);
    snprintf(text, size, "%s: %" PRIu64 " suspects checked, %" PRIu64 " proved",
             row->analysis->name, counts.asked + counts.refuted, counts.proved);
}

uint64_t fw_forecast_steps(struct fw_forecast *forecast)
{
    uint64_t steps = 0;

    for (size_t i = 0; i < forecast->count; i++) {
        struct fw_predict_counts counts = { 0 };

        if (forecast->rows[i].analysis)
            fw_predictions_get(forecast->rows[i].predictions, NULL, &counts);
        steps += counts.steps;
    }
    return steps;
}

const struct fw_index *fw_forecast_index(const struct fw_forecast *forecast)
{
    return atomic_load(&forecast->at) ? forecast->index : NULL;
}

const struct fw_rejection *fw_forecast_rejection(const struct fw_forecast *forecast)
{
    if (!atomic_load(&forecast->ran))
        return NULL;
    for (size_t i = 0; i < forecast->count; i++)
        if (forecast->rows[i].analysis && fw_predictions_rejection(forecast->rows[i].predictions))
            return fw_predictions_rejection(forecast->rows[i].predictions);
    return NULL;
}

/* Measured; witnesses and what predictors gather come on top, as they are found. */
uint64_t fw_forecast_bytes(uint64_t events, uint64_t variables, uint32_t jobs)
{
    const uint64_t index = 28, core = 8, worker = 60;         /* an event */
    const uint64_t index_variable = 16, worker_variable = 64; /* a variable */

    return events * (index + core + worker * jobs) +
           variables * (index_variable + worker_variable * jobs);
}

/* --- marks ------------------------------------------------------------------------------- */

/* The contexts of the few events that findings speak of. */
struct marks {
    const struct fw_trace *trace;
    FW_VEC(uint32_t) positions; /* ascending, distinct */
    struct fw_context *contexts;
    FW_VEC(struct fw_mark) events; /* of the finding at hand */
};

static void collect_positions(struct marks *marks, struct fw_prediction **list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < list[i]->event_count; j++)
            fw_vec_push(&marks->positions, list[i]->events[j]);
}

/* The variables whose allocation the report will tell. */
static void want_origins(const struct marks *marks, struct fw_contexts *contexts)
{
    FW_VEC(uint32_t) variables = { 0 };

    for (size_t i = 0; i < marks->positions.len; i++) {
        const struct fw_event *event = &marks->trace->events[marks->positions.at[i]];

        if (fw_is_class(event->kind, FW_CLASS_CONFLICT))
            fw_vec_push(&variables, event->target);
    }
    fw_contexts_want(contexts, variables.at, variables.len);
    fw_vec_release(&variables);
}

#define PASS 4096u /* events at a time */

/* One pass over the trace, up to the last position; ids are those of any other pass. */
static void compute_contexts(struct marks *marks, struct fw_contexts *contexts)
{
    struct fw_batch batch = fw_trace_batch(marks->trace);
    uint32_t total = batch.count, next = 0;

    if (marks->positions.len)
        marks->positions.len = fw_idsort_unique(marks->positions.at, marks->positions.len);
    marks->contexts = fw_xcalloc(marks->positions.len + 1, sizeof *marks->contexts);
    for (uint32_t from = 0; from < total && next < marks->positions.len; from += PASS) {
        const struct fw_context *now;

        batch.count = total - from < PASS ? total - from : PASS;
        batch.events = marks->trace->events + from;
        now = fw_contexts_batch(contexts, &batch);
        for (; next < marks->positions.len && marks->positions.at[next] - from < PASS; next++)
            marks->contexts[next] = now[marks->positions.at[next] - from];
    }
}

static struct fw_context context_at(const struct marks *marks, uint32_t position)
{
    uint32_t low = fw_count_below(marks->positions.at, (uint32_t)marks->positions.len, position);

    FW_ASSERT(low < marks->positions.len && marks->positions.at[low] == position);
    return marks->contexts[low];
}

static struct fw_mark mark_of(const struct marks *marks, uint32_t position)
{
    const struct fw_event *event = &marks->trace->events[position];

    return (struct fw_mark) {
        .index = fw_trace_index(marks->trace, position),
        .thread = event->thread,
        .kind = event->kind,
        .target = event->target,
        .site = event->site,
        .size = marks->trace->attrs[event->attr].size,
        .context = context_at(marks, position),
    };
}

static void marks_release(struct marks *marks)
{
    fw_vec_release(&marks->positions);
    fw_vec_release(&marks->events);
    free(marks->contexts);
}

/* --- the report -------------------------------------------------------------------------- */

/* What one analysis has published. */
struct published {
    struct fw_prediction **list;
    size_t count;
    struct fw_predict_counts counts;
};

/* Do all its threads wait for ever in the trace itself?  (Predictors see to it that a request is
 * the last event of its thread.) */
static bool happened(const struct fw_forecast *forecast, const struct fw_prediction *prediction)
{
    const struct fw_event *events = forecast->setup.trace->events;

    for (uint32_t i = 0; i < prediction->event_count; i++)
        if (!fw_is_class(events[prediction->events[i]].kind, FW_CLASS_REQUEST))
            return false;
    return prediction->claim == FW_CLAIM_DEADLOCK;
}

/* Why the witness is no proof; NULL: it is one. */
static const char *why_unproven(const struct fw_forecast *forecast,
                                const struct fw_prediction *prediction)
{
    const struct fw_id_ranges *unseen = forecast->setup.unseen;

    if (forecast->index->trace->lacks_repeats &&
        fw_witness_leans(&prediction->witness, prediction->claim, forecast->index))
        return LEANS;
    if (unseen && unseen->len &&
        fw_witness_hangs(&prediction->witness, unseen, forecast->index))
        return UNSEEN;
    return NULL;
}

/* What a read saw in the trace.  False: it is no read, or saw no write. */
static bool note_seen(const struct fw_forecast *forecast, uint32_t read, struct fw_mark *mark)
{
    const struct fw_trace *trace = forecast->index->trace;
    uint32_t write = fw_is_read(trace->events[read].kind)
                         ? fw_prediction_saw(forecast->index, read)
                         : FW_NO_EVENT;
    const struct fw_event *event = &trace->events[write == FW_NO_EVENT ? 0 : write];

    *mark = (struct fw_mark) { .index = fw_trace_index(trace, write == FW_NO_EVENT ? 0 : write),
                               .thread = event->thread,
                               .kind = event->kind,
                               .target = event->target,
                               .site = event->site };
    return write != FW_NO_EVENT;
}

static void add_finding(const struct fw_forecast *forecast, struct marks *marks,
                        const struct fw_analysis *analysis, const struct fw_prediction *prediction,
                        struct fw_findings *sink)
{
    bool shown = prediction->witness.steps;
    char *detail = shown ? fw_prediction_detail(forecast->index, prediction) : NULL;
    struct fw_mark saw;
    struct fw_occurrence occurrence = {
        .kind = fw_finding_kind_of(analysis->predictor->claim),
        .event_count = prediction->event_count,
        .variable = prediction->variable == FW_NO_EVENT ? FW_NO_VARIABLE : prediction->variable,
        .label = prediction->label,
        .observed = happened(forecast, prediction),
        .detail = detail,
        .witness = shown ? &prediction->witness : NULL,
        .claim = prediction->claim,
        .unproven = shown ? why_unproven(forecast, prediction) : NULL,
    };

    fw_vec_clear(&marks->events);
    for (uint32_t i = 0; i < prediction->event_count; i++)
        fw_vec_push(&marks->events, mark_of(marks, prediction->events[i]));
    occurrence.events = marks->events.at;
    if (occurrence.kind == FW_FINDING_NONDETERMINISM && shown &&
        note_seen(forecast, prediction->events[0], &saw))
        occurrence.saw = &saw;
    fw_findings_add(sink, &occurrence);
    free(detail);
}

/* Adds to the reasons why the answer is not complete. */
static void add_reason(struct fw_outcome *outcome, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

static void add_reason(struct fw_outcome *outcome, const char *fmt, ...)
{
    size_t used = strlen(outcome->why);
    va_list args;

    outcome->complete = false;
    if (used)
        used += (size_t)snprintf(outcome->why + used, sizeof outcome->why - used, ", ");
    if (used >= sizeof outcome->why)
        return;
    va_start(args, fmt);
    vsnprintf(outcome->why + used, sizeof outcome->why - used, fmt, args);
    va_end(args);
}

/* What was not looked at because the run was stopped. */
static void add_unreached(struct fw_outcome *outcome, const struct fw_predict_counts *counts,
                          const char *limit)
{
    bool more = counts->more_unreached || !counts->finished;

    if (counts->unreached)
        add_reason(outcome, "%s%" PRIu64 " suspect%s not reached within %s",
                   more ? "at least " : "", counts->unreached, counts->unreached == 1 ? "" : "s",
                   limit);
    else if (more)
        add_reason(outcome, "%snot reached within %s", counts->units ? "the rest was " : "", limit);
}

static struct fw_outcome outcome_of(const struct fw_forecast *forecast,
                                    const struct fw_predict_counts *counts, const char *limit)
{
    struct fw_outcome outcome = { .complete = true, .predicted = true, .counts = *counts };

    if (forecast->setup.cut)
        add_reason(&outcome, "%s", forecast->setup.cut);
    if (counts->undecided)
        add_reason(&outcome, "%" PRIu64 " suspect%s undecided within the budget", counts->undecided,
                   counts->undecided == 1 ? "" : "s");
    add_unreached(&outcome, counts, limit ? limit : "the budget");
    outcome.spent = !outcome.complete;
    if (counts->left)
        add_reason(&outcome, "%" PRIu64 " suspect%s left by the cap", counts->left,
                   counts->left == 1 ? "" : "s");
    if (counts->cut)
        add_reason(&outcome, "the search for suspects came to its bound");
    return outcome;
}

void fw_forecast_report(struct fw_forecast *forecast, struct fw_engine *engine, const char *limit)
{
    struct published *all = fw_xcalloc(forecast->count + 1, sizeof *all);
    struct marks marks = { .trace = forecast->setup.trace };
    bool fresh = fw_engine_streams(engine);
    struct fw_contexts *contexts = fresh ? fw_contexts_create() : fw_engine_contexts(engine);

    for (size_t i = 0; i < forecast->count; i++) {
        if (!forecast->rows[i].analysis)
            continue;
        all[i].count =
            fw_predictions_get(forecast->rows[i].predictions, &all[i].list, &all[i].counts);
        collect_positions(&marks, all[i].list, all[i].count);
    }
    want_origins(&marks, contexts);
    compute_contexts(&marks, contexts);
    for (size_t i = 0; i < forecast->count; i++) {
        struct fw_outcome outcome;

        if (!forecast->rows[i].analysis)
            continue;
        for (size_t j = 0; j < all[i].count; j++)
            add_finding(forecast, &marks, forecast->rows[i].analysis, all[i].list[j],
                        fw_engine_sink(engine, i));
        outcome = outcome_of(forecast, &all[i].counts, limit);
        fw_engine_conclude(engine, i, &outcome);
        free(all[i].list);
    }
    fw_engine_finish_ids(engine);
    if (fresh) {
        fw_contexts_adopt(fw_engine_contexts(engine), contexts);
        fw_contexts_destroy(contexts);
    }
    marks_release(&marks);
    free(all);
}
