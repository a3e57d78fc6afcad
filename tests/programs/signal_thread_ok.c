/*
 * signal_thread_ok: a thread takes signals by sigwait; its count is read when it has been joined.
 *
 * expect: nothing
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

    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    thread = start(take, NULL);
    kill(getpid(), SIGUSR1);
    finish(thread);
    printf("%d\n", received == SIGUSR1);
    return 0;
}
