/*
 * std_ops.h - the operations of STD text by their names.
 *
 * A table without collisions: a name as a word, times a constant, gives its
 * place.  Filled from the list of kinds and the list of dialects.
 */
#ifndef FW_TRACE_STD_OPS_H
#define FW_TRACE_STD_OPS_H

#include "trace/event.h"
#include "trace/std_names.h"

#define FW_STD_OP_BITS 7u

struct fw_std_op {
    uint64_t word; /* the name; 0: no operation */
    uint8_t kind;  /* enum fw_kind */
    uint8_t space; /* of the target */
    bool bare;     /* may stand without a target */
    bool plain;    /* may have a target whose name is all there is to know */
};

struct fw_std_ops {
    struct fw_std_op at[1u << FW_STD_OP_BITS];
};

void fw_std_ops_init(struct fw_std_ops *ops);

/* The place of a word: it holds the operation of this name or none. */
static inline const struct fw_std_op *fw_std_ops_place(const struct fw_std_ops *ops, uint64_t word)
{
    return &ops->at[word * 0x0c250a03e023033du >> (64 - FW_STD_OP_BITS)];
}

/* The operation of any name, or NULL; FW_STD_SHORT bytes can be read from `name` on. */
const struct fw_std_op *fw_std_ops_find(const struct fw_std_ops *ops, const char *name, size_t len);

#endif
