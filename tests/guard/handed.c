/*
 * handed.c - a thread takes what its maker has written for it, and has looked at once more itself:
 * it comes behind the maker's read, not its write.  A second thread counts on from where it ended.
 * Nothing is ever wrong; a guard that does not watch the maker's second look, or has forgotten what
 * the second thread read since it wrote the same at once, takes it for something new.
 *
 *   handed            takes it
 *   handed switched   has its parent, a guard, switched off and on before that
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define A_MOMENT 200000000 /* ns that the guard has for it */

static struct {
    int *volatile base;
    int sum, takers;
} shared;

static void *work(void *unused)
{
    shared.sum = *shared.base + 1;
    shared.takers++;
    return unused;
}

static void have_switched(int signal)
{
    kill(getppid(), signal);
    nanosleep(&(struct timespec) { 0, A_MOMENT }, NULL);
}

int main(int argc, char **argv)
{
    pthread_t thread;
    int base = 41;

    shared.base = &base;
    if (!shared.base)
        return 2;
    (void)argv;
    if (argc > 1) {
        have_switched(SIGUSR1);
        have_switched(SIGUSR2);
    }
    for (int i = 0; i < 2; i++) {
        pthread_create(&thread, NULL, work, NULL);
        pthread_join(thread, NULL);
    }
    puts(shared.sum == 42 && shared.takers == 2 ? "right" : "wrong");
    return shared.sum != 42 || shared.takers != 2;
}
