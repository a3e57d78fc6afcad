/*
 * deadlock_spin: a spin lock and a mutex in opposite orders.
 *
 * expect: deadlock A B
 */
#include "program.h"

int value;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_spinlock_t spin;

static void *forward(void *unused)
{
    pthread_mutex_lock(&mutex);
    pthread_spin_lock(&spin); /* @A */
    value++;
    pthread_spin_unlock(&spin);
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void *backward(void *unused)
{
    step_aside();
    pthread_spin_lock(&spin);
    pthread_mutex_lock(&mutex); /* @B */
    value++;
    pthread_mutex_unlock(&mutex);
    pthread_spin_unlock(&spin);
    return unused;
}

int main(void)
{
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    end_when_stuck("2\n");
    run2(forward, backward);
    printf("%d\n", value);
    return 0;
}
