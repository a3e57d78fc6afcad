/*
 * modules.c - what is mapped: the program and its libraries, and which of them have hooks.
 *
 * Sent when recording starts, after dlopen and dlclose, and when a module shows that it is
 * instrumented (its constructor calls __tsan_init).
 *
 * The loader's list is under a lock of the loader's, and who has that may wait for the token (a
 * callback of dl_iterate_phdr with hooks).  So it is read as the program's own code, into a table;
 * then, inside, the table takes the place of the former one, unless that is newer already.
 */
#include "runtime/modules.h"

#include "runtime/futex.h"
#include "runtime/sink.h"
#include "runtime/values.h"

#include <link.h>
#include <string.h>

#pragma GCC diagnostic ignored "-Wmissing-prototypes"

#define MODULES 1024u
#define TEXT    (1u << 20)
#define DATA    4u /* writable segments of a module that are looked at */

struct module {
    uintptr_t base, end; /* base: where the file's address 0 is; end: behind the last segment */
    uintptr_t begin;     /* the first segment */
    const char *path;    /* in the table's text */
    struct {
        uintptr_t begin, bytes;
    } data[DATA];
    bool instrumented, sent, followed;
};

/* Memory of its own; pages that are not needed are never touched. */
struct table {
    uint64_t changes; /* of the loader's list, when it was read */
    unsigned count;
    uint32_t used; /* of text */
    struct module modules[MODULES];
    char text[TEXT];
};

static struct table *table; /* the holder's */
bool fw_modules_instrumented;
void (*fw_modules_follow)(const char *path, uintptr_t base);
bool fw_modules_always;

/* --- reading the loader's list ------------------------------------------------------------- */

static void take_segments(struct module *module, const struct dl_phdr_info *info)
{
    unsigned data = 0;

    module->begin = UINTPTR_MAX;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        uintptr_t at = info->dlpi_addr + segment->p_vaddr;

        if (segment->p_type != PT_LOAD)
            continue;
        if (at < module->begin)
            module->begin = at;
        if (at + segment->p_memsz > module->end)
            module->end = at + segment->p_memsz;
        if (segment->p_flags & PF_W && data < DATA) {
            module->data[data].begin = at;
            module->data[data++].bytes = segment->p_memsz;
        }
    }
}

static const char *take_text(struct table *new, const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = new->text + new->used;

    if (bytes > TEXT - new->used)
        return "";
    memcpy(copy, text, bytes);
    new->used += (uint32_t)bytes;
    return copy;
}

static int visit(struct dl_phdr_info *info, size_t size, void *context)
{
    struct table *new = context;
    struct module *module = &new->modules[new->count];
    const char *path = info->dlpi_name ? info->dlpi_name : "";
    char exe[1024];

    (void)size;
    new->changes = info->dlpi_adds + info->dlpi_subs;
    *module = (struct module){ .base = info->dlpi_addr };
    take_segments(module, info);
    if (module->begin > module->end)
        return 0;
    if (!*path && new->count == 0) {
        long length = fw_call(SYS_readlink, "/proc/self/exe", exe, sizeof exe - 1, 0);

        exe[length > 0 ? length : 0] = '\0';
        path = exe;
    }
    module->path = take_text(new, *path ? path : "[vdso]");
    return ++new->count == MODULES;
}

static void drop(struct table *old)
{
    if (old)
        fw_call(SYS_munmap, old, sizeof *old, 0, 0);
}

/* Not inside the runtime, unless nobody else is there.  NULL: no memory. */
static struct table *read_list(void)
{
    struct table *new = fw_map_memory(sizeof *new);

    if (new)
        dl_iterate_phdr(visit, new);
    return new;
}

/* --- telling ------------------------------------------------------------------------------- */

static struct module *find(struct table *in, const struct module *module)
{
    for (unsigned i = 0; in && i < in->count; i++)
        if (in->modules[i].base == module->base && in->modules[i].begin == module->begin &&
            in->modules[i].end == module->end && !strcmp(in->modules[i].path, module->path))
            return &in->modules[i];
    return NULL;
}

/* What its variables hold before anybody runs. */
static void take_data(const struct module *module)
{
    for (unsigned i = 0; i < DATA && module->data[i].bytes; i++)
        fw_values_take(module->data[i].begin, module->data[i].bytes);
}

static void send(struct fw_thread *t, struct module *module)
{
    uint64_t more[2] = { module->end - module->base,
                         (module->instrumented ? FW_WIRE_MODULE_INSTRUMENTED : 0) |
                             (module == table->modules ? FW_WIRE_MODULE_MAIN : 0) };

    if (fw_values_on)
        take_data(module);
    if (fw_modules_follow && !module->followed)
        fw_modules_follow(module->path, module->base);
    module->followed = true;
    fw_sink_put_text(t, FW_WIRE_MODULE, module->base, more, module->path);
    module->sent = true;
}

static void send_all(struct fw_thread *t)
{
    for (unsigned i = 0; table && i < table->count; i++)
        if (!table->modules[i].sent)
            send(t, &table->modules[i]);
}

/* The new table is the table, and what has changed is told. */
static void replace(struct fw_thread *t, struct table *new)
{
    struct table *old = table;

    if (!new || (old && new->changes < old->changes)) {
        drop(new);
        return;
    }
    for (unsigned i = 0; old && i < old->count; i++)
        if (!find(new, &old->modules[i]))
            fw_sink_put(t, FW_WIRE_UNLOAD, old->modules[i].base, 0, 0, 0);
    table = new;
    for (unsigned i = 0; i < new->count; i++) {
        const struct module *known = find(old, &new->modules[i]);

        if (!known)
            continue;
        new->modules[i].instrumented = known->instrumented;
        new->modules[i].sent = known->sent;
        new->modules[i].followed = known->followed;
    }
    drop(old);
    send_all(t);
}

void fw_modules_changed(void)
{
    struct table *new = fw_serial || fw_sink.on || fw_modules_always ? read_list() : NULL;
    struct fw_thread *t = fw_say();

    if (!t) {
        drop(new);
        return;
    }
    replace(t, new);
    fw_said(t);
}

void fw_modules_begin(struct fw_thread *t)
{
    for (unsigned i = 0; table && i < table->count; i++)
        table->modules[i].sent = false;
    if (table)
        send_all(t);
    else
        replace(t, read_list());
}

static struct module *module_of(uintptr_t pc)
{
    for (unsigned i = 0; table && i < table->count; i++)
        if (pc >= table->modules[i].begin && pc < table->modules[i].end)
            return &table->modules[i];
    return NULL;
}

const char *fw_modules_locate(uintptr_t pc, uintptr_t *offset)
{
    const struct module *module = module_of(pc);

    *offset = module ? pc - module->base : 0;
    return module ? module->path : "";
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
    struct module *module;
    struct fw_thread *t;

    fw_modules_changed();
    t = fw_say();
    if (!t)
        return;
    module = module_of(FW_PC);
    if (module && !module->instrumented) {
        module->instrumented = fw_modules_instrumented = true;
        send(t, module);
    }
    fw_said(t);
}
