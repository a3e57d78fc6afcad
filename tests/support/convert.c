/* convert.c - see convert.h. */
#include "support/convert.h"

#include "base/alloc.h"
#include "base/bug.h"
#include "trace/fwt.h"
#include "trace/writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int fw_file_write(struct fw_file *file, const struct fw_trace *trace, const char *format, char *why,
                  size_t why_size)
{
    struct fw_batch batch = fw_trace_batch(trace);
    struct fw_error err = { { 0 } };
    struct fw_writer *writer;

    *file = (struct fw_file) { 0 };
    if (fw_writer_open_memory(&writer, format, trace->symbols, trace->has_branches, &err) < 0)
        goto failed;
    if (fw_writer_batch(writer, &batch, &err) < 0 ||
        fw_writer_take(writer, &file->data, &file->size, &err) < 0) {
        fw_writer_abandon(writer);
        goto failed;
    }
    if (fw_writer_close(writer, &err) < 0)
        goto failed;
    return 0;
failed:
    snprintf(why, why_size, "cannot be written as %s: %s", format, err.message);
    return -1;
}

struct fw_file fw_file_write_blocks(const struct fw_trace *trace, struct fw_random *random)
{
    struct fw_output out;
    struct fw_encoder_setup setup = { &out, trace->symbols, trace->has_branches };
    struct fw_error err = { { 0 } };
    struct fw_file file = { 0 };
    void *encoder;
    uint32_t from = 0;

    fw_output_open_memory(&out);
    encoder = fw_encoder_fwt.create(&setup);
    if (fw_random_percent(random, 50))
        fw_fwt_set_codec(encoder, FW_FWT_STORED);
    while (from < trace->count) {
        uint32_t count = fw_random_between(random, 1, 12);

        if (count > trace->count - from)
            count = trace->count - from;
        if (fw_encoder_fwt.events(encoder, trace->events + from, count, trace->attrs, &err) < 0 ||
            fw_fwt_flush(encoder, &err) < 0)
            FW_BUG("%s", err.message);
        from += count;
    }
    if (fw_encoder_fwt.finish(encoder, &err) < 0)
        FW_BUG("%s", err.message);
    fw_encoder_fwt.destroy(encoder);
    file.data = fw_xmalloc(out.used);
    memcpy(file.data, out.buffer, out.used);
    file.size = out.used;
    fw_output_abandon(&out);
    return file;
}

void fw_file_release(struct fw_file *file)
{
    free(file->data);
    *file = (struct fw_file) { 0 };
}

struct fw_trace *fw_file_load(const struct fw_file *file, const char *format, char *why,
                              size_t why_size)
{
    struct fw_read_options options = { .format = format };
    struct fw_error err = { { 0 } };
    struct fw_trace *trace = NULL;

    if (fw_trace_load_memory(&trace, file->data, file->size, "copy", &options, &err) == 0)
        return trace;
    snprintf(why, why_size, "as %s it does not load: %s", format, err.message);
    return NULL;
}

bool fw_file_equal(const struct fw_file *a, const struct fw_file *b)
{
    return a->size == b->size && (a->size == 0 || memcmp(a->data, b->data, a->size) == 0);
}
