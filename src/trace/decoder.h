/*
 * decoder.h - what a format's reader offers to reader.c.
 *
 * A decoder turns bytes into raw events, in batches of at most
 * FW_BATCH_EVENTS, and interns the names.  It knows syntax only; whether the
 * events make sense is decided behind it (wellformed.c), which may overwrite
 * the batch's events.
 *
 * Raw events are consecutive: event i of a batch has index (number of raw
 * events delivered before) + i.  Under repair a line that cannot be read is
 * delivered as FW_RAW_BROKEN (all other fields zero), so that no index is lost.
 *
 * A decoder delivers the events it has before it reports an error: it returns
 * them, and the error on the next call.
 */
#ifndef FW_TRACE_DECODER_H
#define FW_TRACE_DECODER_H

#include "base/error.h"
#include "base/input.h"
#include "trace/batch.h"
#include "trace/symbols.h"

struct fw_raw_batch {
    struct fw_event *events;     /* owned by the decoder, overwritten behind it */
    const struct fw_attr *attrs; /* attrs[0] is empty */
    uint32_t count;
};

struct fw_decoder_setup {
    struct fw_input *input;     /* positioned at the first byte; outlives the decoder */
    struct fw_symbols *symbols; /* to intern in; outlives the decoder */
    bool repair;
    bool resolve; /* names of modules and offsets become those of the source (places.h) */
};

/* Every decoder's struct begins with this one. */
struct fw_decoder {
    const struct fw_format *format;
    bool cut;             /* set at the end: the file ends early (.fwt only) */
    char cut_reason[160];
    char first_broken[256]; /* under repair: what was wrong with the first broken line */
};

struct fw_format {
    const char *name;       /* "std" */
    const char *extension;  /* ".std" */
    struct fw_decoder *(*create)(const struct fw_decoder_setup *setup);
    void (*destroy)(struct fw_decoder *decoder);
    /* 1: a batch (never empty), 0: the end, -1: an error with its position. */
    int (*next)(struct fw_decoder *decoder, struct fw_raw_batch *batch, struct fw_error *err);
    /*
     * 1: branches, 0: none, -1: error.  Callable before, between and after next().
     * Text: what the first line says, else what a scan finds (input->seekable), else 0.
     * After an answer 0 a decoder of text treats `br` as an error.
     */
    int (*branches)(struct fw_decoder *decoder, struct fw_error *err);
    /* Where event i of the latest batch stands: "bad.std:17" or "a.fwt: event 9 (offset 120)". */
    void (*locate)(struct fw_decoder *decoder, uint32_t i, char *text, size_t size);
};

extern const struct fw_format fw_format_std;
extern const struct fw_format fw_format_tiddle;
extern const struct fw_format fw_format_fwt;

#endif
