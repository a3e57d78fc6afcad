/* modules.c - see modules.h. */
#include "record/modules.h"

void fw_modules_release(struct fw_modules *modules)
{
    for (size_t i = 0; i < modules->all.len; i++)
        free(modules->all.at[i].path);
    fw_vec_release(&modules->all);
}

/* Names are one line, and a text trace has no room for its own separators. */
static char *clean_path(const char *text, size_t len)
{
    char *path = fw_xstrndup(text, len);

    for (char *p = path; *p; p++)
        if ((unsigned char)*p < 0x20 || *p == '|')
            *p = '?';
    return path;
}

bool fw_modules_load(struct fw_modules *modules, const struct fw_wire_unit *record)
{
    size_t len;
    const char *text = fw_unit_text(record, &len);
    struct fw_module fresh = { .path = clean_path(text, len),
                               .base = fw_wire_operand(record),
                               .bytes = record[1].a,
                               .flags = (unsigned)record[1].b,
                               .loaded = true };

    for (size_t i = 0; i < modules->all.len; i++) {
        struct fw_module *old = &modules->all.at[i];

        if (!old->loaded || old->base != fresh.base || strcmp(old->path, fresh.path) != 0)
            continue;
        free(old->path);
        *old = fresh;
        return false;
    }
    fw_vec_push(&modules->all, fresh);
    return true;
}

void fw_modules_unload(struct fw_modules *modules, const struct fw_wire_unit *record)
{
    for (size_t i = 0; i < modules->all.len; i++)
        if (modules->all.at[i].base == fw_wire_operand(record))
            modules->all.at[i].loaded = false;
}

/* The one that begins last before the address: the extent of a program may have holes. */
const struct fw_module *fw_modules_find(const struct fw_modules *modules, uint64_t address)
{
    const struct fw_module *best = NULL;

    for (size_t i = 0; i < modules->all.len; i++) {
        const struct fw_module *module = &modules->all.at[i];

        if (module->loaded && address >= module->base && address - module->base < module->bytes &&
            (!best || module->base >= best->base))
            best = module;
    }
    return best;
}

static bool is_named(const char *path, const char *beginning)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

    return strncmp(name, beginning, strlen(beginning)) == 0;
}

bool fw_module_is_system(const char *path)
{
    static const char *const names[] = {
        "libc.so", "libc-",      "ld-linux",  "libm.so",       "libm-",         "libpthread",
        "libdl",   "librt",      "libstdc++", "libgcc_s",      "libc++",        "libresolv",
        "libutil", "libatomic",  "libanl",    "linux-vdso",    "[vdso]",        "libnss_",
        "libforeweave_rt",
    };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (is_named(path, names[i]))
            return true;
    return false;
}

/* Those that lock and wait by atomics and futexes of their own, for the program. */
const char *fw_module_synchronises(const char *path)
{
    static const struct {
        const char *name, *what;
    } libraries[] = {
        { "libgomp.so", "OpenMP" },   { "libomp.so", "OpenMP" }, { "libomp5.so", "OpenMP" },
        { "libiomp5.so", "OpenMP" },  { "libtbb", "oneTBB" },    { "libglib-2.0.so", "GLib" },
        { "libQt5Core.so", "Qt" },    { "libQt6Core.so", "Qt" },
    };

    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
        if (is_named(path, libraries[i].name))
            return libraries[i].what;
    return NULL;
}
