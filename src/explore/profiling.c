/* profiling.c - see profiling.h. */
#include "explore/profiling.h"

#include "base/alloc.h"
#include "explore/alarm.h"
#include "explore/campaign.h"
#include "explore/moments.h"
#include "explore/recording.h"
#include "iroot/naming.h"
#include "iroot/observe_trace.h"
#include "iroot/profile.h"
#include "predict/iroot.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HALF      0.5                 /* of the time that is left is for a profile, at most */
#define MOST_RUNS 100u                /* however much they bring */
#define PAIRS     4096u               /* fw_profile_options.most, of such a recording */
#define SHORT     250000u             /* events of a recording without repeats: try with them */
#define LONG      1000000u            /* ... of one with them: that is too many */
#define SLOWER    4                   /* times as long may one with them well take, ... */
#define SLOWEST   16                  /* ... and it is given up after so many, and a second */
#define QUARTER   0.25                /* of the time that is left is for it, at most */
#define LOOSE     50000u              /* ... of one with which atomics may be passed over, too */
#define MOST      3000000u            /* ... that are looked at, at most: a gigabyte of memory */

/* A recorded run, as long as it is needed. */
struct recording {
    char *path;
    struct fw_recording run;
    struct fw_index *index;
    struct fw_moments *moments;
    struct fw_iroot_forecast *forecast;
    FW_VEC(uint64_t *) events; /* of the witnesses that the hunt has, by index */
    bool whole;   /* accesses that repeat one are there, too */
    bool guessed; /* what is not guessed of it no correct reordering exposes, but for deadlocks */
};

struct fw_profiling {
    const struct fw_profiling_setup *setup;
    struct fw_profiling_state state;
    struct fw_iroot_set *known; /* exposed by judged runs of whatever input */
    struct fw_iroot_set *guessed, *answered[FW_UNDECIDED + 1]; /* of all recorded runs ... */
    struct fw_iroot_set *told[FW_MEMO_PREDICTORS][FW_UNDECIDED + 1]; /* ... and who has said so */
    FW_VEC(struct recording *) recordings;
    uint32_t taken; /* iRoots of the coverage that are in `known`: so many, the first ones */
    uint32_t quiet; /* recorded runs since one has brought something new */
    double until;   /* of the profile at hand; 0: any time */
    bool repeats; /* accesses that repeat one are recorded, too */
};

static void recording_destroy(struct recording *recording)
{
    for (size_t i = 0; i < recording->events.len; i++)
        free(recording->events.at[i]);
    fw_vec_release(&recording->events);
    fw_iroot_forecast_destroy(recording->forecast);
    fw_moments_destroy(recording->moments);
    fw_index_destroy(recording->index);
    fw_trace_destroy(recording->run.trace);
    if (recording->path)
        unlink(recording->path);
    free(recording->path);
    free(recording);
}

void fw_profiling_destroy(struct fw_profiling *profiling)
{
    if (!profiling)
        return;
    for (size_t i = 0; i < profiling->recordings.len; i++)
        recording_destroy(profiling->recordings.at[i]);
    fw_vec_release(&profiling->recordings);
    fw_iroot_set_destroy(profiling->known);
    fw_iroot_set_destroy(profiling->guessed);
    for (unsigned i = 0; i <= FW_UNDECIDED; i++) {
        fw_iroot_set_destroy(profiling->answered[i]);
        for (unsigned by = 0; by < FW_MEMO_PREDICTORS; by++)
            fw_iroot_set_destroy(profiling->told[by][i]);
    }
    free(profiling);
}

const struct fw_profiling_state *fw_profiling_state(const struct fw_profiling *profiling)
{
    return &profiling->state;
}

/* --- recording ------------------------------------------------------------------------------- */

static bool is_stopped(const struct fw_profiling *profiling)
{
    return profiling->setup->session->stop && *profiling->setup->session->stop;
}

/* In `limit` seconds; 0: in the time that a run may take. */
static struct recording *record_once(struct fw_profiling *profiling, double limit,
                                     struct fw_error *err)
{
    const struct fw_profiling_setup *setup = profiling->setup;
    struct recording *recording = fw_xcalloc(1, sizeof *recording);
    struct fw_recording_setup how = { .session = setup->session,
                                      .seed = fw_campaign_seed(setup->seed,
                                                               profiling->state.runs + 1),
                                      .repeats = profiling->repeats,
                                      .limit = limit,
                                      .most = MOST };
    int status;

    profiling->state.made++;
    recording->path = fw_xasprintf("%s/profile-%" PRIu64 "%s.fwt", setup->folder,
                                   profiling->state.runs + 1, profiling->repeats ? "-all" : "");
    how.path = recording->path;
    status = fw_recording_make(&recording->run, &how, err);
    profiling->state.failing += recording->run.failed;
    if (status == 0)
        return recording;
    recording_destroy(recording);
    return NULL;
}

/* A run has failed, and that is what was wanted. */
static bool ends_it(const struct fw_profiling *profiling)
{
    return profiling->setup->until_first && !profiling->setup->unjudged && profiling->state.failing;
}

/* It counts for nothing. */
static void discard(struct fw_profiling *profiling, struct recording *recording)
{
    profiling->state.failing -= recording->run.failed;
    recording_destroy(recording);
}

static bool may_repeat(const struct fw_profiling *profiling)
{
    return profiling->state.made < profiling->setup->most && !ends_it(profiling);
}

/* How long the program may take if all accesses are recorded; 0: that is not to be tried. */
static double time_for_all(const struct fw_profiling *profiling, const struct recording *first)
{
    const struct fw_profiling_setup *setup = profiling->setup;
    double limit = setup->session->limit, most = SLOWEST * first->run.seconds + 1, quarter;

    if (profiling->state.runs || first->run.trace->count >= SHORT || !may_repeat(profiling))
        return 0;
    if (setup->until > 0) {
        quarter = (setup->until - fw_session_now()) * QUARTER;
        if (SLOWER * first->run.seconds > quarter)
            return 0;
        most = most < quarter ? most : quarter;
    }
    return most < limit ? most : limit;
}

/* In place of the first one; NULL: err. */
static struct recording *record_all(struct fw_profiling *profiling, struct recording *first,
                                    double limit, struct fw_error *err)
{
    struct recording *all;

    profiling->repeats = true;
    all = record_once(profiling, limit, err);
    if (!all || (!all->run.late && all->run.trace->count <= LONG)) {
        discard(profiling, first);
        return all;
    }
    profiling->repeats = false;
    discard(profiling, all);
    return first;
}

/* This time it is too long with them: in its place one without; NULL: err. */
static struct recording *record_less(struct fw_profiling *profiling, struct recording *all,
                                     struct fw_error *err)
{
    profiling->repeats = false;
    discard(profiling, all);
    return record_once(profiling, 0, err);
}

/*
 * With all accesses, also those that repeat one, since what lies between two places decides what
 * they expose; unless that takes too long, or makes more events than can be thought about.  The
 * first run leaves them out, tells how many there may be, and counts for no more if the next one
 * has them.
 */
static struct recording *make_recording(struct fw_profiling *profiling, struct fw_error *err)
{
    struct recording *recording = record_once(profiling, 0, err);
    double limit = recording ? time_for_all(profiling, recording) : 0;

    if (limit > 0)
        recording = record_all(profiling, recording, limit, err);
    else if (recording && profiling->repeats && recording->run.trace->count > LONG &&
             may_repeat(profiling))
        recording = record_less(profiling, recording, err);
    if (!recording)
        return NULL;
    recording->whole = profiling->repeats;
    profiling->state.cut |= recording->run.cut;
    recording->index = fw_index_create(recording->run.trace);
    profiling->state.events = recording->run.trace->count;
    return recording;
}

/* --- predictions ----------------------------------------------------------------------------- */

FW_VEC_TYPE(predictions, struct fw_memo_prediction);

static bool is_wanted(const struct fw_profiling *profiling, const struct fw_iroot *iroot)
{
    uint32_t idioms = profiling->setup->idioms;

    return (!idioms || idioms & 1u << iroot->idiom) &&
           !fw_iroot_set_has(profiling->known, iroot);
}

/* Each once, however many runs say it.  True: it was not said before. */
static bool count(uint64_t counts[FW_IDIOMS + 1], struct fw_iroot_set *set,
                  const struct fw_iroot *iroot)
{
    if (!fw_iroot_set_add(set, iroot))
        return false;
    counts[iroot->idiom]++;
    counts[0]++;
    return true;
}

/* What the profiler guesses of a recording. */
struct guesses {
    struct fw_iroot_set *likely;
    struct fw_iroot_set *loose; /* besides, if atomic operations keep nobody back */
};

static bool has_atomics(const struct fw_trace *trace)
{
    for (uint32_t i = 0; i < trace->count; i++)
        if (fw_is_class(trace->events[i].kind, FW_CLASS_ATOMIC))
            return true;
    return false;
}

/* Those that are wanted, and are not in `but`. */
static void want(struct fw_profiling *profiling, const struct fw_iroot_set *set,
                 const struct fw_iroot_set *but, struct predictions *predictions)
{
    for (uint32_t i = 0; i < fw_iroot_set_count(set); i++) {
        const struct fw_iroot *iroot = fw_iroot_set_get(set, i);

        if (is_wanted(profiling, iroot) && !(but && fw_iroot_set_has(but, iroot)) &&
            count(profiling->state.guessed, profiling->guessed, iroot))
            fw_vec_push(predictions, ((struct fw_memo_prediction) { .iroot = *iroot,
                                                                    .by = FW_MEMO_PROFILE,
                                                                    .verdict = FW_MEMO_UNKNOWN }));
    }
}

/*
 * All that the run lets be guessed.  What the loose guesses name no correct reordering of this run
 * has, since atomic operations see in it what they saw; but they see something else in other runs,
 * and that is where lock-free code goes wrong.  Such guesses are for short recordings, and for
 * campaigns that prove: there they are known for what they are, and are tried last.
 */
static void guess(struct fw_profiling *profiling, struct recording *recording,
                  struct guesses *guesses, struct predictions *predictions)
{
    const struct fw_trace *trace = recording->run.trace;
    struct fw_strtab *accesses = fw_coverage_accesses(profiling->setup->coverage);
    struct fw_alarm alarm;
    struct fw_profile_options options = { .window = profiling->setup->window,
                                          .most = recording->whole ? PAIRS : 0,
                                          .stop = &alarm.over };
    struct fw_profile_limits limits;
    bool loose = profiling->setup->prove && trace->count <= LOOSE && has_atomics(trace);

    fw_alarm_start(&alarm, profiling->until, profiling->setup->session->stop);
    limits = fw_profile_trace(trace, accesses, &options, guesses->likely, NULL);
    options.free_atomics = true;
    if (loose)
        fw_profile_trace(trace, accesses, &options, guesses->loose, NULL);
    fw_alarm_end(&alarm);
    profiling->state.hurried += limits.hurried;
    recording->guessed = !limits.overlooks;
    want(profiling, guesses->likely, NULL, predictions);
    want(profiling, guesses->loose, guesses->likely, predictions);
}

/* The hunt gets the witness, and what it speaks of stays. */
static void give_witness(struct fw_profiling *profiling, struct recording *recording,
                         const struct fw_iroot_prediction *proved)
{
    unsigned accesses = fw_idiom_accesses(proved->iroot.idiom);
    uint64_t *events = fw_xcalloc(accesses, sizeof *events);
    struct fw_shown shown = { .claim = FW_CLAIM_ORDER,
                              .events = events,
                              .event_count = accesses,
                              .schedule = &proved->witness,
                              .index = recording->index };

    for (unsigned i = 0; i < accesses; i++)
        events[i] = fw_trace_index(recording->run.trace, proved->events[i]);
    fw_vec_push(&recording->events, events);
    fw_hunt_add(profiling->setup->hunt, &proved->iroot, recording->moments, &shown);
}

/* What is to be said of an iRoot, for one recording. */
struct said {
    enum fw_memo_predictor by; /* the profile: of a guess that no question was asked about */
    enum fw_answer answer;
    enum fw_profiling_why why; /* if it is undecided */
};

static void say(struct fw_profiling *profiling, const struct fw_iroot *iroot, struct said said,
                struct predictions *predictions)
{
    static const enum fw_memo_verdict verdicts[] = { [FW_FEASIBLE] = FW_MEMO_WITNESS,
                                                     [FW_INFEASIBLE] = FW_MEMO_INFEASIBLE,
                                                     [FW_UNDECIDED] = FW_MEMO_UNDECIDED };
    struct fw_profiling_state *state = &profiling->state;
    uint64_t *counts[] = { [FW_FEASIBLE] = state->proved,
                           [FW_INFEASIBLE] = state->refuted,
                           [FW_UNDECIDED] = state->undecided };

    if (count(counts[said.answer], profiling->answered[said.answer], iroot))
        state->why[said.why] += said.answer == FW_UNDECIDED;
    if (!fw_iroot_set_add(profiling->told[said.by][said.answer], iroot))
        return;
    state->ruled_out += said.by == FW_MEMO_PROFILE && said.answer == FW_INFEASIBLE;
    fw_vec_push(predictions,
                ((struct fw_memo_prediction) {
                    .iroot = *iroot, .by = said.by, .verdict = verdicts[said.answer] }));
}

/* Why this recording does not let anything be called infeasible; FW_WHY_SPENT: it does.  An access
 * that was left out, or comes behind the end, may be the one that could have been part of it. */
static enum fw_profiling_why obstacle(const struct recording *recording)
{
    if (recording->run.cut)
        return FW_WHY_CUT;
    return recording->whole ? FW_WHY_SPENT : FW_WHY_REPEATS;
}

/* What the profiler does not guess has no correct reordering, whatever the proof was asked. */
static bool is_ruled_out(const struct recording *recording, const struct fw_iroot *iroot,
                         const struct fw_iroot_set *guesses)
{
    return recording->guessed && !iroot->waits && !fw_iroot_set_has(guesses, iroot);
}

static void say_asked(struct fw_profiling *profiling, struct recording *recording,
                      const struct fw_iroot_prediction *one, const struct fw_iroot_set *guesses,
                      struct predictions *predictions)
{
    struct said said = { FW_MEMO_PROOF, one->answer, obstacle(recording) };

    if (one->answer == FW_UNDECIDED && said.why == FW_WHY_SPENT &&
        is_ruled_out(recording, &one->iroot, guesses))
        said.answer = FW_INFEASIBLE;
    else if (one->answer == FW_UNDECIDED)
        said.why = recording->forecast->finished ? FW_WHY_SPENT : FW_WHY_CUT;
    else if (one->answer == FW_INFEASIBLE && said.why != FW_WHY_SPENT)
        said.answer = FW_UNDECIDED;
    say(profiling, &one->iroot, said, predictions);
    if (one->answer == FW_FEASIBLE && recording->moments)
        give_witness(profiling, recording, one);
}

/*
 * Guesses that the forecast does not list: none of their instances got through its filters, so no
 * question was asked.  That is an answer if the list is whole.  A filter drops an instance only if
 * no correct reordering has it (predict/iroot.h), for the same trace, names of accesses, window
 * and idioms as here; what the forecast has as known is what no guess is kept of; and what it does
 * not look at for want of room, or of time, either stands in the list as undecided or makes the
 * list cut or unfinished.
 */
static void answer_guesses(struct fw_profiling *profiling, const struct recording *recording,
                           const struct fw_iroot_set *guesses, struct predictions *predictions)
{
    const struct fw_iroot_forecast *forecast = recording->forecast;
    bool all = forecast->finished && !forecast->cut && !*forecast->rejected;
    enum fw_profiling_why why = all ? obstacle(recording) : FW_WHY_CUT;
    enum fw_answer answer = why == FW_WHY_SPENT ? FW_INFEASIBLE : FW_UNDECIDED;
    struct said said = { FW_MEMO_PROFILE, answer, why };

    for (uint32_t i = 0; i < fw_iroot_set_count(guesses); i++) {
        const struct fw_iroot *iroot = fw_iroot_set_get(guesses, i);

        if (is_wanted(profiling, iroot) && !fw_iroot_forecast_find(forecast, iroot))
            say(profiling, iroot, said, predictions);
    }
}

static void prove(struct fw_profiling *profiling, struct recording *recording,
                  const struct guesses *guesses, struct predictions *predictions)
{
    struct fw_profiling_state *state = &profiling->state;
    struct fw_alarm alarm;
    struct fw_iroot_setup setup = {
        .index = recording->index,
        .accesses = fw_coverage_accesses(profiling->setup->coverage),
        .known = profiling->known,
        .idioms = profiling->setup->idioms,
        .window = profiling->setup->window,
        .budget = { .stop = &alarm.over },
        .jobs = profiling->setup->jobs ? profiling->setup->jobs : 1,
    };

    fw_alarm_start(&alarm, profiling->until, profiling->setup->session->stop);
    recording->forecast = fw_iroot_forecast_create(&setup);
    fw_alarm_end(&alarm);
    state->cut |= recording->forecast->cut || !recording->forecast->finished;
    for (size_t i = 0; i < recording->forecast->count; i++)
        say_asked(profiling, recording, &recording->forecast->at[i], guesses->likely,
                  predictions);
    answer_guesses(profiling, recording, guesses->likely, predictions);
    answer_guesses(profiling, recording, guesses->loose, predictions);
}

/* A recorded run that failed is made once more, step by step. */
static void repeat(struct fw_profiling *profiling, struct recording *recording)
{
    const struct fw_trace *trace = recording->run.trace;
    struct fw_shown shown = { .claim = FW_CLAIM_ORDER, .order_count = trace->count };
    uint64_t *order;

    if (!recording->run.failed || !recording->moments || recording->run.cut)
        return;
    order = fw_xcalloc(trace->count + (size_t)1, sizeof *order);
    for (uint32_t i = 0; i < trace->count; i++)
        order[i] = fw_trace_index(trace, i);
    fw_vec_push(&recording->events, order);
    shown.order = order;
    fw_hunt_repeat(profiling->setup->hunt, recording->moments, &shown);
}

/* --- what is known --------------------------------------------------------------------------- */

static int note_known(void *context, const struct fw_memo_row *row)
{
    struct fw_profiling *profiling = context;
    struct fw_iroot iroot = { .idiom = (uint8_t)row->iroot.idiom, .waits = row->iroot.waits };

    if (!row->judged)
        return 0;
    for (unsigned i = 0; i < row->iroot.count; i++)
        iroot.access[i] = fw_strtab_intern(fw_coverage_accesses(profiling->setup->coverage),
                                           row->iroot.access[i], strlen(row->iroot.access[i]));
    fw_iroot_set_add(profiling->known, &iroot);
    return 0;
}

static int observe(struct fw_profiling *profiling, const struct recording *recording,
                   struct fw_error *err)
{
    const struct fw_profiling_setup *setup = profiling->setup;
    struct fw_observe_options options = { .window = setup->window };
    struct fw_iroot_set *set = fw_iroot_set_create();
    struct fw_iroot_vec exposed = { 0 };
    struct fw_memo_run run = { .number = FW_MEMO_APART + profiling->state.runs,
                               .strategy = "profile",
                               .outcome = recording->run.failed ? "failed" : "exit 0",
                               .unjudged = recording->run.failed || setup->unjudged };
    struct fw_memo_names names;
    int status;

    if (recording->whole)
        fw_observe_trace(recording->run.trace, fw_coverage_accesses(setup->coverage), set,
                         &options);
    for (uint32_t i = 0; i < fw_iroot_set_count(set); i++) {
        fw_vec_push(&exposed, *fw_iroot_set_get(set, i));
        if (!run.unjudged)
            fw_iroot_set_add(profiling->known, fw_iroot_set_get(set, i));
    }
    fw_coverage_add_recorded(setup->coverage, &exposed);
    names = fw_coverage_names(setup->coverage);
    run.exposed = exposed.at;
    run.exposed_count = exposed.len;
    status = fw_memo_record(setup->memo, &names, &run, NULL, err) < 0 ? -1 : 0;
    fw_vec_release(&exposed);
    fw_iroot_set_destroy(set);
    return status;
}

/* --- runs ------------------------------------------------------------------------------------ */

/* One more; *fresh: iRoots that were predicted for the first time. */
static int profile(struct fw_profiling *profiling, uint64_t *fresh, struct fw_error *err)
{
    const struct fw_profiling_setup *setup = profiling->setup;
    struct recording *recording = make_recording(profiling, err);
    struct predictions predictions = { 0 };
    struct guesses guesses;
    struct fw_memo_names names;
    struct fw_error ignored;
    int status;

    if (!recording)
        return -1;
    guesses = (struct guesses) { fw_iroot_set_create(), fw_iroot_set_create() };
    fw_vec_push(&profiling->recordings, recording);
    profiling->state.runs++;
    fw_coverage_locate(setup->coverage, recording->run.trace);
    recording->moments = fw_moments_load(recording->path, &ignored);
    repeat(profiling, recording);
    status = observe(profiling, recording, err);
    if (!status && setup->guess)
        guess(profiling, recording, &guesses, &predictions);
    if (!status && setup->prove)
        prove(profiling, recording, &guesses, &predictions);
    fw_iroot_set_destroy(guesses.likely);
    fw_iroot_set_destroy(guesses.loose);
    names = fw_coverage_names(setup->coverage);
    if (!status)
        status = fw_memo_predict(setup->memo, &names, predictions.at, predictions.len, fresh, err);
    fw_vec_release(&predictions);
    return status;
}

/* What runs of the campaign have exposed since the last profile. */
static void take_exposed(struct fw_profiling *profiling)
{
    const struct fw_iroot_set *exposed = fw_coverage_controlled(profiling->setup->coverage);

    for (; profiling->taken < fw_iroot_set_count(exposed); profiling->taken++)
        fw_iroot_set_add(profiling->known, fw_iroot_set_get(exposed, profiling->taken));
}

bool fw_profiling_is_over(const struct fw_profiling *profiling)
{
    const struct fw_profiling_setup *setup = profiling->setup;

    return profiling->quiet >= (setup->quiet ? setup->quiet : FW_PROFILING_QUIET) ||
           profiling->state.runs >= MOST_RUNS || is_stopped(profiling) ||
           profiling->state.made >= setup->most || ends_it(profiling) ||
           (setup->until > 0 && fw_session_now() >= setup->until);
}

int fw_profiling_step(struct fw_profiling *profiling, struct fw_error *err)
{
    const struct fw_profiling_setup *setup = profiling->setup;
    double start = fw_session_now();
    uint64_t fresh = 0;

    if (fw_profiling_is_over(profiling))
        return 0;
    profiling->until = setup->until > 0 ? start + (setup->until - start) * HALF : 0;
    take_exposed(profiling);
    if (profile(profiling, &fresh, err) < 0)
        return -1;
    profiling->quiet = fresh ? 0 : profiling->quiet + 1;
    profiling->state.seconds += fw_session_now() - start;
    if (setup->progress)
        setup->progress(setup->context, &profiling->state);
    return 0;
}

struct fw_profiling *fw_profiling_create(const struct fw_profiling_setup *setup,
                                         struct fw_error *err)
{
    struct fw_profiling *profiling = fw_xcalloc(1, sizeof *profiling);

    profiling->setup = setup;
    profiling->known = fw_iroot_set_create();
    profiling->guessed = fw_iroot_set_create();
    for (unsigned i = 0; i <= FW_UNDECIDED; i++) {
        profiling->answered[i] = fw_iroot_set_create();
        for (unsigned by = 0; by < FW_MEMO_PREDICTORS; by++)
            profiling->told[by][i] = fw_iroot_set_create();
    }
    if (!fw_memo_each_iroot(setup->memo, NULL, note_known, profiling, err))
        return profiling;
    fw_profiling_destroy(profiling);
    return NULL;
}
