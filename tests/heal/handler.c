/*
 * handler.c - a section that stays open until the other thread goes on, and that thread comes to
 * it over and over: it has to give up.  A timer interrupts it all the while, and its handler has a
 * section of its own.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <unistd.h>

#define ROUNDS 5

static volatile long ticks, total;
static int there[2], back[2];

static void tick(int number)
{
    (void)number;
    ticks = ticks + 1;
}

static void pass_on(int from, int to)
{
    char byte = 0;

    if ((from >= 0 && read(from, &byte, 1) != 1) || (to >= 0 && write(to, &byte, 1) != 1))
        _exit(1);
}

static void *peer(void *unused)
{
    for (int i = 0; i < ROUNDS; i++) {
        pass_on(there[0], -1);
        total = total + 10;
        pass_on(-1, back[1]);
    }
    return unused;
}

int main(void)
{
    struct sigaction action = { .sa_handler = tick, .sa_flags = SA_RESTART };
    struct itimerval often = { { 0, 1000 }, { 0, 1000 } };
    pthread_t thread;

    if (pipe(there) != 0 || pipe(back) != 0)
        return 1;
    sigaction(SIGALRM, &action, NULL);
    pthread_create(&thread, NULL, peer, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    for (int i = 0; i < ROUNDS; i++) {
        pass_on(-1, there[1]);
        pass_on(back[0], -1);
        total = total + 1;
    }
    pthread_join(thread, NULL);
    printf("%ld\n", total);
    return 0;
}
