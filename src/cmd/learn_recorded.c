/* learn_recorded.c - see learn_recorded.h. */
#include "cmd/learn_recorded.h"

#include "cmd/cmd.h"
#include "cmd/judge.h"
#include "explore/campaign.h"
#include "record/recorder.h"

#include <unistd.h>

#define LIMITS 1000000000u /* ns: of waits that the strategy decides about */
#define DEPTH  3u          /* pct: as in 'foreweave explore' */

const char *const fw_learn_strategies[] = { "free", "random", "pct", "pctlarge",
                                            "delay", "pos", NULL };
static const enum fw_control_strategy strategies[] = {
    FW_STRATEGY_NONE,  FW_STRATEGY_RANDOM, FW_STRATEGY_PCT, FW_STRATEGY_PCT_LARGE,
    FW_STRATEGY_DELAY, FW_STRATEGY_POS,
};

void fw_learn_runs_direct(struct fw_learn_runs *runs, int name)
{
    runs->directed = name > 0;
    runs->strategy = strategies[name];
}

void fw_learn_runs_release(struct fw_learn_runs *runs)
{
    fw_session_destroy(runs->session);
    runs->session = NULL;
}

static uint64_t quantum_of(uint64_t run)
{
    static const uint64_t quanta[] = { 0, 12, 100, 3 };

    return quanta[run % (sizeof quanta / sizeof *quanta)];
}

/* What the run shall do is in the session's file then. */
static int direct(struct fw_learn_runs *runs, uint64_t number, struct fw_error *err)
{
    struct fw_session_setup setup = { .argv = runs->inputs->at.at[0],
                                      .runtime = runs->runtime,
                                      .timeouts = LIMITS };
    struct fw_run_order order = { .strategy = number ? runs->strategy : FW_STRATEGY_NONE,
                                  .seed = fw_campaign_seed(runs->seed, number + 1),
                                  .depth = DEPTH,
                                  .length = runs->length };

    if (!runs->session)
        runs->session = fw_session_create(&setup, err);
    return runs->session ? fw_session_order(runs->session, &order, err) : -1;
}

static void note_length(struct fw_learn_runs *runs)
{
    uint64_t points = runs->session ? fw_session_head(runs->session)->point_count : 0;

    if (points > runs->length)
        runs->length = points;
}

/* All processes of a run that passed teach. */
static int use(const struct fw_recorded *recorded,
               int (*teach)(void *context, const char *trace), void *context)
{
    int status = 0;

    for (size_t i = 0; !status && i < recorded->traces.len; i++) {
        const struct fw_recorded_trace *trace = &recorded->traces.at[i];

        if (trace->connected && !trace->failed[0])
            status = teach(context, trace->path);
    }
    return status;
}

int fw_learn_run(struct fw_learn_runs *runs, uint64_t number,
                 int (*teach)(void *context, const char *trace), void *context, bool *passed)
{
    struct fw_record_setup setup = { .argv = runs->inputs->at.at[number % runs->inputs->at.len],
                                     .path = runs->trace,
                                     .runtime = runs->runtime,
                                     .limit = (double)runs->limit,
                                     .hide = runs->output != NULL,
                                     .output = runs->output,
                                     .seed = runs->seed + number,
                                     .quantum = quantum_of(number),
                                     .repeats = true,
                                     .end_stuck = 1,
                                     .stop = runs->stop };
    struct fw_recorded recorded;
    struct fw_error err;
    enum fw_record_end end;
    int status = 0;

    *passed = false;
    if (runs->directed) {
        if (direct(runs, number, &err) < 0)
            return fw_cmd_fail(FW_EXIT_FAILURE, &err);
        setup.control = fw_session_file(runs->session);
        setup.quantum = 0;
    }
    end = fw_record(&setup, &recorded, &err);
    note_length(runs);
    if (end != FW_RECORD_DONE) {
        status = fw_cmd_fail(end == FW_RECORD_NO_PROGRAM ? FW_EXIT_INPUT : FW_EXIT_FAILURE, &err);
    } else if (!atomic_load(runs->stop)) {
        *passed = fw_judge(runs->ok, recorded.status, runs->output);
        if (*passed)
            status = use(&recorded, teach, context);
    }
    for (size_t i = 0; i < recorded.traces.len; i++)
        unlink(recorded.traces.at[i].path);
    fw_recorded_release(&recorded);
    return status;
}
