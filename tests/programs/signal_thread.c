/*
 * signal_thread: a thread takes signals by sigwait; its count is read before it has been joined.
 *
 * expect: race A B
 */
#include "program.h"

int received;
sigset_t set;

static void *take(void *unused)
{
    int number = 0;

    sigwait(&set, &number);
    received = number; /* @A */
    return unused;
}

int main(void)
{
    pthread_t thread;
    int early;

    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    thread = start(take, NULL);
    kill(getpid(), SIGUSR1);
    early = *(volatile int *)&received; /* @B */
    finish(thread);
    printf("%d\n", early == 0 || early == SIGUSR1);
    return 0;
}
