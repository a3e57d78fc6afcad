#!/usr/bin/env bash
# Libraries that are loaded while the program runs: found as without us, their code recorded.
. "$FOREWEAVE_SOURCE/tests/cli/common.bash"

mkdir -p lib other
cat >plugin.c <<'C'
#include <stdio.h>
extern int shared;
__attribute__((constructor)) static void begin(void) { puts("constructor"); }
__attribute__((destructor)) static void end(void) { puts("destructor"); }
void *work(void *context)
{
    shared++;
    return context;
}
C
cat >host.c <<'C'
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
int shared;
int main(int count, char **arguments)
{
    void *(*work)(void *), *plugin = dlopen("plugin.so", RTLD_NOW);
    pthread_t threads[2];
    (void)count;
    (void)arguments;
    puts(dlopen("no-such-library.so", RTLD_NOW) ? "?" : strstr(dlerror(), "no-such") ? "none" : "?");
    if (!plugin)
        return puts(dlerror()), 1;
    puts(dlopen("plugin.so", RTLD_NOW | RTLD_NOLOAD) == plugin ? "same" : "another");
    dlclose(plugin);
    work = (void *(*)(void *))dlsym(plugin, "work");
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%d\n", dlclose(plugin));
    puts(dlopen("plugin.so", RTLD_NOW | RTLD_NOLOAD) ? "still there" : "gone");
    printf("%d\n", shared);
    return 0;
}
C
printf 'int shared;\nvoid *work(void *c) { shared = 100; return c; }\n' >decoy.c
gcc -shared -fPIC plugin.c -o lib/plain.so && gcc -shared -fPIC decoy.c -o other/plugin.so &&
    gcc -rdynamic host.c -o native -pthread '-Wl,-rpath,$ORIGIN/lib,--enable-new-dtags' &&
    "$FOREWEAVE" cc -g -shared -fPIC plugin.c -o lib/hooked.so &&
    "$FOREWEAVE" cc -g -rdynamic host.c -o host -pthread '-Wl,-rpath,$ORIGIN/lib,--enable-new-dtags' ||
    complain "cannot build"

cp lib/plain.so lib/plugin.so
./native >wanted || complain "the program itself does not work"
cp lib/hooked.so lib/plugin.so
./host >got || complain "fails without recording"
same got wanted
expect 0 record -q -o t.fwt -- ./host
same "$out" wanted
# Both threads ran the library's code, unordered: its lines are known although it is gone.
expect 66 check --analysis=hb t.fwt
out_has plugin.c:7
# LD_LIBRARY_PATH goes before the caller's own folders.
LD_LIBRARY_PATH=$PWD/other ./native >wanted
LD_LIBRARY_PATH=$PWD/other ./host >got
same got wanted
finish
