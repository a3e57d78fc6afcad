/*
 * deadlock_condition: who waits for a condition gives its lock away, but not the one around it.
 *
 * expect: deadlock B C
 */
#include "program.h"

int waiting, ready, value;
pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t inner = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void *waiter(void *unused)
{
    pthread_mutex_lock(&outer);
    pthread_mutex_lock(&inner);
    waiting = 1;
    while (!ready)
        pthread_cond_wait(&changed, &inner); /* @B */
    pthread_mutex_unlock(&inner);
    value++;
    pthread_mutex_unlock(&outer);
    return unused;
}

static int someone_waits(void)
{
    int answer;

    pthread_mutex_lock(&inner);
    answer = waiting;
    if (answer) {
        ready = 1;
        pthread_cond_signal(&changed);
    }
    pthread_mutex_unlock(&inner);
    return answer;
}

int main(void)
{
    pthread_t thread;

    end_when_stuck("2\n");
    thread = start(waiter, NULL);
    while (!someone_waits())
        sched_yield();
    step_aside();
    pthread_mutex_lock(&inner);
    pthread_mutex_lock(&outer); /* @C */
    value++;
    pthread_mutex_unlock(&outer);
    pthread_mutex_unlock(&inner);
    finish(thread);
    printf("%d\n", value);
    return 0;
}
