/* campaign_trial.c - see campaign.h, campaign_state.h: one run of a campaign. */
#include "explore/campaign_state.h"
#include "explore/failure.h"

/* The steps of the proposal that the run is for; without one it is a random run. */
static void order_proposed(struct fw_worker *worker, uint64_t number, struct fw_run_order *order)
{
    const struct fw_proposals *proposals = &worker->campaign->setup.proposals;
    struct fw_proposal proposal;
    struct fw_error err;

    if (number < 2 || !fw_proposals_get(proposals, number - 2, &proposal) ||
        fw_proposals_steps(proposals, &proposal, worker->session, &worker->steps, &worker->paths,
                           &err) < 0)
        return; /* the latter: it has no place in the program */
    order->strategy = FW_STRATEGY_STEPS;
    order->patience = fw_patience_ms(worker->campaign->away);
    if (proposal.walks)
        order->flags |= FW_CONTROL_WALK;
    order->steps = worker->steps.at;
    order->step_count = (uint32_t)worker->steps.len;
    order->paths = worker->paths.at;
    order->path_count = (uint32_t)worker->paths.len;
}

static struct fw_run_order make_order(struct fw_worker *worker, uint64_t number)
{
    static const enum fw_control_strategy strategies[] = {
        [FW_EXPLORE_RANDOM] = FW_STRATEGY_RANDOM,
        [FW_EXPLORE_PCT] = FW_STRATEGY_PCT,
        [FW_EXPLORE_PCT_LARGE] = FW_STRATEGY_PCT_LARGE,
        [FW_EXPLORE_DELAY] = FW_STRATEGY_DELAY,
        [FW_EXPLORE_POS] = FW_STRATEGY_POS,
        [FW_EXPLORE_CHESS] = FW_STRATEGY_CHOICES,
        [FW_EXPLORE_PREDICT] = FW_STRATEGY_PCT,
        [FW_EXPLORE_NONE] = FW_STRATEGY_NONE,
    };
    const struct fw_campaign *campaign = worker->campaign;
    const struct fw_campaign_setup *setup = &campaign->setup;
    struct fw_run_order order = { .strategy = strategies[setup->strategy],
                                  .flags = setup->points | FW_CONTROL_FROZEN | FW_CONTROL_OBSERVE,
                                  .depth = setup->depth,
                                  .length = campaign->length,
                                  .seed = fw_campaign_seed(setup->seed, number) };

    if (setup->names)
        order.flags |= FW_CONTROL_ASK;
    if (setup->strategy == FW_EXPLORE_IROOT && number > 1)
        fw_seeking_order(&campaign->seeking, number, worker->session, &worker->turns, &order);
    if (number == 1)
        order.strategy = FW_STRATEGY_NONE;
    else if (campaign->chess)
        fw_chess_order(campaign->chess, number - campaign->first, &order);
    else if (campaign->seeks)
        fw_hunt_order(setup->hunt, number - campaign->first, worker->session, worker->watcher,
                      &worker->steps, &worker->paths, campaign->blocks, &order);
    else
        order_proposed(worker, number, &order);
    return order;
}

/* It has passed its limit, but it goes on, and an earlier run needed more points to come to its
 * end: nothing says that it hangs. */
static bool is_on_its_way(const struct fw_campaign *campaign, const struct fw_trial *trial)
{
    return trial->result.end == FW_RUN_TIMEOUT && trial->result.moves && campaign->ended &&
           trial->points < campaign->length;
}

/* The order is carried out, and what that shows becomes the trial's.  -1: the campaign cannot go
 * on; 1: there was no time. */
static int carry_out(struct fw_worker *worker, const struct fw_run_order *order,
                     struct fw_trial *trial, struct fw_error *err)
{
    const struct fw_campaign *campaign = worker->campaign;
    int judged;

    if (fw_session_run(worker->session, order, &trial->result, err) < 0)
        return -1;
    if (trial->result.end == FW_RUN_OVER)
        return 1; /* it was our time that was over */
    fw_trial_read(trial, worker->session);
    if (!trial->thin)
        fw_watcher_list(worker->watcher, &trial->exposed);
    trial->cut = is_on_its_way(campaign, trial) ? campaign->setup.session.limit : 0;
    judged = fw_failure_judge(trial, worker->session, campaign->setup.ok, err);
    if (judged)
        return judged; /* 1: no time was left for it */
    if (trial->failure ? fw_knowledge_wants(&campaign->knowledge, trial->failure)
                       : fw_seeking_wants(&campaign->seeking, fw_coverage_set(campaign->coverage),
                                          &trial->exposed))
        trial->capture = fw_capture_take(worker->session);
    return 0;
}

/*
 * A thin run has shown something, which is not certain, since most of what it did was not seen: it
 * is made again, turn by turn and with everything seen, and that run counts.  If only the thin one
 * fails its failure stays.
 */
static int look_again(struct fw_worker *worker, const struct fw_run_order *order,
                      struct fw_trial *trial, struct fw_error *err)
{
    struct fw_trial whole = { .number = trial->number }, other;
    struct fw_run_order again;
    struct fw_error ignored;
    int status;

    if (fw_turns_take(&worker->turns, worker->session, &ignored) < 0)
        return 0; /* it was too long */
    again = fw_turns_order(&worker->turns);
    again.flags = (order->flags & ~(uint32_t)FW_CONTROL_THIN) | FW_CONTROL_OBSERVE |
                  FW_CONTROL_USUAL;
    again.seed = order->seed;
    again.patience = order->delay;
    status = carry_out(worker, &again, &whole, err);
    whole.again = trial->again = true;
    other = whole;
    if (status == 0 && (whole.failure || !trial->failure)) {
        other = *trial;
        *trial = whole;
    } else {
        trial->exposed = whole.exposed;
        memset(&other.exposed, 0, sizeof other.exposed);
    }
    fw_trial_release(&other);
    return status < 0 ? -1 : 0;
}

/*
 * Places that were not known to share memory when the other runs were made were no points there.
 * So before a run that still goes on is called a hang, it is seen how many points one has now.  1:
 * there was no time.
 */
static int measure_again(struct fw_worker *worker, struct fw_trial *trial, struct fw_error *err)
{
    const struct fw_campaign_setup *setup = &worker->campaign->setup;
    struct fw_run_order order = { .strategy = FW_STRATEGY_NONE,
                                  .flags = setup->points | FW_CONTROL_FROZEN,
                                  .seed = fw_campaign_seed(setup->seed, 1) };
    struct fw_run_result result;
    bool hangs;

    if (fw_session_run(worker->session, &order, &result, err) < 0)
        return -1;
    if (result.end == FW_RUN_OVER)
        return 1;
    hangs = result.end == FW_RUN_TIMEOUT
                ? !result.moves
                : trial->points >= fw_session_head(worker->session)->point_count;
    if (hangs)
        return 0;
    trial->cut = setup->session.limit;
    free(trial->failure);
    free(trial->message);
    fw_capture_destroy(trial->capture);
    trial->failure = trial->message = NULL;
    trial->capture = NULL;
    return 0;
}

static bool may_be_slow(const struct fw_campaign *campaign, const struct fw_trial *trial)
{
    return trial->failure && trial->result.end == FW_RUN_TIMEOUT && trial->result.moves &&
           campaign->ended && fw_knowledge_wants(&campaign->knowledge, trial->failure);
}

int fw_worker_run(struct fw_worker *worker, struct fw_trial *trial, struct fw_error *err)
{
    struct fw_run_order order = make_order(worker, trial->number);
    int status = carry_out(worker, &order, trial, err);

    if (status == 0 && trial->thin &&
        (trial->failure || fw_session_head(worker->session)->played))
        status = look_again(worker, &order, trial, err);
    if (status == 0 && may_be_slow(worker->campaign, trial))
        status = measure_again(worker, trial, err);
    trial->done = status == 0;
    return status < 0 ? -1 : 0;
}
