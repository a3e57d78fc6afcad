/*
 * verify_check.h - what the tests of the verifier share: a trace and a witness
 * in, accepted or rejected out.
 *
 * Each test shows one rule: a witness that keeps it is accepted, and its twin
 * that breaks just this rule is rejected, with the right reason.  Witnesses
 * name events by position, which here is the line of the trace, from 0.
 */
#ifndef FW_TESTS_UNIT_VERIFY_CHECK_H
#define FW_TESTS_UNIT_VERIFY_CHECK_H

#include "trace/verify.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* A list of positions as two arguments: array and length. */
#define LIST(...) (const uint32_t[]) { __VA_ARGS__ }, sizeof((const uint32_t[]) { __VA_ARGS__ }) / 4
#define EMPTY     NULL, 0

#define RACE      FW_CLAIM_RACE
#define DEADLOCK  FW_CLAIM_DEADLOCK
#define ORDER     FW_CLAIM_ORDER
#define ATOMICITY FW_CLAIM_ATOMICITY
#define NONDET    FW_CLAIM_NONDETERMINISM

static inline struct fw_trace *load(const char *text)
{
    struct fw_trace *trace;
    struct fw_error err;

    if (fw_trace_load_memory(&trace, text, strlen(text), "test.std", NULL, &err) < 0)
        fail_msg("%s", err.message);
    return trace;
}

static inline struct fw_verdict judge(const char *text, enum fw_claim claim, const uint32_t *events,
                                      uint32_t event_count, const uint32_t *order,
                                      uint32_t order_count)
{
    struct fw_trace *trace = load(text);
    struct fw_verifier *verifier = fw_verifier_create(trace);
    struct fw_witness witness = { claim, events, event_count, order, order_count };
    struct fw_verdict first = fw_verify(verifier, &witness);
    struct fw_verdict again = fw_verify(verifier, &witness);

    /* A verifier remembers nothing of the witnesses it has judged. */
    assert_int_equal(first.accepted, again.accepted);
    assert_int_equal(first.step, again.step);
    assert_string_equal(first.reason, again.reason);
    fw_verifier_destroy(verifier);
    fw_trace_destroy(trace);
    return first;
}

static inline void accept(const char *text, enum fw_claim claim, const uint32_t *events,
                          uint32_t event_count, const uint32_t *order, uint32_t order_count)
{
    struct fw_verdict verdict = judge(text, claim, events, event_count, order, order_count);

    if (!verdict.accepted)
        fail_msg("rejected: %s", verdict.reason);
    assert_string_equal(verdict.reason, "");
}

static inline void reject(const char *text, enum fw_claim claim, const uint32_t *events,
                          uint32_t event_count, const uint32_t *order, uint32_t order_count,
                          const char *why)
{
    struct fw_verdict verdict = judge(text, claim, events, event_count, order, order_count);

    if (verdict.accepted)
        fail_msg("accepted, but: %s", why);
    if (!strstr(verdict.reason, why))
        fail_msg("reason is '%s', not '%s'", verdict.reason, why);
}

#endif
