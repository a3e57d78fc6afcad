/* cmd_tiddle_compile.c - foreweave tiddle compile: a trace as a C program. */
#include "cmd/cmd.h"
#include "cmd/loading.h"
#include "tiddle/compile.h"

#include <string.h>

struct compile {
    const char *output;
    bool free;
    int delay; /* enum fw_tiddle_delay */
    int from;
    bool repair;
    bool quiet;
};

static const struct compile defaults = { .from = FW_FROM_UNKNOWN, .delay = -1 };

static const char *const delays[] = { "none", "yield", "sleep", NULL };

static const struct fw_option options[] = {
    { "output", 'o', "FILE", "write the program to FILE", FW_OPTION(FILE, struct compile, output) },
    { "free", 0, NULL, "no turn-taking: let the threads run free",
      FW_OPTION(FLAG, struct compile, free),
      .detail = "The program then has the events of each thread in their order, and nothing that "
                "orders the threads but the trace's own synchronisation. What happens differs from "
                "run to run; values are asserted only if the program is called with --check." },
    { "delay", 0, "HOW", "with --free: none, yield or sleep before events",
      FW_OPTION(CHOICE, struct compile, delay), .choices = delays },
    FW_FROM_OPTION(struct compile, from),
    FW_REPAIR_OPTION(struct compile, repair),
    { "quiet", 'q', NULL, "no summary", FW_OPTION(FLAG, struct compile, quiet) },
    { 0 },
};

static int write_program(const struct compile *compile, const struct fw_trace *trace,
                         const char *path)
{
    struct fw_tiddle_options how = {
        .free = compile->free,
        .delay = compile->delay < 0 ? FW_DELAY_NONE : (enum fw_tiddle_delay)compile->delay,
        .source = fw_cmd_base_name(path),
    };
    struct fw_output program;
    struct fw_error err;
    int status;

    /* In memory first: a trace that has no program must not cost a file that is there. */
    fw_output_open_memory(&program);
    if (fw_tiddle_compile(trace, &how, &program, &err) < 0)
        status = fw_cmd_fail(FW_EXIT_INPUT, &err);
    else
        status = fw_cmd_write_result(&program, compile->output);
    fw_output_abandon(&program);
    return status;
}

static int run(const void *values, int argc, char **argv)
{
    const struct compile *compile = values;
    struct fw_read_options reading = { .repair = compile->repair,
                                       .keep_reentrant = true,
                                       .format = fw_format_name(compile->from) };
    struct fw_trace *trace;
    int status;

    (void)argc;
    if (compile->delay >= 0 && !compile->free)
        return fw_cmd_usage("--delay needs --free: threads that take turns have no use for it");
    if (compile->output && strcmp(compile->output, argv[0]) == 0)
        return fw_cmd_usage("'%s' would overwrite itself", argv[0]);
    status = fw_cmd_load_trace(&trace, argv[0], &reading, "compiled");
    if (status)
        return status;
    status = write_program(compile, trace, argv[0]);
    if (!status && !compile->quiet && compile->output && strcmp(compile->output, "-") != 0)
        status = fw_cmd_print("%u events -> %s\n"
                              "Build and run it: cc -std=c11 -pthread %s -o program && "
                              "./program --order\n",
                              trace->count, compile->output, compile->output);
    fw_trace_destroy(trace);
    return status;
}

static const struct fw_example examples[] = {
    { "foreweave tiddle compile a.tid -o a.c", "executes the trace in every run" },
    { "foreweave tiddle compile --free --delay=yield a.tid", "a nondeterministic program" },
    { 0 },
};

const struct fw_command fw_cmd_tiddle_compile = {
    .name = "compile",
    .summary = "turn a trace into a C program that executes it",
    .operands = "TRACE",
    .description =
        "The program is one file of C11 with POSIX threads that needs nothing else. Its threads "
        "take turns, so that each run executes the events of the trace in their order, on any "
        "machine; each value that the trace gives for a read is asserted. Called with --order it "
        "prints the events as they were executed, and with --runs N it repeats all of it.\n\n"
        "Turn-taking is no part of the trace: it lives in functions called foreweave_ignore_*, "
        "which an analysis is to ignore. ThreadSanitizer does.\n\n"
        "A trace may be partial: threads that nobody forks are started at the beginning, threads "
        "that nobody joins are joined at the end, T0 is the main thread. A trace that uses a "
        "variable after it was freed has no program.",
    .options = options,
    .options_size = sizeof(struct compile),
    .defaults = &defaults,
    .min_operands = 1,
    .max_operands = 1,
    .examples = examples,
    .run = run,
};
