/*
 * extract_state.h - an extract while it is being made; for the files behind extract.h.
 *
 *   extract.c        what is tried, and whether it is still the finding
 *   extract_slice.c  what must stay, what may go
 *   extract_order.c  which accesses synchronisation orders
 *   extract_text.c   events as a trace of their own, with names for people
 */
#ifndef FW_TIDDLE_EXTRACT_STATE_H
#define FW_TIDDLE_EXTRACT_STATE_H

#include "base/vec.h"
#include "tiddle/extract.h"

enum fw_extract_role {
    FW_ROLE_OUT, /* is no part of it */
    FW_ROLE_MAY,
    FW_ROLE_MUST,
};

FW_VEC_TYPE(fw_positions, uint32_t);

/* Accesses of two threads to one variable that synchronisation orders. */
struct fw_extract_pair {
    uint32_t first, second;
};

FW_VEC_TYPE(fw_extract_pairs, struct fw_extract_pair);

struct fw_extract_order;

struct fw_extract_state {
    const struct fw_index *index;
    const struct fw_trace *trace;
    const struct fw_witness *witness;
    bool values;
    bool reordered;
    bool left_out;
    struct fw_positions base;  /* the events in question, in the order of the extract */
    uint32_t *writer;          /* read → the write it sees in that order, FW_NO_EVENT: none */
    uint8_t *role;             /* position → enum fw_extract_role */
    bool *kept;                /* position → in the present attempt */
    struct fw_positions list;  /* the events of the present attempt, in order */
    struct fw_positions other; /* ... in the order of the witness, if that is another one */
    struct fw_extract_order *order;
    struct fw_extract_pairs pairs, other_pairs; /* that must stay ordered, in either order */
};

/* ---- extract_slice.c ---- */

/* Fills in base and writer. */
void fw_extract_base(struct fw_extract_state *state);

/*
 * Fills in the roles.  Wide: every event may stay (where synchronisation alone is not enough).
 * Cuts from the base what comes after all that is needed.
 */
void fw_extract_slice(struct fw_extract_state *state, bool wide);

/* Are the events that each of the present attempt's belongs to kept too? */
bool fw_extract_closed(const struct fw_extract_state *state);

/* ---- extract_order.c ---- */

struct fw_extract_order *fw_extract_order_create(const struct fw_index *index);
void fw_extract_order_destroy(struct fw_extract_order *order);

/* Notes the pairs that the present attempt orders. */
void fw_extract_note_order(struct fw_extract_state *state);

/* Are all of these still ordered? */
bool fw_extract_keeps_order(struct fw_extract_state *state);

/* ---- extract_text.c ---- */

/* The present list as a trace.  Plain: nobody looks at the names.  The caller frees the text. */
int fw_extract_write(const struct fw_extract_state *state, bool plain, char **text, size_t *size,
                     struct fw_trace **trace, struct fw_error *err);

#endif
