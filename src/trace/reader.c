/*
 * reader.c - see reader.h: finds the format, joins decoder and well-formedness.
 */
#include "trace/reader.h"

#include "base/alloc.h"
#include "base/bug.h"
#include "trace/decoder.h"
#include "trace/fwt.h"
#include "trace/text_decoder.h"
#include "trace/wellformed.h"

#include <stdlib.h>
#include <string.h>

static const struct fw_format *const formats[] = {
    &fw_format_std,
    &fw_format_tiddle,
    &fw_format_fwt,
};

static const struct fw_recovery *recovery;

void fw_reader_set_recovery(const struct fw_recovery *new_recovery)
{
    recovery = new_recovery;
}

struct fw_reader {
    struct fw_input input;
    struct fw_symbols *symbols;      /* NULL: taken */
    const struct fw_symbols *places; /* the same, taken or not */
    struct fw_decoder *decoder;
    struct fw_wellformed *wellformed;
    struct fw_read_status status;
    bool failed; /* the next call reports `failure` */
    struct fw_error failure;
};

static const struct fw_format *format_by_name(const char *name)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (strcmp(formats[i]->name, name) == 0)
            return formats[i];
    return NULL;
}

static const struct fw_format *format_by_extension(const char *path)
{
    const char *dot = strrchr(path, '.');

    for (size_t i = 0; dot && i < sizeof formats / sizeof *formats; i++)
        if (strcmp(formats[i]->extension, dot) == 0)
            return formats[i];
    return &fw_format_std;
}

/* The magic bytes win over the name: a .fwt is a .fwt whatever it is called. */
static const struct fw_format *find_format(struct fw_reader *reader,
                                           const struct fw_read_options *options,
                                           struct fw_error *err)
{
    const struct fw_format *format;
    const unsigned char *bytes;
    ssize_t got;

    if (options->format) {
        format = format_by_name(options->format);
        if (!format)
            fw_error_set(err, "unknown trace format '%s'", options->format);
        return format;
    }
    got = fw_input_peek(&reader->input, &bytes, FW_FWT_MAGIC_SIZE, err);
    if (got < 0)
        return NULL;
    format = format_by_extension(reader->input.name);
    /* A .fwt cut inside its magic bytes is still one if its name says so. */
    if (got == FW_FWT_MAGIC_SIZE && memcmp(bytes, FW_FWT_MAGIC, FW_FWT_MAGIC_SIZE) == 0)
        format = &fw_format_fwt;
    return format;
}

/* Editors put one before UTF-8 text; it is not part of the first name. */
static int skip_byte_order_mark(struct fw_input *input, struct fw_error *err)
{
    const unsigned char *bytes;
    unsigned char gone[sizeof FW_TEXT_MARK - 1];
    ssize_t got = fw_input_peek(input, &bytes, sizeof gone, err);

    if (got < 0)
        return -1;
    if (got < (ssize_t)sizeof gone || memcmp(bytes, FW_TEXT_MARK, sizeof gone) != 0)
        return 0;
    return fw_input_read_full(input, gone, sizeof gone, err) < 0 ? -1 : 0;
}

/* Puts a trace in the place of a recording that was not finished. */
static int recover(struct fw_input *input, struct fw_error *err)
{
    const unsigned char *bytes;
    struct fw_input trace;
    ssize_t got = fw_input_peek(input, &bytes, sizeof recovery->magic, err);

    if (got < 0)
        return -1;
    /* It may be cut inside the magic; two bytes could be the beginning of any format of ours. */
    if (got < 3 || memcmp(bytes, recovery->magic, (size_t)got) != 0)
        return 0;
    if (recovery->recover(input, &trace, err) < 0)
        return -1;
    fw_input_close(input);
    *input = trace;
    return 0;
}

/* Takes over *input. */
static int open_input(struct fw_reader **out, const struct fw_input *input,
                      const struct fw_read_options *options, struct fw_error *err)
{
    static const struct fw_read_options defaults;
    struct fw_reader *reader = fw_xcalloc(1, sizeof *reader);
    const struct fw_format *format;
    struct fw_decoder_setup setup;

    options = options ? options : &defaults;
    reader->input = *input;
    format = NULL;
    if (!recovery || recover(&reader->input, err) == 0)
        format = find_format(reader, options, err);
    if (!format) {
        fw_reader_close(reader);
        return -1;
    }
    if (format != &fw_format_fwt && skip_byte_order_mark(&reader->input, err) < 0) {
        fw_reader_close(reader);
        return -1;
    }
    reader->places = reader->symbols = fw_symbols_create();
    setup = (struct fw_decoder_setup) { &reader->input, reader->symbols, options->repair,
                                        options->symbols };
    reader->decoder = format->create(&setup);
    reader->wellformed = fw_wellformed_create(reader->symbols, options);
    *out = reader;
    return 0;
}

int fw_reader_open(struct fw_reader **reader, const char *path,
                   const struct fw_read_options *options, struct fw_error *err)
{
    struct fw_input input;

    if (fw_input_open(&input, path, err) < 0)
        return -1;
    return open_input(reader, &input, options, err);
}

int fw_reader_open_memory(struct fw_reader **reader, const void *data, size_t size,
                          const char *name, const struct fw_read_options *options,
                          struct fw_error *err)
{
    struct fw_input input;

    fw_input_open_memory(&input, data, size, name);
    return open_input(reader, &input, options, err);
}

void fw_reader_close(struct fw_reader *reader)
{
    if (!reader)
        return;
    fw_wellformed_destroy(reader->wellformed);
    if (reader->decoder)
        reader->decoder->format->destroy(reader->decoder);
    fw_symbols_destroy(reader->symbols);
    fw_input_close(&reader->input);
    free(reader);
}

static void note_end(struct fw_reader *reader)
{
    reader->status.cut = reader->decoder->cut;
    memcpy(reader->status.cut_reason, reader->decoder->cut_reason,
           sizeof reader->status.cut_reason);
}

/* Under repair: keeps why the first event was dropped, an unreadable line or an ill-formed one. */
static void note_drop(struct fw_reader *reader, uint32_t bad, const struct fw_error *why)
{
    struct fw_read_status *status = &reader->status;
    char where[512];

    if (bad != FW_NOTHING_BAD) {
        reader->decoder->format->locate(reader->decoder, bad, where, sizeof where);
        snprintf(status->first_drop, sizeof status->first_drop, "%.120s: %.130s", where,
                 why->message);
    } else if (status->dropped && !status->first_drop[0]) {
        snprintf(status->first_drop, sizeof status->first_drop, "%s",
                 reader->decoder->first_broken);
    }
}

/* An ill-formed event: what stands before it is delivered first. */
static int fail_later(struct fw_reader *reader, uint32_t bad, const struct fw_error *why,
                      const struct fw_batch *batch, struct fw_error *err)
{
    char where[512];

    reader->decoder->format->locate(reader->decoder, bad, where, sizeof where);
    fw_error_set(&reader->failure, "%s: %s", where, why->message);
    reader->failed = true;
    if (batch->count)
        return 1;
    *err = reader->failure;
    return -1;
}

int fw_reader_next(struct fw_reader *reader, struct fw_batch *batch, struct fw_error *err)
{
    struct fw_decoder *decoder = reader->decoder;
    struct fw_raw_batch raw;
    struct fw_error why;
    uint32_t bad;

    if (reader->failed) {
        *err = reader->failure;
        return -1;
    }
    do {
        int got = decoder->format->next(decoder, &raw, err);

        reader->status.bytes = reader->input.offset;
        if (got <= 0) {
            note_end(reader);
            return got;
        }
        got = fw_wellformed_filter(reader->wellformed, &raw, batch, &reader->status, &bad, &why);
        if (got < 0)
            return fail_later(reader, bad, &why, batch, err);
        note_drop(reader, bad, &why);
    } while (batch->count == 0);
    return 1;
}

int fw_reader_has_branches(struct fw_reader *reader, struct fw_error *err)
{
    return reader->decoder->format->branches(reader->decoder, err);
}

struct fw_symbols *fw_reader_symbols(struct fw_reader *reader)
{
    return reader->symbols;
}

struct fw_symbols *fw_reader_take_symbols(struct fw_reader *reader)
{
    struct fw_symbols *symbols = reader->symbols;

    reader->symbols = NULL;
    return symbols;
}

const struct fw_places *fw_reader_places(const struct fw_reader *reader)
{
    return reader->places->places;
}

const struct fw_read_status *fw_reader_status(const struct fw_reader *reader)
{
    return &reader->status;
}

static bool is_fwt(const struct fw_reader *reader)
{
    return reader->decoder->format == &fw_format_fwt;
}

const char *fw_reader_metadata(const struct fw_reader *reader, const char *key)
{
    return is_fwt(reader) ? fw_fwt_metadata(reader->decoder, key) : NULL;
}

bool fw_reader_metadata_at(const struct fw_reader *reader, size_t i, const char **key,
                           const char **value)
{
    return is_fwt(reader) && fw_fwt_metadata_at(reader->decoder, i, key, value);
}

const struct fw_fwt_module *fw_reader_modules(const struct fw_reader *reader, size_t *count)
{
    *count = 0;
    return is_fwt(reader) ? fw_fwt_modules(reader->decoder, count) : NULL;
}

const char *fw_reader_format(const struct fw_reader *reader)
{
    return reader->decoder->format->name;
}

const char *fw_reader_name(const struct fw_reader *reader)
{
    return reader->input.name;
}
