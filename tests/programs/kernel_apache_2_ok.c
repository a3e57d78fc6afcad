/*
 * kernel_apache_2_ok: an object is put into the cache and taken out again under one lock.
 *
 * expect: nothing
 * never: atomicity A B C
 */
#include "program.h"

int object = 5, missing;
int *volatile cached;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *store(void *unused)
{
    int *found;

    pthread_mutex_lock(&lock);
    cached = &object; /* @A */
    found = cached; /* @C */
    if (found)
        cached = NULL;
    else
        missing++;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *purge(void *unused)
{
    pthread_mutex_lock(&lock);
    cached = NULL; /* @B */
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    run2(store, purge);
    printf("%d\n", missing);
    return 0;
}
