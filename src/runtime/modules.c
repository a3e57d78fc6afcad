/*
 * modules.c - what is mapped: the program and its libraries, and which of them have hooks.
 *
 * Sent when recording starts, after dlopen and dlclose, and when a module shows that it is
 * instrumented (its constructor calls __tsan_init).
 */
#include "runtime/modules.h"

#include "runtime/futex.h"
#include "runtime/sink.h"
#include "runtime/values.h"

#include <link.h>
#include <string.h>

#pragma GCC diagnostic ignored "-Wmissing-prototypes"

#define MODULES 1024u

struct module {
    uintptr_t base, end; /* base: where the file's address 0 is; end: behind the last segment */
    uintptr_t begin;     /* the first segment */
    bool instrumented, seen, sent;
};

static struct module modules[MODULES]; /* the holder's */
static unsigned module_count;
bool fw_modules_instrumented;

static struct module *find(uintptr_t base, uintptr_t begin)
{
    for (unsigned i = 0; i < module_count; i++)
        if (modules[i].base == base && modules[i].begin == begin)
            return &modules[i];
    if (module_count == MODULES)
        return NULL;
    modules[module_count] = (struct module){ .base = base, .begin = begin };
    return &modules[module_count++];
}

static void extent(const struct dl_phdr_info *info, uintptr_t *begin, uintptr_t *end)
{
    *begin = UINTPTR_MAX;
    *end = 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        uintptr_t at = info->dlpi_addr + segment->p_vaddr;

        if (segment->p_type != PT_LOAD)
            continue;
        if (at < *begin)
            *begin = at;
        if (at + segment->p_memsz > *end)
            *end = at + segment->p_memsz;
    }
}

static void send(struct fw_thread *t, struct module *module, const char *path, bool main)
{
    uint64_t more[2] = { module->end - module->base,
                         (module->instrumented ? FW_WIRE_MODULE_INSTRUMENTED : 0) |
                             (main ? FW_WIRE_MODULE_MAIN : 0) };
    char exe[1024];

    if (!*path && main) {
        long length = fw_call(SYS_readlink, "/proc/self/exe", exe, sizeof exe - 1, 0);

        exe[length > 0 ? length : 0] = '\0';
        path = exe;
    }
    if (!*path)
        path = "[vdso]";
    fw_sink_put_text(t, FW_WIRE_MODULE, module->base, more, path);
    module->sent = true;
}

/* What its variables hold before anybody runs. */
static void take_data(const struct dl_phdr_info *info)
{
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];

        if (segment->p_type == PT_LOAD && segment->p_flags & PF_W)
            fw_values_take(info->dlpi_addr + segment->p_vaddr, segment->p_memsz);
    }
}

struct visit {
    struct fw_thread *t;
    unsigned count;
};

static int visit(struct dl_phdr_info *info, size_t size, void *context)
{
    struct visit *visit = context;
    bool main = visit->count++ == 0;
    uintptr_t begin, end;
    struct module *module;

    (void)size;
    extent(info, &begin, &end);
    if (begin > end)
        return 0;
    module = find(info->dlpi_addr, begin);
    if (!module)
        return 0;
    module->seen = true;
    if (module->end != end)
        module->sent = false;
    module->end = end;
    if (!module->sent && fw_values_on)
        take_data(info);
    if (!module->sent)
        send(visit->t, module, info->dlpi_name ? info->dlpi_name : "", main);
    return 0;
}

void fw_modules_changed(struct fw_thread *t)
{
    struct visit context = { t, 0 };

    for (unsigned i = 0; i < module_count; i++)
        modules[i].seen = false;
    dl_iterate_phdr(visit, &context);
    for (unsigned i = 0; i < module_count;) {
        if (modules[i].seen) {
            i++;
            continue;
        }
        fw_sink_put(t, FW_WIRE_UNLOAD, modules[i].base, 0, 0, 0);
        modules[i] = modules[--module_count];
    }
}

/* After a fork: the new trace knows nothing yet. */
void fw_modules_resend(struct fw_thread *t)
{
    for (unsigned i = 0; i < module_count; i++)
        modules[i].sent = false;
    fw_modules_changed(t);
}

static int needs_us(struct dl_phdr_info *info, size_t size, void *context)
{
    const ElfW(Dyn) *dynamic = NULL, *entry;
    const char *strings = NULL;

    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            dynamic = (const ElfW(Dyn) *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    for (entry = dynamic; entry && entry->d_tag != DT_NULL; entry++)
        if (entry->d_tag == DT_STRTAB)
            strings = (const char *)entry->d_un.d_ptr;
    for (entry = dynamic; strings && entry->d_tag != DT_NULL; entry++)
        if (entry->d_tag == DT_NEEDED && strstr(strings + entry->d_un.d_val, "libforeweave_rt"))
            *(bool *)context = true;
    return 1; /* the first one is the program */
}

bool fw_modules_main_has_hooks(void)
{
    bool has = false;

    dl_iterate_phdr(needs_us, &has);
    return has;
}

/* Every instrumented module's constructor calls this. */
FW_EXPORT void __tsan_init(void)
{
    struct fw_thread *t = fw_enter();
    uintptr_t pc = FW_PC;

    if (!t)
        return;
    fw_modules_changed(t);
    for (unsigned i = 0; i < module_count; i++) {
        if (pc < modules[i].begin || pc >= modules[i].end || modules[i].instrumented)
            continue;
        modules[i].instrumented = fw_modules_instrumented = true;
        modules[i].sent = false;
    }
    fw_modules_changed(t);
    fw_leave(t);
}
