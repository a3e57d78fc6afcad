/*
 * fuzz_verify.c - any bytes as a STD trace: what was accepted as well-formed is
 * a correct reordering of itself.
 */
#include "base/alloc.h"
#include "base/bug.h"
#include "trace/verify.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct fw_trace *trace)
{
    struct fw_verifier *verifier = fw_verifier_create(trace);
    uint32_t *order = fw_xcalloc((size_t)trace->count + 1, sizeof *order);
    struct fw_witness witness = { FW_CLAIM_ORDER, order, trace->count, order, trace->count };
    struct fw_verdict verdict;

    for (uint32_t i = 0; i < trace->count; i++)
        order[i] = i;
    verdict = fw_verify(verifier, &witness);
    if (trace->count && !verdict.accepted)
        FW_BUG("the trace is no reordering of itself: %s", verdict.reason);
    free(order);
    fw_verifier_destroy(verifier);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (int repair = 0; repair < 2; repair++) {
        struct fw_read_options options = { .format = "std", .repair = repair };
        struct fw_trace *trace;
        struct fw_error err;

        if (fw_trace_load_memory(&trace, data, size, "fuzz", &options, &err) < 0)
            continue;
        check(trace);
        fw_trace_destroy(trace);
    }
    return 0;
}
