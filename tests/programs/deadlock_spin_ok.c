/*
 * deadlock_spin_ok: the spin lock is never held while the mutex is waited for.
 *
 * expect: nothing
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
    pthread_spin_unlock(&spin);
    pthread_mutex_lock(&mutex); /* @B */
    value++;
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    run2(forward, backward);
    printf("%d\n", value);
    return 0;
}
