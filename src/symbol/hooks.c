/* hooks.c - see hooks.h. */
#include "symbol/hooks.h"

#include "symbol/debug_file.h"
#include "symbol/operand_callee.h"

#include <string.h>

/* Longer ones first where one begins like another. */
static const struct {
    const char *name;
    bool write;
} families[] = {
    { "__tsan_unaligned_volatile_write", true },
    { "__tsan_unaligned_volatile_read", false },
    { "__tsan_unaligned_write", true },
    { "__tsan_unaligned_read", false },
    { "__tsan_volatile_write", true },
    { "__tsan_volatile_read", false },
    { "__tsan_write", true },
    { "__tsan_read", false },
};

static bool is_size(const char *text)
{
    static const char *const sizes[] = { "1", "2", "4", "8", "16", "_range" };

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (strcmp(text, sizes[i]) == 0)
            return true;
    return false;
}

bool fw_hook_is_access(const char *name, bool *write)
{
    if (strncmp(name, "__tsan_", 7) != 0)
        return false;
    *write = strcmp(name, "__tsan_vptr_update") == 0;
    if (*write || strcmp(name, "__tsan_vptr_read") == 0)
        return true;
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        size_t len = strlen(families[i].name);

        if (strncmp(name, families[i].name, len) == 0 && is_size(name + len)) {
            *write = families[i].write;
            return true;
        }
    }
    return false;
}

/* What of the function is code is looked at, also if not all of it is. */
static void look_into(csh handle, struct fw_elf *file, const struct fw_elf_symbol *symbol,
                      struct fw_steps *steps, struct fw_hooks *hooks)
{
    uint32_t branches = 0;

    fw_vec_clear(steps);
    fw_code_decode(handle, file, symbol->start, symbol->end, steps);
    for (size_t i = 0; i < steps->len; i++) {
        const struct fw_step *step = &steps->at[i];
        const char *callee;
        bool write;

        branches += step->goes == FW_GOES_EITHER;
        if (step->what != FW_STEP_CALL)
            continue;
        callee = fw_callee_name(handle, file, step);
        if (callee && fw_hook_is_access(callee, &write))
            fw_vec_push(hooks, ((struct fw_hook) { step->end, write, branches }));
    }
}

static int by_address(const void *a, const void *b)
{
    const struct fw_hook *x = a, *y = b;

    return x->returns < y->returns ? -1 : x->returns > y->returns;
}

/* Symbols may overlap: each call once. */
static void settle(struct fw_hooks *hooks)
{
    size_t kept = 0;

    if (hooks->len)
        qsort(hooks->at, hooks->len, sizeof *hooks->at, by_address);
    for (size_t i = 0; i < hooks->len; i++)
        if (!kept || hooks->at[kept - 1].returns != hooks->at[i].returns)
            hooks->at[kept++] = hooks->at[i];
    hooks->len = kept;
}

static int open_files(struct fw_debug_files *files, const char *path, csh *handle,
                      struct fw_error *err)
{
    struct fw_elf *file;

    fw_debug_files_open(files, path, NULL, 0);
    file = files->file;
    if (!file)
        return fw_error_set(err, "cannot look into '%s': %s", path, files->complaint);
    if (file->machine != EM_X86_64)
        return fw_error_set(err, "'%s' has no code for x86-64", path);
    if (cs_open(CS_ARCH_X86, CS_MODE_64, handle) != CS_ERR_OK)
        return fw_error_set(err, "the disassembler cannot be used");
    cs_option(*handle, CS_OPT_DETAIL, CS_OPT_ON);
    return 0;
}

int fw_hooks_find(const char *path, struct fw_hooks *hooks, struct fw_error *err)
{
    struct fw_debug_files files;
    const struct fw_elf_symbols *functions;
    struct fw_steps steps = { 0 };
    csh handle;
    int status = open_files(&files, path, &handle, err);

    if (!status) {
        functions = fw_elf_functions(files.file);
        if (files.debug && files.debug != files.file)
            functions = fw_elf_functions(files.debug);
        for (size_t i = 0; i < functions->len; i++)
            look_into(handle, files.file, &functions->at[i], &steps, hooks);
        settle(hooks);
        fw_vec_release(&steps);
        cs_close(&handle);
    }
    fw_debug_files_close(&files);
    return status;
}
