/* cmd_tiddle_enumerate.c - foreweave tiddle enumerate: all equivalent traces. */
#include "base/alloc.h"
#include "cmd/cmd.h"
#include "cmd/loading.h"
#include "tiddle/compile.h"
#include "tiddle/enumerate.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#define DEFAULT_LIMIT      10000u
#define MOST_PROGRAM_STEPS (64u * 1024 * 1024) /* events of all traces of a program together */

struct enumerate {
    const char *output;
    uint64_t limit;
    bool count;
    bool program;
    bool swap_races;
    int from;
    bool repair;
    bool quiet;
};

static const struct enumerate defaults = { .from = FW_FROM_UNKNOWN, .limit = DEFAULT_LIMIT };

static const struct fw_option options[] = {
    { "output", 'o', "PATH", "one file a trace in directory PATH",
      FW_OPTION(FILE, struct enumerate, output),
      .detail =
          "The directory is made if it is not there; the files are called like the trace, "
          "with a number behind: race-0001.tid, race-0002.tid and so on. With --program, PATH "
          "is the file of the program." },
    { "limit", 0, "N", "stop after N traces (10000)", FW_OPTION(COUNT, struct enumerate, limit) },
    { "count", 0, NULL, "only say how many there are", FW_OPTION(FLAG, struct enumerate, count) },
    { "program", 0, NULL, "one C program that executes them all",
      FW_OPTION(FLAG, struct enumerate, program) },
    { "swap-races", 0, NULL, "let racing accesses change places",
      FW_OPTION(FLAG, struct enumerate, swap_races),
      .detail = "All traces with the same happens-before relation, whatever reads then see: plain "
                "accesses keep their order only if synchronisation orders them. A read that sees "
                "another write loses its value." },
    FW_FROM_OPTION(struct enumerate, from),
    FW_REPAIR_OPTION(struct enumerate, repair),
    { "quiet", 'q', NULL, "no summary", FW_OPTION(FLAG, struct enumerate, quiet) },
    { 0 },
};

/* What the visits need and leave behind. */
struct visit {
    const struct enumerate *how;
    const struct fw_index *index;
    uint64_t found;
    bool more;               /* there is one beyond the limit */
    int status;              /* of the first failure */
    struct fw_output *out;   /* one stream; or NULL, and: */
    char *base;              /* DIR/NAME */
    FW_VEC(uint32_t) orders; /* for a program */
};

static int write_file(struct visit *visit, const uint32_t *order)
{
    char *path = fw_xasprintf("%s-%04" PRIu64 ".tid", visit->base, visit->found);
    struct fw_output out;
    struct fw_error err;
    int status = fw_cmd_output(&out, path);

    if (!status && fw_write_order(visit->index, order, &out, &err) < 0) {
        fw_output_abandon(&out);
        status = fw_cmd_fail(FW_EXIT_INPUT, &err);
    } else if (!status) {
        status = fw_cmd_output_close(&out, FW_EXIT_OK);
    }
    free(path);
    return status;
}

static int write_section(struct visit *visit, const uint32_t *order)
{
    struct fw_error err;

    fw_output_printf(visit->out, "# trace %" PRIu64 "\n", visit->found);
    if (fw_write_order(visit->index, order, visit->out, &err) < 0)
        return fw_cmd_fail(FW_EXIT_INPUT, &err);
    return 0;
}

static int keep_order(struct visit *visit, const uint32_t *order)
{
    uint32_t count = visit->index->trace->count;
    size_t before = visit->orders.len;

    if (before + count > MOST_PROGRAM_STEPS) {
        fw_cmd_error("%" PRIu64 " traces of %u events are too many for one program: say "
                     "--limit=N",
                     visit->found, count);
        return FW_EXIT_INPUT;
    }
    fw_vec_extend(&visit->orders, before + count);
    if (count)
        memcpy(visit->orders.at + before, order, count * sizeof *order);
    return 0;
}

static bool visit_order(void *data, const uint32_t *order)
{
    struct visit *visit = data;

    if (visit->found == visit->how->limit) {
        visit->more = true;
        return false;
    }
    visit->found++;
    if (visit->how->count)
        return true;
    if (visit->how->program)
        visit->status = keep_order(visit, order);
    else if (visit->out)
        visit->status = write_section(visit, order);
    else
        visit->status = write_file(visit, order);
    return visit->status == 0;
}

/* DIR/NAME for the files; 0 or the exit status. */
static int make_directory(struct visit *visit, const char *trace)
{
    const char *name = fw_cmd_base_name(trace);
    const char *dot = strrchr(name, '.');
    struct fw_error err;

    if (mkdir(visit->how->output, 0777) < 0 && errno != EEXIST) {
        fw_error_errno(&err, "cannot make directory '%s'", visit->how->output);
        return fw_cmd_fail(FW_EXIT_FAILURE, &err);
    }
    if (strcmp(name, "-") == 0)
        name = "trace";
    visit->base = fw_xasprintf("%s/%.*s", visit->how->output,
                               (int)(dot && dot > name ? dot - name : (long)strlen(name)), name);
    return 0;
}

static int write_program(struct visit *visit, const char *trace)
{
    struct fw_tiddle_options how = {
        .source = fw_cmd_base_name(trace),
        .orders = visit->orders.at,
        .order_count = (uint32_t)visit->found,
        .any_value = visit->how->swap_races,
    };
    struct fw_output program;
    struct fw_error err;
    int status;

    fw_output_open_memory(&program);
    if (fw_tiddle_compile(visit->index->trace, &how, &program, &err) < 0)
        status = fw_cmd_fail(FW_EXIT_INPUT, &err);
    else
        status = fw_cmd_write_result(&program, visit->how->output);
    fw_output_abandon(&program);
    return status;
}

static void warn_of_limit(const struct visit *visit)
{
    if (visit->more)
        fw_cmd_warning("these are the first %" PRIu64 " traces of more; --limit=N takes more of "
                       "them",
                       visit->found);
}

/* All traces, to where they are to go. */
static int write_all(struct visit *visit, const struct fw_depend *depend, const char *trace)
{
    bool stream = !visit->how->program && !visit->how->output;
    struct fw_output out;
    int status = 0;

    if (stream)
        status = fw_cmd_output(&out, NULL);
    else if (!visit->how->program)
        status = make_directory(visit, trace);
    if (status)
        return status;
    visit->out = stream ? &out : NULL;
    fw_enumerate(visit->index, depend, visit_order, visit);
    status = visit->status;
    if (stream)
        status = fw_cmd_output_close(&out, status);
    if (!status && visit->how->program)
        status = write_program(visit, trace);
    if (status)
        return status;
    warn_of_limit(visit);
    if (visit->how->output && strcmp(visit->how->output, "-") != 0 && !visit->how->quiet)
        status = fw_cmd_print("%" PRIu64 " trace%s -> %s\n", visit->found,
                              visit->found == 1 ? "" : "s", visit->how->output);
    return status;
}

/* In decimal; the last digit first, so from the end of the buffer. */
static const char *number_text(unsigned __int128 number, char text[48])
{
    char *at = text + 47;

    *at = '\0';
    do
        *--at = (char)('0' + (int)(number % 10));
    while (number /= 10);
    return at;
}

/* The number; if that cannot be had, how many we are sure of. */
static int print_count(struct visit *visit, const struct fw_depend *depend)
{
    unsigned __int128 number;
    char text[48];

    if (fw_count_orders(visit->index, depend, &number) == 0)
        return fw_cmd_print("%s\n", number_text(number, text));
    fw_enumerate(visit->index, depend, visit_order, visit);
    return fw_cmd_print("more than %" PRIu64 "\n", visit->found);
}

static int enumerate_trace(const struct enumerate *how, const struct fw_trace *trace,
                           const char *path)
{
    struct visit visit = { .how = how, .index = fw_index_create(trace) };
    struct fw_depend *depend = fw_depend_create(visit.index, how->swap_races);
    int status = how->count ? print_count(&visit, depend) : write_all(&visit, depend, path);

    fw_depend_destroy(depend);
    fw_index_destroy((struct fw_index *)visit.index);
    fw_vec_release(&visit.orders);
    free(visit.base);
    return status;
}

static int run(const void *values, int argc, char **argv)
{
    const struct enumerate *how = values;
    struct fw_read_options reading = { .repair = how->repair,
                                       .keep_reentrant = true,
                                       .format = fw_format_name(how->from) };
    struct fw_trace *trace;
    int status;

    (void)argc;
    if (how->limit == 0)
        return fw_cmd_usage("--limit must be at least 1");
    if (how->count && (how->output || how->program))
        return fw_cmd_usage("--count goes with neither --output nor --program");
    if (how->output && strcmp(how->output, argv[0]) == 0)
        return fw_cmd_usage("'%s' would overwrite itself", argv[0]);
    status = fw_cmd_load_trace(&trace, argv[0], &reading, "used");
    if (status)
        return status;
    status = enumerate_trace(how, trace, argv[0]);
    fw_trace_destroy(trace);
    return status;
}

static const struct fw_example examples[] = {
    { "foreweave tiddle enumerate a.tid", "all equivalent traces, one after another" },
    { "foreweave tiddle enumerate --count a.tid", "how many there are" },
    { "foreweave tiddle enumerate a.tid -o traces", "traces/a-0001.tid and so on" },
    { "foreweave tiddle enumerate --program a.tid -o all.c", "one program for all of them" },
    { 0 },
};

const struct fw_command fw_cmd_tiddle_enumerate = {
    .name = "enumerate",
    .summary = "list all traces that are equivalent to a trace",
    .operands = "TRACE",
    .description =
        "Two traces are equivalent if one becomes the other by swapping neighbours that commute. "
        "Events of one thread do not; nor do operations on one lock (shared mode excepted), "
        "accesses of one variable of which one writes, operations that answer each other "
        "(notify, wake; post, pend; barrier in, out), or a fork or join and the events of its "
        "thread. An analysis must say the same about all of them.\n\n"
        "The traces are printed in Tiddle, each under a comment with its number, the trace itself "
        "first; or written to files, or compiled into one program.",
    .options = options,
    .options_size = sizeof(struct enumerate),
    .defaults = &defaults,
    .min_operands = 1,
    .max_operands = 1,
    .examples = examples,
    .run = run,
};
