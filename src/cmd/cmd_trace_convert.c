/*
 * cmd_trace_convert.c - foreweave trace convert: any format to any other.
 *
 * One pass, batch by batch: memory does not grow with the trace.
 */
#include "cmd/cmd.h"
#include "cmd/reading.h"
#include "trace/fwt.h"
#include "trace/writer.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

struct convert {
    int from, to;
    bool repair;
    bool quiet;
};

static const struct convert defaults = { .from = FW_FROM_UNKNOWN, .to = FW_FROM_UNKNOWN };

static const struct fw_option options[] = {
    FW_FROM_OPTION(struct convert, from),
    { "to", 0, "FORMAT", "write std, tid or fwt", FW_OPTION(CHOICE, struct convert, to),
      .choices = fw_trace_formats,
      .detail = "By default the extension of OUT decides; standard output gets STD." },
    FW_REPAIR_OPTION(struct convert, repair),
    { "quiet", 'q', NULL, "no summary", FW_OPTION(FLAG, struct convert, quiet) },
    { 0 },
};

/* Does the name of OUT say its format? */
static bool says_format(const char *path)
{
    const char *dot = strrchr(path, '.');

    if (strcmp(path, "-") == 0)
        return true;
    for (size_t i = 0; dot && fw_trace_formats[i]; i++)
        if (strcmp(dot + 1, fw_trace_formats[i]) == 0)
            return true;
    return false;
}

static int check_names(const struct convert *convert, const char *in, const char *out)
{
    if (fw_cmd_same_file(in, out))
        return fw_cmd_usage("'%s' and '%s' are the same file", in, out);
    if (convert->to == FW_FROM_UNKNOWN && !says_format(out))
        return fw_cmd_usage("cannot tell the format of '%s': name it .std, .tid or .fwt, or say "
                            "--to=FORMAT",
                            out);
    return 0;
}

/* What only a .fwt can carry: what the reader has met since the latest call. */
struct extras {
    size_t modules, metadata; /* copied so far */
};

static int copy_extras(const struct fw_reader *reader, struct fw_writer *writer,
                       struct extras *extras, struct fw_error *err)
{
    void *encoder = fw_writer_encoder(writer);
    const struct fw_fwt_module *modules;
    const char *key, *value;
    size_t count;

    if (strcmp(fw_writer_format(writer), "fwt") != 0)
        return 0;
    modules = fw_reader_modules(reader, &count);
    if (count > extras->modules &&
        fw_fwt_write_modules(encoder, modules + extras->modules, count - extras->modules, err) < 0)
        return -1;
    extras->modules = count;
    for (; fw_reader_metadata_at(reader, extras->metadata, &key, &value); extras->metadata++)
        if (fw_fwt_write_metadata(encoder, key, value, err) < 0)
            return -1;
    return 0;
}

static int copy_events(struct fw_reader *reader, struct fw_writer *writer)
{
    struct extras extras = { 0 };
    struct fw_batch batch;
    struct fw_error err;
    int got;

    while ((got = fw_reader_next(reader, &batch, &err)) > 0)
        if (copy_extras(reader, writer, &extras, &err) < 0 ||
            fw_writer_batch(writer, &batch, &err) < 0)
            return fw_cmd_fail(FW_EXIT_INPUT, &err);
    if (got == 0)
        got = copy_extras(reader, writer, &extras, &err);
    return got < 0 ? fw_cmd_fail(FW_EXIT_INPUT, &err) : 0;
}

static int write_trace(struct fw_reader *reader, const char *path, const char *format)
{
    struct fw_writer *writer;
    struct fw_error err;
    int branches = fw_reader_has_branches(reader, &err), status;

    if (branches < 0)
        return fw_cmd_fail(FW_EXIT_INPUT, &err);
    if (fw_writer_open(&writer, path, format, fw_reader_symbols(reader), branches, &err) < 0)
        return fw_cmd_fail(FW_EXIT_FAILURE, &err);
    status = copy_events(reader, writer);
    if (status)
        fw_writer_abandon(writer);
    else if (fw_writer_close(writer, &err) < 0)
        status = fw_cmd_fail(FW_EXIT_FAILURE, &err);
    return status;
}

/* The summary goes to standard output, unless the trace does. */
static int summarise(const struct fw_reader *reader, const char *path)
{
    const struct fw_read_status *status = fw_reader_status(reader);
    struct fw_output out;
    int result = fw_cmd_output(&out, NULL);

    if (result)
        return result;
    fw_output_printf(&out, "%s -> %s: %" PRIu64 " event%s", fw_reader_name(reader), path,
                     status->events, status->events == 1 ? "" : "s");
    if (status->ignored)
        fw_output_printf(&out, ", %" PRIu64 " line%s without meaning left out", status->ignored,
                         status->ignored == 1 ? "" : "s");
    if (status->dropped)
        fw_output_printf(&out, ", %" PRIu64 " ill-formed dropped", status->dropped);
    if (!status->ignored && !status->dropped)
        fw_output_text(&out, ", nothing lost");
    fw_output_text(&out, "\n");
    return fw_cmd_output_close(&out, FW_EXIT_OK);
}

static int run(const void *values, int argc, char **argv)
{
    const struct convert *convert = values;
    struct fw_read_options reading = { .repair = convert->repair,
                                       .keep_reentrant = true,
                                       .format = fw_format_name(convert->from) };
    struct fw_reader *reader;
    int status = check_names(convert, argv[0], argv[1]);

    (void)argc;
    if (!status)
        status = fw_cmd_open_trace(&reader, argv[0], &reading);
    if (status)
        return status;
    status = write_trace(reader, argv[1], fw_format_name(convert->to));
    if (!status) {
        fw_cmd_read_warnings(reader, "converted");
        if (!convert->quiet && strcmp(argv[1], "-") != 0)
            status = summarise(reader, argv[1]);
    }
    fw_reader_close(reader);
    return status;
}

static const struct fw_example examples[] = {
    { "foreweave trace convert a.std a.fwt", "text to binary" },
    { "foreweave trace convert --repair log.std clean.std", "without the ill-formed events" },
    { "foreweave trace convert --to=tid a.fwt -", "as Tiddle on standard output" },
    { 0 },
};

const struct fw_command fw_cmd_trace_convert = {
    .name = "convert",
    .summary = "convert a trace to another format",
    .operands = "IN OUT",
    .description =
        "Reads IN and writes OUT, in the formats that their names say: .std (text), .tid (Tiddle) "
        "or .fwt (binary); - is standard input or output. Everything that an event carries is "
        "kept, re-entrant lock operations included. Comments and lines without meaning (req) are "
        "left out and counted, and events are numbered anew. If anything fails, OUT is removed.",
    .options = options,
    .options_size = sizeof(struct convert),
    .defaults = &defaults,
    .min_operands = 2,
    .max_operands = 2,
    .examples = examples,
    .run = run,
};
