/* unhooked_code.c - see unhooked_code.h. */
#include "symbol/unhooked_code.h"

#include "base/alloc.h"
#include "symbol/operand_callee.h"

#include <string.h>

#define MOST_RECENT 16u   /* accesses since the latest call that are remembered */
#define MOST_KNOWN  1024u /* callees */
#define MOST_KEPT   64u   /* registers that a function keeps in its stack */

/* One access to memory that others may see. */
struct access {
    uint8_t base, index, scale; /* FW_NO_REGISTER: none */
    bool writes;
    bool hooked; /* the first behind a hook */
    uint32_t size;
    int64_t offset;
};

struct known_callee {
    uint64_t target;
    bool is_hook;
};

/* What a register or a place in the stack leads to, if that is certain. */
struct leads {
    bool own;      /* the stack */
    bool constant; /* constants */
};

/* A place in the stack where an address is kept. */
struct kept {
    uint8_t base;
    int64_t offset;
    struct leads leads;
};

struct fw_unhooked_code {
    csh handle;
    cs_insn *insn;
    struct fw_elf *file;
    struct known_callee known[MOST_KNOWN];
    /* Of the function that is looked at. */
    uint32_t own;      /* registers that hold addresses of its stack, a bit for each ... */
    uint32_t constant; /* ... and of constants */
    uint64_t slots[FW_REGISTERS]; /* that hold what stands in a slot of the offset table; 0: none */
    bool framed;                  /* rbp leads to its stack */
    bool hooked;
    bool after_hook; /* and no access since */
    struct access recent[MOST_RECENT];
    unsigned recent_count;
    struct kept kept[MOST_KEPT];
    unsigned kept_count;
    struct fw_unhooked_places found;
};

struct fw_unhooked_code *fw_unhooked_code_create(struct fw_elf *file)
{
    struct fw_unhooked_code *code;
    csh handle;

    if (file->machine != EM_X86_64 || cs_open(CS_ARCH_X86, CS_MODE_64, &handle) != CS_ERR_OK)
        return NULL;
    if (cs_option(handle, CS_OPT_DETAIL, CS_OPT_ON) != CS_ERR_OK) {
        cs_close(&handle);
        return NULL;
    }
    code = fw_xcalloc(1, sizeof *code);
    code->handle = handle;
    code->insn = cs_malloc(handle);
    code->file = file;
    return code;
}

void fw_unhooked_code_destroy(struct fw_unhooked_code *code)
{
    if (!code)
        return;
    fw_vec_release(&code->found);
    cs_free(code->insn, 1);
    cs_close(&code->handle);
    free(code);
}

static uint32_t bit(uint8_t reg)
{
    return reg < FW_REGISTERS ? 1u << reg : 0;
}

static void lose(struct fw_unhooked_code *code, uint32_t registers)
{
    code->own &= ~registers;
    code->constant &= ~registers;
    for (unsigned i = 0; registers; i++, registers >>= 1)
        if (registers & 1)
            code->slots[i] = 0;
}

/* --- calls ------------------------------------------------------------------------------- */

static bool is_hook_name(const char *name)
{
    return name && (strncmp(name, "__tsan_", 7) == 0 ||
                    strcmp(name, "__sanitizer_cov_trace_pc_guard") == 0);
}

static bool calls_hook(struct fw_unhooked_code *code, const cs_insn *insn)
{
    const cs_x86_op *op = &insn->detail->x86.operands[0];
    struct fw_step step = { 0 };
    struct known_callee *known;

    if (op->type == X86_OP_IMM) {
        step.direct = true;
        step.target = (uint64_t)op->imm;
    } else if (op->type == X86_OP_MEM && op->mem.base == X86_REG_RIP) {
        step.slot = insn->address + insn->size + (uint64_t)op->mem.disp;
    } else {
        return false;
    }
    known = &code->known[(step.target | step.slot) / 8 % MOST_KNOWN];
    if (known->target != (step.target | step.slot)) {
        known->target = step.target | step.slot;
        known->is_hook = is_hook_name(fw_callee_name(code->handle, code->file, &step));
    }
    return known->is_hook;
}

static void take_call(struct fw_unhooked_code *code, const cs_insn *insn)
{
    code->after_hook = calls_hook(code, insn);
    code->hooked |= code->after_hook;
    code->recent_count = 0;
    lose(code, FW_CALLER_SAVED);
}

/* --- accesses ---------------------------------------------------------------------------- */

static bool leads_to_own(const struct fw_unhooked_code *code, const struct access *access)
{
    uint32_t used = bit(access->base) | bit(access->index);

    return used & (code->own | code->constant | 1u << FW_RSP) ||
           (code->framed && used & 1u << FW_RBP);
}

/* Is the place fixed, and constant?  In programs that are never moved tables have fixed places. */
static bool is_constant(const struct fw_unhooked_code *code, const struct access *access)
{
    bool fixed = access->base == FW_NO_REGISTER;

    return (fixed || code->file->type == ET_EXEC) &&
           fw_elf_is_constant(code->file, (uint64_t)access->offset, 1);
}

/* False: nobody else sees this access, or it is none. */
static bool take_access(const struct fw_unhooked_code *code, const cs_insn *insn,
                        const cs_x86_op *op, struct access *access)
{
    if (op->type != X86_OP_MEM || op->mem.segment == X86_REG_FS || op->mem.segment == X86_REG_GS)
        return false;
    *access = (struct access) {
        .base = fw_code_register(op->mem.base),
        .index = fw_code_register(op->mem.index),
        .scale = (uint8_t)op->mem.scale,
        .writes = op == insn->detail->x86.operands,
        .size = op->size,
        .offset = op->mem.disp,
    };
    if (op->mem.base == X86_REG_RIP)
        access->offset = (int64_t)((uint64_t)access->offset + insn->address + insn->size);
    return !leads_to_own(code, access) && !is_constant(code, access);
}

/* Only some of the elements, as a mask or a vector of indices tells. */
static bool is_partial(const cs_insn *insn)
{
    static const char *const parts[] = {
        "mask", "gather", "scatter", "lddqu", "compress", "expand"
    };
    const cs_x86 *x86 = &insn->detail->x86;

    if (insn->mnemonic[0] == 'k')
        return false;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strstr(insn->mnemonic, parts[i]))
            return true;
    for (unsigned i = 0; i < x86->op_count; i++)
        if (x86->operands[i].type == X86_OP_REG && x86->operands[i].reg >= X86_REG_K0 &&
            x86->operands[i].reg <= X86_REG_K7)
            return true;
    return false;
}

/* What the instruction alone tells. */
static enum fw_unhooked_kind kind_alone(const cs_insn *insn, const struct access *access)
{
    if (strncmp(insn->mnemonic, "rep", 3) == 0) /* a string of them */
        return FW_UNHOOKED_BYTES;
    if (access->size == 10 && (insn->id == X86_INS_FLD || insn->id == X86_INS_FSTP))
        return FW_UNHOOKED_LONG_DOUBLE;
    if (access->size >= 32 || is_partial(insn))
        return FW_UNHOOKED_VECTOR;
    return FW_UNHOOKED_NONE;
}

/* Are these two pieces of one access that has no hook?  What has one is done at once or, at times,
 * in two halves. */
static bool are_pieces(const struct access *a, const struct access *b)
{
    if (a->base != b->base || a->index != b->index || a->scale != b->scale ||
        a->writes != b->writes)
        return false;
    if (a->offset > b->offset) {
        const struct access *other = a;

        a = b;
        b = other;
    }
    if ((uint64_t)a->offset + a->size != (uint64_t)b->offset)
        return false;
    if (a->size == b->size)
        return a->size == 16 ||
               ((a->size == 8 || a->size == 4) && !a->writes && !a->hooked && !b->hooked);
    return a->size > b->size;
}

/* A constant that the dynamic linker tells the address of. */
static bool is_named_constant(const struct fw_unhooked_code *code, const struct access *access)
{
    uint64_t slot = access->base < FW_REGISTERS ? code->slots[access->base] : 0;
    const char *name = slot ? fw_elf_slot_name(code->file, slot) : NULL;
    const struct fw_elf_symbols *objects = &code->file->objects;

    if (name)
        fw_elf_functions(code->file); /* reads both */
    for (size_t i = 0; name && i < objects->len; i++)
        if (strcmp(objects->at[i].name, name) == 0)
            return fw_elf_is_constant(code->file, objects->at[i].start, 1);
    return false;
}

static bool only_names_memory(const cs_insn *insn)
{
    return insn->id == X86_INS_LEA || insn->id == X86_INS_NOP ||
           strncmp(insn->mnemonic, "prefetch", 8) == 0 ||
           strncmp(insn->mnemonic, "clflush", 7) == 0;
}

static void take_accesses(struct fw_unhooked_code *code, const cs_insn *insn)
{
    const cs_x86 *x86 = &insn->detail->x86;

    for (unsigned i = 0; i < x86->op_count && !only_names_memory(insn); i++) {
        struct access access;
        enum fw_unhooked_kind kind;

        if (!take_access(code, insn, &x86->operands[i], &access))
            continue;
        kind = kind_alone(insn, &access);
        for (unsigned j = 0; j < code->recent_count && kind == FW_UNHOOKED_NONE; j++)
            if (are_pieces(&code->recent[j], &access))
                kind = FW_UNHOOKED_BYTES;
        if (kind != FW_UNHOOKED_NONE && !is_named_constant(code, &access))
            fw_vec_push(&code->found, ((struct fw_unhooked_place) { kind, insn->address }));
        access.hooked = code->after_hook;
        code->after_hook = false;
        if (code->recent_count < MOST_RECENT)
            code->recent[code->recent_count++] = access;
    }
}

/* --- registers --------------------------------------------------------------------------- */

static uint32_t written_by(const cs_insn *insn)
{
    const cs_x86 *x86 = &insn->detail->x86;
    uint32_t written = 0;

    for (unsigned i = 0; i < x86->op_count; i++)
        if (x86->operands[i].type == X86_OP_REG &&
            (!x86->operands[i].access || x86->operands[i].access & CS_AC_WRITE))
            written |= bit(fw_code_register(x86->operands[i].reg));
    for (unsigned i = 0; i < insn->detail->regs_write_count; i++)
        written |= bit(fw_code_register(insn->detail->regs_write[i]));
    return written;
}

static struct leads leads_of(const struct fw_unhooked_code *code, uint8_t reg)
{
    return (struct leads) {
        .own = reg == FW_RSP || code->own & bit(reg) || (reg == FW_RBP && code->framed),
        .constant = (code->constant & bit(reg)) != 0,
    };
}

static struct leads leads_of_address(const struct fw_unhooked_code *code, const cs_insn *insn,
                                     const cs_x86_op *op)
{
    struct leads base = leads_of(code, fw_code_register(op->mem.base));
    struct leads index = leads_of(code, fw_code_register(op->mem.index));
    uint64_t fixed = (uint64_t)op->mem.disp;

    if (op->mem.base == X86_REG_RIP)
        fixed += insn->address + insn->size;
    if (op->mem.base == X86_REG_RIP || op->mem.base == X86_REG_INVALID)
        base.constant = fw_elf_is_constant(code->file, fixed, 1);
    return (struct leads) { base.own || index.own, base.constant || index.constant };
}

/* A place in the function's stack, or NULL. */
static struct kept *kept_at(struct fw_unhooked_code *code, const cs_x86_op *op)
{
    uint8_t base = fw_code_register(op->mem.base);

    if (op->type != X86_OP_MEM || op->size != 8 || op->mem.index != X86_REG_INVALID ||
        op->mem.segment != X86_REG_INVALID || (base != FW_RSP && (base != FW_RBP || !code->framed)))
        return NULL;
    for (unsigned i = 0; i < code->kept_count; i++)
        if (code->kept[i].base == base && code->kept[i].offset == op->mem.disp)
            return &code->kept[i];
    if (code->kept_count == MOST_KEPT)
        return NULL;
    code->kept[code->kept_count] = (struct kept) { .base = base, .offset = op->mem.disp };
    return &code->kept[code->kept_count++];
}

static void keep(struct fw_unhooked_code *code, const cs_insn *insn)
{
    const cs_x86_op *ops = insn->detail->x86.operands;
    struct kept *kept = insn->id == X86_INS_MOV ? kept_at(code, &ops[0]) : NULL;

    if (kept)
        kept->leads = ops[1].type == X86_OP_REG ? leads_of(code, fw_code_register(ops[1].reg))
                                                : (struct leads) { 0 };
}

static struct leads outcome(struct fw_unhooked_code *code, const cs_insn *insn)
{
    const cs_x86_op *ops = insn->detail->x86.operands;
    struct leads dst = leads_of(code, fw_code_register(ops[0].reg)), src = { 0 };

    if (insn->detail->x86.op_count > 1 && ops[1].type == X86_OP_REG)
        src = leads_of(code, fw_code_register(ops[1].reg));
    switch (insn->id) {
    case X86_INS_LEA:
        return leads_of_address(code, insn, &ops[1]);
    case X86_INS_MOV:
        if (ops[1].type == X86_OP_MEM && kept_at(code, &ops[1]))
            return kept_at(code, &ops[1])->leads;
        if (ops[1].type == X86_OP_IMM && code->file->type == ET_EXEC)
            src.constant = fw_elf_is_constant(code->file, (uint64_t)ops[1].imm, 1);
        return src;
    case X86_INS_ADD:
        return (struct leads) { dst.own || src.own, dst.constant || src.constant };
    case X86_INS_SUB:
    case X86_INS_AND:
    case X86_INS_INC:
    case X86_INS_DEC:
        return dst;
    default:
        return (struct leads) { 0 };
    }
}

static void forget_accesses(struct fw_unhooked_code *code, uint32_t written)
{
    unsigned kept = 0;

    for (unsigned i = 0; i < code->recent_count; i++)
        if (!((bit(code->recent[i].base) | bit(code->recent[i].index)) & written))
            code->recent[kept++] = code->recent[i];
    code->recent_count = kept;
}

static bool from_slot(const cs_insn *insn)
{
    const cs_x86_op *ops = insn->detail->x86.operands;

    return insn->id == X86_INS_MOV && insn->detail->x86.op_count == 2 &&
           ops[1].type == X86_OP_MEM && ops[1].mem.base == X86_REG_RIP;
}

static void take_registers(struct fw_unhooked_code *code, const cs_insn *insn)
{
    const cs_x86 *x86 = &insn->detail->x86;
    uint32_t written = written_by(insn), first = 0;
    struct leads leads = { 0 };

    keep(code, insn);
    if (x86->op_count && x86->operands[0].type == X86_OP_REG && x86->operands[0].size == 8) {
        first = bit(fw_code_register(x86->operands[0].reg));
        leads = outcome(code, insn);
    }
    lose(code, written);
    if (from_slot(insn) && first & written)
        code->slots[fw_code_register(x86->operands[0].reg)] =
            insn->address + insn->size + (uint64_t)x86->operands[1].mem.disp;
    if (first & written && leads.own)
        code->own |= first;
    if (first & written && leads.constant)
        code->constant |= first;
    if (insn->id == X86_INS_MOV && first == 1u << FW_RBP && leads.own)
        code->framed = true;
    forget_accesses(code, written);
}

/* --- functions --------------------------------------------------------------------------- */

static bool has_group(const cs_insn *insn, unsigned group)
{
    for (unsigned i = 0; i < insn->detail->groups_count; i++)
        if (insn->detail->groups[i] == group)
            return true;
    return false;
}

static void take(struct fw_unhooked_code *code, const cs_insn *insn)
{
    if (insn->id == X86_INS_CALL) {
        take_call(code, insn);
    } else if (insn->id == X86_INS_JMP || has_group(insn, X86_GRP_RET)) {
        /* What follows is come to from elsewhere. */
        lose(code, UINT16_MAX);
        code->recent_count = 0;
    } else if (has_group(insn, X86_GRP_JUMP)) {
        code->recent_count = 0;
    } else {
        take_accesses(code, insn);
        take_registers(code, insn);
    }
}

void fw_unhooked_code_find(struct fw_unhooked_code *code, uint64_t start, uint64_t end,
                           struct fw_unhooked_places *places)
{
    size_t size = 0;
    const unsigned char *bytes = fw_elf_bytes(code->file, start, &size);
    uint64_t address = start;

    lose(code, UINT16_MAX);
    code->framed = code->hooked = code->after_hook = false;
    code->recent_count = code->kept_count = 0;
    fw_vec_clear(&code->found);
    if (!bytes || end <= start || size < end - start)
        return;
    size = end - start;
    while (size && cs_disasm_iter(code->handle, &bytes, &size, &address, code->insn))
        take(code, code->insn);
    for (size_t i = 0; i < code->found.len && code->hooked; i++)
        fw_vec_push(places, code->found.at[i]);
}
