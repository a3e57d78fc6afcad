/*
 * fuzz_reader.h - what every reader's fuzzer does with its bytes.
 *
 * Reads them strictly or under repair, as the last byte says.  Whatever is
 * delivered must be in range, and what was accepted must survive being written
 * and read again without repair: the same events, the same canonical text.  A
 * violation aborts, which the fuzzer takes for a crash.
 */
#ifndef FW_TESTS_FUZZ_READER_H
#define FW_TESTS_FUZZ_READER_H

#include "base/bug.h"
#include "trace/index.h"
#include "trace/trace.h"
#include "trace/writer.h"

#include <stdlib.h>
#include <string.h>

static inline void fuzz_check_event(const struct fw_trace *trace, uint32_t i)
{
    const struct fw_event *event = &trace->events[i];
    enum fw_space space;

    FW_ASSERT(event->kind < FW_KIND_COUNT && event->order < FW_ORDER_COUNT);
    FW_ASSERT(event->thread < fw_symbols_count(trace->symbols, FW_SPACE_THREAD));
    FW_ASSERT(event->site < fw_symbols_count(trace->symbols, FW_SPACE_SITE));
    FW_ASSERT(event->attr < trace->attr_count);
    space = fw_kind_info[event->kind].space;
    if (space != FW_SPACE_NONE)
        FW_ASSERT(event->target < fw_symbols_count(trace->symbols, space));
}

/* The trace as STD text; NULL if a name cannot be written (only .fwt has such names). */
static inline char *fuzz_as_text(const struct fw_trace *trace, size_t *size)
{
    struct fw_batch batch = fw_trace_batch(trace);
    struct fw_writer *writer;
    struct fw_error err;
    char *text = NULL;

    if (fw_writer_open_memory(&writer, "std", trace->symbols, trace->has_branches, &err) < 0)
        FW_BUG("cannot open a memory writer: %s", err.message);
    if (fw_writer_batch(writer, &batch, &err) < 0 || fw_writer_take(writer, &text, size, &err) < 0)
        text = NULL;
    fw_writer_abandon(writer);
    return text;
}

static inline void fuzz_check_trace(const struct fw_trace *trace)
{
    struct fw_index *index = fw_index_create(trace);
    struct fw_trace *again;
    struct fw_error err;
    size_t size, size_again;
    char *text, *text_again;

    for (uint32_t i = 0; i < trace->count; i++)
        fuzz_check_event(trace, i);
    fw_index_destroy(index);
    text = fuzz_as_text(trace, &size);
    if (!text)
        return;
    if (fw_trace_load_memory(&again, text, size, "again.std", NULL, &err) < 0)
        FW_BUG("what was accepted is refused when read again: %s\n%.*s", err.message, (int)size,
               text);
    FW_ASSERT(again->count == trace->count);
    text_again = fuzz_as_text(again, &size_again);
    FW_ASSERT(text_again && size_again == size && memcmp(text, text_again, size) == 0);
    fw_trace_destroy(again);
    free(text_again);
    free(text);
}

static inline int fuzz_reader(const uint8_t *data, size_t size, const char *format)
{
    bool repair = size && data[size - 1] % 2;
    struct fw_read_options options = { .format = format, .repair = repair };
    struct fw_trace *trace;
    struct fw_error err = { { 0 } };

    if (fw_trace_load_memory(&trace, data, size, "fuzz", &options, &err) < 0) {
        FW_ASSERT(err.message[0]); /* every refusal says why */
        return 0;
    }
    fuzz_check_trace(trace);
    fw_trace_destroy(trace);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
