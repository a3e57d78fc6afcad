/*
 * reader.h - opens a trace of any format and delivers its events in batches.
 *
 *     file ─ decoder (std, tiddle, fwt) ─► raw events ─ wellformed ─► batches
 *
 * The format is found by content for .fwt (magic bytes) and by extension
 * otherwise; "-" is standard input (.fwt or STD).  Well-formedness is checked
 * on the way; re-entrant inner lock operations and dialect lines are resolved.
 * Nothing is kept but the symbols and the state of threads and locks, so
 * memory does not grow with the length of the trace.
 *
 * A reader may be closed at any time.  Not thread-safe.
 */
#ifndef FW_TRACE_READER_H
#define FW_TRACE_READER_H

#include "base/error.h"
#include "trace/batch.h"
#include "trace/symbols.h"

struct fw_reader;
struct fw_fwt_module;
struct fw_input;

/*
 * Files that are not traces yet but can be made one: recordings that were not finished.  Who can
 * do it stands above this layer and says so once, before any reader is opened.
 */
struct fw_recovery {
    char magic[8]; /* how such files begin */
    /* Makes *to a .fwt out of `from`, which stands at its first byte and stays the caller's. */
    int (*recover)(struct fw_input *from, struct fw_input *to, struct fw_error *err);
};

void fw_reader_set_recovery(const struct fw_recovery *recovery);

struct fw_read_options {
    bool repair;         /* drop ill-formed events, count them, go on */
    bool keep_reentrant; /* deliver re-entrant inner operations too (for conversion) */
    bool symbols;        /* names of recorded programs become those of their source (places.h) */
    const char *format;  /* "std", "tid", "fwt"; NULL: find out */
};

/* What is known so far; complete once fw_reader_next has returned 0. */
struct fw_read_status {
    uint64_t events;     /* delivered */
    uint64_t lines;      /* indices used up: delivered, ignored and dropped */
    uint64_t ignored;    /* dialect lines without meaning */
    uint64_t reentrant;  /* inner lock operations filtered out */
    uint64_t dropped;    /* ill-formed, under repair */
    char first_drop[256]; /* why the first one was dropped */
    bool cut;            /* a .fwt that ends before its end mark */
    char cut_reason[160];
    uint64_t bytes;      /* read from the file so far */
};

/* Opens; the caller owns *reader.  Returns 0 or -1. */
int fw_reader_open(struct fw_reader **reader, const char *path,
                   const struct fw_read_options *options, struct fw_error *err);

/* The same over memory that the caller keeps alive (tests, fuzzers); `name` is for messages. */
int fw_reader_open_memory(struct fw_reader **reader, const void *data, size_t size,
                          const char *name, const struct fw_read_options *options,
                          struct fw_error *err);

void fw_reader_close(struct fw_reader *reader);

/* 1: a batch, borrowed until the next call; 0: the end; -1: an error. */
int fw_reader_next(struct fw_reader *reader, struct fw_batch *batch, struct fw_error *err);

/*
 * Does the trace have branch events?  Said by the file, else found by scanning
 * it (a text stream that does not say so has none).  1, 0 or -1.
 */
int fw_reader_has_branches(struct fw_reader *reader, struct fw_error *err);

struct fw_symbols *fw_reader_symbols(struct fw_reader *reader);       /* borrowed */
struct fw_symbols *fw_reader_take_symbols(struct fw_reader *reader);  /* the caller owns */
/* Where their names come from (places.h), or NULL; lives as long as the symbols. */
const struct fw_places *fw_reader_places(const struct fw_reader *reader);
const struct fw_read_status *fw_reader_status(const struct fw_reader *reader);
/* What only a .fwt carries, met so far (fwt.h): NULL or nothing for other formats. */
const char *fw_reader_metadata(const struct fw_reader *reader, const char *key);
bool fw_reader_metadata_at(const struct fw_reader *reader, size_t i, const char **key,
                           const char **value);
const struct fw_fwt_module *fw_reader_modules(const struct fw_reader *reader, size_t *count);
const char *fw_reader_format(const struct fw_reader *reader); /* "std", "tid", "fwt" */
const char *fw_reader_name(const struct fw_reader *reader);   /* for messages */

#endif
