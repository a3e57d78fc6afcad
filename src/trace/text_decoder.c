/* text_decoder.c - see text_decoder.h. */
#include "trace/text_decoder.h"

#include "base/alloc.h"
#include "base/bug.h"

#include <stdio.h>
#include <stdlib.h>

void fw_text_decoder_init(struct fw_text_decoder *decoder, const struct fw_format *format,
                          const struct fw_text_syntax *syntax, const struct fw_decoder_setup *setup)
{
    memset(decoder, 0, offsetof(struct fw_text_decoder, line_of));
    decoder->attrs = fw_xrealloc(NULL, FW_BATCH_EVENTS + 1, sizeof *decoder->attrs);
    decoder->attrs[0] = (struct fw_attr) { 0 };
    decoder->base.format = format;
    decoder->syntax = syntax;
    decoder->symbols = setup->symbols;
    decoder->repair = setup->repair;
    decoder->branches = -1;
    decoder->start = setup->input->offset;
    fw_text_init(&decoder->text, setup->input, 0);
}

void fw_text_decoder_release(struct fw_text_decoder *decoder)
{
    fw_text_release(&decoder->text);
    free(decoder->attrs);
}

/* Fetches lines if there are none and, the first time, learns what the header says. */
static int fill(struct fw_text_decoder *decoder, struct fw_error *err)
{
    bool started = decoder->text.started;
    int got = fw_text_fill(&decoder->text, err);

    if (got >= 0 && !started && decoder->text.header != FW_TEXT_SAYS_NOTHING)
        decoder->branches = decoder->text.header == FW_TEXT_SAYS_BRANCHES;
    if (got < 0) {
        decoder->failed = true;
        decoder->error = *err;
    }
    return got;
}

/* A line that cannot be read: under repair an event of its own, else the end of all reading. */
static void note_bad_line(struct fw_text_decoder *decoder, struct fw_error *err)
{
    fw_error_context(err, "%s:%llu", decoder->text.input->name,
                     (unsigned long long)decoder->text.line);
    if (!decoder->repair) {
        decoder->failed = true;
        decoder->error = *err;
        return;
    }
    if (!decoder->base.first_broken[0])
        snprintf(decoder->base.first_broken, sizeof decoder->base.first_broken, "%.*s",
                 (int)sizeof decoder->base.first_broken - 1, err->message);
    fw_text_add(decoder, (struct fw_event) { .kind = FW_RAW_BROKEN }, NULL);
}

void fw_text_decoder_line(struct fw_text_decoder *decoder)
{
    struct fw_text *text = &decoder->text;
    struct fw_error err;
    size_t len;
    const char *line = fw_text_take(text, &len);

    if ((len > FW_TEXT_LINE_MAX || text->has_nul) && fw_text_check(line, len, &err) < 0)
        note_bad_line(decoder, &err);
    else if (!fw_text_is_void(line, len) &&
             decoder->syntax->read_line(decoder, line, len, &err) < 0)
        note_bad_line(decoder, &err);
}

int fw_text_decoder_open(struct fw_text_decoder *decoder, struct fw_error *err)
{
    decoder->count = 0;
    decoder->attr_count = 1;
    if (decoder->failed) {
        *err = decoder->error;
        return -1;
    }
    fw_text_begin_batch(&decoder->text);
    return fill(decoder, err);
}

int fw_text_decoder_close(struct fw_text_decoder *decoder, struct fw_raw_batch *batch,
                          struct fw_error *err)
{
    if (decoder->count) {
        *batch = (struct fw_raw_batch) { decoder->events, decoder->attrs, decoder->count };
        return 1;
    }
    if (decoder->failed) {
        *err = decoder->error;
        return -1;
    }
    return 0;
}

int fw_text_decoder_next(struct fw_decoder *base, struct fw_raw_batch *batch, struct fw_error *err)
{
    struct fw_text_decoder *decoder = (struct fw_text_decoder *)base;
    int got;

    do {
        got = fw_text_decoder_open(decoder, err);
        if (got <= 0)
            return got;
        while (fw_text_decoder_goes_on(decoder))
            fw_text_decoder_line(decoder);
        got = fw_text_decoder_close(decoder, batch, err);
    } while (got == 0);
    return got;
}

/* Looks through all lines of a seekable input. */
static int scan_for_branches(struct fw_text_decoder *decoder, struct fw_error *err)
{
    struct fw_text scan;
    int got;

    fw_text_init_scan(&scan, decoder->text.input, decoder->start);
    while ((got = fw_text_fill(&scan, err)) > 0) {
        if (decoder->syntax->has_branch(scan.buffer + scan.at, scan.whole - scan.at))
            break;
        scan.at = scan.whole;
    }
    fw_text_release(&scan);
    return got;
}

/* At the end, a branch would have been met (fw_text_allow_branch). */
static bool has_read_all(const struct fw_text_decoder *decoder)
{
    return decoder->text.ended && decoder->text.at == decoder->text.whole;
}

int fw_text_decoder_branches(struct fw_decoder *base, struct fw_error *err)
{
    struct fw_text_decoder *decoder = (struct fw_text_decoder *)base;

    if (!decoder->text.started && !decoder->failed && fill(decoder, err) < 0)
        return -1;
    if (!decoder->text.started) {
        *err = decoder->error;
        return -1;
    }
    if (decoder->branches >= 0)
        return decoder->branches;
    if (!decoder->text.input->seekable || has_read_all(decoder))
        return decoder->branches = 0;
    return decoder->branches = scan_for_branches(decoder, err);
}

int fw_text_allow_branch(struct fw_text_decoder *decoder, struct fw_error *err)
{
    if (decoder->branches < 0)
        decoder->branches = decoder->text.input->seekable;
    if (decoder->branches)
        return 0;
    if (decoder->text.header == FW_TEXT_SAYS_NONE || decoder->text.input->seekable)
        return fw_error_set(err, "'br' in a trace that says it has no branches");
    return fw_error_set(err, "'br' in a stream that does not begin with '# branches: yes'");
}

void fw_text_decoder_locate(struct fw_decoder *base, uint32_t i, char *text, size_t size)
{
    struct fw_text_decoder *decoder = (struct fw_text_decoder *)base;

    FW_ASSERT(i < decoder->count);
    snprintf(text, size, "%s:%llu", decoder->text.input->name,
             (unsigned long long)(decoder->text.batch_line + decoder->line_of[i]));
}

int fw_text_check_name(const char *name, size_t len, const char *what, struct fw_error *err)
{
    char quoted[FW_TEXT_QUOTE];

    if (len == 0)
        return fw_error_set(err, "%s is missing", what);
    if (len > FW_TEXT_NAME_MAX)
        return fw_error_set(err, "%s longer than %u bytes: '%s'", what, FW_TEXT_NAME_MAX,
                            fw_text_quote(quoted, name, len));
    return 0;
}

int fw_text_intern_thread(struct fw_text_decoder *decoder, const char *name, size_t len,
                          uint32_t *id, struct fw_error *err)
{
    *id = fw_symbols_intern_thread(decoder->symbols, name, len);
    if (*id >= FW_MAX_THREADS)
        return fw_error_set(err, "more than %u threads", FW_MAX_THREADS);
    return 0;
}

int fw_text_intern_target(struct fw_text_decoder *decoder, enum fw_kind kind, const char *name,
                          size_t len, uint32_t *id, struct fw_error *err)
{
    enum fw_space space = fw_kind_info[kind].space;
    struct fw_strtab *table;
    uint32_t known;

    if (space == FW_SPACE_THREAD)
        return fw_text_intern_thread(decoder, name, len, id, err);
    FW_ASSERT(space < FW_SPACE_COUNT);
    table = &decoder->symbols->table[space];
    known = table->count;
    *id = fw_strtab_intern(table, name, len);
    if (kind == FW_ALLOC && *id < known)
        *id = fw_strtab_renew(table, *id);
    return 0;
}
