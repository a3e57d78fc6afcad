/*
 * init.c - how the runtime comes to life in a program.
 */
#include "runtime/rt.h"

#include <dlfcn.h>

void *fw_real_symbol(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}
