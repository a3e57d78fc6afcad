/* later.c - fails if the worker has come far when it is told to stop; not with -DOK. */
#include <pthread.h>

static _Atomic int stop;
static int ready, far_on;

static void *worker(void *unused)
{
    for (int i = 0; i < 20; i++) {
        if (stop)
            break;
#ifndef OK
        far_on = i > 10;
#endif
    }
    return unused;
}

int main(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, worker, NULL);
    ready = 1;
    stop = 1;
    pthread_join(thread, NULL);
    return far_on && ready;
}
