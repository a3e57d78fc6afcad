/*
 * trace.h - a whole trace in memory.
 *
 * For everything that needs to look twice: the verifier, the predictors, show.
 * Events are addressed by position (uint32_t, so up to 2^32 - 2 of them);
 * users see indices (batch.h).  Immutable after loading; readers may share it.
 */
#ifndef FW_TRACE_TRACE_H
#define FW_TRACE_TRACE_H

#include "trace/reader.h"

#define FW_NO_EVENT UINT32_MAX

struct fw_trace {
    struct fw_event *events;
    uint32_t count;
    struct fw_attr *attrs; /* event.attr counts in here; attrs[0] is empty */
    uint32_t attr_count;
    uint64_t *index;       /* position → index; NULL: the same */
    uint32_t *by_index;    /* positions by index, then position; NULL with `index` */
    struct fw_symbols *symbols;
    bool has_branches;     /* false: read as if a branch followed every read */
    bool lacks_repeats;    /* repeated accesses were left out (src/predict/repeats.h) */
    struct fw_read_status status;
    char *name;
};

/* A write without a site in a recording that lacks repeats says again what its thread has written
 * since it last synchronised (src/runtime/shadow.h): it counts for what others read, and no finding
 * may name it. */
static inline bool fw_trace_says_again(const struct fw_trace *trace, const struct fw_event *event)
{
    return trace->lacks_repeats && event->kind == FW_WRITE && !event->site;
}

/* Loads the path; the caller owns *trace. */
int fw_trace_load(struct fw_trace **trace, const char *path,
                  const struct fw_read_options *options, struct fw_error *err);
int fw_trace_load_memory(struct fw_trace **trace, const void *data, size_t size, const char *name,
                         const struct fw_read_options *options, struct fw_error *err);
/* Reads to the end what an open reader still has; the reader stays the caller's to close. */
int fw_trace_read(struct fw_trace **trace, struct fw_reader *reader, struct fw_error *err);
void fw_trace_destroy(struct fw_trace *trace);

/*
 * The same batch by batch, for those who look at the batches too, or want only the beginning:
 *
 *     builder = fw_trace_builder_create();
 *     while (fw_reader_next(reader, &batch, err) > 0 && more are wanted)
 *         fw_trace_builder_add(builder, &batch, err);
 *     trace = fw_trace_builder_finish(builder, reader, has_branches, true);
 */
struct fw_trace_builder;
struct fw_trace_builder *fw_trace_builder_create(void);
void fw_trace_builder_destroy(struct fw_trace_builder *builder);

/* -1: there are too many events. */
int fw_trace_builder_add(struct fw_trace_builder *builder, const struct fw_batch *batch,
                         const struct fw_reader *reader, struct fw_error *err);

/* Bytes that the trace takes so far, without its symbols. */
size_t fw_trace_builder_bytes(const struct fw_trace_builder *builder);

/*
 * Ends the builder; takes the reader's symbols.  Not whole: only the beginning was added.  What a
 * reordering of it does, the whole trace allows as well, but for one thing: a fence that makes a
 * load synchronise may stand in the rest.  So every atomic load counts as acquiring then.
 */
struct fw_trace *fw_trace_builder_finish(struct fw_trace_builder *builder,
                                         struct fw_reader *reader, bool has_branches, bool whole);

static inline uint64_t fw_trace_index(const struct fw_trace *trace, uint32_t position)
{
    return trace->index ? trace->index[position] : position;
}

/*
 * The position of the nth (0, 1, 2) event with this index, or FW_NO_EVENT.
 * n is above 0 only for the events of a wait(l) line.
 */
uint32_t fw_trace_position(const struct fw_trace *trace, uint64_t index, unsigned n);

/* The whole trace as one batch, for writers and analyses. */
struct fw_batch fw_trace_batch(const struct fw_trace *trace);

static inline uint32_t fw_trace_thread_count(const struct fw_trace *trace)
{
    return fw_symbols_count(trace->symbols, FW_SPACE_THREAD);
}

#endif
