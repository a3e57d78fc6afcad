/*
 * cmd_trace_info.c - foreweave trace info: what is in a trace.
 *
 * One pass; state for each thread, variable, lock and site, nothing for each
 * event.
 */
#include "base/json.h"
#include "base/vec.h"
#include "cmd/cmd.h"
#include "cmd/reading.h"
#include "report/recording.h"
#include "report/report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct info {
    bool repair;
    bool no_symbols;
    int from;
    int format;
    const char *output;
};

static const struct info defaults = { .from = FW_FROM_UNKNOWN };

static const struct fw_option options[] = {
    FW_REPAIR_OPTION(struct info, repair),
    FW_SYMBOLS_OPTION(struct info, no_symbols),
    FW_FROM_OPTION(struct info, from),
    FW_FORMAT_OPTION(struct info, format),
    FW_OUTPUT_OPTION(struct info, output),
    { 0 },
};

/* Who touched a variable: nobody, thread + 1, or several. */
#define SHARED UINT32_MAX

struct thread {
    uint64_t events;
    uint32_t held; /* locks, now */
};

struct tally {
    uint64_t kinds[FW_KIND_COUNT];
    FW_VEC(struct thread) threads;
    FW_VEC(uint32_t) owner;            /* of each variable */
    FW_VEC(bool) seen[FW_SPACE_COUNT]; /* ids that occurred as target or site */
    uint64_t distinct[FW_SPACE_COUNT];
    uint64_t shared;  /* variables that two threads accessed */
    uint32_t nesting; /* most locks that one thread held at once */
    uint64_t attrs;   /* events with attributes */
    bool renumbered;  /* some event's index is not its position */
    int branches;
};

static void tally_release(struct tally *tally)
{
    fw_vec_release(&tally->threads);
    fw_vec_release(&tally->owner);
    for (int i = 0; i < FW_SPACE_COUNT; i++)
        fw_vec_release(&tally->seen[i]);
}

static void see(struct tally *tally, enum fw_space space, uint32_t id)
{
    fw_vec_extend(&tally->seen[space], (size_t)id + 1);
    tally->distinct[space] += !tally->seen[space].at[id];
    tally->seen[space].at[id] = true;
}

static void tally_access(struct tally *tally, uint32_t variable, uint32_t thread)
{
    uint32_t *owner;

    fw_vec_extend(&tally->owner, (size_t)variable + 1);
    owner = &tally->owner.at[variable];
    if (*owner == 0) {
        *owner = thread + 1;
    } else if (*owner != SHARED && *owner != thread + 1) {
        *owner = SHARED;
        tally->shared++;
    }
}

static void tally_event(struct tally *tally, const struct fw_event *event)
{
    const struct fw_kind_info *kind = &fw_kind_info[event->kind];
    struct thread *thread;

    fw_vec_extend(&tally->threads, event->thread + 1);
    thread = &tally->threads.at[event->thread];
    thread->events++;
    tally->kinds[event->kind]++;
    tally->attrs += event->attr != 0;
    if (kind->space != FW_SPACE_NONE)
        see(tally, kind->space, event->target);
    if (event->site)
        see(tally, FW_SPACE_SITE, event->site);
    if (kind->classes & FW_CLASS_CONFLICT)
        tally_access(tally, event->target, event->thread);
    if (kind->classes & FW_CLASS_ACQUIRE && ++thread->held > tally->nesting)
        tally->nesting = thread->held;
    if (kind->classes & FW_CLASS_RELEASE)
        thread->held--;
}

/* What the events take in memory when the whole trace is loaded, names apart. */
static double memory_per_event(const struct tally *tally, uint64_t events)
{
    uint64_t bytes = events * sizeof(struct fw_event) + tally->attrs * sizeof(struct fw_attr);

    if (tally->renumbered)
        bytes += events * sizeof(uint64_t);
    return events ? (double)bytes / (double)events : 0;
}

static double bytes_per_event(const struct fw_read_status *status)
{
    return status->events ? (double)status->bytes / (double)status->events : 0;
}

static int read_trace(struct fw_reader *reader, struct tally *tally)
{
    struct fw_batch batch;
    struct fw_error err;
    int got;

    tally->branches = fw_reader_has_branches(reader, &err);
    if (tally->branches < 0)
        return fw_cmd_fail(FW_EXIT_INPUT, &err);
    while ((got = fw_reader_next(reader, &batch, &err)) > 0) {
        tally->renumbered |= batch.index != NULL;
        for (uint32_t i = 0; i < batch.count; i++)
            tally_event(tally, &batch.events[i]);
    }
    return got < 0 ? fw_cmd_fail(FW_EXIT_INPUT, &err) : 0;
}

static void row_number(struct fw_output *out, const char *name, uint64_t value)
{
    fw_output_printf(out, "  %-19s %" PRIu64 "\n", name, value);
}

/* Rows that are nearly always zero are shown only if they are not. */
static void row_rare(struct fw_output *out, const char *name, uint64_t value, const char *meaning)
{
    if (value)
        fw_output_printf(out, "  %-19s %" PRIu64 " (%s)\n", name, value, meaning);
}

#define KINDS_A_LINE 6

static void text_kinds(const struct tally *tally, struct fw_output *out)
{
    int shown = 0;

    for (int kind = 0; kind < FW_KIND_COUNT; kind++) {
        if (!tally->kinds[kind])
            continue;
        if (shown && shown % KINDS_A_LINE == 0)
            fw_output_printf(out, "\n  %-19s", "");
        else if (shown == 0)
            fw_output_printf(out, "  %-19s", "by kind");
        fw_output_printf(out, " %s %" PRIu64, fw_kind_info[kind].std_name, tally->kinds[kind]);
        shown++;
    }
    if (shown)
        fw_output_text(out, "\n");
}

static const struct {
    enum fw_space space;
    const char *name;
} counted[] = {
    { FW_SPACE_LOCK, "locks" },           { FW_SPACE_CONDITION, "conditions" },
    { FW_SPACE_SEMAPHORE, "semaphores" }, { FW_SPACE_BARRIER, "barriers" },
    { FW_SPACE_BLOCK, "blocks" },         { FW_SPACE_FUNCTION, "functions" },
    { FW_SPACE_SITE, "sites" },
};

#define COUNTED (sizeof counted / sizeof *counted)

static void text_objects(const struct tally *tally, struct fw_output *out)
{
    row_number(out, "variables", tally->distinct[FW_SPACE_VARIABLE]);
    row_number(out, "shared variables", tally->shared);
    for (size_t i = 0; i < COUNTED; i++) {
        uint64_t count = tally->distinct[counted[i].space];

        if (count || counted[i].space == FW_SPACE_LOCK || counted[i].space == FW_SPACE_SITE)
            row_number(out, counted[i].name, count);
        if (counted[i].space == FW_SPACE_LOCK)
            row_number(out, "lock nesting", tally->nesting);
    }
}

static void report_text(const struct tally *tally, struct fw_reader *reader,
                        const struct fw_recording *recording, struct fw_output *out)
{
    const struct fw_read_status *status = fw_reader_status(reader);

    fw_output_printf(out, "%s\n", fw_reader_name(reader));
    fw_output_printf(out, "  %-19s %s%s\n", "format", fw_reader_format(reader),
                     status->cut ? ", cut" : "");
    fw_output_printf(out, "  %-19s %" PRIu64 " bytes, %.2f per event; %.2f in memory\n", "size",
                     status->bytes, bytes_per_event(status),
                     memory_per_event(tally, status->events));
    row_number(out, "events", status->events);
    text_kinds(tally, out);
    row_number(out, "threads", fw_symbols_count(fw_reader_symbols(reader), FW_SPACE_THREAD));
    text_objects(tally, out);
    fw_output_printf(out, "  %-19s %s\n", "branches",
                     tally->branches ? "yes" : "no (read as if one followed every read)");
    fw_report_recording_rows(out, recording, 19);
    row_rare(out, "ignored", status->ignored, "lines without meaning");
    row_rare(out, "re-entrant", status->reentrant, "inner lock operations filtered out");
    row_rare(out, "dropped", status->dropped, "ill-formed");
}

static void json_threads(const struct tally *tally, const struct fw_symbols *symbols,
                         struct fw_json *json)
{
    uint32_t count = fw_symbols_count(symbols, FW_SPACE_THREAD);

    fw_json_array(json, "events_by_thread");
    for (uint32_t i = 0; i < count; i++) {
        fw_json_object(json, NULL);
        fw_json_text(json, "thread", fw_thread_name(symbols, i));
        fw_json_number(json, "events", i < tally->threads.len ? tally->threads.at[i].events : 0);
        fw_json_end(json);
    }
    fw_json_end(json);
}

static void json_trace(const struct tally *tally, struct fw_reader *reader,
                       const struct fw_recording *recording, struct fw_json *json)
{
    const struct fw_read_status *status = fw_reader_status(reader);
    const struct fw_symbols *symbols = fw_reader_symbols(reader);

    fw_json_object(json, NULL);
    fw_json_text(json, "name", fw_reader_name(reader));
    fw_json_text(json, "format", fw_reader_format(reader));
    fw_json_number(json, "bytes", status->bytes);
    fw_json_real(json, "bytes_per_event", bytes_per_event(status));
    fw_json_real(json, "memory_per_event", memory_per_event(tally, status->events));
    fw_json_number(json, "events", status->events);
    fw_json_object(json, "events_by_kind");
    for (int kind = 0; kind < FW_KIND_COUNT; kind++)
        if (tally->kinds[kind])
            fw_json_number(json, fw_kind_info[kind].std_name, tally->kinds[kind]);
    fw_json_end(json);
    fw_json_number(json, "threads", fw_symbols_count(symbols, FW_SPACE_THREAD));
    json_threads(tally, symbols, json);
    fw_json_number(json, "variables", tally->distinct[FW_SPACE_VARIABLE]);
    fw_json_number(json, "shared_variables", tally->shared);
    for (size_t i = 0; i < COUNTED; i++)
        fw_json_number(json, counted[i].name, tally->distinct[counted[i].space]);
    fw_json_number(json, "lock_nesting", tally->nesting);
    fw_json_bool(json, "branches", tally->branches);
    fw_report_json_status(json, status);
    fw_report_recording_json(json, recording, symbols->places);
    fw_json_end(json);
}

/* One trace: 0 or the exit status. */
static int inform(const struct info *info, const char *path, struct fw_output *out,
                  struct fw_json *json)
{
    struct fw_read_options reading = { .repair = info->repair,
                                       .symbols = !info->no_symbols,
                                       .format = fw_format_name(info->from) };
    struct tally tally = { 0 };
    struct fw_reader *reader;
    int status = fw_cmd_open_trace(&reader, path, &reading);

    if (status)
        return status;
    status = read_trace(reader, &tally);
    if (!status) {
        struct fw_recording recording;

        fw_recording_init(&recording, reader);
        fw_cmd_read_warnings(reader, "read");
        if (info->format == FW_FORMAT_JSON)
            json_trace(&tally, reader, &recording, json);
        else
            report_text(&tally, reader, &recording, out);
        fw_recording_release(&recording);
    }
    tally_release(&tally);
    fw_reader_close(reader);
    return status;
}

/* A bad trace does not hide the others; its status stays. */
static int run(const void *values, int argc, char **argv)
{
    const struct info *info = values;
    struct fw_output out;
    struct fw_json json = { .out = &out };
    int status = fw_cmd_check_output(info->output, argc, argv);

    if (!status)
        status = fw_cmd_output(&out, info->output);
    if (status)
        return status;
    if (info->format == FW_FORMAT_JSON) {
        fw_json_object(&json, NULL);
        fw_json_number(&json, "schema", 1);
        fw_json_array(&json, "traces");
    }
    for (int i = 0; i < argc; i++) {
        int result = inform(info, argv[i], &out, &json);

        status = result ? result : status;
    }
    if (info->format == FW_FORMAT_JSON) {
        fw_json_end(&json);
        fw_json_end(&json);
    }
    return fw_cmd_output_close(&out, status);
}

static const struct fw_example examples[] = {
    { "foreweave trace info a.std", "counts of everything in it" },
    { "foreweave trace info --format=json *.fwt", "several traces, for programs" },
    { 0 },
};

const struct fw_command fw_cmd_trace_info = {
    .name = "info",
    .summary = "say what is in a trace",
    .operands = "TRACE...",
    .description =
        "Reads each TRACE (- is standard input) once and prints its format, its size, the number "
        "of events, by kind, of threads, variables, shared variables (accessed by two threads or "
        "more), locks and sites, how many locks a thread held at most, and what was set aside: "
        "lines without meaning, re-entrant lock operations, ill-formed events under --repair.",
    .options = options,
    .options_size = sizeof(struct info),
    .defaults = &defaults,
    .min_operands = 1,
    .max_operands = INT_MAX,
    .examples = examples,
    .run = run,
};
