/*
 * deadlock_rwlock_ok: each thread reads both tables; readers do not keep each other waiting.
 *
 * expect: nothing
 */
#include "program.h"

int left = 1, right = 2, sums[2];
pthread_rwlock_t a = PTHREAD_RWLOCK_INITIALIZER;
pthread_rwlock_t b = PTHREAD_RWLOCK_INITIALIZER;

static void *forward(void *unused)
{
    pthread_rwlock_rdlock(&a);
    pthread_rwlock_rdlock(&b); /* @A */
    sums[0] = left + right;
    pthread_rwlock_unlock(&b);
    pthread_rwlock_unlock(&a);
    return unused;
}

static void *backward(void *unused)
{
    step_aside();
    pthread_rwlock_rdlock(&b);
    pthread_rwlock_rdlock(&a); /* @B */
    sums[1] = left + right;
    pthread_rwlock_unlock(&a);
    pthread_rwlock_unlock(&b);
    return unused;
}

int main(void)
{
    run2(forward, backward);
    printf("%d %d\n", sums[0], sums[1]);
    return 0;
}
