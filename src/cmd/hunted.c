/* hunted.c - see hunted.h. */
#include "cmd/hunted.h"

#include "base/alloc.h"
#include "cmd/cmd.h"
#include "cmd/sought.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

const char *const fw_hunted_predictors[] = { "both", "guess", "proof", NULL };
const char *const fw_hunted_thin[] = { "auto", "always", "never", NULL }; /* enum fw_thin */

/* --- options --------------------------------------------------------------------------------- */

/* An option of the hunt that differs from its default, or NULL. */
static const char *option_of_hunt(const struct fw_hunted_options *options)
{
    return options->idioms.len                               ? "idioms"
           : options->attempts != FW_HUNTED_ATTEMPTS         ? "attempts"
           : options->quiet != FW_PROFILING_QUIET            ? "profile"
           : options->predictor != FW_HUNTED_BOTH            ? "predictor"
           : options->thin != FW_THIN_AUTO                   ? "thin"
           : options->infeasible                             ? "infeasible"
           : options->foresee                                ? "foresee"
           : options->own                                    ? "own"
                                                             : NULL;
}

int fw_hunted_check(struct fw_hunted *hunted, const struct fw_hunted_options *options, bool hunts)
{
    const char *other = hunts ? NULL : option_of_hunt(options);

    *hunted = (struct fw_hunted) { .options = options };
    if (other)
        return fw_cmd_usage("--%s is for --strategy=iroot", other);
    for (size_t i = 0; i < options->idioms.len; i++) {
        uint64_t idiom;

        if (fw_parse_count(options->idioms.at[i], &idiom) < 0 || idiom < 1 || idiom > FW_IDIOMS)
            return fw_cmd_usage("--idioms: '%s' is not a number from 1 to %u",
                                options->idioms.at[i], FW_IDIOMS);
        hunted->idioms |= 1u << idiom;
    }
    if (!options->attempts || !options->quiet)
        return fw_cmd_usage("--attempts and --profile must be at least 1");
    if (options->window < 1 || options->window > 100000)
        return fw_cmd_usage("--window: %" PRIu64 " is not between 1 and 100000", options->window);
    if (options->delay > 60000)
        return fw_cmd_usage("--delay: %" PRIu64 " is more than 60000", options->delay);
    return 0;
}

/* --- the database ---------------------------------------------------------------------------- */

static int note_failure(void *context, const struct fw_memo_known_failure *failure)
{
    struct fw_hunted *hunted = context;
    struct fw_hunted_failure own = { fw_xstrdup(failure->way), fw_xstrdup(failure->kind),
                                     fw_xstrdup(failure->message), fw_xstrdup(failure->input),
                                     fw_xstrdup(failure->schedule), failure->runs,
                                     fw_sought_copy(&failure->sought) };

    fw_vec_push(&hunted->failures, own);
    return 0;
}

/* What judges runs besides how they end; the caller's. */
static char *describe_judge(const struct fw_campaign_setup *setup)
{
    const char *ok = setup->ok, *drive = setup->session.escort.drive;

    return fw_xasprintf("%s%s%s%s%s", drive ? "drive " : "", drive ? drive : "",
                        drive && ok ? "\n" : "", ok ? "ok " : "", ok ? ok : "");
}

static int open_database(struct fw_hunted *hunted, const struct fw_campaign_setup *setup)
{
    char *judge = describe_judge(setup);
    struct fw_error err;
    int status = fw_entered_open(&hunted->entered, hunted->options->db, setup->session.argv, judge,
                                 &err);

    free(judge);
    if (status < 0 ||
        fw_memo_each_failure(hunted->entered.memo, NULL, note_failure, hunted, &err) < 0)
        return fw_cmd_fail(FW_EXIT_FAILURE, &err);
    return 0;
}

/* --- profiles -------------------------------------------------------------------------------- */

static void watch(void *context, const struct fw_profiling_state *state)
{
    const struct fw_hunted *hunted = context;

    if (!hunted->quiet)
        fw_cmd_error("profile=%" PRIu64 " events=%" PRIu64 " guessed=%" PRIu64 " witnesses=%" PRIu64
                     " infeasible=%" PRIu64 " undecided=%" PRIu64 " seconds=%.1f",
                     state->runs, state->events, state->guessed[0], state->proved[0],
                     state->refuted[0], state->undecided[0], state->seconds);
}

#define FIRST 0.2   /* of a limited time is for profiles that come first */
#define SOON  0.001 /* what is left of it at least, as 0 is no limit */

/* With a limited time the campaign makes them when other runs show little that is new, unless it
 * is to foresee what it can before anything else. */
static int make_profiles(struct fw_hunted *hunted, struct fw_campaign_setup *setup,
                         const char *folder)
{
    const struct fw_hunted_options *options = hunted->options;
    double start = fw_session_now(), some = options->foresee ? setup->seconds * FIRST : 0;
    struct fw_error err;

    hunted->profile = (struct fw_profiling_setup) {
        .session = &setup->session,
        .folder = folder,
        .seed = setup->seed,
        .most = setup->runs ? setup->runs / 2 : UINT64_MAX,
        .until_first = setup->until_first,
        .quiet = (uint32_t)options->quiet,
        .idioms = hunted->idioms,
        .window = (uint32_t)options->window,
        .jobs = setup->jobs,
        .guess = options->predictor != FW_HUNTED_PROOF,
        .prove = options->predictor != FW_HUNTED_GUESS,
        .until = setup->seconds > 0 ? start + setup->seconds : 0,
        .unjudged = setup->ok != NULL,
        .memo = hunted->entered.memo,
        .coverage = hunted->coverage,
        .hunt = hunted->hunt,
        .context = hunted,
        .progress = watch,
    };
    hunted->profiling = fw_profiling_create(&hunted->profile, &err);
    if (!hunted->profiling)
        return fw_cmd_fail(FW_EXIT_FAILURE, &err);
    setup->profiling = hunted->profiling;
    while ((setup->seconds <= 0 || fw_session_now() < start + some) &&
           !fw_profiling_is_over(hunted->profiling))
        if (fw_profiling_step(hunted->profiling, &err) < 0)
            return fw_cmd_fail(FW_EXIT_FAILURE, &err);
    if (setup->seconds > 0)
        setup->seconds += start - fw_session_now();
    if (some > 0 && setup->seconds < SOON)
        setup->seconds = SOON;
    return 0;
}

static void make_hunt(struct fw_hunted *hunted, double limit)
{
    const struct fw_hunted_options *options = hunted->options;
    struct fw_hunt_setup setup = { .memo = hunted->entered.memo,
                                   .idioms = hunted->idioms,
                                   .attempts = options->attempts,
                                   .thin = (enum fw_thin)options->thin,
                                   .limit = limit,
                                   .delay = (uint32_t)options->delay,
                                   .infeasible = options->infeasible,
                                   .own_only = options->own };

    hunted->hunt = fw_hunt_create(&setup, hunted->coverage);
}

int fw_hunted_begin(struct fw_hunted *hunted, struct fw_campaign_setup *setup,
                    const char *strategy, const char *folder)
{
    bool hunts = setup->strategy == FW_EXPLORE_IROOT;
    int status = 0;

    hunted->coverage = fw_coverage_create();
    setup->coverage = hunted->coverage;
    setup->observe.window = (uint32_t)hunted->options->window;
    if (hunted->options->db || hunts)
        status = open_database(hunted, setup);
    setup->ledger = (struct fw_ledger) { .memo = hunted->entered.memo, .strategy = strategy };
    if (status || !hunts)
        return status;
    make_hunt(hunted, setup->session.limit);
    setup->hunt = hunted->hunt;
    return make_profiles(hunted, setup, folder);
}

void fw_hunted_release(struct fw_hunted *hunted)
{
    struct fw_error ignored;

    if (hunted->hunt)
        fw_hunt_give_back(hunted->hunt, &ignored);
    fw_hunt_destroy(hunted->hunt);
    fw_profiling_destroy(hunted->profiling);
    fw_entered_release(&hunted->entered);
    fw_coverage_destroy(hunted->coverage);
    for (size_t i = 0; i < hunted->failures.len; i++) {
        free(hunted->failures.at[i].way);
        free(hunted->failures.at[i].kind);
        free(hunted->failures.at[i].message);
        free(hunted->failures.at[i].input);
        free(hunted->failures.at[i].schedule);
        fw_sought_release(&hunted->failures.at[i].sought);
    }
    fw_vec_release(&hunted->failures);
}

/* --- what was known -------------------------------------------------------------------------- */

/* Has the campaign seen it too? */
static bool is_seen(const struct fw_hunted_failure *known, const struct fw_campaign_state *state)
{
    for (size_t i = 0; i < state->failures.len; i++)
        if (strcmp(known->way, state->failures.at[i].text) == 0)
            return true;
    return false;
}

bool fw_hunted_knows_failures(const struct fw_hunted *hunted, const struct fw_campaign_state *state)
{
    for (size_t i = 0; i < hunted->failures.len; i++)
        if (!is_seen(&hunted->failures.at[i], state))
            return true;
    return false;
}

void fw_hunted_failures_text(const struct fw_hunted *hunted, const struct fw_campaign_state *state,
                             struct fw_output *out)
{
    for (size_t i = 0; i < hunted->failures.len; i++) {
        const struct fw_hunted_failure *known = &hunted->failures.at[i];

        if (is_seen(known, state))
            continue;
        fw_output_printf(out, "known failure of this build: %s", known->kind);
        if (*known->message)
            fw_output_printf(out, ", \"%s\"", known->message);
        fw_output_printf(out, "\n  in %" PRIu64 " earlier run%s", known->runs,
                         known->runs == 1 ? "" : "s");
        if (strcmp(known->input, hunted->entered.input) != 0)
            fw_output_printf(out, ", with arguments '%s'", known->input);
        fw_sought_known_text(out, &known->sought);
        if (*known->schedule) {
            fw_output_text(out, "\n  replay: foreweave replay ");
            fw_output_word(out, known->schedule);
            if (access(known->schedule, R_OK) < 0)
                fw_output_text(out, "\n  (that file is not here: it was removed, or is on another "
                                    "machine)");
        }
        fw_output_text(out, "\n");
    }
}

void fw_hunted_failures_json(const struct fw_hunted *hunted, const struct fw_campaign_state *state,
                             struct fw_json *json)
{
    if (!hunted || !hunted->entered.memo)
        return;
    fw_json_array(json, "known_failures");
    for (size_t i = 0; i < hunted->failures.len; i++) {
        const struct fw_hunted_failure *known = &hunted->failures.at[i];

        if (is_seen(known, state))
            continue;
        fw_json_object(json, NULL);
        fw_json_text(json, "kind", known->kind);
        fw_json_text(json, "message", known->message);
        fw_json_text(json, "input", known->input);
        fw_json_number(json, "runs", known->runs);
        fw_sought_known_json(json, &known->sought);
        if (*known->schedule)
            fw_json_text(json, "schedule", known->schedule);
        fw_json_end(json);
    }
    fw_json_end(json);
}

/* --- the report ------------------------------------------------------------------------------ */

static void print_row(struct fw_output *out, const char *what, const uint64_t by[FW_IDIOMS + 1])
{
    fw_output_printf(out, "  %-12s", what);
    for (unsigned i = 1; i <= FW_IDIOMS; i++)
        fw_output_printf(out, " %6" PRIu64, by[i]);
    fw_output_text(out, "\n");
}

static const char *const why_texts[FW_WHYS] = {
    [FW_WHY_SPENT] = "asking took too much",
    [FW_WHY_REPEATS] = "recordings leave out accesses that repeat one",
    [FW_WHY_CUT] = "recordings were too long, or the time over",
};
static const char *const why_names[FW_WHYS] = {
    [FW_WHY_SPENT] = "spent",
    [FW_WHY_REPEATS] = "repeats",
    [FW_WHY_CUT] = "cut",
};

static void print_why(struct fw_output *out, const uint64_t why[FW_WHYS])
{
    for (unsigned i = 0; i < FW_WHYS; i++)
        if (why[i])
            fw_output_printf(out, "  %" PRIu64 " %s undecided: %s\n", why[i],
                             why[i] == 1 ? "is" : "are", why_texts[i]);
}

void fw_hunted_text(const struct fw_hunted *hunted, const struct fw_campaign_state *state,
                    struct fw_output *out)
{
    const struct fw_profiling_state *profile;
    struct fw_hunt_counts counts;
    uint64_t exposed[FW_IDIOMS + 1] = { 0 };

    if (!hunted->profiling)
        return;
    profile = fw_profiling_state(hunted->profiling);
    counts = fw_hunt_counts(hunted->hunt);
    for (unsigned i = 1; i <= FW_IDIOMS; i++)
        exposed[i] = state->exposed[i];
    fw_output_printf(out,
                     "%" PRIu64 " profile%s, %" PRIu64 " attempt%s, of which %" PRIu64
                     " exposed what they sought\n",
                     profile->runs, profile->runs == 1 ? "" : "s", counts.attempts,
                     counts.attempts == 1 ? "" : "s", counts.exposed);
    if (counts.repairs)
        fw_output_printf(out, "%" PRIu64 " went on from the last step that a run along a witness "
                              "had followed, %" PRIu64 " exposed it\n",
                         counts.repairs, counts.repaired);
    if (counts.thin)
        fw_output_printf(out, "%" PRIu64 " saw nothing but their places, %" PRIu64 " were made "
                              "again to be sure\n",
                         counts.thin, counts.again);
    fw_output_text(out, "  idiom             1      2      3      4      5      6\n");
    print_row(out, "guessed", profile->guessed);
    print_row(out, "infeasible", profile->refuted);
    print_row(out, "undecided", profile->undecided);
    print_row(out, "witnesses", counts.witnessed);
    print_row(out, "... exposed", counts.reached);
    print_row(out, "exposed", exposed);
    fw_output_text(out, "  (answers are counted by recording: what one cannot do another may; "
                        "foreweave coverage show has the sum)\n");
    print_why(out, profile->why);
    if (profile->ruled_out)
        fw_output_printf(out, "  %" PRIu64 " of the guesses are infeasible at first sight: they "
                              "were tried last, since other recordings may have them\n",
                         profile->ruled_out);
    if (profile->failing && !state->failing)
        fw_output_printf(out, "%" PRIu64 " profile%s failed, but no run under control did: that is "
                              "no finding (foreweave record shows such a run)\n",
                         profile->failing, profile->failing == 1 ? "" : "s");
    if (profile->hurried)
        fw_output_printf(out,
                         "critical sections were too long for %" PRIu64 " accesses: what is "
                         "guessed of them may be more than can be\n",
                         profile->hurried);
    if (profile->cut)
        fw_output_text(out, "the profiles were too long, or the time too short, to foresee all\n");
}

static void write_row(struct fw_json *json, const char *name, const uint64_t by[FW_IDIOMS + 1])
{
    fw_json_array(json, name);
    for (unsigned i = 1; i <= FW_IDIOMS; i++)
        fw_json_number(json, NULL, by[i]);
    fw_json_end(json);
}

void fw_hunted_json(const struct fw_hunted *hunted, struct fw_json *json)
{
    const struct fw_profiling_state *profile;
    struct fw_hunt_counts counts;

    if (!hunted || !hunted->profiling)
        return;
    profile = fw_profiling_state(hunted->profiling);
    counts = fw_hunt_counts(hunted->hunt);
    fw_json_object(json, "hunt");
    fw_json_number(json, "profiles", profile->runs);
    fw_json_number(json, "failing_profiles", profile->failing);
    fw_json_number(json, "recordings", profile->made);
    fw_json_number(json, "attempts", counts.attempts);
    fw_json_number(json, "exposed", counts.exposed);
    fw_json_number(json, "repairs", counts.repairs);
    fw_json_number(json, "repaired", counts.repaired);
    fw_json_number(json, "thin", counts.thin);
    fw_json_number(json, "again", counts.again);
    write_row(json, "guessed", profile->guessed);
    write_row(json, "infeasible", profile->refuted);
    write_row(json, "undecided", profile->undecided);
    fw_json_number(json, "ruled_out", profile->ruled_out);
    fw_json_object(json, "undecided_why");
    for (unsigned i = 0; i < FW_WHYS; i++)
        fw_json_number(json, why_names[i], profile->why[i]);
    fw_json_end(json);
    write_row(json, "witnesses", counts.witnessed);
    write_row(json, "witnesses_exposed", counts.reached);
    fw_json_number(json, "hurried", profile->hurried);
    fw_json_bool(json, "cut", profile->cut);
    fw_json_real(json, "profile_seconds", profile->seconds);
    fw_json_end(json);
}
