/*
 * loading.c - dlopen and dlclose.
 *
 * Constructors and destructors are the program's code: the thread is not inside the runtime while
 * they run.  Afterwards the recorder is told which modules have come or gone.
 *
 * libc looks for a library also where the *calling* module says (DT_RUNPATH), and with us in
 * between the caller is us.  So that part of the search is done here: a name without a slash that
 * is not loaded yet and stands in no folder of LD_LIBRARY_PATH is looked for in the caller's
 * folders, and opened by its path; and $ORIGIN in a path is the caller's folder.
 */
#include "runtime/intercept.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PATH_BYTES 4096u

/* A path under construction; too long: `bad`. */
struct path {
    char text[PATH_BYTES];
    size_t length;
    bool bad;
};

static void add(struct path *path, const char *text, size_t length)
{
    if (path->length + length >= PATH_BYTES) {
        path->bad = true;
        return;
    }
    fw_copy(path->text + path->length, text, length);
    path->length += length;
    path->text[path->length] = 0;
}

static bool exists(const struct path *path)
{
    return !path->bad && fw_syscall(SYS_access, (long)path->text, R_OK, 0, 0, 0, 0) == 0;
}

/* The folder of a module; that of the program where its name is empty. */
static void add_origin(struct path *path, const struct link_map *module)
{
    char program[PATH_BYTES];
    const char *name = module->l_name, *slash;

    if (!*name) {
        long length = fw_syscall(SYS_readlink, (long)"/proc/self/exe", (long)program,
                                 sizeof program - 1, 0, 0, 0);

        program[length > 0 ? length : 0] = 0;
        name = program;
    }
    slash = REAL(strrchr)(name, '/');
    if (slash)
        add(path, name, (size_t)(slash - name));
    else
        path->bad = true;
}

/* A folder, with $ORIGIN replaced. */
static void add_folder(struct path *path, const char *folder, size_t length,
                       const struct link_map *module)
{
    static const char *const names[] = { "$ORIGIN", "${ORIGIN}" };
    size_t i = 0;

    while (i < length) {
        size_t skip = 0;

        for (int n = 0; n < 2 && !skip && module; n++) {
            size_t bytes = fw_text_length(names[n]);

            if (length - i >= bytes && !memcmp(folder + i, names[n], bytes))
                skip = bytes;
        }
        if (skip) {
            add_origin(path, module);
            i += skip;
        } else {
            add(path, folder + i++, 1);
        }
    }
}

/* Looks for the file in a list of folders; the first match is in `path`. */
static bool search(struct path *path, const char *folders, const char *file,
                   const struct link_map *module)
{
    while (folders && *folders) {
        size_t length = REAL(strcspn)(folders, ":;");

        path->length = 0;
        path->bad = false;
        add_folder(path, folders, length, module);
        add(path, "/", 1);
        add(path, file, fw_text_length(file));
        if (length && exists(path))
            return true;
        folders += length + (folders[length] != 0);
    }
    return false;
}

static const char *runpath_of(const struct link_map *module)
{
    const ElfW(Dyn) *entry;
    const char *strings = NULL;
    size_t at = SIZE_MAX;

    for (entry = module->l_ld; entry && entry->d_tag != DT_NULL; entry++) {
        if (entry->d_tag == DT_STRTAB)
            strings = (const char *)entry->d_un.d_ptr;
        else if (entry->d_tag == DT_RUNPATH)
            at = entry->d_un.d_val;
    }
    return strings && at != SIZE_MAX ? strings + at : NULL;
}

/* The path that libc would have found for the caller's sake; else the name itself. */
static const char *as_caller(struct path *path, const char *file, uintptr_t caller)
{
    struct link_map *module = NULL;
    const char *folders;
    Dl_info about;
    void *loaded;

    if (!file || !*file || (REAL(strchr)(file, '/') && !REAL(strchr)(file, '$')) ||
        !dladdr1((void *)caller, &about, (void **)&module, RTLD_DL_LINKMAP) || !module)
        return file;
    if (REAL(strchr)(file, '/')) {
        path->length = 0;
        path->bad = false;
        add_folder(path, file, fw_text_length(file), module);
        return path->bad ? file : path->text;
    }
    folders = runpath_of(module);
    if (!folders)
        return file;
    loaded = REAL(dlopen)(file, RTLD_LAZY | RTLD_NOLOAD);
    if (loaded) {
        REAL(dlclose)(loaded);
        return file;
    }
    dlerror(); /* nobody asked */
    if (search(path, getenv("LD_LIBRARY_PATH"), file, NULL))
        return file;
    return search(path, folders, file, module) ? path->text : file;
}

FW_EXPORT void *dlopen(const char *file, int mode)
{
    struct path path;
    void *handle = REAL(dlopen)(as_caller(&path, file, FW_PC), mode);

    fw_modules_changed();
    return handle;
}

FW_EXPORT void *dlmopen(Lmid_t space, const char *file, int mode)
{
    struct path path;
    void *handle = REAL(dlmopen)(space, as_caller(&path, file, FW_PC), mode);

    fw_modules_changed();
    return handle;
}

FW_EXPORT int dlclose(void *handle)
{
    int result = REAL(dlclose)(handle);

    fw_modules_changed();
    return result;
}
