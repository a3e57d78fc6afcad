/*
 * deadlock_trylock_ok: whoever goes against the order tries and backs off.
 *
 * expect: nothing
 */
#include "program.h"

int value;
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;

static void *forward(void *unused)
{
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b); /* @A */
    value++;
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return unused;
}

static void *back_off(void *unused)
{
    pthread_mutex_lock(&b);
    while (pthread_mutex_trylock(&a) != 0) {
        pthread_mutex_unlock(&b);
        sched_yield();
        pthread_mutex_lock(&b);
    }
    value++;
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return unused;
}

int main(void)
{
    run2(forward, back_off);
    printf("%d\n", value);
    return 0;
}
