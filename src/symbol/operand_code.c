/* operand_code.c - see operand_code.h. */
#include "symbol/operand_code.h"

#include <string.h>

/* --- registers --------------------------------------------------------------------------- */

/* The names of one register: 64, 32, 16 and 8 bits. */
#define NAMES(number, r64, r32, r16, r8)                                                           \
    [X86_REG_##r64] = (number) + 1, [X86_REG_##r32] = (number) + 1,                                \
    [X86_REG_##r16] = (number) + 1, [X86_REG_##r8] = (number) + 1

/* A register's number + 1. */
static const uint8_t numbers[X86_REG_ENDING] = {
    NAMES(FW_RAX, RAX, EAX, AX, AL),
    NAMES(FW_RCX, RCX, ECX, CX, CL),
    NAMES(FW_RDX, RDX, EDX, DX, DL),
    NAMES(FW_RBX, RBX, EBX, BX, BL),
    NAMES(FW_RSP, RSP, ESP, SP, SPL),
    NAMES(FW_RBP, RBP, EBP, BP, BPL),
    NAMES(FW_RSI, RSI, ESI, SI, SIL),
    NAMES(FW_RDI, RDI, EDI, DI, DIL),
    NAMES(FW_R8, R8, R8D, R8W, R8B),
    NAMES(FW_R9, R9, R9D, R9W, R9B),
    NAMES(FW_R10, R10, R10D, R10W, R10B),
    NAMES(FW_R11, R11, R11D, R11W, R11B),
    NAMES(12, R12, R12D, R12W, R12B),
    NAMES(13, R13, R13D, R13W, R13B),
    NAMES(14, R14, R14D, R14W, R14B),
    NAMES(15, R15, R15D, R15W, R15B),
    /* The upper 8 of 16 bits. */
    [X86_REG_AH] = FW_RAX + 1,
    [X86_REG_CH] = FW_RCX + 1,
    [X86_REG_DH] = FW_RDX + 1,
    [X86_REG_BH] = FW_RBX + 1,
};

uint8_t fw_code_register(unsigned reg)
{
    return reg < X86_REG_ENDING && numbers[reg] ? numbers[reg] - 1 : FW_NO_REGISTER;
}

static uint16_t bit(uint8_t reg)
{
    return reg < FW_REGISTERS ? (uint16_t)(1u << reg) : 0;
}

/* --- what is lost ------------------------------------------------------------------------ */

/* Instructions that change nothing but the registers they name. */
static bool is_plain(const cs_insn *insn)
{
    static const unsigned plain[] = {
        X86_INS_MOV,  X86_INS_MOVABS, X86_INS_MOVZX, X86_INS_MOVSX,   X86_INS_MOVSXD, X86_INS_LEA,
        X86_INS_ADD,  X86_INS_SUB,    X86_INS_AND,   X86_INS_OR,      X86_INS_XOR,    X86_INS_NOT,
        X86_INS_NEG,  X86_INS_INC,    X86_INS_DEC,   X86_INS_SHL,     X86_INS_SHR,    X86_INS_SAR,
        X86_INS_ROL,  X86_INS_ROR,    X86_INS_ADC,   X86_INS_SBB,     X86_INS_BSWAP,  X86_INS_CMP,
        X86_INS_TEST, X86_INS_NOP,    X86_INS_SETE,  X86_INS_SETNE,   X86_INS_SETA,   X86_INS_SETAE,
        X86_INS_SETB, X86_INS_SETBE,  X86_INS_SETG,  X86_INS_SETGE,   X86_INS_SETL,   X86_INS_SETLE,
        X86_INS_SETS, X86_INS_SETNS,  X86_INS_BT,    X86_INS_ENDBR64,
    };

    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (insn->id == plain[i])
            return true;
    if (insn->id == X86_INS_IMUL)
        return insn->detail->x86.op_count > 1;
    for (unsigned i = 0; i < insn->detail->groups_count; i++) {
        unsigned group = insn->detail->groups[i];

        if (group == X86_GRP_SSE1 || group == X86_GRP_SSE2)
            return true;
    }
    return false;
}

static bool only_looks(const cs_insn *insn)
{
    return insn->id == X86_INS_CMP || insn->id == X86_INS_TEST || insn->id == X86_INS_BT;
}

static bool sets_first_only(const cs_insn *insn)
{
    switch (insn->id) {
    case X86_INS_MOV:
    case X86_INS_MOVABS:
    case X86_INS_MOVZX:
    case X86_INS_MOVSX:
    case X86_INS_MOVSXD:
    case X86_INS_LEA:
    case X86_INS_ADD:
    case X86_INS_SUB:
    case X86_INS_AND:
    case X86_INS_OR:
    case X86_INS_XOR:
    case X86_INS_IMUL:
        return true;
    default:
        return false;
    }
}

/* Everything the instruction may write, and rather more. */
static uint16_t lost_by(const cs_insn *insn)
{
    const cs_x86 *x86 = &insn->detail->x86;
    uint16_t lost = 0;

    if (only_looks(insn))
        return 0;
    for (unsigned i = 0; i < x86->op_count; i++)
        if (x86->operands[i].type == X86_OP_REG && (i == 0 || !sets_first_only(insn)))
            lost |= bit(fw_code_register(x86->operands[i].reg));
    for (unsigned i = 0; i < insn->detail->regs_write_count; i++)
        lost |= bit(fw_code_register(insn->detail->regs_write[i]));
    return is_plain(insn) ? lost : lost | FW_CALLER_SAVED;
}

/* --- steps ------------------------------------------------------------------------------- */

static bool is_wide(const cs_x86_op *op)
{
    return op->type == X86_OP_REG && op->size == 8 && fw_code_register(op->reg) != FW_NO_REGISTER;
}

/* Base, index and displacement of a memory operand; false: segments and vectors. */
static bool take_address(struct fw_step *step, const cs_x86_op *op)
{
    step->number = op->mem.disp;
    step->scale = (uint8_t)op->mem.scale;
    step->src = fw_code_register(op->mem.base);
    step->index = fw_code_register(op->mem.index);
    if (op->mem.segment != X86_REG_INVALID)
        return false;
    if (op->mem.base == X86_REG_RIP) {
        step->number += (int64_t)step->end;
        return op->mem.index == X86_REG_INVALID;
    }
    /* riz and eiz: no index in disguise. */
    if (op->mem.index != X86_REG_INVALID && step->index == FW_NO_REGISTER)
        return false;
    return op->mem.base == X86_REG_INVALID || step->src != FW_NO_REGISTER;
}

static bool is_thread_block(const cs_x86_op *op)
{
    return op->type == X86_OP_MEM && op->size == 8 && op->mem.segment == X86_REG_FS &&
           op->mem.base == X86_REG_INVALID && op->mem.index == X86_REG_INVALID && op->mem.disp == 0;
}

static void take_lea(struct fw_step *step, const cs_x86_op *ops)
{
    if (!is_wide(&ops[0]) || !take_address(step, &ops[1]))
        return;
    step->dst = fw_code_register(ops[0].reg);
    if (step->src == FW_NO_REGISTER && step->index == FW_NO_REGISTER)
        step->what = FW_STEP_CONST;
    else if (step->index == FW_NO_REGISTER)
        step->what = FW_STEP_COPY;
    else if (step->src == FW_NO_REGISTER && step->scale == 1) {
        step->what = FW_STEP_COPY;
        step->src = step->index;
    }
}

static void take_load(struct fw_step *step, const cs_x86_op *ops)
{
    uint8_t dst = fw_code_register(ops[0].reg);

    if (dst == FW_NO_REGISTER)
        return;
    if (is_thread_block(&ops[1]) && ops[0].size == 8) {
        step->what = FW_STEP_TLS;
        step->dst = dst;
        return;
    }
    if ((ops[1].size != 8 && ops[1].size != 4) || ops[0].size < ops[1].size ||
        !take_address(step, &ops[1]))
        return;
    step->what = ops[1].size == 8 ? FW_STEP_LOAD : FW_STEP_LOAD4;
    step->dst = dst;
}

static void take_mov(struct fw_step *step, const cs_x86_op *ops)
{
    uint8_t dst = fw_code_register(ops[0].reg);

    if (ops[0].type != X86_OP_REG || dst == FW_NO_REGISTER)
        return;
    if (ops[1].type == X86_OP_MEM) {
        take_load(step, ops);
    } else if (ops[1].type == X86_OP_IMM && ops[0].size >= 4) {
        step->what = FW_STEP_CONST;
        step->dst = dst;
        step->number = ops[0].size == 4 ? (int64_t)(uint32_t)ops[1].imm : ops[1].imm;
    } else if (ops[1].type == X86_OP_REG && is_wide(&ops[0]) && is_wide(&ops[1])) {
        step->what = FW_STEP_COPY;
        step->dst = dst;
        step->src = fw_code_register(ops[1].reg);
    } else if (ops[1].type == X86_OP_REG && ops[0].size == 4) {
        step->what = FW_STEP_NARROW;
        step->dst = dst;
        step->src = fw_code_register(ops[1].reg);
    }
}

static void take_extend(struct fw_step *step, const cs_x86_op *ops)
{
    if (ops[1].type == X86_OP_MEM) {
        take_load(step, ops);
    } else if (is_wide(&ops[0]) && ops[1].size == 4) {
        step->what = FW_STEP_EXTEND;
        step->dst = fw_code_register(ops[0].reg);
        step->src = fw_code_register(ops[1].reg);
    }
}

static void take_add(struct fw_step *step, const cs_x86_op *ops, int sign)
{
    if (!is_wide(&ops[0]))
        return;
    step->dst = fw_code_register(ops[0].reg);
    if (ops[1].type == X86_OP_IMM) {
        step->what = FW_STEP_COPY;
        step->src = step->dst;
        step->number = sign > 0 ? ops[1].imm : (int64_t)(0 - (uint64_t)ops[1].imm);
    } else if (sign > 0 && is_wide(&ops[1])) {
        step->what = FW_STEP_ADD;
        step->src = fw_code_register(ops[1].reg);
    } else if (sign > 0 && is_thread_block(&ops[1])) {
        step->what = FW_STEP_ADD_TLS;
    }
}

static void take_xor(struct fw_step *step, const cs_x86_op *ops)
{
    if (ops[0].type == X86_OP_REG && ops[1].type == X86_OP_REG && ops[0].reg == ops[1].reg &&
        ops[0].size >= 4 && fw_code_register(ops[0].reg) != FW_NO_REGISTER) {
        step->what = FW_STEP_CONST;
        step->dst = fw_code_register(ops[0].reg);
        step->number = 0;
    }
}

static void take_and(struct fw_step *step, const cs_x86_op *ops)
{
    uint64_t mask = (uint64_t)ops[1].imm;

    /* Only what aligns a stack: ones, then at most 12 zeros. */
    if (is_wide(&ops[0]) && ops[1].type == X86_OP_IMM && mask && (~mask & (~mask + 1)) == 0 &&
        ~mask < 4096) {
        step->what = FW_STEP_ALIGN;
        step->dst = fw_code_register(ops[0].reg);
    }
}

static void take_cmov(struct fw_step *step, const cs_insn *insn)
{
    const cs_x86_op *ops = insn->detail->x86.operands;

    if (strncmp(insn->mnemonic, "cmov", 4) != 0 || insn->detail->x86.op_count != 2)
        return;
    step->lost = bit(fw_code_register(ops[0].reg));
    if (is_wide(&ops[0]) && is_wide(&ops[1])) {
        step->what = FW_STEP_MAYBE;
        step->dst = fw_code_register(ops[0].reg);
        step->src = fw_code_register(ops[1].reg);
    }
}

static void take_stack(struct fw_step *step, const cs_insn *insn)
{
    const cs_x86_op *op = &insn->detail->x86.operands[0];

    if (insn->id == X86_INS_LEAVE) {
        step->what = FW_STEP_LEAVE;
        step->lost = bit(FW_RBP);
    } else if (op->size != 8) {
        step->lost |= bit(FW_RSP);
    } else if (insn->id == X86_INS_PUSH) {
        step->what = FW_STEP_PUSH;
        step->lost = 0;
    } else {
        step->what = FW_STEP_POP;
        step->dst = op->type == X86_OP_REG ? fw_code_register(op->reg) : FW_NO_REGISTER;
        step->lost = bit(step->dst);
    }
}

/* --- control ----------------------------------------------------------------------------- */

static void take_jump(struct fw_step *step, const cs_x86_op *op)
{
    step->goes = FW_GOES_ANYWHERE;
    step->src = FW_NO_REGISTER;
    if (op->type == X86_OP_IMM) {
        step->goes = FW_GOES_TO;
        step->target = (uint64_t)op->imm;
    } else if (is_wide(op)) {
        step->src = fw_code_register(op->reg);
    } else if (op->type == X86_OP_MEM && op->mem.base == X86_REG_RIP) {
        step->slot = step->end + (uint64_t)op->mem.disp;
    } else if (op->type == X86_OP_MEM && take_address(step, op)) {
        step->what = FW_STEP_LOAD; /* into no register: the flow looks at the table */
        step->dst = FW_NO_REGISTER;
    }
}

static void take_call(struct fw_step *step, const cs_x86_op *op)
{
    step->what = FW_STEP_CALL;
    step->dst = FW_RAX;
    step->lost = FW_CALLER_SAVED;
    if (op->type == X86_OP_IMM) {
        step->direct = true;
        step->target = (uint64_t)op->imm;
    } else if (op->type == X86_OP_MEM && op->mem.base == X86_REG_RIP &&
               op->mem.index == X86_REG_INVALID) {
        step->slot = step->end + (uint64_t)op->mem.disp;
    } else if (is_wide(op)) {
        step->src = fw_code_register(op->reg);
    }
}

static bool has_group(const cs_insn *insn, unsigned group)
{
    for (unsigned i = 0; i < insn->detail->groups_count; i++)
        if (insn->detail->groups[i] == group)
            return true;
    return false;
}

static void take_control(struct fw_step *step, const cs_insn *insn)
{
    const cs_x86_op *op = &insn->detail->x86.operands[0];

    if (insn->id == X86_INS_CALL) {
        take_call(step, op);
    } else if (insn->id == X86_INS_JMP) {
        step->lost = 0;
        take_jump(step, op);
    } else if (has_group(insn, X86_GRP_JUMP) || insn->id == X86_INS_LOOP ||
               insn->id == X86_INS_LOOPE || insn->id == X86_INS_LOOPNE) {
        step->goes = op->type == X86_OP_IMM ? FW_GOES_EITHER : FW_GOES_ANYWHERE;
        step->src = FW_NO_REGISTER;
        step->lost = has_group(insn, X86_GRP_JUMP) ? 0 : bit(FW_RCX);
        step->target = (uint64_t)op->imm;
    } else if (has_group(insn, X86_GRP_RET) || has_group(insn, X86_GRP_IRET) ||
               insn->id == X86_INS_HLT || insn->id == X86_INS_UD2) {
        step->goes = FW_GOES_NOWHERE;
    }
}

static void take_data(struct fw_step *step, const cs_insn *insn)
{
    const cs_x86_op *ops = insn->detail->x86.operands;

    switch (insn->id) {
    case X86_INS_LEA:
        take_lea(step, ops);
        break;
    case X86_INS_MOV:
    case X86_INS_MOVABS:
        take_mov(step, ops);
        break;
    case X86_INS_MOVSXD:
        take_extend(step, ops);
        break;
    case X86_INS_CDQE:
        step->what = FW_STEP_EXTEND;
        step->dst = step->src = FW_RAX;
        step->lost = bit(FW_RAX);
        break;
    case X86_INS_ADD:
        take_add(step, ops, 1);
        break;
    case X86_INS_SUB:
        take_add(step, ops, -1);
        if (step->what == FW_STEP_LOSE)
            take_xor(step, ops);
        break;
    case X86_INS_XOR:
        take_xor(step, ops);
        break;
    case X86_INS_AND:
        take_and(step, ops);
        break;
    case X86_INS_PUSH:
    case X86_INS_POP:
    case X86_INS_LEAVE:
        take_stack(step, insn);
        break;
    default:
        take_cmov(step, insn);
    }
}

static struct fw_step step_of(const cs_insn *insn)
{
    struct fw_step step = {
        .address = insn->address,
        .end = insn->address + insn->size,
        .dst = FW_NO_REGISTER,
        .src = FW_NO_REGISTER,
        .index = FW_NO_REGISTER,
        .lost = lost_by(insn),
        /* Not what marks the goal of an indirect jump. */
        .padding = insn->id == X86_INS_NOP || insn->id == X86_INS_INT3,
    };

    take_control(&step, insn);
    if (step.what == FW_STEP_LOSE && step.goes == FW_GOES_ON)
        take_data(&step, insn);
    return step;
}

bool fw_code_each(csh handle, const struct fw_elf *file, uint64_t start, uint64_t end,
                  void (*take)(const cs_insn *insn, void *context), void *context)
{
    size_t size;
    const unsigned char *code = fw_elf_bytes(file, start, &size);
    uint64_t address = start;
    cs_insn *insn;

    if (!code || size < end - start)
        return false;
    size = end - start;
    insn = cs_malloc(handle);
    while (size && cs_disasm_iter(handle, &code, &size, &address, insn))
        take(insn, context);
    cs_free(insn, 1);
    return size == 0;
}

static void add_step(const cs_insn *insn, void *steps)
{
    fw_vec_push((struct fw_steps *)steps, step_of(insn));
}

bool fw_code_decode(csh handle, const struct fw_elf *file, uint64_t start, uint64_t end,
                    struct fw_steps *steps)
{
    return fw_code_each(handle, file, start, end, add_step, steps);
}
