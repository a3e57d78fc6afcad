/*
 * predict.c - see predict.h.
 *
 * Workers take units one by one, in their order, and check each on their own.
 * What a unit yields depends on the unit alone; it is published when the unit
 * is done.
 */
#include "predict/predict.h"

#include "base/bug.h"
#include "predict/minimise.h"
#include "predict/predictions.h"

#include <time.h>

#define JUDGE_ALL 65536u /* events of a trace in which every witness is judged */

struct worker {
    struct fw_team *team;
    struct fw_solver *solver; /* this one and the next two: made when first needed */
    struct fw_verifier *verifier;
    struct fw_minimiser *minimiser;
    struct fw_solver_stats told; /* of the solver, when the present run began */
    struct fw_unit unit;
    uint64_t number;                 /* of the unit */
    uint32_t *proved;                /* variable → the latest stamp under which it was proved */
    uint32_t stamp;                  /* of the unit */
    struct fw_prediction_list found; /* in this unit ... */
    struct fw_predict_counts counts; /* ... and what it adds to the counts */
    FW_VEC(uint32_t) undecided;      /* suspects of this unit */
    pthread_t thread;
};

struct fw_team {
    struct fw_team_setup setup;
    const struct fw_index *index;
    const struct fw_trace *trace;
    struct worker *workers;
    /* The present run. */
    const struct fw_predictor *predictor;
    struct fw_predictions *to;
    pthread_mutex_t lock; /* guards the rest */
    void *state;          /* the predictor's */
    uint64_t next;        /* number of the next unit */
    bool ended;           /* there are no more units */
};

/* Hands over what the worker found in its unit. */
static void publish(struct worker *worker)
{
    fw_predictions_publish(worker->team->to, &worker->found, &worker->counts);
    worker->counts = (struct fw_predict_counts) { 0 };
}

/* --- the team ---------------------------------------------------------------------------- */

struct fw_team *fw_team_create(const struct fw_team_setup *setup)
{
    struct fw_team *team = fw_xcalloc(1, sizeof *team);

    FW_ASSERT(setup->jobs);
    team->setup = *setup;
    team->index = fw_core_index(setup->core);
    team->trace = team->index->trace;
    team->workers = fw_xcalloc(setup->jobs, sizeof *team->workers);
    for (uint32_t i = 0; i < setup->jobs; i++)
        team->workers[i].team = team;
    pthread_mutex_init(&team->lock, NULL);
    return team;
}

static void release_worker(struct worker *worker)
{
    fw_solver_destroy(worker->solver);
    fw_verifier_destroy(worker->verifier);
    fw_minimiser_destroy(worker->minimiser);
    fw_vec_release(&worker->unit.events);
    fw_vec_release(&worker->unit.suspects);
    fw_vec_release(&worker->found);
    fw_vec_release(&worker->undecided);
    free(worker->proved);
}

void fw_team_destroy(struct fw_team *team)
{
    if (!team)
        return;
    for (uint32_t i = 0; i < team->setup.jobs; i++)
        release_worker(&team->workers[i]);
    free(team->workers);
    pthread_mutex_destroy(&team->lock);
    free(team);
}

static bool stopped(const struct fw_team *team)
{
    const atomic_bool *stop = team->setup.budget.stop;

    return stop && atomic_load_explicit(stop, memory_order_relaxed); /* a hint: orders nothing */
}

/* --- judging witnesses ------------------------------------------------------------------- */

static struct fw_witness witness_of(const struct fw_prediction *prediction, const uint32_t *order,
                                    uint32_t count)
{
    return (struct fw_witness) { prediction->claim, prediction->events, prediction->event_count,
                                 order, count };
}

static bool accept(struct worker *worker, struct fw_prediction *prediction, const uint32_t *order,
                   uint32_t count)
{
    struct fw_witness witness = witness_of(prediction, order, count);
    struct fw_verdict verdict;

    if (!worker->verifier) {
        worker->verifier = fw_verifier_create(worker->team->trace);
        fw_verifier_use_values(worker->verifier, worker->team->setup.options->values);
        if (worker->team->setup.options->window)
            fw_verifier_use_window(worker->verifier, worker->team->setup.options->window);
    }
    verdict = fw_verify(worker->verifier, &witness);
    if (!verdict.accepted)
        fw_predictions_reject(worker->team->to, prediction, &witness, &verdict);
    return verdict.accepted;
}

/* --- which witness is kept --------------------------------------------------------------- */

/* The prediction of this unit whose witness is not needed besides the new one's, or NULL. */
static struct fw_prediction *rival_of(const struct worker *worker,
                                      const struct fw_prediction *fresh)
{
    const struct fw_trace *trace = worker->team->trace;

    if (worker->team->setup.options->pairs_all || !fw_prediction_has_sites(trace, fresh))
        return NULL;
    for (size_t i = 0; i < worker->found.len; i++) {
        struct fw_prediction *other = worker->found.at[i];

        if (other->witness.steps && fw_prediction_has_sites(trace, other) &&
            fw_predictions_equal(trace, fresh, other))
            return other;
    }
    return NULL;
}

/* Is it the one to be shown, of those of this unit so far?  Then an equal one is not. */
static bool is_shown(const struct worker *worker, const struct fw_prediction *fresh)
{
    struct fw_prediction *rival = rival_of(worker, fresh);

    if (rival && !fw_prediction_is_earlier(worker->team->trace, fresh, rival))
        return false;
    if (rival)
        fw_schedule_release(&rival->witness);
    return true;
}

/* Fewer switches; judged in place of the given order, which it is equivalent to. */
static bool keep_witness(struct worker *worker, struct fw_prediction *fresh, const uint32_t *order,
                         uint32_t count)
{
    struct fw_witness witness = witness_of(fresh, order, count);

    if (!worker->minimiser)
        worker->minimiser = fw_minimiser_create(worker->team->index);
    order = fw_minimise(worker->minimiser, &witness);
    if (!accept(worker, fresh, order, count))
        return false;
    fw_schedule_pack(&fresh->witness, worker->team->trace, order, count);
    return true;
}

/* --- a unit ------------------------------------------------------------------------------ */

/* Suspects without a variable share one more place. */
static uint32_t *proved_at(const struct worker *worker, const struct fw_suspect *suspect)
{
    uint32_t none = worker->team->index->by_variable.rows;

    return &worker->proved[suspect->variable == FW_NO_EVENT ? none : suspect->variable];
}

/*
 * The witness that is shown is always judged.  One that is merged into a finding with another
 * witness is judged too, unless the trace is so long that this would take most of the time.
 */
static bool judge(struct worker *worker, struct fw_prediction *fresh)
{
    bool shown = is_shown(worker, fresh);
    const uint32_t *order;
    uint32_t count;

    if (!shown && worker->team->trace->count > JUDGE_ALL)
        return true;
    order = fw_solver_witness(worker->solver, &count);
    return (shown ? keep_witness : accept)(worker, fresh, order, count);
}

static void add_prediction(struct worker *worker, uint32_t number, const struct fw_suspect *suspect)
{
    struct fw_prediction *fresh = fw_xcalloc(1, sizeof *fresh);

    *fresh = (struct fw_prediction) {
        .unit = worker->number,
        .suspect = number,
        .claim = suspect->claim,
        .variable = suspect->variable,
        .label = suspect->label,
        .events = fw_copy_numbers(worker->unit.events.at + suspect->first, suspect->count),
        .event_count = suspect->count,
    };
    if (!judge(worker, fresh)) {
        fw_prediction_destroy(fresh);
        return;
    }
    fw_vec_push(&worker->found, fresh);
    worker->counts.proved++;
    *proved_at(worker, suspect) = worker->stamp;
}

/* Unless every pair counts, nothing more is to know of a variable that is proved. */
static bool is_settled(const struct worker *worker, uint32_t number)
{
    return !worker->team->setup.options->pairs_all &&
           *proved_at(worker, &worker->unit.suspects.at[number]) == worker->stamp;
}

/* An answer that was cut short by `stop` does not count as one. */
static void check_suspect(struct worker *worker, uint32_t number)
{
    const struct fw_suspect *suspect = &worker->unit.suspects.at[number];
    struct fw_team *team = worker->team;
    enum fw_answer answer;

    if (is_settled(worker, number))
        return;
    answer = fw_solver_ask(worker->solver, suspect->claim, worker->unit.events.at + suspect->first,
                           suspect->count);
    if (answer == FW_UNDECIDED && stopped(team)) {
        worker->counts.unreached++;
        return;
    }
    worker->counts.asked++;
    if (answer == FW_UNDECIDED)
        fw_vec_push(&worker->undecided, number);
    else if (answer == FW_FEASIBLE)
        add_prediction(worker, number, suspect);
}

/* What stays open in this unit. */
static void count_rest(struct worker *worker)
{
    const struct fw_unit *unit = &worker->unit;

    worker->counts.units++;
    worker->counts.left += unit->left;
    worker->counts.cut |= unit->cut;
    worker->counts.refuted += unit->refuted;
    for (uint32_t i = 0; i < unit->suspects.len; i++)
        worker->counts.left += is_settled(worker, i) ? 0 : unit->suspects.at[i].left;
    for (size_t i = 0; i < worker->undecided.len; i++)
        worker->counts.undecided += !is_settled(worker, worker->undecided.at[i]);
    fw_vec_clear(&worker->undecided);
}

/* The predictor hears what has become of its unit. */
static void tell(struct worker *worker, bool reached_all)
{
    struct fw_team *team = worker->team;
    const struct fw_unit *unit = &worker->unit;
    bool open = !reached_all || unit->left || worker->undecided.len;
    enum fw_answer answer;

    if (!team->predictor->answered)
        return;
    for (uint32_t i = 0; i < unit->suspects.len; i++)
        open |= unit->suspects.at[i].left > 0;
    answer = worker->found.len ? FW_FEASIBLE : open ? FW_UNDECIDED : FW_INFEASIBLE;
    pthread_mutex_lock(&team->lock);
    team->predictor->answered(team->state, unit, answer,
                              worker->found.len ? worker->found.at[0] : NULL);
    pthread_mutex_unlock(&team->lock);
}

static void check_unit(struct worker *worker)
{
    uint32_t count = (uint32_t)worker->unit.suspects.len, i;
    uint64_t unreached = worker->counts.unreached;

    worker->stamp++;
    for (i = 0; i < count && !stopped(worker->team); i++)
        check_suspect(worker, i);
    worker->counts.unreached += count - i;
    tell(worker, worker->counts.unreached == unreached);
    count_rest(worker);
    publish(worker);
}

/* --- a run ------------------------------------------------------------------------------- */

static bool take_unit(struct worker *worker)
{
    struct fw_team *team = worker->team;
    bool taken;

    pthread_mutex_lock(&team->lock);
    if (!team->ended && !stopped(team))
        team->ended = !team->predictor->next(team->state, &worker->unit);
    taken = !team->ended && !stopped(team);
    worker->number = team->next;
    team->next += taken;
    pthread_mutex_unlock(&team->lock);
    return taken;
}

static void prepare(struct worker *worker)
{
    struct fw_team *team = worker->team;

    if (!worker->solver)
        worker->solver = fw_solver_create(team->setup.core, &team->setup.budget);
    if (!worker->proved)
        worker->proved =
            fw_xcalloc((size_t)team->index->by_variable.rows + 1, sizeof *worker->proved);
    worker->told = fw_solver_stats(worker->solver);
}

static void *work(void *arg)
{
    struct worker *worker = arg;
    bool any = take_unit(worker);

    if (!any)
        return NULL; /* nothing to do: no solver for it */
    prepare(worker);
    for (; any; any = take_unit(worker))
        check_unit(worker);
    fw_predictions_add_stats(worker->team->to, fw_solver_stats(worker->solver), worker->told);
    return NULL;
}

/* If the system does not grant a thread, there is one worker less. */
static void work_all(struct fw_team *team)
{
    uint32_t started = 1;

    while (started < team->setup.jobs &&
           pthread_create(&team->workers[started].thread, NULL, work, &team->workers[started]) == 0)
        started++;
    work(&team->workers[0]);
    for (uint32_t i = 1; i < started; i++)
        pthread_join(team->workers[i].thread, NULL);
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

#define COUNTING_SECONDS 0.1

/* Counts what was not looked at, as long as that is quick. */
static void count_unreached(struct fw_team *team)
{
    struct worker *worker = &team->workers[0];
    double end = now() + COUNTING_SECONDS;

    while (!team->ended && now() < end) {
        team->ended = !team->predictor->next(team->state, &worker->unit);
        if (!team->ended)
            worker->counts.unreached += worker->unit.suspects.len;
    }
    publish(worker);
    pthread_mutex_lock(&team->to->lock);
    team->to->counts.more_unreached = !team->ended;
    pthread_mutex_unlock(&team->to->lock);
}

void fw_team_run(struct fw_team *team, const struct fw_predictor *predictor,
                 struct fw_predictions *predictions)
{
    team->predictor = predictor;
    team->to = predictions;
    team->next = 0;
    team->ended = false;
    team->state = predictor->create(team->setup.core, team->setup.options);
    work_all(team);
    if (stopped(team))
        count_unreached(team);
    predictor->destroy(team->state);
    pthread_mutex_lock(&predictions->lock);
    predictions->counts.finished = true;
    pthread_mutex_unlock(&predictions->lock);
}
