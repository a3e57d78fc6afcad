/*
 * dlopen_ok: two threads call into a library that was loaded at run time and takes a lock.
 *
 * library: lib_counter.c
 * flags: -ldl
 * expect: nothing
 */
#include "program.h"
#include <dlfcn.h>

typedef int counter(void);

counter *count;

static void *use(void *unused)
{
    count();
    return unused;
}

int main(void)
{
    void *library = dlopen("$ORIGIN/lib_counter.so", RTLD_NOW);
    counter *get;

    if (!library)
        return 1;
    count = (counter *)dlsym(library, "count_locked");
    get = (counter *)dlsym(library, "get");
    run2(use, use);
    printf("%d\n", get() > 0);
    dlclose(library);
    return 0;
}
