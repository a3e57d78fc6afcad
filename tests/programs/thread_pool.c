/*
 * thread_pool: jobs come from a locked queue, but their results are summed without a lock.
 *
 * Each worker also does a job of its own, so that none goes without.
 *
 * expect: race A A
 */
#include "program.h"

#define WORKERS 3
#define JOBS    12

int next_job = WORKERS, results[JOBS], sum;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static NOINLINE int take(void)
{
    int job;

    pthread_mutex_lock(&lock);
    job = next_job < JOBS ? next_job++ : -1;
    pthread_mutex_unlock(&lock);
    return job;
}

static NOINLINE void work(int job)
{
    results[job] = job * job;
    sum += job; /* @A */
}

static void *worker(void *argument)
{
    int job = *(int *)argument;

    while (job >= 0) {
        work(job);
        job = take();
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[WORKERS];
    int own[WORKERS];

    for (int i = 0; i < WORKERS; i++) {
        own[i] = i;
        threads[i] = start(worker, &own[i]);
    }
    for (int i = 0; i < WORKERS; i++)
        finish(threads[i]);
    printf("%d\n", results[JOBS - 1]);
    return 0;
}
