/*
 * timer.c - threads that the C library starts by itself: nobody sees them begin, and what they do
 * must still wake others, also while one is busy.
 */
#include "show.h"

#include <signal.h>
#include <stdatomic.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static sem_t sem;
static atomic_int ticks, stop;

static void tick(union sigval unused)
{
    (void)unused;
    pthread_mutex_lock(&mutex);
    ticks++;
    pthread_cond_signal(&cond);
    pthread_mutex_unlock(&mutex);
    sem_post(&sem);
}

static void *keep_busy(void *unused)
{
    while (!stop)
        sched_yield();
    return unused;
}

int main(void)
{
    struct sigevent event = { .sigev_notify = SIGEV_THREAD, .sigev_notify_function = tick };
    struct itimerspec often = { { 0, 2000000 }, { 0, 2000000 } };
    pthread_t busy;
    timer_t timer;

    sem_init(&sem, 0, 0);
    busy = start(keep_busy, NULL);
    SHOW(timer_create(CLOCK_MONOTONIC, &event, &timer));
    SHOW(timer_settime(timer, 0, &often, NULL));
    pthread_mutex_lock(&mutex);
    while (ticks < 3)
        pthread_cond_wait(&cond, &mutex);
    pthread_mutex_unlock(&mutex);
    for (int i = 0; i < 3; i++)
        SHOW(sem_wait(&sem));
    SHOW(timer_delete(timer));
    stop = 1;
    finish(busy);
    return 0;
}
