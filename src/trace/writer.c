/*
 * writer.c - see writer.h: finds the encoder, owns the output, renumbers rf.
 *
 * Positions in the output and indices of the input run in step but for the
 * places where lines were dropped or ignored, so the map from index to position
 * is a short list of runs.  The later events of a wait(l) line repeat its index;
 * nothing can answer them, so they have no place in the map.
 */
#include "trace/writer.h"

#include "base/alloc.h"
#include "base/bug.h"
#include "base/vec.h"
#include "trace/fwt.h"

#include <stdlib.h>
#include <string.h>

static const struct fw_encoder_class *const encoders[] = {
    &fw_encoder_std,
    &fw_encoder_tiddle,
    &fw_encoder_fwt,
};

/* So many events from this index on stand from this position on in the output. */
struct run {
    uint64_t index, position, count;
};

struct fw_writer {
    const struct fw_encoder_class *class;
    void *encoder;
    struct fw_output out;
    uint64_t written;             /* events so far */
    FW_VEC(struct run) runs;      /* ascending; empty: index and position are the same */
    FW_VEC(struct fw_attr) attrs; /* of a batch, renumbered */
    bool failed, finished;
    bool leave_cut; /* .fwt: without an end mark */
};

static const struct fw_encoder_class *encoder_by_name(const char *name, size_t len)
{
    for (size_t i = 0; i < sizeof encoders / sizeof *encoders; i++)
        if (strlen(encoders[i]->format) == len && memcmp(encoders[i]->format, name, len) == 0)
            return encoders[i];
    return NULL;
}

static const struct fw_encoder_class *find_encoder(const char *path, const char *format,
                                                   struct fw_error *err)
{
    const char *dot = strrchr(path, '.');
    const struct fw_encoder_class *class = NULL;

    if (format) {
        class = encoder_by_name(format, strlen(format));
        if (!class)
            fw_error_set(err, "unknown trace format '%s'", format);
        return class;
    }
    if (strcmp(path, "-") == 0)
        return &fw_encoder_std;
    if (dot)
        class = encoder_by_name(dot + 1, strlen(dot + 1));
    if (!class)
        fw_error_set(err, "cannot tell the format of '%s': name it .std, .tid or .fwt", path);
    return class;
}

static struct fw_writer *create(const struct fw_encoder_class *class, const struct fw_output *out,
                                const struct fw_symbols *symbols, bool branches)
{
    struct fw_writer *writer = fw_xcalloc(1, sizeof *writer);

    writer->class = class;
    writer->out = *out;
    writer->encoder = class->create(&(struct fw_encoder_setup) { &writer->out, symbols, branches });
    return writer;
}

static void dispose(struct fw_writer *writer)
{
    writer->class->destroy(writer->encoder);
    fw_vec_release(&writer->runs);
    fw_vec_release(&writer->attrs);
    free(writer);
}

int fw_writer_open(struct fw_writer **writer, const char *path, const char *format,
                   const struct fw_symbols *symbols, bool branches, struct fw_error *err)
{
    const struct fw_encoder_class *class = find_encoder(path, format, err);
    struct fw_output out;

    if (!class || fw_output_open(&out, path, err) < 0)
        return -1;
    *writer = create(class, &out, symbols, branches);
    return 0;
}

int fw_writer_open_memory(struct fw_writer **writer, const char *format,
                          const struct fw_symbols *symbols, bool branches, struct fw_error *err)
{
    const struct fw_encoder_class *class = find_encoder("", format, err);
    struct fw_output out;

    if (!class)
        return -1;
    fw_output_open_memory(&out);
    *writer = create(class, &out, symbols, branches);
    return 0;
}

int fw_writer_open_output(struct fw_writer **writer, const struct fw_output *out,
                          const char *format, const struct fw_symbols *symbols, bool branches,
                          struct fw_error *err)
{
    const struct fw_encoder_class *class = find_encoder("", format, err);

    if (!class)
        return -1;
    *writer = create(class, out, symbols, branches);
    return 0;
}

void *fw_writer_encoder(struct fw_writer *writer)
{
    return writer->encoder;
}

const char *fw_writer_format(const struct fw_writer *writer)
{
    return writer->class->format;
}

uint64_t fw_writer_count(const struct fw_writer *writer)
{
    return writer->written;
}

void fw_writer_leave_cut(struct fw_writer *writer)
{
    FW_ASSERT(writer->class == &fw_encoder_fwt);
    writer->leave_cut = true;
}

void fw_writer_passed(struct fw_writer *writer, uint64_t count)
{
    FW_ASSERT(!writer->runs.len);
    writer->written += count;
}

/* Extends the map by an event. */
static void note_index(struct fw_writer *writer, uint64_t index, uint64_t position)
{
    struct run *last = &fw_vec_last(&writer->runs);

    if (index < last->index + last->count)
        return;
    if (index == last->index + last->count && position == last->position + last->count)
        last->count++;
    else
        fw_vec_push(&writer->runs, ((struct run) { index, position, 1 }));
}

/* Extends the map by the batch's events; it begins with the first one out of step. */
static void note_indices(struct fw_writer *writer, const struct fw_batch *batch)
{
    bool in_step = !batch->index && batch->first == writer->written;

    if (in_step && writer->runs.len == 0)
        return;
    if (writer->runs.len == 0)
        fw_vec_push(&writer->runs, ((struct run) { 0, 0, writer->written }));
    for (uint32_t i = 0; i < batch->count; i++)
        note_index(writer, fw_batch_index(batch, i), writer->written + i);
}

/* The position of the event with this index; -1 if none was written. */
static int find_position(const struct fw_writer *writer, uint64_t index, uint64_t *position)
{
    const struct run *runs = writer->runs.at;
    size_t low = 0, high = writer->runs.len;

    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;

        if (runs[middle].index <= index)
            low = middle;
        else
            high = middle;
    }
    *position = runs[low].position + (index - runs[low].index);
    return index >= runs[low].index && index - runs[low].index < runs[low].count ? 0 : -1;
}

/* Copies the batch's attributes with rf as positions in the output. */
static int renumber(struct fw_writer *writer, const struct fw_batch *batch, struct fw_error *err)
{
    writer->attrs.len = 0;
    fw_vec_push(&writer->attrs, ((struct fw_attr) { 0 }));
    for (uint32_t i = 0; i < batch->count; i++) {
        uint32_t at = batch->events[i].attr;
        struct fw_attr attr;

        if (!at)
            continue;
        attr = batch->attrs[at];
        if (attr.has & FW_ATTR_RF && find_position(writer, attr.rf, &attr.rf) < 0)
            return fw_error_set(err, "event %llu answers event %llu, which is not written",
                                (unsigned long long)fw_batch_index(batch, i),
                                (unsigned long long)batch->attrs[at].rf);
        fw_vec_extend(&writer->attrs, (size_t)at + 1);
        writer->attrs.at[at] = attr;
    }
    return 0;
}

int fw_writer_batch(struct fw_writer *writer, const struct fw_batch *batch, struct fw_error *err)
{
    const struct fw_attr *attrs = batch->attrs;
    int result = 0;

    note_indices(writer, batch);
    writer->written += batch->count;
    if (writer->runs.len) {
        result = renumber(writer, batch, err);
        attrs = writer->attrs.at;
    }
    if (result == 0)
        result = writer->class->events(writer->encoder, batch->events, batch->count, attrs, err);
    if (result < 0)
        writer->failed = true;
    return result;
}

static int finish(struct fw_writer *writer, struct fw_error *err)
{
    if (writer->finished)
        return 0;
    writer->finished = true;
    if (writer->failed)
        return fw_error_set(err, "'%s' is incomplete", writer->out.name);
    if (writer->leave_cut)
        return fw_fwt_flush(writer->encoder, err);
    return writer->class->finish(writer->encoder, err);
}

int fw_writer_take(struct fw_writer *writer, char **data, size_t *size, struct fw_error *err)
{
    FW_ASSERT(writer->out.fd < 0);
    if (finish(writer, err) < 0)
        return -1;
    *data = fw_xmalloc(writer->out.used + 1);
    memcpy(*data, writer->out.buffer, writer->out.used);
    (*data)[writer->out.used] = '\0';
    *size = writer->out.used;
    return 0;
}

int fw_writer_close(struct fw_writer *writer, struct fw_error *err)
{
    int result = finish(writer, err);

    if (result < 0)
        fw_output_abandon(&writer->out);
    else
        result = fw_output_close(&writer->out, err);
    dispose(writer);
    return result;
}

void fw_writer_abandon(struct fw_writer *writer)
{
    if (!writer)
        return;
    fw_output_abandon(&writer->out);
    dispose(writer);
}
