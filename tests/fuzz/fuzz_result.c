/*
 * fuzz_result.c - any bytes as a result file: read, or refused with a reason.
 *
 * What can be read is then judged against a small trace, each index as it is:
 * whatever a witness lists, there is a verdict, and a rejection says why.
 */
#include "base/bug.h"
#include "base/vec.h"
#include "report/result_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char text[] = "T0|fork(T1)|\nT0|w(x)|\nT0|acq(l)|\nT0|w(z)|\nT0|rel(l)|\n"
                           "T1|acq(l)|\nT1|w(y)|\nT1|rel(l)|\nT1|w(x)|\nT1|r(x)|\nT1|acq(m)|\n"
                           "T1|acq(l)|\nT2|ast(a)|\nT1|ald(a)|\nT2|post(s)|\nT0|pend(s)|\n";

static void judge(struct fw_verifier *verifier, const struct fw_result_finding *finding)
{
    FW_VEC(uint32_t) events = { 0 }, order = { 0 };
    struct fw_witness witness = { .claim = finding->claim };
    struct fw_verdict verdict;

    for (size_t i = 0; i < finding->event_count; i++)
        fw_vec_push(&events, (uint32_t)finding->events[i].index);
    for (size_t i = 0; i < finding->witness_count; i++)
        fw_vec_push(&order, (uint32_t)finding->witness[i]);
    witness.events = events.at;
    witness.event_count = (uint32_t)events.len;
    witness.order = order.at;
    witness.order_count = (uint32_t)order.len;
    verdict = fw_verify(verifier, &witness);
    FW_ASSERT(verdict.accepted == !verdict.reason[0]);
    FW_ASSERT(verdict.step <= witness.order_count);
    fw_vec_release(&events);
    fw_vec_release(&order);
}

static struct fw_verifier *make_verifier(void)
{
    struct fw_trace *trace;
    struct fw_error err;

    if (fw_trace_load_memory(&trace, text, sizeof text - 1, "fuzz.std", NULL, &err) < 0)
        FW_BUG("%s", err.message);
    return fw_verifier_create(trace);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct fw_verifier *verifier;
    struct fw_error err = { { 0 } };
    struct fw_result *result;

    if (!verifier)
        verifier = make_verifier();
    if (fw_result_read_memory(&result, (const char *)data, size, "fuzz", &err) < 0) {
        FW_ASSERT(err.message[0]);
        return 0;
    }
    for (size_t i = 0; i < result->count; i++)
        if (result->findings[i].has_witness)
            judge(verifier, &result->findings[i]);
    fw_result_destroy(result);
    return 0;
}
