/*
 * mutex_errorcheck: locking again fails, and nobody looks; the unlock then is the outer one.
 *
 * expect: race A B
 */
#include "program.h"

int total, inside;
pthread_mutex_t lock = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;

static void *twice(void *unused)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_lock(&lock);
    inside += 1;
    pthread_mutex_unlock(&lock);
    total += 2; /* @A */
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *once(void *unused)
{
    pthread_mutex_lock(&lock);
    total += 4; /* @B */
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    run2(twice, once);
    printf("%d\n", total > 0 && inside == 1);
    return 0;
}
