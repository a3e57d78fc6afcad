/* operand.c - see operand.h. */
#include "symbol/operand.h"

#include "base/bug.h"
#include "symbol/operand_callee.h"
#include "symbol/operand_flow.h"

#include <string.h>

#define MAX_FILES 1024u

struct function {
    uint64_t start;
    size_t first, count; /* calls */
};

struct program {
    char *path;
    struct fw_elf *file; /* NULL: nothing is known of it */
    struct fw_outliers outliers;
    FW_VEC(struct function) functions; /* that were looked into, by start */
    struct fw_calls calls;
};

struct fw_operands {
    csh handle;
    bool usable;
    FW_VEC(struct program *) programs;
    struct program *latest;
};

struct fw_operands *fw_operands_create(void)
{
    struct fw_operands *operands = fw_xcalloc(1, sizeof *operands);

    if (cs_open(CS_ARCH_X86, CS_MODE_64, &operands->handle) != CS_ERR_OK)
        return operands;
    operands->usable = cs_option(operands->handle, CS_OPT_DETAIL, CS_OPT_ON) == CS_ERR_OK;
    return operands;
}

void fw_operands_destroy(struct fw_operands *operands)
{
    if (!operands)
        return;
    for (size_t i = 0; i < operands->programs.len; i++) {
        struct program *program = operands->programs.at[i];

        fw_elf_close(program->file);
        fw_vec_release(&program->outliers);
        fw_vec_release(&program->functions);
        fw_vec_release(&program->calls);
        free(program->path);
        free(program);
    }
    fw_vec_release(&operands->programs);
    if (operands->handle)
        cs_close(&operands->handle);
    free(operands);
}

/* --- files ------------------------------------------------------------------------------- */

static struct program *open_program(struct fw_operands *operands, const char *path)
{
    struct program *program = fw_xcalloc(1, sizeof *program);
    struct fw_error err;

    program->path = fw_xstrdup(path);
    program->file = fw_elf_open(path, &err);
    if (program->file && program->file->machine != EM_X86_64) {
        fw_elf_close(program->file);
        program->file = NULL;
    }
    if (!program->file)
        return program;
    fw_flow_outliers(operands->handle, program->file, fw_elf_functions(program->file),
                     &program->outliers);
    return program;
}

static struct program *find_program(struct fw_operands *operands, const char *path)
{
    if (operands->latest && strcmp(operands->latest->path, path) == 0)
        return operands->latest;
    for (size_t i = 0; i < operands->programs.len; i++)
        if (strcmp(operands->programs.at[i]->path, path) == 0)
            return operands->latest = operands->programs.at[i];
    if (operands->programs.len >= MAX_FILES || !operands->usable)
        return NULL;
    operands->latest = open_program(operands, path);
    fw_vec_push(&operands->programs, operands->latest);
    return operands->latest;
}

/* --- functions --------------------------------------------------------------------------- */

static void add_range(struct fw_ranges *ranges, struct fw_ranges_item range)
{
    for (size_t i = 0; i < ranges->len; i++)
        if (ranges->at[i].start == range.start)
            return;
    fw_vec_push(ranges, range);
}

/* The functions before and behind must not reach into this one. */
static bool is_clear_cut(struct program *program, const struct fw_elf_symbol *symbol)
{
    const struct fw_elf_symbols *all = fw_elf_functions(program->file);
    const struct fw_elf_symbol *next = symbol + 1;
    const struct fw_elf_symbol *former = symbol == all->at ? NULL : symbol - 1;

    return (next == all->at + all->len || next->start >= symbol->end) &&
           (!former || former->end <= symbol->start);
}

static struct function look_into(struct fw_operands *operands, struct program *program,
                                 const struct fw_elf_symbol *symbol)
{
    struct function function = { .start = symbol->start, .first = program->calls.len };
    struct fw_ranges ranges = { 0 };

    fw_vec_push(&ranges, ((struct fw_ranges_item) { symbol->start, symbol->end }));
    for (size_t i = 0; i < program->outliers.len; i++)
        if (program->outliers.at[i].function == symbol->start)
            add_range(&ranges, program->outliers.at[i].part);
    if (is_clear_cut(program, symbol) && !fw_is_outlying(symbol->name))
        fw_flow_calls(operands->handle, program->file, &ranges, &program->calls);
    function.count = program->calls.len - function.first;
    fw_vec_release(&ranges);
    return function;
}

static const struct function *find_function(struct fw_operands *operands, struct program *program,
                                            const struct fw_elf_symbol *symbol)
{
    size_t low = 0, high = program->functions.len;
    struct function made;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (program->functions.at[middle].start < symbol->start)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < program->functions.len && program->functions.at[low].start == symbol->start)
        return &program->functions.at[low];
    made = look_into(operands, program, symbol);
    fw_vec_push(&program->functions, made);
    memmove(&program->functions.at[low + 1], &program->functions.at[low],
            (program->functions.len - 1 - low) * sizeof made);
    program->functions.at[low] = made;
    return &program->functions.at[low];
}

/* The call that returns to the address, or NULL. */
static const struct fw_call *find_call(struct fw_operands *operands, struct program *program,
                                       uint64_t returns)
{
    const struct fw_elf_symbol *symbol;
    const struct function *function;
    size_t low, high;

    /* A call that never returns may be the last thing in its function. */
    symbol = fw_elf_function_at(program->file, returns - 1);
    if (!symbol)
        return NULL;
    function = find_function(operands, program, symbol);
    low = function->first;
    high = low + function->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (program->calls.at[middle].returns < returns)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == function->first + function->count || program->calls.at[low].returns != returns)
        return NULL;
    return &program->calls.at[low];
}

/* --- questions --------------------------------------------------------------------------- */

static const struct fw_call *call_at(struct fw_operands *operands, const char *path,
                                     uint64_t returns)
{
    struct program *program = find_program(operands, path);

    return program && program->file ? find_call(operands, program, returns) : NULL;
}

bool fw_operands_fixed(struct fw_operands *operands, const char *path, uint64_t return_offset)
{
    const struct fw_call *call = call_at(operands, path, return_offset);
    uint8_t needed = call && call->callee ? fw_callee_arguments(call->callee) : 0;

    return needed && (call->fixed & needed) == needed;
}

bool fw_operands_direct(struct fw_operands *operands, const char *path, uint64_t return_offset)
{
    const struct fw_call *call = call_at(operands, path, return_offset);

    return call && call->direct;
}

const char *fw_operands_callee(struct fw_operands *operands, const char *path,
                               uint64_t return_offset)
{
    const struct fw_call *call = call_at(operands, path, return_offset);

    return call ? call->callee : NULL;
}
