#!/usr/bin/env bash
# Libraries that are loaded while the program runs: found as without us, their code recorded.  And
# code that runs while its thread has one of the loader's locks does not keep the others from going
# on: the runtime itself never waits for these.
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
# A constructor, a destructor and a callback are interrupted at every hook, and the first thread
# meanwhile does something for the first time that needs the loader.
cat >slow.c <<'C'
#include <unistd.h>
extern int ends[2], shared;
static void linger(void)
{
    if (write(ends[1], "", 1) != 1)
        _exit(1);
    for (int i = 0; i < 2000; i++)
        shared++;
}
#if DESTROY
__attribute__((destructor)) static void end(void) { linger(); }
#else
__attribute__((constructor)) static void begin(void) { linger(); }
#endif
C
cat >holder.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
int ends[2], shared;
static int visit(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)info;
    (void)size;
    if (write(ends[1], "", 1) != 1)
        return 1;
    for (int i = 0; i < 2000; i++)
        shared++;
    return context == NULL;
}
static void *use(void *how)
{
    void *plugin = how ? dlopen(how, RTLD_NOW) : NULL;
    if (plugin)
        dlclose(plugin);
    else
        dl_iterate_phdr(visit, NULL);
    return NULL;
}
int main(int count, char **arguments)
{
    pthread_t thread;
    char byte;
    if (pipe(ends))
        return 1;
    pthread_create(&thread, NULL, use, arguments[1]);
    if (read(ends[0], &byte, 1) != 1)
        return 1;
    if (count > 2)
        shared++;
    dlopen(NULL, RTLD_NOW);
    pthread_join(thread, NULL);
    printf("%d\n", shared / 1000);
    return 0;
}
C
"$FOREWEAVE" cc -g -shared -fPIC slow.c -o lib/begin.so &&
    "$FOREWEAVE" cc -g -shared -fPIC -DDESTROY=1 slow.c -o lib/end.so &&
    "$FOREWEAVE" cc -g -rdynamic holder.c -o holder -pthread || complain "cannot build"
for how in lib/begin.so lib/end.so ''; do
    expect 0 record -q --quantum=2 -o t.fwt -- ./holder ${how:+"./$how"}
    out_has 2
    expect 0 check --analysis=hb t.fwt
done
for how in lib/begin.so lib/end.so; do
    expect 0 record -q --quantum=2 -o t.fwt -- ./holder "./$how" race
    expect 66 check --analysis=hb t.fwt
    out_has slow.c:8
done
finish
