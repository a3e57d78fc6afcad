/*
 * mutex_errorcheck_ok: locking again fails, and the program takes it for what it is.
 *
 * expect: nothing
 */
#include "program.h"
#include <errno.h>

int total, inside;
pthread_mutex_t lock = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;

static void *twice(void *unused)
{
    int again;

    pthread_mutex_lock(&lock);
    again = pthread_mutex_lock(&lock);
    inside += 1;
    if (again != EDEADLK)
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
    printf("%d\n", total + inside);
    return 0;
}
