#!/usr/bin/env bash
# foreweave record --values: what code without hooks has written is noticed, and nothing else is.
. "$FOREWEAVE_SOURCE/tests/cli/common.bash"

# Data is published by a flag, under a lock; HOW says how it is set.
cat >flag.c <<'END'
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int flag, data;
static int *where = &flag;
#if HOW == 1
static void set(void) { *where = 1; }
#elif HOW == 2
static void set(void) { __asm__ volatile("movl $1, (%0)" : : "r"(where) : "memory"); }
#else
__attribute__((no_sanitize("thread"))) static void set(void) { *where = 1; }
#endif
static void *publish(void *unused)
{
    if (LATE == 0)
        data = 1;
    pthread_mutex_lock(&mutex);
    set();
    pthread_mutex_unlock(&mutex);
    if (LATE)
        data = 1;
    return unused;
}
static void *consume(void *unused)
{
    for (int ready = 0; !ready; sched_yield()) {
        pthread_mutex_lock(&mutex);
        ready = *where;
        pthread_mutex_unlock(&mutex);
    }
    data += 2;
    return unused;
}
int main(void)
{
    pthread_t one, other;
    if (HEAP)
        where = calloc(1, 64);
    pthread_create(&one, NULL, publish, NULL);
    pthread_create(&other, NULL, consume, NULL);
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    puts("done");
    return 0;
}
END

build() { # PROGRAM OPTIONS...
    local program=$1
    shift
    "$FOREWEAVE" cc --compiler="$compiler" -g "$@" -pthread flag.c -o "$program" ||
        complain "'$program' cannot be built"
}

for compiler in gcc clang; do
    command -v "$compiler" >/dev/null || continue
    for heap in 0 1; do
        build seen -O2 -DHOW=1 -DLATE=0 -DHEAP=$heap
        build assembly -O2 -DHOW=2 -DLATE=0 -DHEAP=$heap
        build plain -O0 -DHOW=3 -DLATE=0 -DHEAP=$heap
        build race -O2 -DHOW=1 -DLATE=1 -DHEAP=$heap
        for seed in 1 2; do
            # A write that is seen orders the two, and nobody is warned.
            expect 0 record --values --seed=$seed -o t.fwt -- ./seen
            err_lacks "not seen"
            expect 0 check --analysis=race t.fwt
            # One that is not seems to order nothing, but that is no proof.
            for how in assembly plain; do
                expect 0 record --values --seed=$seed -o t.fwt -- ./$how
                err_has "memory was written by code that is not seen"
                out_is done
                expect 66 check --analysis=race t.fwt
                out_has "Not proven: the witness reads memory that code without hooks has written"
                out_lacks "Certain"
                expect 66 check --analysis=race --format=json t.fwt
                out_has '"unseen_variables":'
                out_lacks '"unseen_variables":0'
                expect 0 trace info t.fwt
                out_has "written unseen"
            done
            # A race stays certain where everything was seen.
            expect 0 record --values --seed=$seed -o t.fwt -- ./race
            err_lacks "not seen"
            expect 66 check --analysis=race t.fwt
            out_has "Certain"
        done
    done
done
finish
