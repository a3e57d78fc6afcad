/*
 * rerun_code.c - see rerun_code.h.
 *
 * The first operand is what an instruction writes, if it writes one; where it does not, or writes
 * others as well, that is said here.  Whatever is not known is taken for the worst.
 */
#include "symbol/rerun_code.h"

#include <string.h>

static bool has_group(const cs_insn *insn, unsigned group)
{
    for (unsigned i = 0; i < insn->detail->groups_count; i++)
        if (insn->detail->groups[i] == group)
            return true;
    return false;
}

/* Instructions that only look at their first operand. */
static bool only_looks(const cs_insn *insn)
{
    switch (insn->id) {
    case X86_INS_CMP:
    case X86_INS_TEST:
    case X86_INS_BT:
    case X86_INS_NOP:
    case X86_INS_MUL:
    case X86_INS_DIV:
    case X86_INS_IDIV:
    case X86_INS_PUSH:
    case X86_INS_COMISS:
    case X86_INS_COMISD:
    case X86_INS_UCOMISS:
    case X86_INS_UCOMISD:
    case X86_INS_JMP:
        return true;
    case X86_INS_IMUL:
        return insn->detail->x86.op_count == 1;
    default:
        return false;
    }
}

/* What others see at once, what strings of memory it writes to, what the state of the processor
 * depends on. */
static bool is_alien(const cs_insn *insn)
{
    const cs_x86 *x86 = &insn->detail->x86;

    if (x86->prefix[0] || has_group(insn, X86_GRP_INT) || has_group(insn, X86_GRP_PRIVILEGE) ||
        has_group(insn, X86_GRP_IRET) || has_group(insn, X86_GRP_RTM) ||
        has_group(insn, X86_GRP_FPU))
        return insn->id != X86_INS_ENDBR64 && insn->id != X86_INS_NOP &&
               !has_group(insn, X86_GRP_SSE1) && !has_group(insn, X86_GRP_SSE2);
    switch (insn->id) {
    case X86_INS_XCHG:
    case X86_INS_XADD:
    case X86_INS_CMPXCHG:
    case X86_INS_CMPXCHG8B:
    case X86_INS_CMPXCHG16B:
    case X86_INS_SYSCALL:
    case X86_INS_SYSENTER:
    case X86_INS_LDMXCSR:
    case X86_INS_VLDMXCSR:
    case X86_INS_CLD:
    case X86_INS_STD:
    case X86_INS_POPFQ:
    case X86_INS_ENTER:
    case X86_INS_MASKMOVDQU:
    case X86_INS_VMASKMOVDQU:
        return true;
    default:
        return false;
    }
}

/* movsd is a move of strings or of a number. */
static bool is_string(const cs_insn *insn)
{
    const cs_x86 *x86 = &insn->detail->x86;

    switch (insn->id) {
    case X86_INS_STOSB:
    case X86_INS_STOSW:
    case X86_INS_STOSD:
    case X86_INS_STOSQ:
    case X86_INS_MOVSB:
    case X86_INS_MOVSW:
    case X86_INS_MOVSQ:
    case X86_INS_INSB:
    case X86_INS_INSW:
    case X86_INS_INSD:
        return true;
    default:
        return x86->op_count > 1 && x86->operands[0].type == X86_OP_MEM &&
               x86->operands[1].type == X86_OP_MEM;
    }
}

static bool is_register(const cs_x86_op *op, uint8_t number)
{
    return op->type == X86_OP_REG && fw_code_register(op->reg) == number;
}

/* --- the stack pointer ----------------------------------------------------------------------- */

static bool take_pointer_move(struct fw_rerun_step *step, const cs_insn *insn)
{
    const cs_x86_op *ops = insn->detail->x86.operands;
    bool to_sp = is_register(&ops[0], FW_RSP), to_bp = is_register(&ops[0], FW_RBP);

    if (insn->id == X86_INS_MOV && to_bp && is_register(&ops[1], FW_RSP)) {
        step->what = FW_RERUN_ENTER;
        return true;
    }
    if (insn->id == X86_INS_MOV && to_sp && is_register(&ops[1], FW_RBP)) {
        step->what = FW_RERUN_BACK;
        return true;
    }
    if (insn->id != X86_INS_LEA || !to_sp || ops[1].mem.index != X86_REG_INVALID)
        return false;
    step->number = ops[1].mem.disp;
    if (fw_code_register(ops[1].mem.base) == FW_RBP) {
        step->what = FW_RERUN_BACK;
        return true;
    }
    step->what = FW_RERUN_GROW;
    step->number = -step->number;
    return fw_code_register(ops[1].mem.base) == FW_RSP;
}

static bool take_pointer(struct fw_rerun_step *step, const cs_insn *insn)
{
    const cs_x86_op *ops = insn->detail->x86.operands;
    bool by_number = ops[1].type == X86_OP_IMM && is_register(&ops[0], FW_RSP);

    switch (insn->id) {
    case X86_INS_PUSH:
        step->what = FW_RERUN_GROW;
        step->number = 8;
        return ops[0].size == 8 && !is_register(&ops[0], FW_RSP);
    case X86_INS_POP:
        step->what = is_register(&ops[0], FW_RBP) ? FW_RERUN_POP_BP : FW_RERUN_GROW;
        step->number = -8;
        return ops[0].type == X86_OP_REG && ops[0].size == 8 && !is_register(&ops[0], FW_RSP);
    case X86_INS_SUB:
        step->what = FW_RERUN_GROW;
        step->number = ops[1].imm;
        return by_number;
    case X86_INS_ADD:
        step->what = FW_RERUN_GROW;
        step->number = -ops[1].imm;
        return by_number;
    case X86_INS_LEAVE:
        step->what = FW_RERUN_LEAVE;
        return true;
    default:
        return take_pointer_move(step, insn);
    }
}

/* Is the value of the register used or changed, other than to address memory? */
static bool names(const cs_insn *insn, uint8_t number)
{
    const cs_x86 *x86 = &insn->detail->x86;

    for (unsigned i = 0; i < x86->op_count; i++) {
        const cs_x86_op *op = &x86->operands[i];

        if (is_register(op, number))
            return true;
        if (op->type == X86_OP_MEM &&
            (fw_code_register(op->mem.index) == number ||
             (insn->id == X86_INS_LEA && fw_code_register(op->mem.base) == number)))
            return true;
    }
    return false;
}

/* Is all that is done with the register an address that another one gets? */
static bool copies(const cs_insn *insn, uint8_t number)
{
    const cs_x86 *x86 = &insn->detail->x86;
    const cs_x86_op *to = &x86->operands[0], *from = &x86->operands[1];

    if (x86->op_count != 2 || to->type != X86_OP_REG || to->size != 8 || is_register(to, number))
        return false;
    return (insn->id == X86_INS_MOV && is_register(from, number)) ||
           (insn->id == X86_INS_LEA && fw_code_register(from->mem.base) == number &&
            fw_code_register(from->mem.index) != number);
}

/* --- stores ---------------------------------------------------------------------------------- */

static void take_store(struct fw_rerun_step *step, const cs_x86_op *op)
{
    uint8_t base = fw_code_register(op->mem.base);

    step->what = FW_RERUN_STORE;
    step->size = op->size;
    step->number = op->mem.disp;
    step->indexed = op->mem.index != X86_REG_INVALID;
    step->by_frame = base == FW_RBP;
    if ((base == FW_RSP || base == FW_RBP) && op->mem.segment == X86_REG_INVALID)
        step->what = FW_RERUN_LOCAL;
}

/* What push, pop and their like do to the stack pointer is not among their operands. */
static bool moves_pointer(const cs_insn *insn)
{
    for (unsigned i = 0; i < insn->detail->regs_write_count; i++)
        if (fw_code_register(insn->detail->regs_write[i]) == FW_RSP)
            return true;
    return insn->id == X86_INS_PUSH || insn->id == X86_INS_POP;
}

static struct fw_rerun_step step_of(const cs_insn *insn)
{
    struct fw_rerun_step step = { .address = insn->address, .end = insn->address + insn->size };
    const cs_x86 *x86 = &insn->detail->x86;
    const cs_x86_op *op = &x86->operands[0];

    if (has_group(insn, X86_GRP_CALL))
        step.what = FW_RERUN_CALL;
    else if (has_group(insn, X86_GRP_RET) || has_group(insn, X86_GRP_JUMP))
        step.what = FW_RERUN_PLAIN;
    else if (is_alien(insn) || is_string(insn))
        step.what = FW_RERUN_ALIEN;
    else if (take_pointer(&step, insn))
        return step;
    else if (names(insn, FW_RSP) || moves_pointer(insn))
        step.what = copies(insn, FW_RSP) ? FW_RERUN_EXPOSE : FW_RERUN_LOSE;
    else if (x86->op_count && op->type == X86_OP_MEM && !only_looks(insn))
        take_store(&step, op);
    else
        step.what = FW_RERUN_PLAIN;
    step.ends = has_group(insn, X86_GRP_RET) || insn->id == X86_INS_JMP ||
                insn->id == X86_INS_UD2 || insn->id == X86_INS_HLT;
    step.names_bp = names(insn, FW_RBP);
    step.copies_bp = step.names_bp && copies(insn, FW_RBP) && !is_register(op, FW_RSP);
    return step;
}

static void add_step(const cs_insn *insn, void *steps)
{
    fw_vec_push((struct fw_rerun_steps *)steps, step_of(insn));
}

bool fw_rerun_decode(csh handle, const struct fw_elf *file, uint64_t start, uint64_t end,
                     struct fw_rerun_steps *steps)
{
    return fw_code_each(handle, file, start, end, add_step, steps);
}
