/*
 * signal_other_thread: the handler runs in the thread that waits, and what it writes is read by the
 * one who sent the signal.
 *
 * expect: race A B
 */
#include "program.h"
#include <semaphore.h>

volatile sig_atomic_t seen;
sigset_t waiting;
sem_t ready;

static void handle(int number)
{
    seen = number; /* @A */
}

static void *wait_for_signal(void *unused)
{
    sem_post(&ready);
    while (!seen)
        sigsuspend(&waiting);
    return unused;
}

int main(void)
{
    pthread_t thread;
    sigset_t set;
    int early;

    sem_init(&ready, 0, 0);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, &waiting);
    signal(SIGUSR1, handle);
    thread = start(wait_for_signal, NULL);
    sem_wait(&ready);
    pthread_kill(thread, SIGUSR1);
    early = seen; /* @B */
    finish(thread);
    printf("%d\n", early == 0 || early == SIGUSR1);
    return 0;
}
