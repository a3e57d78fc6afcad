/*
 * assurance.c - see assurance.h: what lies between an entry and its ends in the code.
 *
 * A step is inside if control can come to it from the entry, and get from it to an end, passing
 * neither an end nor the entry on the way.  Of a function that is called from inside all is.
 */
#include "sections/assurance.h"

#include "sections/harmless.h"
#include "sections/place.h"
#include "symbol/operand_callee.h"
#include "symbol/operand_flow.h"
#include "symbol/symbolizer.h"

#include <string.h>

#define DEEPEST   16u     /* calls that are followed */
#define MAX_STEPS 100000u /* of one function */

/* An instruction that synchronises by itself. */
enum synchronises {
    NOT_ITSELF,
    LOCKED,
    SYSTEM_CALL,
};

struct code {
    struct fw_ranges ranges;
    struct fw_steps steps; /* by address */
    uint8_t *itself;       /* enum synchronises, of each step */
};

/* A function that was looked into as a whole. */
struct known {
    uint64_t start;
    char *reason; /* NULL: none, or it is being looked into */
};

struct fw_assurance {
    struct fw_elf *file;
    csh handle;
    struct fw_symbolizer *symbolizer;
    uint32_t module;
    FW_VEC(struct known) known;
};

struct fw_assurance *fw_assurance_open(const char *path, struct fw_error *err)
{
    struct fw_elf *file = fw_elf_open(path, err);
    struct fw_assurance *assurance;
    csh handle;

    if (!file)
        return NULL;
    if (file->machine != EM_X86_64 || cs_open(CS_ARCH_X86, CS_MODE_64, &handle) != CS_ERR_OK) {
        fw_error_set(err, "cannot read the code of '%s'", path);
        fw_elf_close(file);
        return NULL;
    }
    cs_option(handle, CS_OPT_DETAIL, CS_OPT_ON);
    assurance = fw_xcalloc(1, sizeof *assurance);
    assurance->file = file;
    assurance->handle = handle;
    assurance->symbolizer = fw_symbolizer_create();
    assurance->module = fw_symbolizer_module(assurance->symbolizer, path, NULL, 0);
    return assurance;
}

void fw_assurance_close(struct fw_assurance *assurance)
{
    if (!assurance)
        return;
    for (size_t i = 0; i < assurance->known.len; i++)
        free(assurance->known.at[i].reason);
    fw_vec_release(&assurance->known);
    fw_symbolizer_destroy(assurance->symbolizer);
    cs_close(&assurance->handle);
    fw_elf_close(assurance->file);
    free(assurance);
}

/* --- reasons --------------------------------------------------------------------------------- */

/* "WHAT at FILE:LINE"; the caller's. */
static char *reason_at(struct fw_assurance *assurance, const char *what, const char *name,
                       uint64_t address)
{
    struct fw_source at;

    if (!fw_symbolizer_line(assurance->symbolizer, assurance->module, address, &at) || !at.file)
        return fw_xasprintf("%s%s at 0x%llx", what, name, (unsigned long long)address);
    return fw_xasprintf("%s%s at %s:%u", what, name, at.file, at.line);
}

/* --- decoding -------------------------------------------------------------------------------- */

static enum synchronises of_itself(const cs_insn *insn)
{
    const cs_x86 *x86 = &insn->detail->x86;

    if (insn->id == X86_INS_SYSCALL || insn->id == X86_INS_SYSENTER || insn->id == X86_INS_INT)
        return SYSTEM_CALL;
    if (x86->prefix[0] == X86_PREFIX_LOCK)
        return LOCKED;
    if (insn->id == X86_INS_XCHG)
        for (unsigned i = 0; i < x86->op_count; i++)
            if (x86->operands[i].type == X86_OP_MEM)
                return LOCKED;
    return NOT_ITSELF;
}

static void mark_range(struct fw_assurance *assurance, struct code *code, size_t *at,
                       const struct fw_ranges_item *range)
{
    size_t size;
    const unsigned char *bytes = fw_elf_bytes(assurance->file, range->start, &size);
    uint64_t address = range->start;
    cs_insn *insn = cs_malloc(assurance->handle);

    size = range->end - range->start;
    while (*at < code->steps.len &&
           cs_disasm_iter(assurance->handle, &bytes, &size, &address, insn))
        code->itself[(*at)++] = of_itself(insn);
    cs_free(insn, 1);
}

/* The function, and the parts of it that the compiler put elsewhere (NAME.cold). */
static void find_ranges(struct fw_elf *file, const struct fw_elf_symbol *function,
                        struct fw_ranges *ranges)
{
    const struct fw_elf_symbols *all = fw_elf_functions(file);
    size_t length = strlen(function->name);

    fw_vec_push(ranges, ((struct fw_ranges_item){ function->start, function->end }));
    for (size_t i = 0; i < all->len; i++)
        if (strncmp(all->at[i].name, function->name, length) == 0 &&
            strncmp(all->at[i].name + length, ".cold", 5) == 0)
            fw_vec_push(ranges, ((struct fw_ranges_item){ all->at[i].start, all->at[i].end }));
}

static int by_start(const void *a, const void *b)
{
    const struct fw_ranges_item *x = a, *y = b;

    return x->start < y->start ? -1 : x->start > y->start;
}

static void code_release(struct code *code)
{
    fw_vec_release(&code->ranges);
    fw_vec_release(&code->steps);
    free(code->itself);
}

/* False: it cannot be read. */
static bool code_read(struct fw_assurance *assurance, const struct fw_elf_symbol *function,
                      struct code *code)
{
    bool all = true;
    size_t at = 0;

    memset(code, 0, sizeof *code);
    find_ranges(assurance->file, function, &code->ranges);
    qsort(code->ranges.at, code->ranges.len, sizeof *code->ranges.at, by_start);
    for (size_t i = 0; i < code->ranges.len; i++)
        all &= fw_code_decode(assurance->handle, assurance->file, code->ranges.at[i].start,
                              code->ranges.at[i].end, &code->steps);
    if (!all || !code->steps.len || code->steps.len > MAX_STEPS) {
        code_release(code);
        return false;
    }
    code->itself = fw_xcalloc(code->steps.len, sizeof *code->itself);
    for (size_t i = 0; i < code->ranges.len; i++)
        mark_range(assurance, code, &at, &code->ranges.at[i]);
    return true;
}

#define NO_STEP SIZE_MAX

/* The step at this address. */
static size_t step_at(const struct code *code, uint64_t address)
{
    size_t low = 0, high = code->steps.len;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (code->steps.at[middle].address < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < code->steps.len && code->steps.at[low].address == address ? low : NO_STEP;
}

/* --- one step -------------------------------------------------------------------------------- */

static char *function_reason(struct fw_assurance *assurance, uint64_t start, unsigned depth);

static char *call_reason(struct fw_assurance *assurance, const struct fw_step *step, unsigned depth)
{
    const char *name = fw_callee_name(assurance->handle, assurance->file, step);
    const struct fw_elf_symbol *own =
        step->direct ? fw_elf_function_at(assurance->file, step->target) : NULL;

    /* Whatever its name says, what it does can be seen. */
    if (own && own->start == step->target && depth < DEEPEST)
        return function_reason(assurance, own->start, depth + 1);
    if (name && fw_callee_is_harmless(name))
        return NULL;
    if (name && strncmp(name, "__tsan_atomic", 13) == 0)
        return reason_at(assurance, "has an atomic access", "", step->address);
    if (name)
        return reason_at(assurance, "calls ", name, step->address);
    return reason_at(assurance, "calls what is not known", "", step->address);
}

/* Why this step may synchronise; the caller's. */
static char *step_reason(struct fw_assurance *assurance, const struct code *code, size_t at,
                         unsigned depth)
{
    const struct fw_step *step = &code->steps.at[at];

    if (code->itself[at] == LOCKED)
        return reason_at(assurance, "has a locked instruction", "", step->address);
    if (code->itself[at] == SYSTEM_CALL)
        return reason_at(assurance, "makes a system call", "", step->address);
    if (step->what == FW_STEP_CALL)
        return call_reason(assurance, step, depth);
    return NULL;
}

static bool never_returns(struct fw_assurance *assurance, const struct fw_step *step)
{
    const char *name = step->what == FW_STEP_CALL
                           ? fw_callee_name(assurance->handle, assurance->file, step)
                           : NULL;

    return name && fw_callee_never_returns(name);
}

/* A jump to another function in place of a call of it. */
static char *tail_reason(struct fw_assurance *assurance, const struct code *code,
                         const struct fw_step *step, unsigned depth)
{
    struct fw_step call = *step;

    call.what = FW_STEP_CALL;
    call.direct = step->goes == FW_GOES_TO || step->goes == FW_GOES_EITHER;
    if (step->goes == FW_GOES_ON || step->goes == FW_GOES_NOWHERE ||
        (call.direct && step_at(code, step->target) != NO_STEP))
        return NULL;
    if (!call.direct && !step->slot)
        return NULL; /* through a table: it stays within the function */
    return call_reason(assurance, &call, depth);
}

/* --- whole functions ------------------------------------------------------------------------- */

static char *whole_reason(struct fw_assurance *assurance, const struct fw_elf_symbol *function,
                          unsigned depth)
{
    struct code code;
    char *reason = NULL;

    if (!code_read(assurance, function, &code))
        return reason_at(assurance, "calls what cannot be read: ", function->name,
                         function->start);
    for (size_t i = 0; i < code.steps.len && !reason; i++) {
        reason = step_reason(assurance, &code, i, depth);
        if (!reason)
            reason = tail_reason(assurance, &code, &code.steps.at[i], depth);
    }
    code_release(&code);
    return reason;
}

/* What was thought of functions that call one which is being looked into. */
static void forget_from(struct fw_assurance *assurance, size_t first)
{
    while (assurance->known.len > first)
        free(assurance->known.at[--assurance->known.len].reason);
}

static char *function_reason(struct fw_assurance *assurance, uint64_t start, unsigned depth)
{
    const struct fw_elf_symbol *function = fw_elf_function_at(assurance->file, start);
    size_t at = assurance->known.len;
    char *reason;

    for (size_t i = 0; i < at; i++)
        if (assurance->known.at[i].start == start)
            return assurance->known.at[i].reason ? fw_xstrdup(assurance->known.at[i].reason) : NULL;
    fw_vec_push(&assurance->known, ((struct known){ start, NULL })); /* it may call itself */
    reason = whole_reason(assurance, function, depth);
    if (reason)
        forget_from(assurance, at + 1);
    assurance->known.at[at].reason = reason;
    return reason ? fw_xstrdup(reason) : NULL;
}

/* --- what is inside -------------------------------------------------------------------------- */

enum {
    REACHED = 1, /* from the entry */
    LEADS = 2,   /* to an end */
    IS_END = 4,
    IS_ENTRY = 8,
};

struct inside {
    struct fw_assurance *assurance;
    const struct code *code;
    uint8_t *marks;
    FW_VEC(size_t) work;
    const struct fw_step *lost; /* a jump that cannot be followed */
};

/* Up to two; returns how many. */
static unsigned successors(struct inside *in, size_t at, size_t next[2])
{
    const struct fw_step *step = &in->code->steps.at[at];
    unsigned count = 0;

    if (step->goes != FW_GOES_TO && step->goes != FW_GOES_NOWHERE &&
        step->goes != FW_GOES_ANYWHERE && !never_returns(in->assurance, step))
        next[count++] = step_at(in->code, step->end);
    if (step->goes == FW_GOES_TO || step->goes == FW_GOES_EITHER)
        next[count++] = step_at(in->code, step->target);
    return count;
}

static void reach(struct inside *in, size_t at)
{
    if (at == NO_STEP || in->marks[at] & REACHED)
        return;
    in->marks[at] |= REACHED;
    fw_vec_push(&in->work, at);
}

static void go_forward(struct inside *in, size_t entry)
{
    reach(in, entry);
    while (in->work.len) {
        size_t at = in->work.at[--in->work.len], next[2];
        const struct fw_step *step = &in->code->steps.at[at];
        unsigned count;

        if (in->marks[at] & (IS_END | IS_ENTRY))
            continue;
        if (step->goes == FW_GOES_ANYWHERE && !step->slot)
            in->lost = step;
        count = successors(in, at, next);
        for (unsigned i = 0; i < count; i++)
            reach(in, next[i]);
    }
}

/* To a fixed point, from the end: most jumps go forward. */
static void look_back(struct inside *in)
{
    bool changed = true;

    while (changed) {
        changed = false;
        for (size_t at = in->code->steps.len; at-- > 0;) {
            size_t next[2];
            unsigned count;
            bool leads = in->marks[at] & IS_END;

            if (!(in->marks[at] & REACHED) || in->marks[at] & (LEADS | IS_ENTRY))
                continue;
            count = successors(in, at, next);
            for (unsigned i = 0; i < count && !leads; i++)
                leads = next[i] != NO_STEP && in->marks[next[i]] & LEADS;
            if (leads) {
                in->marks[at] |= LEADS;
                changed = true;
            }
        }
    }
}

/* The call whose return address this is. */
static bool mark_call(struct inside *in, uint64_t returns, uint8_t mark)
{
    for (size_t i = 0; i < in->code->steps.len; i++) {
        const struct fw_step *step = &in->code->steps.at[i];

        if (step->end == returns && step->what == FW_STEP_CALL) {
            in->marks[i] |= mark;
            return true;
        }
    }
    return false;
}

static char *inside_reason(struct inside *in, uint64_t entry)
{
    size_t len = in->code->steps.len, start = step_at(in->code, entry);
    char *reason = NULL;
    bool any = false;

    if (start == NO_STEP)
        return fw_xstrdup("its entry is not in code that can be read");
    go_forward(in, start);
    if (in->lost)
        return reason_at(in->assurance, "has a jump that cannot be followed", "",
                         in->lost->address);
    look_back(in);
    for (size_t i = 0; i < len && !reason; i++) {
        if ((in->marks[i] & (REACHED | LEADS)) != (REACHED | LEADS))
            continue;
        any = true;
        if (!(in->marks[i] & IS_END))
            reason = step_reason(in->assurance, in->code, i, 0);
    }
    if (any || reason)
        return reason;
    return fw_xstrdup("has no way from its entry to an end that can be seen");
}

char *fw_assurance_code(struct fw_assurance *assurance, uint64_t entry, const uint64_t *ends,
                        size_t count)
{
    const struct fw_elf_symbol *function = fw_elf_function_at(assurance->file, entry - 1);
    struct code code;
    struct inside in = { .assurance = assurance, .code = &code };
    bool found = true;
    char *reason;

    for (size_t i = 0; i < count; i++)
        if (ends[i] == entry)
            return fw_xstrdup("is circular: others would wait for as long as its loop runs");
    if (!function || !code_read(assurance, function, &code))
        return fw_xstrdup("its code cannot be read");
    in.marks = fw_xcalloc(code.steps.len, sizeof *in.marks);
    found &= mark_call(&in, entry, IS_ENTRY);
    for (size_t i = 0; i < count; i++)
        found &= mark_call(&in, ends[i], IS_END);
    reason = found ? inside_reason(&in, entry)
                   : fw_xstrdup("its entry and its ends are not in one function");
    fw_vec_release(&in.work);
    free(in.marks);
    code_release(&code);
    return reason;
}

/* Copies of a section stand one behind the other, the entry first. */
void fw_assurance_placed(struct fw_assurance *assurance, const struct fw_placement *placement,
                         char **reasons)
{
    for (size_t i = 0; i < placement->placed.len; i++) {
        const struct fw_placed *entry = &placement->placed.at[i];
        FW_VEC(uint64_t) ends = { 0 };

        if (entry->role != FW_PLACE_ENTRY || reasons[entry->section])
            continue;
        for (size_t k = 0; k < placement->placed.len; k++) {
            const struct fw_placed *end = &placement->placed.at[k];

            if (end->role == FW_PLACE_END && end->section == entry->section &&
                end->copy == entry->copy)
                fw_vec_push(&ends, end->returns);
        }
        reasons[entry->section] =
            fw_assurance_code(assurance, entry->returns, ends.at, ends.len);
        fw_vec_release(&ends);
    }
}
