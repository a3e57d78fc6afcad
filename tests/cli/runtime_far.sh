#!/usr/bin/env bash
# A thread that waits or computes in code without hooks keeps nobody from running; since it may have
# waited for another thread there, nothing is called certain afterwards.
. "$FOREWEAVE_SOURCE/tests/cli/common.bash"

cat >far.c <<'C'
void far_await(volatile int *flag)
{
    while (!*flag)
        ;
}
/* Ends after many rounds, whatever the others do. */
unsigned far_compute(unsigned seed)
{
    for (unsigned long i = 0; i < 800000000; i++)
        seed = seed * 1664525 + 1013904223;
    return seed;
}
C
cat >near.c <<'C'
#include <pthread.h>
#include <stdio.h>
#include <string.h>
void far_await(volatile int *flag);
unsigned far_compute(unsigned seed);
volatile int flag;
int shared;
unsigned result;
static void *work(void *racy)
{
    if (racy)
        shared++;
    __atomic_store_n(&flag, 1, __ATOMIC_SEQ_CST);
    return NULL;
}
int main(int count, char **arguments)
{
    pthread_t thread;
    if (count < 2)
        return 1;
    pthread_create(&thread, NULL, work, count > 2 ? &shared : NULL);
    if (strcmp(arguments[1], "await") == 0)
        far_await(&flag);
    else
        result = far_compute(1);
    shared++;
    pthread_join(thread, NULL);
    printf("%d %d\n", shared, flag);
    return 0;
}
C
gcc -O1 -c far.c && gcc -O1 -shared -fPIC far.c -o libfar.so &&
    "$FOREWEAVE" cc -g near.c far.o -o inside -pthread &&
    "$FOREWEAVE" cc -g near.c -L. -lfar '-Wl,-rpath,$ORIGIN' -o library -pthread ||
    complain "cannot build"

what="code without hooks that runs for long while other threads wait"
for program in inside library; do
    expect 0 record -o t.fwt -- "./$program" await
    out_has "1 1"
    err_has "$what"
    expect 0 check --analysis=race,hb t.fwt
    expect 0 record -q -o t.fwt -- "./$program" await race
    out_has "2 1"
    expect 66 check --analysis=race t.fwt
    out_has near.c:12
    out_has "Not proven: the run used synchronisation that is not modelled: $what"
    out_lacks Certain
done
# No harm is done to one that only computes.
expect 0 record -q -o t.fwt -- ./inside compute
out_has "1 1"
expect 0 check --analysis=race,hb t.fwt
# Where nobody waits nothing is taken away, and nothing doubted.
sed 's/pthread_create/far_compute(2); &/; s/result = far_compute(1)/result = 1/' near.c >before.c
"$FOREWEAVE" cc -g before.c far.o -o before -pthread || complain "cannot build"
expect 0 record -o t.fwt -- ./before compute race
err_lacks "$what"
expect 66 check --analysis=race t.fwt
out_has "Certain: "
finish
