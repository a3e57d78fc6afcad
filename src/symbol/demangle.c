/* demangle.c - see demangle.h. */
#include "symbol/demangle.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#define MAX_NAME 4096u /* longer ones cost more than they tell */

typedef char *demangler(const char *name, char *buffer, size_t *length, int *status);

static demangler *find_demangler(void)
{
    static const char *const libraries[] = { "libstdc++.so.6", "libc++abi.so.1" };
    demangler *found = NULL;

    for (size_t i = 0; i < sizeof libraries / sizeof *libraries && !found; i++) {
        void *library = dlopen(libraries[i], RTLD_LAZY | RTLD_LOCAL);
        void *symbol = library ? dlsym(library, "__cxa_demangle") : NULL;

        memcpy(&found, &symbol, sizeof found);
    }
    return found;
}

char *fw_demangle(const char *name)
{
    static demangler *demangle;
    static int looked;
    int status = 0;

    if (strncmp(name, "_Z", 2) != 0 || strlen(name) > MAX_NAME)
        return NULL;
    if (!looked)
        demangle = find_demangler();
    looked = 1;
    return demangle ? demangle(name, NULL, NULL, &status) : NULL;
}
