/*
 * cmd_record.c - foreweave record: runs a program and writes the trace of what it did.
 */
#include "base/alloc.h"
#include "cmd/cmd.h"
#include "cmd/places.h"
#include "explore/leftover.h"
#include "cmd/record_coverage.h"
#include "cmd/record_stuck.h"
#include "record/launch.h"
#include "record/places.h"
#include "record/recorder.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

struct record {
    const char *output, *db;
    uint64_t seed, quantum;
    bool quiet, positions, values, repeats, coverage;
};

static const struct record defaults = { .seed = 1 };

static const struct fw_option options[] = {
    { "output", 'o', "FILE", "the trace (.foreweave/last/trace.fwt)",
      FW_OPTION(FILE, struct record, output),
      .detail = "Further processes of the program write to FILE with a number before .fwt: "
                "t.1.fwt, t.2.fwt and so on. Without this option every run has a folder of its "
                "own in .foreweave, and the link .foreweave/last points to the newest." },
    { "seed", 0, "N", "which interleaving is recorded (1)", FW_OPTION(COUNT, struct record, seed),
      .detail = "One thread runs at a time; the seed decides which one goes on where there is a "
                "choice. The same seed gives the same run of a program that depends on nothing "
                "else." },
    { "quantum", 0, "N", "events before a thread gives way",
      FW_OPTION(COUNT, struct record, quantum),
      .detail = "A thread that does not block gives way after about so many of its events." },
    { "positions", 0, NULL, "tell where in its thread each event was made",
      FW_OPTION(FLAG, struct record, positions),
      .detail = "Needed to replay what check finds: foreweave run asks for it by itself." },
    { "values", 0, NULL, "look for writes that are not seen",
      FW_OPTION(FLAG, struct record, values),
      .detail = "Remembers what memory holds, and notices when a thread reads something else than "
                "was last seen there: code without hooks has written it (a library, assembly). "
                "'check' then does not call findings certain that hang on such memory. Recording "
                "takes up to twice as long." },
    { "repeats", 0, NULL, "also record accesses that repeat one",
      FW_OPTION(FLAG, struct record, repeats),
      .detail = "Without synchronisation in between, an access to the same memory is recorded "
                "once, which is enough for 'check'. What is to be seen in the order and number of "
                "all accesses ('foreweave sections find') needs them all: larger traces, longer "
                "runs." },
    { "coverage", 0, NULL, "note the iRoots that were exposed",
      FW_OPTION(FLAG, struct record, coverage),
      .detail = "What the run has exposed is added to the memo database (see foreweave coverage). "
                "All accesses are recorded, as with --repeats." },
    { "db", 0, "DATABASE", "the same, in this memo database (" FW_MEMO_DEFAULT ")",
      FW_OPTION(FILE, struct record, db),
      .detail = "A file of SQLite, or the URL of a PostgreSQL database." },
    { "quiet", 'q', NULL, "say nothing but errors", FW_OPTION(FLAG, struct record, quiet) },
    { 0 },
};

/* 1234567 as 1,234,567. */
static const char *grouped(uint64_t number, char text[32])
{
    char digits[24];
    int len = snprintf(digits, sizeof digits, "%" PRIu64, number), used = 0;

    for (int i = 0; i < len; i++) {
        if (i && (len - i) % 3 == 0)
            text[used++] = ',';
        text[used++] = digits[i];
    }
    text[used] = '\0';
    return text;
}

static void warn_of_gaps(const struct fw_recorded_trace *trace)
{
    const struct fw_final_result *result = &trace->result;
    const char *path = trace->path;

    if (trace->problem[0])
        fw_cmd_warning("'%s' is cut: %s", path, trace->problem);
    if (result->off[0] && strcmp(result->off, trace->problem) != 0)
        fw_cmd_warning("'%s': recording stopped early: %s", path, result->off);
    if (result->damage[0])
        fw_cmd_warning("'%s' is cut: %s", path, result->damage);
    if (result->inexact)
        fw_cmd_warning("'%s': the order of events is not exact; findings will not be called sound",
                       path);
    if (result->unmodelled)
        fw_cmd_warning("'%s': synchronisation that is not modelled: %s%s; findings will not be "
                       "called sound",
                       path, result->first_unmodelled,
                       result->unmodelled > 1 ? ", and more" : "");
    if (result->unseen)
        fw_cmd_warning("'%s': memory was written by code that is not seen; what was read there is "
                       "not proven",
                       path);
    if (result->dropped)
        fw_cmd_warning("'%s': %" PRIu64 " event%s dropped that did not fit, the first because: %s",
                       path, result->dropped, result->dropped == 1 ? "" : "s", result->first_drop);
}

static void warn(const struct fw_recorded_trace *trace, const char *program, bool first)
{
    if (!trace->connected) {
        fw_cmd_warning("nothing was recorded: '%s' did not load the runtime (is it linked "
                       "statically, or set-user-ID?)",
                       program);
        return;
    }
    warn_of_gaps(trace);
    if (!trace->failed[0] && !trace->problem[0] && !trace->result.accesses && first)
        fw_cmd_warning("'%s' was not built with 'foreweave cc': its synchronisation was recorded, "
                       "its memory accesses were not seen",
                       program);
}

static void say_next(const struct fw_recorded_trace *trace)
{
    struct fw_output word;
    char events[32];

    fw_output_open_memory(&word);
    fw_output_word(&word, trace->path);
    fw_output_bytes(&word, "", 1);
    fw_cmd_error("%s event%s of %" PRIu32 " thread%s in %s; next: foreweave check %s",
                 grouped(trace->result.events, events), trace->result.events == 1 ? "" : "s",
                 trace->result.threads, trace->result.threads == 1 ? "" : "s", trace->path,
                 word.buffer);
    fw_output_abandon(&word);
}

static void say(const struct record *record, const struct fw_recorded *recorded,
                const char *program)
{
    for (size_t i = 0; i < recorded->traces.len; i++) {
        const struct fw_recorded_trace *trace = &recorded->traces.at[i];

        if (trace->failed[0])
            fw_cmd_error("'%s' is cut: it could not be finished: %s", trace->path, trace->failed);
        if (record->quiet)
            continue;
        warn(trace, program, i == 0);
        if (!trace->failed[0])
            say_next(trace);
    }
    if (recorded->refused[0])
        fw_cmd_warning("a process of the program was not recorded: %s", recorded->refused);
}

/* As a shell would say it. */
static int exit_status(int status)
{
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static void end_the_rest(const struct record *record, const struct fw_leftover *leftover)
{
    unsigned processes = fw_leftover_end(leftover);

    if (!record->quiet)
        fw_cmd_warn_left(processes);
}

static bool is_observed(const struct record *record)
{
    return record->coverage || record->db;
}

static int record_to(const struct record *record, const char *path, struct fw_entered *entered,
                     char **argv)
{
    struct fw_record_setup setup = { .argv = argv,
                                     .path = path,
                                     .seed = record->seed,
                                     .quantum = record->quantum,
                                     .stuck = record->quiet ? NULL : fw_record_say_stuck,
                                     .positions = record->positions,
                                     .repeats = record->repeats || is_observed(record),
                                     .values = record->values };
    struct fw_recorded recorded;
    struct fw_leftover leftover;
    struct fw_places places;
    struct fw_error err;
    int status;

    if (fw_places_find(&places, &err) < 0) {
        fw_places_release(&places);
        return fw_cmd_fail(FW_EXIT_FAILURE, &err);
    }
    setup.runtime = places.runtime;
    fw_leftover_init(&leftover);
    switch (fw_record(&setup, &recorded, &err)) {
    case FW_RECORD_DONE:
        say(record, &recorded, argv[0]);
        end_the_rest(record, &leftover);
        status = exit_status(recorded.status);
        if (entered->memo && fw_record_coverage(entered, &recorded, record->quiet, &err) < 0)
            status = fw_cmd_fail(FW_EXIT_FAILURE, &err);
        break;
    case FW_RECORD_NO_PROGRAM:
        status = fw_cmd_fail(FW_EXIT_INPUT, &err);
        break;
    default:
        status = fw_cmd_fail(FW_EXIT_FAILURE, &err);
    }
    fw_leftover_release(&leftover);
    fw_recorded_release(&recorded);
    fw_places_release(&places);
    return status;
}

static int run(const void *values, int argc, char **argv)
{
    const struct record *record = values;
    struct fw_entered entered = { 0 };
    struct fw_error err;
    char *path = NULL;
    int status;

    (void)argc;
    if (record->output && strcmp(record->output, "-") == 0)
        return fw_cmd_usage("a trace cannot be recorded to standard output: name a file");
    if (fw_launch_check(argv[0], &err) < 0) /* before anything is written */
        return fw_cmd_fail(FW_EXIT_INPUT, &err);
    if ((!record->output && fw_place_default(&path, &err) < 0) ||
        (is_observed(record) && fw_entered_open(&entered, record->db, argv, NULL, &err) < 0))
        status = fw_cmd_fail(FW_EXIT_FAILURE, &err);
    else
        status = record_to(record, path ? path : record->output, &entered, argv);
    fw_entered_release(&entered);
    free(path);
    return status;
}

static const struct fw_example examples[] = {
    { "foreweave record -- ./hidden", "trace in .foreweave/last/trace.fwt" },
    { "foreweave record --seed=7 -o t.fwt -- ./hidden", "another interleaving" },
    { "foreweave record --db=seen.db -- ./hidden", "and what it exposed, for foreweave coverage" },
    { "foreweave record -q -o t.fwt -- sh -c ./hidden", "no messages; through a shell" },
    { 0 },
};

static const struct fw_exit_note exits[] = {
    { 0, "to 255: the program's own status; 128 + N if signal N ended it, as in a shell" },
    { FW_EXIT_USAGE, "the command line is wrong" },
    { FW_EXIT_INPUT, "the program cannot be run" },
    { FW_EXIT_FAILURE, "the trace cannot be written, or the memo database not be opened: the "
                       "program was not started; or what it exposed could not be noted" },
    { 0, NULL },
};

const struct fw_command fw_cmd_record = {
    .name = "record",
    .summary = "run a program and record its trace",
    .operands = "[--] PROGRAM [ARGUMENT...]",
    .description =
        "Runs PROGRAM and writes a trace of what its threads did. The program should have been "
        "built with 'foreweave cc' or 'foreweave c++'; of any other one (not linked statically) "
        "only the synchronisation is recorded, and reports say so.\n\n"
        "One thread runs at a time, so the order of events is exact; everything else is as "
        "without recording: terminal, folder, signals, exit status. Signals of the terminal go to "
        "the program alone, TERM, HUP, USR1 and USR2 are passed on to it.\n\n"
        "Processes that the program forks or executes have traces of their own. A process that "
        "has started no thread and executes another program (env, a shell) hands its file on to "
        "it; of a further process with one thread and no instrumented code nothing is kept. "
        "Processes that still run when the program itself has ended, daemons too, get a moment to "
        "end as well; then their traces are cut, and they are ended.\n\n"
        "The trace can be read at any time: what is there when something is killed, or when the "
        "disk is full, is analysed up to that point and reported as cut. A full disk never stops "
        "the program.",
    .options = options,
    .options_size = sizeof(struct record),
    .defaults = &defaults,
    .min_operands = 1,
    .max_operands = INT_MAX,
    .examples = examples,
    .exits = exits,
    .run = run,
    .stop_at_operand = true,
};
