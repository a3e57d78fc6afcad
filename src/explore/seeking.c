/* seeking.c - see seeking.h. */
#include "explore/seeking.h"

#include "explore/session.h"

#define FEW  16u  /* attempts of a round: one may expose what the next ones are for */
#define PART 0.05 /* of a limited time is for profiles, as long as those bring nothing */

static bool has_profiles(const struct fw_seeking *seeking)
{
    return seeking->profiling && !fw_profiling_is_over(seeking->profiling);
}

/* The first one has to be; of the others each stands for itself. */
static bool is_affordable(const struct fw_seeking *seeking, double now)
{
    return seeking->late <= 0 || !seeking->arms.profiled || seeking->pays ||
           seeking->profiled <= PART * (now - seeking->began);
}

static bool is_late(const struct fw_seeking *seeking, double now)
{
    return seeking->late > 0 && now >= seeking->late;
}

/* One more, if it is time for it.  Where some were made before, the first round is for them. */
static int make_profile(struct fw_seeking *seeking, struct fw_error *err)
{
    struct fw_arms *arms = &seeking->arms;
    double now = fw_session_now();
    bool more = has_profiles(seeking), begins = !arms->rounds && !arms->profiled;

    if (!more && !begins)
        return 0;
    if (begins && seeking->profiling && fw_profiling_state(seeking->profiling)->runs)
        more = false;
    if (more && (!fw_arms_want_profile(arms, is_late(seeking, now)) ||
                 !is_affordable(seeking, now)))
        return 0;
    if (more && (fw_ledger_flush(seeking->ledger, err) < 0 ||
                 fw_profiling_step(seeking->profiling, err) < 0))
        return -1;
    seeking->profiled += fw_session_now() - now;
    seeking->pays = false;
    fw_arms_profiled(arms);
    return 0;
}

static int plan_hunt(struct fw_seeking *seeking, size_t most, bool sure, size_t *count,
                     struct fw_error *err)
{
    if (fw_ledger_flush(seeking->ledger, err) < 0)
        return -1;
    return fw_hunt_plan(seeking->hunt, most < FEW ? most : FEW, sure, count, err);
}

int fw_seeking_plan(struct fw_seeking *seeking, size_t most, size_t *count, struct fw_error *err)
{
    struct fw_arms *arms = &seeking->arms;

    seeking->attempts = true;
    if (!seeking->budgeted)
        return plan_hunt(seeking, most, false, count, err);
    if (make_profile(seeking, err) < 0)
        return -1;
    fw_arms_choose(arms, !arms->profiled);
    while (arms->now == FW_ARM_HUNT) {
        if (plan_hunt(seeking, most, arms->sure, count, err) < 0)
            return -1;
        if (*count)
            return 0;
        fw_arms_end(arms);
    }
    seeking->attempts = false;
    *count = most;
    return 0;
}

/* --- runs ------------------------------------------------------------------------------------ */

void fw_seeking_order(const struct fw_seeking *seeking, uint64_t number,
                      struct fw_session *session, struct fw_turns *turns,
                      struct fw_run_order *order)
{
    order->strategy = fw_arms_strategy(&seeking->arms, number);
    if (order->strategy == FW_STRATEGY_STEPS &&
        !fw_corpus_order(&seeking->corpus, order->seed, session, turns, order))
        order->strategy = FW_STRATEGY_RANDOM;
}

bool fw_seeking_wants(const struct fw_seeking *seeking, const struct fw_iroot_set *known,
                      const struct fw_iroot_vec *exposed)
{
    for (size_t i = 0; seeking->hunt && seeking->budgeted && i < exposed->len; i++)
        if (!fw_iroot_set_has(known, &exposed->at[i]))
            return true;
    return false;
}

void fw_seeking_take(struct fw_seeking *seeking, struct fw_trial *trial, uint64_t fresh)
{
    if (seeking->arms.now == FW_ARM_DRAW)
        fw_arms_credit(&seeking->arms, trial->number, fresh,
                       seeking->late > 0 ? trial->result.seconds : 1);
    if (!seeking->hunt || !fresh || !trial->capture)
        return;
    fw_corpus_add(&seeking->corpus, trial->capture, trial->exposed.len);
    trial->capture = NULL;
}

void fw_seeking_learn(struct fw_seeking *seeking, size_t runs, uint64_t fresh)
{
    seeking->pays |= seeking->arms.sure && fresh;
    fw_arms_learn(&seeking->arms, runs, fresh);
}

void fw_seeking_release(struct fw_seeking *seeking)
{
    fw_corpus_release(&seeking->corpus);
}
