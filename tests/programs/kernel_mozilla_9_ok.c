/*
 * kernel_mozilla_9_ok: a timer thread looks whether it has been told to shut down.
 *
 * expect: nothing
 */
#include "program.h"

volatile int waiting, down;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void *run(void *unused)
{
    pthread_mutex_lock(&lock);
    waiting = 1; /* @B */
    while (!down)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *shut_down(void *unused)
{
    pthread_mutex_lock(&lock);
    down = 1;
    if (waiting) /* @A */
        pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    run2(run, shut_down);
    puts("down");
    return 0;
}
