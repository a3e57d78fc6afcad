/*
 * fuzz_compile.c - any bytes as a Tiddle trace that becomes a C program.
 *
 * The last byte chooses between turn-taking and free programs.  A refusal must
 * say why; a program must be there.
 */
#include "fuzz_reader.h"
#include "tiddle/compile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fw_tiddle_options options = { .source = "fuzz.tid" };
    struct fw_read_options reading = { .format = "tid", .repair = true };
    struct fw_error err = { { 0 } };
    struct fw_output out;
    struct fw_trace *trace;

    options.free = size && data[size - 1] % 2;
    if (fw_trace_load_memory(&trace, data, size, "fuzz.tid", &reading, &err) < 0)
        return 0;
    fw_output_open_memory(&out);
    if (fw_tiddle_compile(trace, &options, &out, &err) < 0)
        FW_ASSERT(err.message[0]);
    else
        FW_ASSERT(out.used > 0);
    fw_output_abandon(&out);
    fw_trace_destroy(trace);
    return 0;
}
