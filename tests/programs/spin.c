/*
 * spin: a spin lock is let go before the last access.
 *
 * expect: race A B
 */
#include "program.h"

int value;
pthread_spinlock_t lock;

static void *add(void *unused)
{
    pthread_spin_lock(&lock);
    pthread_spin_unlock(&lock);
    value += 1; /* @A */
    return unused;
}

static void *try_and_add(void *unused)
{
    while (pthread_spin_trylock(&lock) != 0)
        sched_yield();
    value += 2; /* @B */
    pthread_spin_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    run2(add, try_and_add);
    pthread_spin_destroy(&lock);
    printf("%d\n", value > 0);
    return 0;
}
