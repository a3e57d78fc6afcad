/*
 * fixed.c - see fixed.h.
 *
 * From the call backwards: the register that the address is in is followed through copies to a
 * number.  Nothing is known beyond a place where control may come from elsewhere, and beyond calls.
 */
#include "sections/fixed.h"

#include "base/alloc.h"
#include "symbol/operand_code.h"

#include <stdlib.h>

struct fw_fixed {
    struct fw_elf *file;
    csh handle;
    const struct fw_elf_symbol *function; /* that the steps are of; NULL: none */
    struct fw_steps steps;
};

struct fw_fixed *fw_fixed_open(const char *path, struct fw_error *err)
{
    struct fw_elf *file = fw_elf_open(path, err);
    struct fw_fixed *fixed;
    csh handle;

    if (!file)
        return NULL;
    if (file->machine != EM_X86_64 || cs_open(CS_ARCH_X86, CS_MODE_64, &handle) != CS_ERR_OK) {
        fw_error_set(err, "cannot read the code of '%s'", path);
        fw_elf_close(file);
        return NULL;
    }
    cs_option(handle, CS_OPT_DETAIL, CS_OPT_ON);
    fixed = fw_xcalloc(1, sizeof *fixed);
    fixed->file = file;
    fixed->handle = handle;
    return fixed;
}

void fw_fixed_close(struct fw_fixed *fixed)
{
    if (!fixed)
        return;
    fw_vec_release(&fixed->steps);
    cs_close(&fixed->handle);
    fw_elf_close(fixed->file);
    free(fixed);
}

static bool read_function(struct fw_fixed *fixed, uint64_t address)
{
    const struct fw_elf_symbol *function = fw_elf_function_at(fixed->file, address);

    if (!function)
        return false;
    if (function == fixed->function)
        return true;
    fixed->steps.len = 0;
    fixed->function = NULL;
    if (!fw_code_decode(fixed->handle, fixed->file, function->start, function->end, &fixed->steps))
        return false;
    fixed->function = function;
    return true;
}

static bool is_jumped_to(const struct fw_fixed *fixed, uint64_t address)
{
    for (size_t i = 0; i < fixed->steps.len; i++) {
        const struct fw_step *step = &fixed->steps.at[i];

        if ((step->goes == FW_GOES_TO || step->goes == FW_GOES_EITHER) && step->target == address)
            return true;
        if (step->goes == FW_GOES_ANYWHERE && !step->slot)
            return true; /* perhaps */
    }
    return false;
}

/* What the register holds before the step at `at`. */
static uint64_t value_before(const struct fw_fixed *fixed, size_t at, uint8_t reg)
{
    int64_t more = 0;

    while (at-- > 0 && !is_jumped_to(fixed, fixed->steps.at[at + 1].address)) {
        const struct fw_step *step = &fixed->steps.at[at];

        if (step->goes != FW_GOES_ON || step->what == FW_STEP_CALL)
            return 0;
        if (step->dst == reg && step->what == FW_STEP_CONST)
            return (uint64_t)(step->number + more);
        if (step->dst == reg && step->what == FW_STEP_COPY) {
            more += step->number;
            reg = step->src;
        } else if (step->dst == reg || step->lost >> reg & 1) {
            return 0;
        }
    }
    return 0;
}

uint64_t fw_fixed_address(struct fw_fixed *fixed, uint64_t returns)
{
    uint64_t address;

    if (!read_function(fixed, returns - 1))
        return 0;
    for (size_t i = 0; i < fixed->steps.len; i++) {
        if (fixed->steps.at[i].end != returns)
            continue;
        address = value_before(fixed, i, FW_RDI);
        return fw_elf_section_at(fixed->file, address) ? address : 0;
    }
    return 0;
}
