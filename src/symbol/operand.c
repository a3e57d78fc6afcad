/* operand.c - see operand.h. */
#include "symbol/operand.h"

#include "base/bug.h"
#include "symbol/code_files.h"
#include "symbol/operand_callee.h"
#include "symbol/operand_flow.h"

#include <string.h>

struct function {
    uint64_t start;
    size_t first, count; /* calls */
};

/* What is known of a file, by its number. */
struct known {
    FW_VEC(struct function) functions; /* that were looked into, by start */
    struct fw_calls calls;
};

struct fw_operands {
    struct fw_code_files files;
    FW_VEC(struct known) known;
};

struct fw_operands *fw_operands_create(void)
{
    struct fw_operands *operands = fw_xcalloc(1, sizeof *operands);

    fw_code_files_open(&operands->files);
    return operands;
}

void fw_operands_destroy(struct fw_operands *operands)
{
    if (!operands)
        return;
    for (size_t i = 0; i < operands->known.len; i++) {
        fw_vec_release(&operands->known.at[i].functions);
        fw_vec_release(&operands->known.at[i].calls);
    }
    fw_vec_release(&operands->known);
    fw_code_files_close(&operands->files);
    free(operands);
}

/* --- functions --------------------------------------------------------------------------- */

/* The functions before and behind must not reach into this one. */
static bool is_clear_cut(const struct fw_code_file *file, const struct fw_elf_symbol *symbol)
{
    const struct fw_elf_symbols *all = fw_elf_functions(file->elf);
    const struct fw_elf_symbol *next = symbol + 1;
    const struct fw_elf_symbol *former = symbol == all->at ? NULL : symbol - 1;

    return (next == all->at + all->len || next->start >= symbol->end) &&
           (!former || former->end <= symbol->start);
}

static struct function look_into(struct fw_operands *operands, const struct fw_code_file *file,
                                 const struct fw_elf_symbol *symbol)
{
    struct fw_calls *calls = &operands->known.at[file->number].calls;
    struct function function = { .start = symbol->start, .first = calls->len };
    struct fw_ranges ranges = { 0 };

    fw_code_file_ranges(file, symbol, &ranges);
    if (is_clear_cut(file, symbol) && !fw_is_outlying(symbol->name))
        fw_flow_calls(operands->files.handle, file->elf, &ranges, calls);
    function.count = calls->len - function.first;
    fw_vec_release(&ranges);
    return function;
}

static const struct function *find_function(struct fw_operands *operands,
                                            const struct fw_code_file *file,
                                            const struct fw_elf_symbol *symbol)
{
    struct known *known = &operands->known.at[file->number];
    size_t low = 0, high = known->functions.len;
    struct function made;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (known->functions.at[middle].start < symbol->start)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < known->functions.len && known->functions.at[low].start == symbol->start)
        return &known->functions.at[low];
    made = look_into(operands, file, symbol);
    fw_vec_push(&known->functions, made);
    memmove(&known->functions.at[low + 1], &known->functions.at[low],
            (known->functions.len - 1 - low) * sizeof made);
    known->functions.at[low] = made;
    return &known->functions.at[low];
}

/* The call that returns to the address, or NULL. */
static const struct fw_call *find_call(struct fw_operands *operands,
                                       const struct fw_code_file *file, uint64_t returns)
{
    const struct fw_calls *calls = &operands->known.at[file->number].calls;
    const struct fw_elf_symbol *symbol;
    const struct function *function;
    size_t low, high;

    /* A call that never returns may be the last thing in its function. */
    symbol = fw_elf_function_at(file->elf, returns - 1);
    if (!symbol)
        return NULL;
    function = find_function(operands, file, symbol);
    low = function->first;
    high = low + function->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (calls->at[middle].returns < returns)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == function->first + function->count || calls->at[low].returns != returns)
        return NULL;
    return &calls->at[low];
}

/* --- questions --------------------------------------------------------------------------- */

static const struct fw_call *call_at(struct fw_operands *operands, const char *path,
                                     uint64_t returns)
{
    struct fw_code_file *file = fw_code_files_find(&operands->files, path);

    while (file && operands->known.len <= file->number)
        fw_vec_push(&operands->known, ((struct known) { 0 }));
    return file && file->elf ? find_call(operands, file, returns) : NULL;
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
