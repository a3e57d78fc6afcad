/*
 * writer.h - writes events as a trace file of any format.
 *
 * Feed it batches (or single events) in order, close it.  Indices in the
 * output are positions in the output: where the input's differ (dropped or
 * ignored lines), `rf` attributes are renumbered on the way.
 *
 * Text is canonical: one spelling for each event, so that reading and writing
 * again changes nothing.  "# branches: yes" is the first line if and only if
 * the trace has branches.  Writing fails if the format cannot express a name
 * (Tiddle: threads are numbers; text: no separators in names).
 */
#ifndef FW_TRACE_WRITER_H
#define FW_TRACE_WRITER_H

#include "base/error.h"
#include "base/output.h"
#include "trace/batch.h"
#include "trace/symbols.h"

struct fw_writer;

/* What a format's encoder offers; out, symbols and branches are fixed at creation. */
struct fw_encoder_setup {
    struct fw_output *out;
    const struct fw_symbols *symbols; /* may grow between calls */
    bool branches;
};

struct fw_encoder_class {
    const char *format; /* "std", "tid", "fwt" */
    void *(*create)(const struct fw_encoder_setup *setup);
    /* Events with rf already renumbered; attrs as in a batch.  0 or -1. */
    int (*events)(void *encoder, const struct fw_event *events, uint32_t count,
                  const struct fw_attr *attrs, struct fw_error *err);
    int (*finish)(void *encoder, struct fw_error *err); /* end marks; not called after errors */
    void (*destroy)(void *encoder);
};

extern const struct fw_encoder_class fw_encoder_std;
extern const struct fw_encoder_class fw_encoder_tiddle;
extern const struct fw_encoder_class fw_encoder_fwt;

/* Opens path ("-": standard output, STD unless `format` says otherwise).  The format comes from
 * `format` or, if NULL, from the extension. */
int fw_writer_open(struct fw_writer **writer, const char *path, const char *format,
                   const struct fw_symbols *symbols, bool branches, struct fw_error *err);

/* Collects the file in memory; take it with fw_writer_take before closing. */
int fw_writer_open_memory(struct fw_writer **writer, const char *format,
                          const struct fw_symbols *symbols, bool branches, struct fw_error *err);

/* Takes over an output that the caller has opened, errors included. */
int fw_writer_open_output(struct fw_writer **writer, const struct fw_output *out,
                          const char *format, const struct fw_symbols *symbols, bool branches,
                          struct fw_error *err);

/* The format's encoder, for what only one format can carry (fwt.h). */
void *fw_writer_encoder(struct fw_writer *writer);
const char *fw_writer_format(const struct fw_writer *writer); /* "std", "tid", "fwt" */
/* Events so far. */
uint64_t fw_writer_count(const struct fw_writer *writer);
/* .fwt: no end mark will be written, so that readers take the trace for cut. */
void fw_writer_leave_cut(struct fw_writer *writer);

/* So many events went into the encoder by themselves, since the latest batch; as many indices. */
void fw_writer_passed(struct fw_writer *writer, uint64_t count);

int fw_writer_batch(struct fw_writer *writer, const struct fw_batch *batch, struct fw_error *err);

/* Finishes a memory writer: *data is the caller's to free. */
int fw_writer_take(struct fw_writer *writer, char **data, size_t *size, struct fw_error *err);

/* Finishes and closes; the writer is gone whatever is returned. */
int fw_writer_close(struct fw_writer *writer, struct fw_error *err);
/* Closes without a result; the file is removed. */
void fw_writer_abandon(struct fw_writer *writer);

#endif
