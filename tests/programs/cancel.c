/*
 * cancel: what a cancelled thread cleans up is looked at before it has been joined.
 *
 * expect: race A B
 */
#include "program.h"

int cleaned, count;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t never = PTHREAD_COND_INITIALIZER;

static void clean(void *argument)
{
    cleaned = 1; /* @A */
    pthread_mutex_unlock(argument);
}

static void *wait_for_ever(void *unused)
{
    pthread_mutex_lock(&lock);
    pthread_cleanup_push(clean, &lock);
    for (;;) {
        count++;
        pthread_cond_wait(&never, &lock);
    }
    pthread_cleanup_pop(1);
    return unused;
}

int main(void)
{
    pthread_t thread = start(wait_for_ever, NULL);
    void *result;
    int early;

    pthread_cancel(thread);
    early = *(volatile int *)&cleaned; /* @B */
    pthread_join(thread, &result);
    pthread_mutex_lock(&lock);
    count++;
    pthread_mutex_unlock(&lock);
    printf("%d %d\n", result == PTHREAD_CANCELED, early > 1);
    return 0;
}
