#!/usr/bin/env bash
# Threads that spin while another one sleeps: time passes for the sleeper, whatever the spinning looks
# like, and what goes wrong then is found and replayed.  Who spins for nothing still hangs.
. "$FOREWEAVE_SOURCE/tests/cli/common.bash"

cat >spin.c <<'END_OF_C'
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <time.h>
#include <unistd.h>
static atomic_int ready, data, spinners = 1;
static volatile int plainly;
static int guarded, pipes[2];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static sem_t semaphore;
static const char *how, *rests;
static int is_how(const char *name) { return strcmp(how, name) == 0; }

static int look(void)
{
    int seen = 0;
    char byte;
    if (is_how("pipe"))
        return read(pipes[0], &byte, 1) == 1;
    if (is_how("gate"))
        return pthread_mutex_trylock(&gate) == 0 && (pthread_mutex_unlock(&gate), 1);
    if (is_how("semaphore"))
        return sem_trywait(&semaphore) == 0 && (sem_post(&semaphore), 1);
    pthread_mutex_lock(&lock);
    seen = guarded;
    pthread_mutex_unlock(&lock);
    return seen;
}
static void *spin(void *argument)
{
    if (is_how("atomic"))
        while (!atomic_load(&ready))
            ;
    else if (is_how("pause"))
        while (!atomic_load_explicit(&ready, memory_order_acquire))
            __builtin_ia32_pause();
    else if (is_how("exchange"))
        for (int one = 1; !atomic_compare_exchange_strong(&ready, &one, 1); one = 1)
            ;
    else if (is_how("yield"))
        while (!atomic_load(&ready))
            sched_yield();
    else if (is_how("plain"))
        while (!plainly)
            ;
    else
        while (!look())
            ;
    if (!atomic_load(&data))
        _exit(1);
    return argument;
}
static void rest(void)
{
    struct timespec time = { 0, 2000000 };
    struct timeval while_ = { 0, 2000 };
    if (strcmp(rests, "usleep") == 0)
        usleep(2000);
    else if (strcmp(rests, "nanosleep") == 0)
        nanosleep(&time, NULL);
    else if (strcmp(rests, "select") == 0)
        select(0, NULL, NULL, NULL, &while_);
    else {
        pthread_mutex_t mine = PTHREAD_MUTEX_INITIALIZER;
        clock_gettime(CLOCK_REALTIME, &time);
        time.tv_sec += (time.tv_nsec + 2000000) / 1000000000;
        time.tv_nsec = (time.tv_nsec + 2000000) % 1000000000;
        pthread_mutex_lock(&mine);
        while (pthread_cond_timedwait(&never, &mine, &time) == 0)
            ;
        pthread_mutex_unlock(&mine);
    }
}
static void let_go(void)
{
    pthread_mutex_lock(&lock);
    guarded = 1;
    pthread_mutex_unlock(&lock);
    plainly = 1;
    atomic_store(&ready, 1);
    for (int i = 0; i < spinners; i++)
        if (write(pipes[1], "x", 1) != 1)
            abort();
    pthread_mutex_unlock(&gate);
    sem_post(&semaphore);
}
int main(int count, char **arguments)
{
    pthread_t threads[4];
    how = arguments[1];
    rests = arguments[2];
    spinners = count > 3 ? atoi(arguments[3]) : 1;
    if (pipe2(pipes, O_NONBLOCK) != 0)
        abort();
    sem_init(&semaphore, 0, 0);
    pthread_mutex_lock(&gate);
    for (int i = 0; i < spinners; i++)
        pthread_create(&threads[i], NULL, spin, NULL);
    rest();
    if (RIGHT)
        atomic_store(&data, 1);
    if (LETS_GO)
        let_go();
    atomic_store(&data, 1);
    for (int i = 0; i < spinners; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
END_OF_C
for level in O0 O2; do
    "$FOREWEAVE" cc -g -$level -DRIGHT=1 -DLETS_GO=1 -o right-$level spin.c || complain "right does not compile"
    "$FOREWEAVE" cc -g -$level -DRIGHT=0 -DLETS_GO=1 -o wrong-$level spin.c || complain "wrong does not compile"
done
"$FOREWEAVE" cc -g -DRIGHT=1 -DLETS_GO=0 -o never spin.c || complain "never does not compile"

for how in atomic pause exchange yield plain pipe gate semaphore lock; do
    for strategy in none random pct chess; do
        expect 0 explore -q -s $strategy -n 4 -- ./right-O0 $how usleep
    done
    expect 0 explore -q -s pctlarge -n 4 -- ./right-O2 $how nanosleep
    expect 0 explore -q -s pos -n 4 -- ./right-O2 $how timedwait
    expect 0 explore -q -s delay -n 4 -- ./right-O2 $how select
    expect 0 explore -q -s random -n 10 --virtual-time -- ./right-O0 $how usleep 2
    expect 66 explore -q -s random -n 400 --until-first --folder=$how -- ./wrong-O0 $how usleep
done
for how in atomic pause exchange plain lock; do
    expect 66 replay --runs=5 $how/*.sched
    out_has '(5 of 5 runs)'
done
# Who is delayed while another one spins is seen to be.
expect 66 explore -q -s pct -n 400 --until-first -- ./wrong-O0 atomic usleep
expect 66 explore -q -s pct -n 400 --until-first -- ./wrong-O2 plain nanosleep 2
# Several spin.
for how in atomic plain lock; do
    expect 0 explore -q -s pct -n 5 -- ./right-O0 $how usleep 3
    expect 0 explore -q -s chess -n 20 -- ./right-O2 $how nanosleep 3
    expect 66 explore -q -s random -n 400 --until-first -- ./wrong-O2 $how nanosleep 3
done
# Nobody lets it go.
for how in atomic plain lock pipe; do
    expect 66 explore -q -s random -n 1 --limit=1 -- ./never $how usleep
    out_has 'failure 1: hang'
done
expect 66 explore -q -s chess -n 2 --limit=1 -- ./never atomic usleep
out_has 'failure 1: hang'
finish
