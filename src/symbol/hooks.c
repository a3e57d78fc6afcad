/* hooks.c - see hooks.h. */
#include "symbol/hooks.h"

#include "symbol/debug_file.h"
#include "symbol/operand_callee.h"
#include "symbol/operand_flow.h"

#include <stdlib.h>
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

/* Of an access's; 0: its name does not say. */
static uint32_t size_in(const char *name)
{
    const char *digits = name + strcspn(name, "0123456789");

    return (uint32_t)strtoul(digits, NULL, 10);
}

/* Of any kind: compilers put calls of these into the code. */
static bool is_hook(const char *name)
{
    return strncmp(name, "__tsan_", 7) == 0 || strncmp(name, "__sanitizer_", 12) == 0;
}

/* Hooks that tell of functions and blocks. */
static bool is_empty(const char *name)
{
    static const char *const names[] = { "__tsan_func_entry", "__tsan_func_exit",
                                         "__sanitizer_cov_trace_pc",
                                         "__sanitizer_cov_trace_pc_guard" };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

/* A call or jump as it stands in the code. */
struct passed {
    uint64_t start, returns;
    uint32_t branches; /* before it in its function */
    bool hook;
    bool empty; /* a hook that only tells, and not of an access */
    bool jumps;
};

struct look {
    csh handle;
    struct fw_elf *file;
    struct fw_outliers outliers;
    struct fw_steps steps;
    struct fw_calls calls;
    FW_VEC(struct passed) passed;
    struct fw_call_returns empty; /* calls that tell of no access, by what registers hold */
    struct fw_elf_symbols objects; /* of the file, by name */
    struct fw_hooks *hooks;
};

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct fw_elf_symbol *)a)->name, ((const struct fw_elf_symbol *)b)->name);
}

static void sort_objects(struct look *look)
{
    fw_elf_functions(look->file); /* which reads the table */
    for (size_t i = 0; i < look->file->objects.len; i++)
        fw_vec_push(&look->objects, look->file->objects.at[i]);
    if (look->objects.len)
        qsort(look->objects.at, look->objects.len, sizeof *look->objects.at, by_name);
}

/* What a hook always gets, if that is a variable of the file; 0: it is not known. */
static uint64_t address_of(const struct look *look, const struct fw_call *call)
{
    struct fw_elf_symbol wanted = { 0 };
    const struct fw_elf_symbol *found = NULL;

    if (!call->constant)
        return 0;
    if (!call->slot)
        return call->first;
    wanted.name = fw_elf_slot_name(look->file, call->slot);
    if (wanted.name && look->objects.len)
        found = bsearch(&wanted, look->objects.at, look->objects.len, sizeof wanted, by_name);
    return found ? found->start + call->first : 0;
}

static void take_calls(struct look *look)
{
    for (size_t i = 0; i < look->calls.len; i++) {
        const struct fw_call *call = &look->calls.at[i];
        bool write;

        if (call->callee && fw_hook_is_access(call->callee, &write))
            fw_vec_push(look->hooks, ((struct fw_hook) { .returns = call->returns,
                                                         .write = write,
                                                         .address = address_of(look, call),
                                                         .size = size_in(call->callee) }));
        else if (call->callee && is_empty(call->callee))
            fw_vec_push(&look->empty, call->returns);
    }
}

/* The calls by what registers hold: hooks are called through them where that is shorter. */
static void look_into(struct look *look, const struct fw_elf_symbol *symbol)
{
    struct fw_ranges ranges = { 0 };

    fw_vec_clear(&look->calls);
    fw_vec_push(&ranges, ((struct fw_ranges_item) { symbol->start, symbol->end }));
    for (size_t i = 0; i < look->outliers.len; i++)
        if (look->outliers.at[i].function == symbol->start &&
            look->outliers.at[i].part.start != fw_vec_last(&ranges).start)
            fw_vec_push(&ranges, look->outliers.at[i].part);
    if (!fw_is_outlying(symbol->name) &&
        fw_flow_all_calls(look->handle, look->file, &ranges, &look->calls))
        take_calls(look);
    fw_vec_release(&ranges);
}

/* The last thing that a function does may be a jump to its exit's hook. */
static void pass_jump(struct look *look, const struct fw_step *step)
{
    const char *callee = fw_elf_slot_name(look->file, step->slot);

    if (callee && is_empty(callee))
        fw_vec_push(&look->passed, ((struct passed) { .start = step->address,
                                                      .returns = step->end,
                                                      .hook = true,
                                                      .empty = true,
                                                      .jumps = true }));
}

/* The code as it stands: conditional jumps are counted, and calls seen that the flow does not
 * reach or cannot follow.  What of the function is code is looked at, also if not all of it is. */
static void read_through(struct look *look, const struct fw_elf_symbol *symbol)
{
    uint32_t branches = 0;

    fw_vec_clear(&look->steps);
    fw_code_decode(look->handle, look->file, symbol->start, symbol->end, &look->steps);
    for (size_t i = 0; i < look->steps.len; i++) {
        const struct fw_step *step = &look->steps.at[i];
        const char *callee;
        bool write;

        branches += step->goes == FW_GOES_EITHER;
        if (step->goes == FW_GOES_ANYWHERE && step->slot)
            pass_jump(look, step);
        if (step->what != FW_STEP_CALL)
            continue;
        callee = fw_callee_name(look->handle, look->file, step);
        if (callee && fw_hook_is_access(callee, &write))
            fw_vec_push(look->hooks, ((struct fw_hook) { .returns = step->end, .write = write }));
        fw_vec_push(&look->passed,
                    ((struct passed) { step->address, step->end, branches,
                                       callee && is_hook(callee), callee && is_empty(callee),
                                       false }));
    }
}

/* Of one call that with a known address comes first. */
static int by_address(const void *a, const void *b)
{
    const struct fw_hook *x = a, *y = b;

    if (x->returns != y->returns)
        return x->returns < y->returns ? -1 : 1;
    return x->address > y->address ? -1 : x->address < y->address;
}

static int by_return(const void *a, const void *b)
{
    const struct passed *x = a, *y = b;

    return x->returns < y->returns ? -1 : x->returns > y->returns;
}

/* Each call once: symbols may overlap, and most calls are met in both ways. */
static void settle(struct look *look)
{
    struct fw_hooks *hooks = look->hooks;
    size_t kept = 0;

    if (hooks->len)
        qsort(hooks->at, hooks->len, sizeof *hooks->at, by_address);
    if (look->passed.len)
        qsort(look->passed.at, look->passed.len, sizeof *look->passed.at, by_return);
    for (size_t i = 0, j = 0; i < hooks->len; i++) {
        if (kept && hooks->at[kept - 1].returns == hooks->at[i].returns)
            continue;
        while (j < look->passed.len && look->passed.at[j].returns < hooks->at[i].returns)
            j++;
        hooks->at[kept] = hooks->at[i];
        if (j < look->passed.len && look->passed.at[j].returns == hooks->at[i].returns)
            hooks->at[kept].branches = look->passed.at[j].branches;
        kept++;
    }
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

/* What was passed that is no hook, neither by its name nor by what registers held. */
static void take_others(const struct look *look, struct fw_call_returns *calls)
{
    for (size_t i = 0, j = 0; i < look->passed.len; i++) {
        const struct passed *passed = &look->passed.at[i];

        while (j < look->hooks->len && look->hooks->at[j].returns < passed->returns)
            j++;
        if (passed->hook ||
            (j < look->hooks->len && look->hooks->at[j].returns == passed->returns))
            continue;
        if (!calls->len || fw_vec_last(calls) != passed->returns)
            fw_vec_push(calls, passed->returns);
    }
}

static int by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

/* What was passed that is a hook without effect, by its name or by what registers held. */
static void take_hook_calls(struct look *look, struct fw_hook_calls *calls)
{
    if (look->empty.len)
        qsort(look->empty.at, look->empty.len, sizeof *look->empty.at, by_number);
    for (size_t i = 0, j = 0; i < look->passed.len; i++) {
        const struct passed *passed = &look->passed.at[i];
        bool access;

        while (j < look->hooks->len && look->hooks->at[j].returns < passed->returns)
            j++;
        access = j < look->hooks->len && look->hooks->at[j].returns == passed->returns;
        if (!access && !passed->empty &&
            (!look->empty.len || !bsearch(&passed->returns, look->empty.at, look->empty.len,
                                          sizeof *look->empty.at, by_number)))
            continue;
        if (calls->len && fw_vec_last(calls).returns == passed->returns)
            continue;
        fw_vec_push(calls, ((struct fw_hook_call) { .start = passed->start,
                                                    .returns = passed->returns,
                                                    .access = access,
                                                    .write = access && look->hooks->at[j].write,
                                                    .jumps = passed->jumps }));
    }
}

static int find(const char *path, struct fw_hooks *hooks, struct fw_call_returns *others,
                struct fw_hook_calls *calls, struct fw_error *err)
{
    struct look look = { .hooks = hooks };
    const struct fw_elf_symbols *functions;
    struct fw_debug_files files;
    int status = open_files(&files, path, &look.handle, err);

    if (!status) {
        look.file = files.file;
        functions = fw_elf_functions(files.debug ? files.debug : files.file);
        sort_objects(&look);
        fw_flow_outliers(look.handle, look.file, functions, &look.outliers);
        for (size_t i = 0; i < functions->len; i++) {
            look_into(&look, &functions->at[i]);
            read_through(&look, &functions->at[i]);
        }
        settle(&look);
        if (others)
            take_others(&look, others);
        if (calls)
            take_hook_calls(&look, calls);
        fw_vec_release(&look.outliers);
        fw_vec_release(&look.steps);
        fw_vec_release(&look.calls);
        fw_vec_release(&look.passed);
        fw_vec_release(&look.empty);
        fw_vec_release(&look.objects);
        cs_close(&look.handle);
    }
    fw_debug_files_close(&files);
    return status;
}

int fw_hooks_find(const char *path, struct fw_hooks *hooks, struct fw_error *err)
{
    return find(path, hooks, NULL, NULL, err);
}

int fw_hooks_calls(const char *path, struct fw_hook_calls *calls, struct fw_error *err)
{
    struct fw_hooks hooks = { 0 };
    int status = find(path, &hooks, NULL, calls, err);

    fw_vec_release(&hooks);
    return status;
}

int fw_hooks_other_calls(const char *path, struct fw_call_returns *calls, struct fw_error *err)
{
    struct fw_hooks hooks = { 0 };
    int status = find(path, &hooks, calls, NULL, err);

    fw_vec_release(&hooks);
    return status;
}
