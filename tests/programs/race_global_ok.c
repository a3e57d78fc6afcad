/*
 * race_global_ok: two threads count in a global variable under a lock.
 *
 * expect: nothing
 */
#include "program.h"

int hits;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *count(void *unused)
{
    pthread_mutex_lock(&lock);
    hits++; /* @A */
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    run2(count, count);
    printf("%d\n", hits);
    return 0;
}
