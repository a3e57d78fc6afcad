/*
 * campaign.c - see campaign.h.
 *
 * The caller's thread plans a round, wakes the workers, waits for them, and takes their trials in
 * order.  A worker owns a session, takes the next number, runs it, and puts the trial into its
 * slot.
 */
#include "explore/campaign_state.h"

#include <errno.h>
#include <unistd.h>

#define ROUND      64u   /* runs of a round at most */
#define LONG_ROUND 1024u /* ... when nothing has been new for long */
#define LATE       0.2   /* of a limited time has gone: then profiles are made */
#define PART       0.125 /* of a limited time is for a round at most; between two others may come */
#define DECISIONS  (256u << 20) /* bytes that the runs of a round may tell, if each does as much */

/* --- workers --------------------------------------------------------------------------------- */

/* With the lock. */
static void take_over(struct fw_campaign *campaign, size_t slot, int status,
                      const struct fw_error *err)
{
    struct fw_trial *trial = &campaign->trials[slot];
    struct fw_error problem = *err;

    if (status == 0 && trial->done && campaign->journal >= 0)
        status = fw_journal_append(campaign->journal, trial, &problem);
    if (status < 0 && !campaign->failed) {
        campaign->failed = true;
        campaign->error = problem;
    }
    if (status < 0)
        campaign->most = 0;
    else if (campaign->setup.until_first && trial->failure && slot + 1 < campaign->most)
        campaign->most = slot + 1;
}

static void work_round(struct fw_worker *worker)
{
    struct fw_campaign *campaign = worker->campaign;
    struct fw_error err = { "" };

    fw_spots_share(&campaign->knowledge.shared, &worker->told, worker->session);
    pthread_mutex_lock(&campaign->lock);
    while (campaign->next < campaign->most) {
        size_t slot = campaign->next++;
        struct fw_trial *trial = &campaign->trials[slot];
        int status;

        if (trial->done) /* the journal knows it */
            continue;
        pthread_mutex_unlock(&campaign->lock);
        status = fw_worker_run(worker, trial, &err);
        pthread_mutex_lock(&campaign->lock);
        take_over(campaign, slot, status, &err);
    }
    pthread_mutex_unlock(&campaign->lock);
}

static void *work(void *argument)
{
    struct fw_worker *worker = argument;
    struct fw_campaign *campaign = worker->campaign;
    unsigned seen = 0;

    pthread_mutex_lock(&campaign->lock);
    for (;;) {
        while (campaign->round == seen && !campaign->quit)
            pthread_cond_wait(&campaign->begin, &campaign->lock);
        if (campaign->quit)
            break;
        seen = campaign->round;
        pthread_mutex_unlock(&campaign->lock);
        work_round(worker);
        pthread_mutex_lock(&campaign->lock);
        if (--campaign->busy == 0)
            pthread_cond_signal(&campaign->over);
    }
    pthread_mutex_unlock(&campaign->lock);
    return NULL;
}

static int start_workers(struct fw_campaign *campaign, struct fw_error *err)
{
    for (uint32_t i = 0; i < campaign->setup.jobs; i++) {
        struct fw_worker *worker = &campaign->workers[i];

        worker->campaign = campaign;
        worker->session = fw_session_create(&campaign->setup.session, err);
        if (!worker->session)
            return -1;
        worker->watcher = fw_watcher_create(worker->session, &campaign->setup.observe,
                                            fw_coverage_number, campaign->coverage);
        if (campaign->setup.names) {
            fw_named_points_init(&worker->points, campaign->setup.names);
            fw_session_classify(worker->session, fw_named_points_classify, &worker->points);
        }
        errno = pthread_create(&worker->thread, NULL, work, worker);
        if (errno)
            return fw_error_errno(err, "cannot start a thread");
        worker->started = true;
    }
    return 0;
}

/* --- rounds ---------------------------------------------------------------------------------- */

/* Of the budget, in which recorded runs are. */
static uint64_t count_left(struct fw_campaign *campaign)
{
    struct fw_campaign_state *state = &campaign->knowledge.state;
    const struct fw_campaign_setup *setup = &campaign->setup;

    state->recorded = setup->recorded;
    if (setup->profiling)
        state->recorded += fw_profiling_state(setup->profiling)->made;
    if (!setup->runs)
        return UINT64_MAX;
    return setup->runs - (state->runs + state->recorded < setup->runs
                              ? state->runs + state->recorded
                              : setup->runs);
}

/* Runs that fit into a part of the time, where profiles and attempts are to have their share. */
static uint64_t most_in_time(const struct fw_campaign *campaign)
{
    const struct fw_campaign_state *state = &campaign->knowledge.state;
    double part = campaign->setup.seconds * PART * (double)state->runs;

    if (!campaign->setup.hunt || part <= 0 || part >= ROUND * state->seconds)
        return ROUND;
    return (uint64_t)(part / state->seconds) + 1;
}

static size_t round_size(const struct fw_campaign *campaign, uint64_t left)
{
    const struct fw_campaign_state *state = &campaign->knowledge.state;
    uint64_t size = state->runs < 4       ? (state->runs == 0 ? 1 : 4 - state->runs)
                    : state->runs < ROUND ? state->runs
                                          : ROUND;

    if (state->quiet > LONG_ROUND && !campaign->setup.hunt)
        size = LONG_ROUND;
    if (size > most_in_time(campaign))
        size = most_in_time(campaign);
    if (size > left)
        size = left;
    if (campaign->decisions && size > DECISIONS / campaign->decisions)
        size = DECISIONS / campaign->decisions + 1;
    if (campaign->chess && state->runs)
        size = fw_chess_plan(campaign->chess, size);
    return size;
}

/* 0: none is left. */
static int plan_round(struct fw_campaign *campaign, size_t *count, struct fw_error *err)
{
    struct fw_seeking *seeking = &campaign->seeking;

    *count = round_size(campaign, count_left(campaign));
    campaign->seeks = seeking->hunt && campaign->knowledge.state.runs && *count;
    if (campaign->seeks && fw_seeking_plan(seeking, *count, count, err) < 0)
        return -1;
    campaign->seeks &= seeking->attempts;
    if (*count > count_left(campaign)) /* there was a profile */
        *count = count_left(campaign);
    return 0;
}

/* Slots whose trials the journal tells. */
static void recall(struct fw_campaign *campaign, size_t count)
{
    struct fw_trial_vec *known = &campaign->known;

    for (; campaign->known_at < known->len; campaign->known_at++) {
        struct fw_trial *trial = &known->at[campaign->known_at];
        uint64_t slot = trial->number - campaign->first;

        if (trial->number >= campaign->first + count)
            return;
        if (trial->number < campaign->first || campaign->trials[slot].done)
            continue;
        if (trial->failure && !fw_collector_has(&campaign->collector, trial->failure))
            continue; /* again, for its schedule */
        if (trial->cut && trial->cut < campaign->setup.session.limit)
            continue; /* again, for longer */
        if (!fw_journal_unpack(trial))
            continue;
        campaign->trials[slot] = *trial;
        memset(trial, 0, sizeof *trial);
        campaign->knowledge.state.known++;
    }
}

static void run_round(struct fw_campaign *campaign, size_t count)
{
    campaign->first = campaign->knowledge.state.runs + 1;
    campaign->length = campaign->knowledge.state.length;
    campaign->blocks = campaign->knowledge.state.blocks;
    campaign->away = campaign->knowledge.state.away;
    campaign->ended = campaign->knowledge.state.ended;
    campaign->trials = fw_xcalloc(count, sizeof *campaign->trials);
    recall(campaign, count);
    for (size_t i = 0; i < count; i++)
        campaign->trials[i].number = campaign->first + i;
    pthread_mutex_lock(&campaign->lock);
    campaign->round++;
    campaign->next = 0;
    campaign->most = count;
    campaign->busy = campaign->setup.jobs;
    pthread_cond_broadcast(&campaign->begin);
    while (campaign->busy)
        pthread_cond_wait(&campaign->over, &campaign->lock);
    pthread_mutex_unlock(&campaign->lock);
}

/* A run that failed and was to expose something tells most if it has. */
static void note_sought(struct fw_failure *failure, const struct fw_trial *trial,
                        const struct fw_memo_claim *claim, bool reached)
{
    if (!claim || failure->reached || (failure->sought.idiom && !reached))
        return;
    failure->sought = claim->iroot;
    failure->seeker = trial->number;
    failure->reached = reached;
}

/* Into the memo database. */
static void note_trial(struct fw_campaign *campaign, size_t slot)
{
    const struct fw_trial *trial = &campaign->trials[slot];
    struct fw_ledger_entry entry = { .trial = trial,
                                     .drawn = !campaign->seeks && trial->number > 1 };
    struct fw_failure *failure =
        trial->failure ? fw_knowledge_failure(&campaign->knowledge, trial->failure) : NULL;
    bool reached = false;

    if (failure)
        entry.schedule = failure->schedule;
    if (campaign->seeks) {
        entry.claim = fw_hunt_claim(campaign->setup.hunt, slot);
        reached = fw_hunt_learn(campaign->setup.hunt, slot, trial);
    }
    if (failure)
        note_sought(failure, trial, entry.claim, reached);
    fw_ledger_add(&campaign->setup.ledger, &entry);
}

/* What the trial has shown becomes known. */
static void take_trial(struct fw_campaign *campaign, size_t slot)
{
    struct fw_trial *trial = &campaign->trials[slot];
    struct fw_knowledge *knowledge = &campaign->knowledge;
    struct fw_failure *failure;
    uint32_t fresh;

    if (trial->decision_bytes > campaign->decisions)
        campaign->decisions = trial->decision_bytes;
    campaign->uncontrolled |= !trial->result.controlled && trial->number == 1;
    fw_knowledge_add(knowledge, trial, fw_campaign_seed(campaign->setup.seed, trial->number));
    fresh = fw_coverage_add(campaign->coverage, &trial->exposed);
    note_trial(campaign, slot);
    fw_coverage_count(campaign->coverage, knowledge->state.exposed, knowledge->state.controlled);
    failure = trial->failure ? fw_knowledge_failure(knowledge, trial->failure) : NULL;
    if (failure && fw_knowledge_wants(knowledge, trial->failure)) {
        failure->tried++;
        fw_vec_push(&campaign->captures,
                    ((struct fw_wanted_run) { trial->capture, failure->text }));
        trial->capture = NULL;
    }
    fw_seeking_take(&campaign->seeking, trial, fresh);
    if (campaign->chess && trial->number > 1 && !fw_chess_learn(campaign->chess, slot, trial))
        knowledge->state.diverged++;
}

/* Schedules of the failures that have none, whether or not the database can take them. */
static int collect(struct fw_campaign *campaign, struct fw_error *err)
{
    int status = 0, kept = 0;

    for (size_t i = 0; i < campaign->captures.len; i++) {
        struct fw_wanted_run *wanted = &campaign->captures.at[i];
        struct fw_failure *failure = fw_knowledge_failure(&campaign->knowledge, wanted->failure);

        if (status == 0 && !campaign->uncontrolled && !failure->schedule)
            status = fw_collector_add(&campaign->collector, wanted->capture, failure, err);
        if (kept == 0 && failure->schedule)
            kept = fw_ledger_keep(&campaign->setup.ledger, failure, err);
        fw_capture_destroy(wanted->capture);
    }
    fw_vec_clear(&campaign->captures);
    return status < 0 || kept < 0 ? -1 : 0;
}

/* When no run is on its way. */
static void tidy_up(struct fw_campaign *campaign)
{
    struct fw_pids own = { 0 };

    for (uint32_t i = 0; i < campaign->setup.jobs; i++)
        fw_vec_push(&own, fw_session_process(campaign->workers[i].session));
    if (campaign->collector.session)
        fw_vec_push(&own, fw_session_process(campaign->collector.session));
    campaign->knowledge.state.left += fw_leftover_kill(&campaign->leftover, &own);
    fw_vec_release(&own);
}

static void drop_round(struct fw_campaign *campaign, size_t count)
{
    for (size_t i = 0; i < count; i++)
        fw_trial_release(&campaign->trials[i]);
    free(campaign->trials);
    campaign->trials = NULL;
}

static bool is_stopped(const struct fw_campaign *campaign)
{
    return campaign->setup.session.stop && *campaign->setup.session.stop;
}

/* Takes the trials in order; true: the campaign is over. */
static bool take_round(struct fw_campaign *campaign, size_t count)
{
    struct fw_knowledge *knowledge = &campaign->knowledge;
    uint32_t before = fw_iroot_set_count(fw_coverage_set(campaign->coverage));
    bool over = false;

    for (size_t i = 0; i < count && !over; i++) {
        struct fw_trial *trial = &campaign->trials[i];

        if (!trial->done) {
            knowledge->state.end = is_stopped(campaign) ? FW_CAMPAIGN_STOPPED : FW_CAMPAIGN_TIME;
            over = true;
            break;
        }
        take_trial(campaign, i);
        over = fw_knowledge_ends(knowledge, &campaign->setup) || campaign->uncontrolled;
    }
    fw_seeking_learn(&campaign->seeking, count,
                     fw_iroot_set_count(fw_coverage_set(campaign->coverage)) - before);
    drop_round(campaign, count);
    return over;
}

static int run_rounds(struct fw_campaign *campaign, struct fw_error *err)
{
    struct fw_campaign_state *state = &campaign->knowledge.state;
    const struct fw_campaign_setup *setup = &campaign->setup;
    bool over = false;

    while (!over) {
        size_t count, shared = state->shared;

        if (plan_round(campaign, &count, err) < 0)
            return -1;
        if (count == 0) {
            state->end = count_left(campaign) ? FW_CAMPAIGN_EXHAUSTED : FW_CAMPAIGN_RUNS;
            break;
        }
        run_round(campaign, count);
        if (campaign->failed) {
            drop_round(campaign, count);
            *err = campaign->error;
            return -1;
        }
        over = take_round(campaign, count);
        if (collect(campaign, err) < 0 || fw_ledger_settle(&campaign->setup.ledger, err) < 0)
            return -1;
        tidy_up(campaign);
        if (campaign->chess && state->shared > shared)
            fw_chess_restart(campaign->chess);
        state->seconds = fw_session_now() - campaign->start - campaign->seeking.profiled;
        if (setup->progress)
            setup->progress(setup->context, state);
        if (is_stopped(campaign) && !over) {
            state->end = FW_CAMPAIGN_STOPPED;
            over = true;
        }
    }
    return fw_ledger_flush(&campaign->setup.ledger, err);
}

int fw_campaign_run(struct fw_campaign *campaign, struct fw_error *err)
{
    const struct fw_campaign_setup *setup = &campaign->setup;
    int status;

    campaign->start = fw_session_now();
    if (setup->seconds > 0)
        campaign->setup.session.until = campaign->start + setup->seconds;
    campaign->seeking = (struct fw_seeking) {
        .hunt = setup->hunt,
        .profiling = setup->profiling,
        .ledger = &campaign->setup.ledger,
        .budgeted = setup->runs || setup->seconds > 0 || setup->idle,
        .began = campaign->start,
        .late = setup->seconds > 0 ? campaign->start + setup->seconds * LATE : 0,
    };
    status = start_workers(campaign, err);
    if (status == 0)
        status = run_rounds(campaign, err);
    if (status < 0)
        campaign->knowledge.state.end = FW_CAMPAIGN_BROKEN;
    return status;
}

/* --- life ------------------------------------------------------------------------------------ */

struct fw_campaign *fw_campaign_create(const struct fw_campaign_setup *setup, struct fw_error *err)
{
    struct fw_campaign *campaign = fw_xcalloc(1, sizeof *campaign);

    campaign->setup = *setup;
    if (campaign->setup.session.limit <= 0)
        campaign->setup.session.limit = 10;
    if (!campaign->setup.jobs)
        campaign->setup.jobs = 1;
    campaign->journal = -1;
    campaign->workers = fw_xcalloc(campaign->setup.jobs, sizeof *campaign->workers);
    fw_knowledge_init(&campaign->knowledge);
    fw_leftover_init(&campaign->leftover);
    campaign->coverage = setup->coverage ? setup->coverage : fw_coverage_create();
    campaign->setup.ledger.coverage = campaign->coverage;
    campaign->collector = (struct fw_collector) { &campaign->setup, setup->folder, NULL };
    if (setup->strategy == FW_EXPLORE_CHESS)
        campaign->chess = fw_chess_create(setup->preemptions);
    pthread_mutex_init(&campaign->lock, NULL);
    pthread_cond_init(&campaign->begin, NULL);
    pthread_cond_init(&campaign->over, NULL);
    if (setup->journal)
        campaign->journal = fw_journal_open(setup->journal, setup->about, &campaign->known, err);
    if (!setup->journal || campaign->journal >= 0)
        return campaign;
    fw_campaign_destroy(campaign);
    return NULL;
}

static void stop_workers(struct fw_campaign *campaign)
{
    pthread_mutex_lock(&campaign->lock);
    campaign->quit = true;
    pthread_cond_broadcast(&campaign->begin);
    pthread_mutex_unlock(&campaign->lock);
    for (uint32_t i = 0; i < campaign->setup.jobs; i++) {
        if (campaign->workers[i].started)
            pthread_join(campaign->workers[i].thread, NULL);
        fw_watcher_destroy(campaign->workers[i].watcher);
        fw_session_destroy(campaign->workers[i].session);
        if (campaign->workers[i].points.symbolizer)
            fw_named_points_release(&campaign->workers[i].points);
        fw_vec_release(&campaign->workers[i].steps);
        fw_vec_release(&campaign->workers[i].paths);
        fw_turns_release(&campaign->workers[i].turns);
    }
    free(campaign->workers);
}

void fw_campaign_destroy(struct fw_campaign *campaign)
{
    if (!campaign)
        return;
    stop_workers(campaign);
    pthread_mutex_destroy(&campaign->lock);
    pthread_cond_destroy(&campaign->begin);
    pthread_cond_destroy(&campaign->over);
    for (size_t i = 0; i < campaign->known.len; i++)
        fw_trial_release(&campaign->known.at[i]);
    fw_vec_release(&campaign->known);
    if (campaign->journal >= 0)
        close(campaign->journal);
    fw_chess_destroy(campaign->chess);
    fw_collector_release(&campaign->collector);
    fw_leftover_release(&campaign->leftover);
    fw_seeking_release(&campaign->seeking);
    if (!campaign->setup.coverage)
        fw_coverage_destroy(campaign->coverage);
    fw_vec_release(&campaign->captures);
    fw_knowledge_release(&campaign->knowledge);
    fw_ledger_release(&campaign->setup.ledger);
    free(campaign);
}

const struct fw_campaign_state *fw_campaign_state(const struct fw_campaign *campaign)
{
    return &campaign->knowledge.state;
}

bool fw_campaign_is_uncontrolled(const struct fw_campaign *campaign)
{
    return campaign->uncontrolled;
}

bool fw_campaign_has_met(const struct fw_campaign *campaign, size_t name)
{
    for (uint32_t i = 0; i < campaign->setup.jobs; i++)
        if (campaign->workers[i].points.met[name])
            return true;
    return campaign->knowledge.state.runs == campaign->knowledge.state.known;
}
