/*
 * real.c - finds all real functions at once, as early as possible.
 */
#include "runtime/library.h"
#include "runtime/sync.h"

#include <dlfcn.h>
#include <string.h>

extern struct fw_real_entry __start_fw_reals[] __attribute__((visibility("hidden")));
extern struct fw_real_entry __stop_fw_reals[] __attribute__((visibility("hidden")));

extern struct fw_library_entry __start_fw_libraries[] __attribute__((visibility("hidden")));
extern struct fw_library_entry __stop_fw_libraries[] __attribute__((visibility("hidden")));

/* A library that lacks one symbol is not there.  False: something is missing. */
static bool find_libraries(void)
{
    struct fw_library_entry *entry;
    const char *missing = NULL;

    for (entry = __start_fw_libraries; entry < __stop_fw_libraries; entry++) {
        if (missing && REAL(strcmp)(missing, entry->library) == 0)
            continue;
        *entry->pointer = fw_real_symbol(entry->symbol);
        if (!*entry->pointer)
            missing = entry->library;
    }
    return !missing;
}

__attribute__((constructor(101))) static void find_all(void)
{
    struct fw_real_entry *entry;
    bool missed = false;

    for (entry = __start_fw_reals; entry < __stop_fw_reals; entry++) {
        void *real = fw_real_symbol(entry->name);

        if (real)
            *entry->pointer = real;
        else
            missed = true;
    }
    if (!find_libraries())
        missed = true;
    if (missed)
        dlerror(); /* or the program would be told of it */
}

void *fw_library_symbol(const char *library, const char *name)
{
    void *symbol = fw_real_symbol(name);

    if (!symbol) {
        void *handle = REAL(dlopen)(library, RTLD_LAZY | RTLD_NOLOAD);

        symbol = handle ? dlsym(handle, name) : NULL;
    }
    return symbol;
}

void fw_away_cancelled(void *thread)
{
    struct fw_thread *t = thread;

    fw_outside_end(t);
    fw_heap_catch_up(t);
    fw_cancel_reached(t);
    fw_leave(t);
}
