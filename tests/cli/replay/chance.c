/* chance.c - what a thread does depends on the time of day; never with -DOK. */
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static int count;

static void *work(void *arg)
{
    struct timespec now = { 0, 0 };
    long times = 5;

#ifndef OK
    clock_gettime(CLOCK_MONOTONIC, &now);
    times += now.tv_nsec % 1009;
#endif
    (void)now;
    for (long i = 0; i < times; i++)
        __atomic_fetch_add(&count, 1, __ATOMIC_SEQ_CST);
    return arg;
}

int main(void)
{
    pthread_t t;

    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    printf("done\n");
    return 0;
}
