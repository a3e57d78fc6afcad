/*
 * rerun_code.h - instructions as far as running them again matters; for rerun.c.
 */
#ifndef FW_SYMBOL_RERUN_CODE_H
#define FW_SYMBOL_RERUN_CODE_H

#include "symbol/operand_code.h"

enum fw_rerun_what {
    FW_RERUN_PLAIN,  /* changes registers and flags at most */
    FW_RERUN_ALIEN,  /* does what cannot be undone, or is not known */
    FW_RERUN_STORE,  /* `size` bytes to memory that is not known to be the frame's */
    FW_RERUN_LOCAL,  /* `size` bytes at `number` from the stack pointer, or from rbp (by_frame) */
    FW_RERUN_CALL,
    FW_RERUN_GROW,   /* the stack pointer goes down by `number`, perhaps with a store there */
    FW_RERUN_ENTER,  /* rbp = stack pointer */
    FW_RERUN_BACK,   /* stack pointer = rbp + number */
    FW_RERUN_LEAVE,  /* the same with rbp restored */
    FW_RERUN_POP_BP,
    FW_RERUN_EXPOSE, /* makes an address of the frame in another register */
    FW_RERUN_LOSE,   /* what the stack pointer is is not known any more, or in memory */
};

struct fw_rerun_step {
    uint64_t address, end;
    int64_t number;
    uint32_t size;
    uint8_t what;
    bool by_frame; /* FW_RERUN_LOCAL: from rbp, which may hold anything else */
    bool indexed;
    bool ends;     /* control does not go on behind it */
    bool names_bp; /* uses or sets the value of rbp, other than to address memory */
    bool copies_bp; /* and just makes an address of it in another register */
};

FW_VEC_TYPE(fw_rerun_steps, struct fw_rerun_step);

/* Appends those of the code in [start, end); false: not all of it is code. */
bool fw_rerun_decode(csh handle, const struct fw_elf *file, uint64_t start, uint64_t end,
                     struct fw_rerun_steps *steps);

#endif
