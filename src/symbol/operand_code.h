/*
 * operand_code.h - the machine code of one function as steps on registers.
 *
 * Each instruction becomes one step that says what it does to the registers a value can be followed
 * through, and where control goes.  What is not understood loses all registers it may touch.
 */
#ifndef FW_SYMBOL_OPERAND_CODE_H
#define FW_SYMBOL_OPERAND_CODE_H

#include "base/vec.h"
#include "symbol/elf_file.h"

#include <capstone/capstone.h>

#define FW_REGISTERS                                                                               \
    16 /* in the order of their encoding: rax, rcx, rdx, rbx, rsp, rbp, rsi, ...                   \
        */

enum fw_register {
    FW_RAX,
    FW_RCX,
    FW_RDX,
    FW_RBX,
    FW_RSP,
    FW_RBP,
    FW_RSI,
    FW_RDI,
    FW_R8,
    FW_R9,
    FW_R10,
    FW_R11,
    FW_NO_REGISTER = 255,
};

/* Registers that a call loses, a bit for each. */
#define FW_CALLER_SAVED                                                                            \
    (1u << FW_RAX | 1u << FW_RCX | 1u << FW_RDX | 1u << FW_RSI | 1u << FW_RDI | 1u << FW_R8 |      \
     1u << FW_R9 | 1u << FW_R10 | 1u << FW_R11)

enum fw_step_what {
    FW_STEP_LOSE,    /* the registers in `lost` hold anything */
    FW_STEP_CONST,   /* dst = number */
    FW_STEP_COPY,    /* dst = src + number */
    FW_STEP_ADD,     /* dst += src (index) */
    FW_STEP_MAYBE,   /* dst = dst or src */
    FW_STEP_ALIGN,   /* dst is rounded to a power of two */
    FW_STEP_LOAD,    /* dst = 8 bytes at src + index * scale + number */
    FW_STEP_LOAD4,   /* the same, 4 bytes, sign-extended sooner or later */
    FW_STEP_NARROW,  /* dst = the lower 4 bytes of src */
    FW_STEP_EXTEND,  /* dst = src, sign-extended from 4 bytes */
    FW_STEP_TLS,     /* dst = address of the thread's block */
    FW_STEP_ADD_TLS, /* dst += that */
    FW_STEP_PUSH,
    FW_STEP_POP, /* dst */
    FW_STEP_LEAVE,
    FW_STEP_CALL,
};

enum fw_step_goes {
    FW_GOES_ON,
    FW_GOES_TO,      /* target */
    FW_GOES_EITHER,  /* on or to target */
    FW_GOES_NOWHERE, /* returns, or cannot go on */
    FW_GOES_ANYWHERE /* through register src, the slot, or the table of a FW_STEP_LOAD */
};

struct fw_step {
    uint64_t address, end;
    uint64_t target;
    int64_t number;
    uint8_t what, goes;
    uint8_t dst, src, index, scale;
    uint16_t lost;      /* registers, a bit for each */
    bool padding;       /* does nothing; often never reached */
    bool direct;        /* a call to `target` */
    uint64_t slot;      /* a call or jump to what stands there; 0: none */
    const char *callee; /* of a call; filled in by the flow, NULL: not certain */
};

FW_VEC_TYPE(fw_steps, struct fw_step);

/* The number of a register that capstone names, whichever part of it; FW_NO_REGISTER: others. */
uint8_t fw_code_register(unsigned reg);

/* Tells `take` each instruction of the code in [start, end); false: not all of it is code. */
bool fw_code_each(csh handle, const struct fw_elf *file, uint64_t start, uint64_t end,
                  void (*take)(const cs_insn *insn, void *context), void *context);

/* Appends the steps of the code in [start, end); false: not all of it is code. */
bool fw_code_decode(csh handle, const struct fw_elf *file, uint64_t start, uint64_t end,
                    struct fw_steps *steps);

#endif
