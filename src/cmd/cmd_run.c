/*
 * cmd_run.c - foreweave run: records a program, predicts, makes the program run each prediction,
 * reports.
 */
#include "base/alloc.h"
#include "cmd/cmd.h"
#include "cmd/interrupt.h"
#include "cmd/places.h"
#include "cmd/predicted.h"
#include "cmd/record_stuck.h"
#include "cmd/standard_input.h"
#include "explore/leftover.h"
#include "record/launch.h"
#include "record/places.h"
#include "report/report.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct run {
    uint64_t seed, quantum, runs, limit, steps;
    struct fw_words analyses;
    int format;
    const char *output, *keep;
    bool quiet, virtual_time, two_variables;
};

static const struct run defaults = { .seed = 1, .runs = 3, .limit = 10, .steps = 12 };

static const struct fw_option options[] = {
    { "runs", 'n', "N", "replay each finding N times (3)", FW_OPTION(COUNT, struct run, runs),
      .detail = "A race is replayed in both orders of its accesses, in turn." },
    { "limit", 0, "SECONDS", "a replay that takes longer hangs (10)",
      FW_OPTION(COUNT, struct run, limit),
      .detail = "The recorded run is ended when all its threads have waited for each other so "
                "long; after a second if it is a circle of locks." },
    { "virtual-time", 0, NULL, "in replays, sleeping takes no time",
      FW_OPTION(FLAG, struct run, virtual_time),
      .detail = "When all threads sleep or wait until some time, the clocks go forward at once." },
    { "analysis", 'a', "NAME[,NAME...]", "which analyses to run (see foreweave list)",
      FW_OPTION(LIST, struct run, analyses),
      .detail = "By default the sound ones: race, deadlock, atomicity and nondet. What others find "
                "has no witness and is reported, but not replayed." },
    { "two-variables", 0, NULL, "atomicity: also patterns over two variables",
      FW_OPTION(FLAG, struct run, two_variables), .rare = true },
    { "seed", 0, "N", "which interleaving is recorded (1)", FW_OPTION(COUNT, struct run, seed) },
    { "quantum", 0, "N", "events before a thread gives way, while it is recorded",
      FW_OPTION(COUNT, struct run, quantum), .rare = true },
    { "keep", 0, "FOLDER", "where trace and schedules go (.foreweave/last)",
      FW_OPTION(FILE, struct run, keep), .detail = "The folder is made if it is not there." },
    FW_FORMAT_OPTION(struct run, format),
    FW_OUTPUT_OPTION(struct run, output),
    { "steps", 0, "N", "show N steps of a witness (12; 0: all)",
      FW_OPTION(COUNT, struct run, steps), .rare = true },
    { "quiet", 'q', NULL, "no progress", FW_OPTION(FLAG, struct run, quiet) },
    { 0 },
};

struct work {
    const struct run *run;
    char **argv;
    char *trace; /* path */
    const atomic_int *stop;
    struct fw_selection selection; /* of analyses */
    struct fw_standard_input input;
    struct fw_places places;
    struct fw_predicted predicted;
    struct fw_replays replays;
};

/* --- replaying ------------------------------------------------------------------------------- */

struct replaying {
    struct work *work;
    struct fw_session *session;
    const struct fw_moments *moments;
    struct fw_anchors *anchors;
    struct fw_baseline baseline;
};

/* The schedule beside the trace: FOLDER/ID.sched. */
static char *schedule_path(const struct replaying *r, const struct fw_finding *finding)
{
    const char *slash = strrchr(r->work->trace, '/');
    int folder = slash ? (int)(slash - r->work->trace) : 1;

    return fw_xasprintf("%.*s/%s.sched", folder, slash ? r->work->trace : ".", finding->id);
}

static void keep_schedule(struct replaying *r, const struct fw_shown *shown,
                          struct fw_replay *result)
{
    struct fw_script script;
    struct fw_error err;
    char *path = schedule_path(r, result->finding);
    int status = fw_confirm_script(r->moments, shown, &result->confirmation, r->session, r->anchors,
                                   &script, &err);

    if (status == 0) {
        fw_script_set_program(&script, r->work->argv);
        fw_script_set_shows(&script, fw_finding_kind_names[result->finding->kind]);
        status = fw_script_write(&script, path, &err);
    }
    if (status == 0)
        result->schedule = path;
    else
        fw_cmd_warning("no schedule for %s: %s", result->finding->id, err.message);
    if (status < 0)
        free(path);
    fw_script_release(&script);
}

static void replay(struct replaying *r, const struct fw_foreseen *prediction)
{
    struct fw_replay result = { .finding = prediction->finding };
    struct fw_error err;

    result.tried = fw_confirm(r->moments, &prediction->shown, (unsigned)r->work->run->runs,
                              &r->baseline, r->session, &result.confirmation, &err) == 0;
    if (!result.tried)
        snprintf(result.why, sizeof result.why, "%.255s", err.message);
    if (result.tried && result.confirmation.confirmed && !*r->work->stop)
        keep_schedule(r, &prediction->shown, &result);
    fw_vec_push(&r->work->replays.list, result);
}

static int confirm(struct work *work)
{
    const struct fw_predicted *predicted = &work->predicted;
    struct fw_session_setup setup = { .argv = work->argv,
                                      .runtime = work->places.runtime,
                                      .limit = (double)work->run->limit,
                                      .virtual_time = work->run->virtual_time,
                                      .input = work->input.fd,
                                      .stop = work->stop };
    struct replaying r = { .work = work, .moments = predicted->moments };
    struct fw_leftover leftover;
    struct fw_error err;
    int status = 0;

    if (!predicted->list.len)
        return 0;
    fw_leftover_init(&leftover);
    setup.leftover = &leftover;
    r.session = fw_session_create(&setup, &err);
    r.anchors = fw_anchors_create();
    if (!r.session || fw_baseline_take(r.session, &r.baseline, &err) < 0)
        status = fw_cmd_fail(FW_EXIT_FAILURE, &err);
    for (size_t i = 0; !status && i < predicted->list.len; i++)
        replay(&r, &predicted->list.at[i]);
    work->replays.end_differs = r.baseline.end_differs;
    work->replays.output_differs = r.baseline.output_differs;
    work->replays.input = fw_standard_input_lost(&work->input);
    if (r.session)
        fw_cmd_warn_left(fw_session_left_behind(r.session));
    fw_anchors_destroy(r.anchors);
    fw_session_destroy(r.session);
    fw_leftover_release(&leftover);
    return status;
}

/* --- reporting ------------------------------------------------------------------------------- */

static int program_status(const struct work *work)
{
    int status = work->predicted.status;

    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int report(struct work *work)
{
    const struct fw_check_job *job = &work->predicted.job;
    struct fw_report report = {
        .name = fw_reader_name(job->reader),
        .path = job->path,
        .format = fw_reader_format(job->reader),
        .reading_options = "",
        .status = fw_reader_status(job->reader),
        .symbols = job->setup.symbols,
        .has_branches = job->has_branches,
        .engine = job->engine,
        .index = job->forecast ? fw_forecast_index(job->forecast) : NULL,
        .cut = job->cut,
        .steps = work->run->steps,
        .recording = &job->recording,
        .replays = &work->replays,
    };
    struct fw_output out;
    int status = fw_cmd_output(&out, work->run->output);

    if (status)
        return status;
    if (work->run->format == FW_FORMAT_JSON)
        fw_report_json(&report, &out);
    else
        fw_report_text(&report, !work->run->output && fw_cmd_colour(STDOUT_FILENO), &out);
    if (*work->stop)
        fw_cmd_warning("interrupted: not everything was looked at");
    status = fw_cmd_output_close(&out, FW_EXIT_OK);
    if (status)
        return status;
    return fw_report_findings(&report) ? FW_EXIT_FINDINGS
           : *work->stop               ? FW_EXIT_BUDGET
                                       : program_status(work);
}

static int go(struct work *work)
{
    struct fw_predicted_setup setup = { .argv = work->argv,
                                        .runtime = work->places.runtime,
                                        .trace = work->trace,
                                        .seed = work->run->seed,
                                        .quantum = work->run->quantum,
                                        .end_stuck = (double)work->run->limit,
                                        .stuck = fw_record_tell_stuck,
                                        .further = true,
                                        .two_variables = work->run->two_variables,
                                        .selection = &work->selection,
                                        .stop = work->stop,
                                        .quiet = work->run->quiet };
    int status;

    work->input = fw_standard_input_keep();
    status = fw_predicted_make(&work->predicted, &setup);
    if (!status)
        status = confirm(work);
    return status ? status : report(work);
}

/* The folder of the trace, which is there afterwards. */
static int find_place(struct work *work, struct fw_error *err)
{
    const char *folder = work->run->keep;

    if (!folder)
        return fw_place_default(&work->trace, err);
    if (fw_folder_make(folder, err) < 0)
        return -1;
    work->trace = fw_xasprintf("%s/trace.fwt", folder);
    return 0;
}

static int run(const void *values, int argc, char **argv)
{
    struct work work = { .run = values, .argv = argv };
    struct fw_error err;
    int status;

    (void)argc;
    if (!work.run->runs || !work.run->limit)
        return fw_cmd_usage("--runs and --limit must be at least 1");
    status = fw_selection_make(&work.selection, &work.run->analyses);
    if (!status && fw_launch_check(argv[0], &err) < 0)
        status = fw_cmd_fail(FW_EXIT_INPUT, &err);
    if (status) {
        fw_vec_release(&work.selection);
        return status;
    }
    work.stop = fw_interrupt_watch();
    if (fw_places_find(&work.places, &err) < 0 || find_place(&work, &err) < 0)
        status = fw_cmd_fail(FW_EXIT_FAILURE, &err);
    else
        status = go(&work);
    fw_predicted_release(&work.predicted, status);
    fw_replays_release(&work.replays);
    fw_vec_release(&work.selection);
    fw_standard_input_release(&work.input);
    fw_places_release(&work.places);
    free(work.trace);
    return status;
}

static const struct fw_exit_note exits[] = {
    { FW_EXIT_FINDINGS, "something was found" },
    { 0, "to 255: nothing was found; the program's own status, 128 + N if signal N ended it" },
    { FW_EXIT_USAGE, "the command line is wrong" },
    { FW_EXIT_INPUT, "the program cannot be run" },
    { FW_EXIT_BUDGET, "nothing was found, but the command was interrupted" },
    { FW_EXIT_FAILURE, "Foreweave could not do its work" },
    { 0, NULL },
};

static const struct fw_example examples[] = {
    { "foreweave run -- ./hidden", "find, prove, confirm" },
    { "foreweave run --runs=10 --format=json -o result.json -- ./hidden", "for programs" },
    { 0 },
};

const struct fw_command fw_cmd_run = {
    .name = "run",
    .summary = "record a program, predict its bugs, make it show them",
    .operands = "[--] PROGRAM [ARGUMENT...]",
    .description =
        "Runs PROGRAM (built with 'foreweave cc' or 'foreweave c++') once and records it, foresees "
        "what other interleavings of the same run would do, and then makes the program run each "
        "prediction: a finding is confirmed when the real program was held in that state, and "
        "harmful when it then crashed, hung, or ended or printed otherwise than usual. Findings "
        "are ranked by harm.\n\n"
        "The trace is kept in .foreweave/last, with a schedule ID.sched for each confirmed "
        "finding: foreweave replay runs it again.",
    .options = options,
    .options_size = sizeof(struct run),
    .defaults = &defaults,
    .min_operands = 1,
    .max_operands = INT_MAX,
    .examples = examples,
    .exits = exits,
    .run = run,
    .stop_at_operand = true,
};
