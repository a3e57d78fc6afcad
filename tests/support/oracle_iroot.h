/*
 * oracle_iroot.h - instances of interleaving idioms by brute force.  Part of the oracle (oracle.h).
 */
#ifndef FW_TESTS_ORACLE_IROOT_H
#define FW_TESTS_ORACLE_IROOT_H

#include "support/oracle.h"

struct fw_instance {
    unsigned idiom;
    bool waits; /* idiom 5 as a deadlock */
    uint32_t count;
    uint32_t events[4]; /* A, B, C, D */
};

FW_VEC_TYPE(fw_instances, struct fw_instance);

/* All that the trace's events allow, whether they can happen or not. */
void fw_oracle_instances(const struct fw_oracle *oracle, uint32_t window,
                         struct fw_instances *list);

/* The idiom that the events are an instance of, as far as their threads and objects go; 0: none. */
unsigned fw_oracle_idiom(const struct fw_oracle *oracle, const uint32_t *events, uint32_t count,
                         uint32_t window);
/* The same for idiom 5 as a deadlock. */
bool fw_oracle_waits(const struct fw_oracle *oracle, const uint32_t *events, uint32_t count,
                     uint32_t window);

/* Would the event part the dependency of b on a, if it came between them? */
bool fw_oracle_parts(const struct fw_oracle *oracle, uint32_t event, uint32_t a, uint32_t b);

/* Can it happen?  After fw_oracle_explore. */
bool fw_oracle_iroot(const struct fw_oracle *oracle, const uint32_t *events, uint32_t count,
                     uint32_t window);

/* Is the witness's order a correct reordering that shows it? */
bool fw_oracle_shows_iroot(const struct fw_oracle *oracle, const struct fw_witness *witness,
                           uint32_t window);

#endif
