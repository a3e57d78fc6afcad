/*
 * cmd_replay.c - foreweave replay: makes a program follow a schedule, or show a finding.
 *
 * Exit statuses are those of git bisect run: 66 is bad, 0 is good, 125 is neither.
 */
#include "base/alloc.h"
#include "cmd/cmd.h"
#include "cmd/interrupt.h"
#include "cmd/places.h"
#include "cmd/replay.h"
#include "cmd/replay_finding.h"
#include "cmd/standard_input.h"
#include "explore/leftover.h"
#include "record/launch.h"
#include "record/modules.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct replay {
    uint64_t runs, time, near;
    bool quiet, show, twice, gdb, virtual_time;
    const char *at, *output, *trace;
    int format;
};

static const struct replay defaults = { .runs = 1, .time = 10, .near = 200 };

static const struct fw_option options[] = {
    { "runs", 0, "N", "replay N times (1)", FW_OPTION(COUNT, struct replay, runs) },
    { "time", 0, "SECONDS", "a run that takes longer hangs (10)",
      FW_OPTION(COUNT, struct replay, time) },
    { "virtual-time", 0, NULL, "sleeping takes no time",
      FW_OPTION(FLAG, struct replay, virtual_time),
      .detail = "As when the schedule was found, if it was found so." },
    { "near", 0, "N", "runs for finding places that moved (200)",
      FW_OPTION(COUNT, struct replay, near),
      .detail = "Another build may lack a place that the schedule names, or pass it less often. "
                "Then places near by are tried in up to N further runs, and the report says which "
                "steps were moved. With 0 the schedule is followed as it is written." },
    { "twice", 0, NULL, "look for what the schedule does not decide",
      FW_OPTION(FLAG, struct replay, twice),
      .detail = "Runs the schedule twice more and compares all points. Where the two runs differ, "
                "time, random numbers, addresses or input have a say; the first difference is "
                "named. Done without being asked for when a replay fails." },
    { "gdb", 0, NULL, "run the program in gdb, stopped where it matters",
      FW_OPTION(FLAG, struct replay, gdb),
      .detail = "gdb starts the program under the schedule and stops at the last goal (without "
                "goals: at the last step that ends before an operation, or where the limit of a "
                "wait passes), in its thread. The "
                "command foreweave-schedule in gdb prints the schedule and the current step. "
                "Everything in gdb works as usual; the status is 0." },
    { "trace", 0, "TRACE", "the trace that a result is about",
      FW_OPTION(FILE, struct replay, trace),
      .detail = "By default the one that the result names, as it stands there or in the folder of "
                "the result." },
    { "show", 0, NULL, "show what the program prints", FW_OPTION(FLAG, struct replay, show) },
    { "quiet", 'q', NULL, "say nothing but errors", FW_OPTION(FLAG, struct replay, quiet) },
    FW_FORMAT_OPTION(struct replay, format),
    FW_OUTPUT_OPTION(struct replay, output),
    { "at", 0, "MEMORY", "print the schedule and the step of a run",
      FW_OPTION(FILE, struct replay, at), .rare = true,
      .detail = "What foreweave-schedule calls; MEMORY is the shared memory of the run." },
    { 0 },
};

struct job {
    const struct replay *options;
    const atomic_int *stop; /* NULL: in gdb signals are for it */
    struct fw_standard_input input;
    struct fw_script script;
    struct fw_replayer replay;
    struct fw_replay_report report;
};

/* --- running --------------------------------------------------------------------------------- */

static bool is_rebuilt(const struct fw_script *script, char *const *argv)
{
    struct fw_script now;
    bool differs;

    fw_script_init(&now);
    fw_script_set_program(&now, argv);
    differs = script->build && now.build && strcmp(script->build, now.build) != 0;
    fw_script_release(&now);
    return differs;
}

/* What was kept for the command that judges. */
static void show_output(const struct fw_session *session)
{
    size_t bytes;
    const char *text = fw_session_output(session, &bytes);

    fwrite(text, 1, bytes, stdout);
    fflush(stdout);
}

/*
 * A program without hooks comes by calls alone.  One that has left the schedule, or ended before
 * its last step, has followed nothing: that it ended alike (a script that fails) says nothing.
 */
static bool has_followed(const struct job *job)
{
    const struct fw_control_head *head = fw_session_head(job->replay.session);

    return head->has_hooks || (!head->diverged && head->step_now + 1 >= head->step_count);
}

/* One run, counted; -1: it could not be done. */
static int run_once(struct job *job, struct fw_error *err)
{
    struct fw_run_result result;

    if (fw_replay_run(&job->replay, 0, &result, err) < 0)
        return -1;
    if (result.end == FW_RUN_OVER)
        return 0;
    if (!result.controlled)
        return fw_error_set(err, "'%s' could not be controlled: it must be linked dynamically%s",
                            job->report.argv[0],
                            result.end == FW_RUN_EXITED && result.code == 127
                                ? ", and there must be such a program"
                                : ", and be built with 'foreweave cc'");
    if (job->options->show && job->script.judge)
        show_output(job->replay.session);
    job->report.runs++;
    job->report.shown += has_followed(job) && fw_replay_is_shown(&job->replay, &result);
    fw_run_text(&result, job->report.end);
    if (!job->report.divergence)
        job->report.divergence = fw_replay_divergence(&job->replay, &job->report.diverged);
    return 0;
}

static void note_moves(struct job *job)
{
    struct fw_replay_report *report = &job->report;

    report->moves = fw_xcalloc(job->replay.moved.len + 1, sizeof *report->moves);
    for (size_t i = 0; i < job->replay.moved.len; i++) {
        uint32_t step = job->replay.moved.at[i];

        report->moves[report->move_count++] = fw_replay_moved(&job->replay, step);
    }
}

/* The first run did not show it: perhaps only places have moved. */
static int look_near(struct job *job, struct fw_error *err)
{
    int found = fw_replay_near(&job->replay, (unsigned)job->options->near, err);

    if (found <= 0)
        return found;
    note_moves(job);
    free(job->report.divergence);
    job->report.divergence = NULL;
    job->report.runs = job->report.shown = 0;
    return run_once(job, err);
}

static int run_all(struct job *job, struct fw_error *err)
{
    const struct replay *wanted = job->options;

    if (run_once(job, err) < 0)
        return -1;
    if (!job->report.shown && job->report.runs &&
        !fw_session_head(job->replay.session)->has_hooks)
        return fw_error_set(err, "'%s' was not built with 'foreweave cc': it cannot be stopped "
                                 "where the schedule says",
                            job->report.argv[0]);
    if (!job->report.shown && wanted->near && look_near(job, err) < 0)
        return -1;
    while (job->report.runs < wanted->runs && !fw_interrupt_status())
        if (run_once(job, err) < 0)
            return -1;
    if ((!wanted->twice && job->report.shown == job->report.runs) || fw_interrupt_status())
        return 0;
    job->report.compared = true;
    return fw_replay_twice(&job->replay, &job->report.difference, err);
}

static int report(struct job *job)
{
    int status = job->report.shown ? FW_EXIT_FINDINGS : FW_EXIT_OK, failed;
    struct fw_output out;

    if (fw_interrupt_status())
        fw_cmd_error("interrupted after %u of %" PRIu64 " run%s", job->report.runs,
                     job->options->runs, job->options->runs == 1 ? "" : "s");
    if ((job->options->quiet && !job->options->output) || !job->report.runs)
        return status;
    failed = fw_cmd_output(&out, job->options->output);
    if (failed)
        return FW_EXIT_FAILURE;
    if (job->options->format == FW_FORMAT_JSON)
        fw_replay_report_json(&job->report, &out);
    else
        fw_replay_report_text(&job->report, &out);
    return fw_cmd_output_close(&out, status);
}

/* --- gdb ------------------------------------------------------------------------------------- */

/* The step that matters. */
static void mark_stop(struct fw_turns *turns)
{
    size_t goal = turns->steps.len, place = goal;

    for (size_t i = 0; i < turns->steps.len; i++) {
        if (turns->steps.at[i].flags & FW_STEP_GOAL)
            goal = i;
        if (turns->steps.at[i].how == FW_STEP_CLASS || turns->steps.at[i].how == FW_STEP_EXPIRES)
            place = i;
    }
    if (goal == turns->steps.len)
        goal = place;
    if (goal < turns->steps.len)
        turns->steps.at[goal].flags |= FW_STEP_STOP;
}

/* Shows the program's own frame, not the runtime's; a gdb without Python stops reading here. */
static const char select_frame[] =
    "python\n"
    "frame = gdb.newest_frame() if gdb.selected_thread() else None\n"
    "while frame and frame.older() and 'libforeweave_rt' in (gdb.solib_name(frame.pc()) or ''):\n"
    "    frame = frame.older()\n"
    "if frame:\n"
    "    frame.select()\n"
    "    gdb.execute('frame')\n"
    "end\n";

static int write_commands(struct job *job, const char *runtime, const char *path,
                          struct fw_error *err)
{
    char self[4096], options_text[128];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    struct fw_output out;

    self[length > 0 ? length : 0] = '\0';
    fw_session_options(job->replay.session, options_text);
    if (fw_output_open(&out, path, err) < 0)
        return -1;
    fw_output_printf(&out,
                     "set startup-with-shell off\n"
                     "set environment LD_PRELOAD=%s\n"
                     "set environment FOREWEAVE_OPTIONS=%s\n"
                     "define foreweave-schedule\n"
                     "shell '%s' replay --at='%s' '%s'\n"
                     "end\n"
                     "document foreweave-schedule\n"
                     "Print the schedule that the program follows, and the current step.\n"
                     "end\n"
                     "run\n"
                     "foreweave-schedule\n"
                     "%s",
                     runtime, options_text, self, fw_session_file(job->replay.session),
                     job->report.file, select_frame);
    return fw_output_close(&out, err);
}

static int debug(struct job *job, const char *runtime, const char *path, struct fw_error *err)
{
    struct fw_run_result result;
    int status;

    mark_stop(&job->replay.turns);
    if (write_commands(job, runtime, path, err) < 0)
        return fw_cmd_fail(FW_EXIT_FAILURE, err);
    signal(SIGINT, SIG_IGN); /* it is for gdb */
    status = fw_replay_run(&job->replay, FW_CONTROL_STOP, &result, err);
    signal(SIGINT, SIG_DFL);
    if (status < 0)
        return fw_cmd_fail(FW_EXIT_FAILURE, err);
    if (result.end == FW_RUN_EXITED && result.code == 127) {
        fw_error_set(err, "cannot run gdb: is it installed?");
        return fw_cmd_fail(FW_EXIT_FAILURE, err);
    }
    return FW_EXIT_OK;
}

/* --- the command ----------------------------------------------------------------------------- */

static int show_step(const struct replay *wanted, const struct fw_script *script)
{
    struct fw_output out;
    struct fw_error err;
    int status = fw_cmd_output(&out, NULL);

    if (status)
        return status;
    if (fw_replay_show_step(script, wanted->at, &out, &err) < 0) {
        fw_output_abandon(&out);
        return fw_cmd_fail(FW_EXIT_FAILURE, &err);
    }
    return fw_cmd_output_close(&out, FW_EXIT_OK);
}

/* An empty file, in TMPDIR or /tmp; the caller's, name and file.  NULL: err. */
static char *make_commands(struct fw_error *err)
{
    const char *folder = getenv("TMPDIR");
    char *path;
    int fd;

    folder = folder && *folder ? folder : "/tmp";
    path = fw_xasprintf("%s/foreweave-gdb-XXXXXX", folder);
    fd = mkstemp(path);
    if (fd >= 0) {
        close(fd);
        return path;
    }
    fw_error_errno(err, "cannot make a file in '%s'", folder);
    free(path);
    return NULL;
}

static void remove_commands(char *path)
{
    if (path)
        unlink(path);
    free(path);
}

static int replay_with(struct job *job, const char *runtime)
{
    char *commands = NULL;
    struct fw_session_setup setup = { .argv = job->report.argv,
                                      .runtime = runtime,
                                      .limit = (double)job->options->time,
                                      .virtual_time = job->options->virtual_time ||
                                                      job->script.virtual_time,
                                      .timeouts = job->script.timeouts,
                                      .stop = job->stop,
                                      .escort = { job->script.setup, job->script.drive,
                                                  job->script.teardown },
                                      .input = job->input.fd,
                                      .show = (job->options->show && !job->script.judge) ||
                                              job->options->gdb };
    struct fw_leftover leftover;
    struct fw_error err;
    int status;

    if (job->options->gdb) {
        commands = make_commands(&err);
        if (!commands)
            return fw_cmd_fail(FW_EXIT_FAILURE, &err);
        setup.gdb = commands;
        setup.limit = 1e9;
    }
    fw_leftover_init(&leftover);
    setup.leftover = &leftover;
    if (fw_replay_init(&job->replay, &job->script, &setup, &err) < 0) {
        remove_commands(commands);
        fw_leftover_release(&leftover);
        return fw_cmd_fail(FW_EXIT_FAILURE, &err);
    }
    if (job->options->gdb)
        status = debug(job, runtime, commands, &err);
    else if (run_all(job, &err) < 0)
        status = fw_cmd_fail(FW_EXIT_FAILURE, &err);
    else
        status = report(job);
    fw_cmd_warn_left(fw_session_left_behind(job->replay.session));
    fw_replay_release(&job->replay);
    fw_leftover_release(&leftover);
    remove_commands(commands);
    return status;
}

/* A program that is not there, seen from here, may be seen from the schedule's folder or from one
 * above it. */
static void find_program(struct job *job)
{
    char **program = &job->script.program.at[0], *path, *slash;
    char *folder = realpath(job->report.file, NULL);
    const char *name = strncmp(*program, "./", 2) == 0 ? *program + 2 : *program;
    struct fw_error err;

    while (folder && strchr(*program, '/') && **program != '/' &&
           fw_launch_check(*program, &err) < 0 && (slash = strrchr(folder, '/'))) {
        *slash = '\0';
        path = fw_xasprintf("%s/%s", folder, name);
        if (fw_launch_check(path, &err) == 0) {
            free(*program);
            *program = path;
            break;
        }
        free(path);
    }
    free(folder);
}

static int replay_script(struct job *job, char **argv)
{
    struct fw_places places;
    struct fw_error err;
    int status;

    if (!*argv) {
        fw_vec_push(&job->script.program, NULL); /* ends the arguments */
        job->script.program.len--;
        argv = job->script.program.at;
        if (*argv)
            find_program(job);
    }
    if (!*argv) {
        fw_error_set(&err, "'%s' does not name its program: give it behind '--'",
                     job->report.file);
        return fw_cmd_fail(FW_EXIT_FAILURE, &err);
    }
    job->report.argv = argv;
    job->report.script = &job->script;
    job->report.rebuilt = is_rebuilt(&job->script, argv);
    if (fw_launch_check(argv[0], &err) < 0)
        return fw_cmd_fail(FW_EXIT_FAILURE, &err);
    if (fw_places_find(&places, &err) < 0)
        status = fw_cmd_fail(FW_EXIT_FAILURE, &err);
    else
        status = replay_with(job, places.runtime);
    fw_places_release(&places);
    return status;
}

/* Follows the schedule; program: what stands behind it. */
static int replay_file(struct job *job, const char *path, char **program)
{
    struct fw_error err;
    int status;

    job->report.file = path;
    if (fw_script_read(&job->script, path, &err) < 0)
        return fw_cmd_fail(FW_EXIT_FAILURE, &err);
    if (*program && strcmp(*program, "--") == 0)
        program++;
    if (job->options->at)
        status = show_step(job->options, &job->script);
    else
        status = replay_script(job, program);
    fw_replay_report_release(&job->report);
    fw_script_release(&job->script);
    return status;
}

/* --- findings -------------------------------------------------------------------------------- */

static int report_finding(const struct job *job, const struct fw_finding_replay *finding)
{
    struct fw_output out;

    if (job->options->quiet && !job->options->output)
        return FW_EXIT_OK;
    if (fw_cmd_output(&out, job->options->output))
        return FW_EXIT_FAILURE;
    if (job->options->format == FW_FORMAT_JSON)
        fw_finding_json(finding, &out);
    else
        fw_finding_text(finding, &out);
    return fw_cmd_output_close(&out, FW_EXIT_OK);
}

static int replay_finding(struct job *job, char **argv)
{
    struct fw_finding_replay finding = { .result = argv[0],
                                         .id = argv[1],
                                         .trace = job->options->trace,
                                         .limit = (double)job->options->time,
                                         .stop = job->stop,
                                         .input = job->input.fd,
                                         .virtual_time = job->options->virtual_time };
    struct fw_places places;
    struct fw_error err;
    int status;

    if (!argv[1] || strcmp(argv[1], "--") == 0)
        return fw_cmd_usage("'%s' is a result: which of its findings?", argv[0]);
    if (fw_places_find(&places, &err) < 0) {
        status = fw_cmd_fail(FW_EXIT_FAILURE, &err);
    } else {
        finding.runtime = places.runtime;
        if (fw_finding_schedule(&finding) < 0)
            status = FW_EXIT_FAILURE;
        else if (!finding.schedule)
            status = report_finding(job, &finding);
        else
            status = replay_file(job, finding.schedule, argv + 2);
    }
    fw_finding_release(&finding);
    fw_places_release(&places);
    return status;
}

static int run(const void *values, int argc, char **argv)
{
    struct job job = { .options = values };
    int status;

    (void)argc;
    if (!job.options->runs || !job.options->time)
        return fw_cmd_usage("--runs and --time must be at least 1");
    if (!job.options->gdb)
        job.stop = fw_interrupt_watch();
    else if (job.options->runs != defaults.runs || job.options->format != FW_FORMAT_TEXT ||
             job.options->output)
        fw_cmd_warning("--gdb makes one run and no report: --runs, --format and --output have no "
                       "effect");
    if (strcmp(argv[0], "-") != 0) /* that is the schedule */
        job.input = fw_standard_input_keep();
    status = fw_is_result(argv[0]) ? replay_finding(&job, argv)
                                   : replay_file(&job, argv[0], argv + 1);
    fw_standard_input_release(&job.input);
    return fw_interrupt_status() ? fw_interrupt_status() : status;
}

static const struct fw_example examples[] = {
    { "foreweave replay lost.sched", "the program that the schedule names" },
    { "foreweave replay --runs=100 lost.sched -- ./lost-O2", "another build, 100 times" },
    { "foreweave replay --twice lost.sched", "does the schedule decide everything?" },
    { "foreweave replay result.json 961ddd", "a finding of 'foreweave run' or 'check'" },
    { 0 },
};

static const struct fw_exit_note exits[] = {
    { FW_EXIT_FINDINGS, "reproduced" },
    { FW_EXIT_OK, "not reproduced" },
    { FW_EXIT_USAGE, "the command line is wrong" },
    { FW_EXIT_FAILURE, "everything else: a bad schedule or result, a program that cannot be run" },
    { 128, "+ N: signal N interrupted it" },
    { 0, NULL },
};

const struct fw_command fw_cmd_replay = {
    .name = "replay",
    .summary = "make a program follow a schedule, or show a finding",
    .operands = "FILE [ID] [-- PROGRAM [ARGUMENT...]]",
    .description =
        "Runs a program so that its threads take turns as the schedule in FILE says, and tells "
        "whether it fails as it did when the schedule was made. The program is the one that the "
        "schedule names, or the one given behind it; it may be another build: with other options, "
        "or from a changed source, as long as the lines that the schedule names are there.\n\n"
        "If the program cannot follow a step, the report names the step, what the thread did "
        "instead, and where in the source.\n\n"
        "FILE can also be a result that 'foreweave run' or 'foreweave check' has written with "
        "--format=json, and ID one of its findings, or how its id begins. Then the "
        "recorded program is made to run the finding's witness, and the schedule that this gives "
        "is kept beside the trace, as ID.sched; if it is there already it is used. The trace must "
        "tell positions: that of 'foreweave run' does, and that of 'foreweave record' with "
        "--positions.\n\n"
        "The program's input is a file or a finished pipe that standard input is, else empty; each "
        "run reads it from the beginning. Its output is kept back unless --show is given. Statuses "
        "are those that 'git bisect run' understands.",
    .options = options,
    .options_size = sizeof(struct replay),
    .defaults = &defaults,
    .min_operands = 1,
    .max_operands = INT_MAX,
    .examples = examples,
    .exits = exits,
    .run = run,
    .stop_at_operand = true,
};
