/*
 * wronglock_ok: one thread and several others count together, each under a lock.
 *
 * mended: one lock for all
 * variants: OTHERS=1 OTHERS=3
 */
#include "threads.h"

static int value;
static pthread_mutex_t right = PTHREAD_MUTEX_INITIALIZER;

static void *count(void *unused)
{
    pthread_mutex_lock(&right);
    value++;
    pthread_mutex_unlock(&right);
    return unused;
}

static void *count_too(void *unused)
{
    pthread_mutex_lock(&right);
    value++;
    pthread_mutex_unlock(&right);
    return unused;
}

int main(void)
{
    pthread_t threads[OTHERS + 1];

    threads[0] = start(count, NULL);
    for (int i = 1; i <= OTHERS; i++)
        threads[i] = start(count_too, NULL);
    for (int i = 0; i <= OTHERS; i++)
        finish(threads[i]);
    assert(value == OTHERS + 1);
    return 0;
}
