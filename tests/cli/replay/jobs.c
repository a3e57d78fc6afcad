/* jobs.c - workers are told to stop without the lock: one may have looked before and wait behind. */
#include <pthread.h>

#define JOBS 4

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, counting = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int waiting, done;
static _Atomic int stop;

static void *worker(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&mutex);
        while (!waiting && !stop)
            pthread_cond_wait(&changed, &mutex);
        if (!waiting)
            break;
        waiting--;
        pthread_mutex_unlock(&mutex);
        pthread_mutex_lock(&counting);
        done++;
        pthread_mutex_unlock(&counting);
    }
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t threads[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
    for (int i = 0; i < JOBS; i++) {
        pthread_mutex_lock(&mutex);
        waiting++;
        pthread_mutex_unlock(&mutex);
        pthread_cond_signal(&changed);
    }
    stop = 1;
    pthread_cond_broadcast(&changed);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return done != JOBS;
}
