/*
 * verify_claim.h - what the claims of the verifier share.  Part of the verifier (verify.h).
 */
#ifndef FW_TRACE_VERIFY_CLAIM_H
#define FW_TRACE_VERIFY_CLAIM_H

#include "trace/verify_play.h"

/* Rejects the claim as such; returns false. */
bool fw_claim_refuse(struct fw_player *player, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* "event 12, 'w(x)' by T1", for claims about several events. */
struct fw_label fw_claim_label(const struct fw_player *player, uint32_t event);

/* Does the order contain this instance of an idiom?  (verify_iroot.c) */
bool fw_claim_iroot(struct fw_player *player, const struct fw_witness *witness);

#endif
