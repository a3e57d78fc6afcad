/*
 * verify_facts.h - what a trace says that every reordering of it must respect.
 *
 * Part of the verifier (verify.h).  Computed once for a trace, then immutable.
 * These are statements about the recorded order only: which write a read saw,
 * which notify a wake answered, who forked whom.  What a reordering must make
 * of them is in verify_play.c.
 */
#ifndef FW_TRACE_VERIFY_FACTS_H
#define FW_TRACE_VERIFY_FACTS_H

#include "trace/trace.h"

/* Marks of an event. */
enum {
    FW_FACT_RELEASES = 1,     /* an atomic store that publishes what its thread did before */
    FW_FACT_SYNCHRONISED = 2, /* an atomic load that took part in such a publication */
    FW_FACT_READER = 4,       /* a lock operation whose thread holds the lock in shared mode */
};

struct fw_facts {
    const struct fw_trace *trace; /* borrowed */
    uint64_t kinds;               /* bit k: the trace has events of kind k */
    uint32_t *first;              /* thread → its first event or FW_NO_EVENT */
    uint32_t *next;               /* event → the next event of its thread or FW_NO_EVENT */
    uint32_t *fork_of; /* thread → the event that forks it; FW_NO_EVENT: a root, started */
    /*
     * event → what it answers, or FW_NO_EVENT if it answers nothing:
     *   r, ald, armw   the write it saw          wake   its notify or notifyall
     *   pend           its post                  barin, barout   the number of its round
     */
    uint32_t *answer;
    uint8_t *marks;         /* event → FW_FACT_* */
    uint32_t *round_size;   /* barrier round → its number of ins */
    uint32_t *round_before; /* barrier round → the previous one of its barrier */
    uint32_t round_count;
};

void fw_facts_init(struct fw_facts *facts, const struct fw_trace *trace);
void fw_facts_release(struct fw_facts *facts);

#endif
