/* std_check.h - what the tests of STD text share: decodes a text in many ways and looks at it. */
#ifndef FW_TESTS_STD_CHECK_H
#define FW_TESTS_STD_CHECK_H

#include "base/alloc.h"
#include "base/output.h"
#include "trace/decoder.h"
#include "trace/text_decoder.h"
#include "trace/writer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* A whole text, decoded. */
struct decoded {
    struct fw_symbols *symbols;
    struct fw_event events[256];
    struct fw_attr attrs[256]; /* of each event, zero if it has none */
    char where[256][64];       /* what locate says */
    uint32_t count, batches;
    int result; /* of the last next() */
    struct fw_error error;
    char first_broken[256];
};

struct how {
    size_t chunk; /* 0: the usual one */
    bool repair;
    bool pipe;
    bool ask_branches; /* before reading */
    bool only_ask;     /* and do not read */
    int answer;
};

static inline void keep_batch(struct decoded *d, struct fw_decoder *decoder,
                              struct fw_raw_batch *batch)
{
    d->batches++;
    assert_true(batch->count > 0);
    for (uint32_t i = 0; i < batch->count; i++) {
        assert_true(d->count < 256);
        decoder->format->locate(decoder, i, d->where[d->count], sizeof d->where[0]);
        d->attrs[d->count] = batch->attrs[batch->events[i].attr];
        d->events[d->count++] = batch->events[i];
    }
}

static inline void decode_input(struct decoded *d, struct fw_input *input, struct how *how)
{
    struct fw_decoder_setup setup = { input, d->symbols, how->repair, false };
    struct fw_decoder *decoder = fw_format_std.create(&setup);
    struct fw_raw_batch batch;

    if (how->chunk)
        ((struct fw_text_decoder *)decoder)->text.chunk = how->chunk;
    if (how->ask_branches)
        how->answer = fw_format_std.branches(decoder, &d->error);
    while (!how->only_ask && (d->result = fw_format_std.next(decoder, &batch, &d->error)) > 0)
        keep_batch(d, decoder, &batch);
    if (!how->only_ask)
        assert_int_equal(fw_format_std.next(decoder, &batch, &d->error), d->result);
    memcpy(d->first_broken, decoder->first_broken, sizeof d->first_broken);
    fw_format_std.destroy(decoder);
}

static inline struct decoded *decode_bytes(const char *text, size_t size, struct how *how)
{
    struct decoded *d = fw_xcalloc(1, sizeof *d);
    struct how usual = { 0 };
    struct fw_input input;
    int ends[2];

    d->symbols = fw_symbols_create();
    if (how && how->pipe) {
        char path[32];

        assert_int_equal(pipe(ends), 0);
        assert_int_equal(write(ends[1], text, size), size);
        close(ends[1]);
        snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
        assert_int_equal(fw_input_open(&input, path, &d->error), 0);
        close(ends[0]);
    } else {
        fw_input_open_memory(&input, text, size, "bad.std");
    }
    decode_input(d, &input, how ? how : &usual);
    fw_input_close(&input);
    return d;
}

static inline struct decoded *decode(const char *text)
{
    return decode_bytes(text, strlen(text), NULL);
}

static inline void release(struct decoded *d)
{
    fw_symbols_destroy(d->symbols);
    free(d);
}

static inline const char *name(struct decoded *d, enum fw_space space, uint32_t id)
{
    assert_true(id < fw_symbols_count(d->symbols, space));
    return fw_symbols_name(d->symbols, space, id);
}

static inline void assert_event(struct decoded *d, uint32_t i, const char *thread, unsigned kind,
                                const char *target, const char *site)
{
    const struct fw_event *event = &d->events[i];
    enum fw_space space;

    assert_true(i < d->count);
    assert_int_equal(event->kind, kind);
    assert_string_equal(name(d, FW_SPACE_THREAD, event->thread), thread);
    assert_string_equal(name(d, FW_SPACE_SITE, event->site), site);
    space = fw_kind_info[kind].space;
    if (space == FW_SPACE_NONE)
        assert_int_equal(event->target, 0);
    else
        assert_string_equal(name(d, space, event->target), target);
}

/* Writes what was read; the caller frees. */
static inline char *encode(struct decoded *d, bool branches)
{
    struct fw_output out;
    void *encoder;
    struct fw_attr attrs[257] = { { 0 } };
    char *text;

    for (uint32_t i = 0; i < d->count; i++) {
        attrs[i + 1] = d->attrs[i];
        d->events[i].attr = i + 1;
    }
    fw_output_open_memory(&out);
    encoder = fw_encoder_std.create(&(struct fw_encoder_setup) { &out, d->symbols, branches });
    assert_int_equal(fw_encoder_std.events(encoder, d->events, d->count, attrs, &d->error), 0);
    assert_int_equal(fw_encoder_std.finish(encoder, &d->error), 0);
    fw_encoder_std.destroy(encoder);
    text = fw_xstrndup(out.buffer, out.used);
    fw_output_abandon(&out);
    return text;
}

#endif
