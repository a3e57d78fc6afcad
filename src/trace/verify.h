/*
 * verify.h - is this witness a proof?
 *
 * The one judge of every claim that Foreweave makes: given a trace and a list
 * of its events, it decides by the definitions alone (docs/soundness.md)
 * whether the list is a correct reordering that shows the claim.  It shares no
 * code with what finds bugs; it does not use the index either.
 *
 *     verify_facts.c   what the trace says: who saw, answered, forked whom
 *     verify_play.c    is an order a correct reordering?  One rule, one function
 *     verify.c         does it show the claim?
 *     verify_iroot.c   does it show an instance of an interleaving idiom?
 *
 * A verifier takes time and memory linear in the trace to create; a witness
 * then takes time linear in the witness.  A verifier judges one witness at a
 * time: threads that verify in parallel each need their own.
 */
#ifndef FW_TRACE_VERIFY_H
#define FW_TRACE_VERIFY_H

#include "trace/trace.h"

enum fw_claim {
    FW_CLAIM_RACE,           /* events: the pair; the order ends with it, either one first */
    FW_CLAIM_DEADLOCK,       /* events: the waiting acquires; the order ends just before them */
    FW_CLAIM_ORDER,          /* events: in this order within the witness */
    FW_CLAIM_ATOMICITY,      /* events: a1, b, a2, an order that cannot be serialised */
    FW_CLAIM_NONDETERMINISM, /* events: the read, then the write it sees instead, if any */
    FW_CLAIM_FINAL,          /* events: a write that is its variable's last; all events are there */
    FW_CLAIM_IROOT,          /* events: A, B, C, D of an instance of an idiom, as many as it has */
};

#define FW_CLAIM_COUNT (FW_CLAIM_IROOT + 1)

/* As results spell them. */
extern const char *const fw_claim_names[FW_CLAIM_COUNT];

struct fw_witness {
    enum fw_claim claim;
    const uint32_t *events; /* positions */
    uint32_t event_count;
    const uint32_t *order; /* positions, in the reordered order */
    uint32_t order_count;
};

struct fw_verdict {
    bool accepted;
    uint32_t step;    /* place in the order that broke a rule; order_count: the claim did */
    char reason[384]; /* empty if accepted; speaks of steps 1, 2, ... and of indices */
};

/* What does not depend on the witness: computed once for a trace, used for many witnesses. */
struct fw_verifier;
struct fw_verifier *fw_verifier_create(const struct fw_trace *trace); /* keep the trace alive */
void fw_verifier_destroy(struct fw_verifier *verifier);

/* From now on a read that sees another write of the same value counts as unchanged, or (the
 * default) not. */
void fw_verifier_use_values(struct fw_verifier *verifier, bool on);

/* From now on two accesses that an instance of an idiom has of one thread are at most so many of
 * its accesses apart; FW_VERIFY_WINDOW is the default. */
void fw_verifier_use_window(struct fw_verifier *verifier, uint32_t window);

#define FW_VERIFY_WINDOW 100u

/* Judges one witness.  Malformed witnesses (bad positions, repeated events) are rejected too. */
struct fw_verdict fw_verify(struct fw_verifier *verifier, const struct fw_witness *witness);

#endif
