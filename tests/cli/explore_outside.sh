#!/usr/bin/env bash
# What comes from outside: when all threads wait, a timer, a child or a thread of libc's own may still let one go on; where
# nothing is left that could, the run is stuck. And addresses are the same in every run, so schedules hold that hang on them.
. "$FOREWEAVE_SOURCE/tests/cli/common.bash"

cat >waits.c <<'END_C'
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static sem_t ready;
static void handler(int number)
{
    (void)number;
    sem_post(&ready);
}
static void expired(union sigval unused)
{
    (void)unused;
    sem_post(&ready);
}
static void *waits(void *unused)
{
    while (sem_wait(&ready))
        ;
    return unused;
}
static void set_timer(int how)
{
    struct sigevent event = { .sigev_notify = how, .sigev_signo = SIGUSR1 };
    struct itimerspec soon = { .it_value.tv_nsec = 100000000 };
    timer_t timer;
    if (how == SIGEV_THREAD)
        event.sigev_notify_function = expired;
    timer_create(CLOCK_MONOTONIC, &event, &timer);
    timer_settime(timer, 0, &soon, NULL);
}
int main(int count, char **words)
{
    const char *who = count > 1 ? words[1] : "";
    pthread_t thread;
    sem_init(&ready, 0, 0);
    signal(SIGUSR1, handler);
    if (strcmp(who, "timer") == 0)
        set_timer(SIGEV_SIGNAL);
    if (strcmp(who, "thread") == 0)
        set_timer(SIGEV_THREAD);
    if (strcmp(who, "child") == 0 && fork() == 0) {
        usleep(100000);
        kill(getppid(), SIGUSR1);
        _exit(0);
    }
    pthread_create(&thread, NULL, waits, NULL);
    pthread_join(thread, NULL);
    while (wait(NULL) > 0)
        ;
    return puts("done") < 0;
}
END_C
"$FOREWEAVE" cc -g waits.c -o waits || complain "cannot build"
for who in timer thread child; do
    expect 0 explore -q -s random -n 3 --folder=$who -- ./waits $who
    out_has "3 runs, 0 failed"
done
expect 66 explore -q -s random -n 2 --limit=300 --folder=nobody -- ./waits nobody
out_has "stuck"

# How much is added hangs on where memory lies.
cat >placed.c <<'END_C'
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
static int x, *place;
static void *adds(void *unused)
{
    for (int i = 0; i < 3; i++)
        if ((uintptr_t)place >> (12 + i) & 1)
            x++;
        else
            x += 2;
    return unused;
}
int main(void)
{
    pthread_t one, two;
    int both = 12;
    place = malloc(1 << 20);
    pthread_create(&one, NULL, adds, NULL);
    pthread_create(&two, NULL, adds, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    for (int i = 0; i < 3; i++)
        both -= 2 * (int)((uintptr_t)place >> (12 + i) & 1);
    return x != both;
}
END_C
"$FOREWEAVE" cc -g placed.c -o placed || complain "cannot build"
for run in 1 2 3; do
    expect 66 explore -q -s random -n 300 --until-first --seed=$run --folder=placed$run -- ./placed
    for again in 1 2 3 4 5; do
        expect 66 replay -q placed$run/*.sched
    done
done
finish
