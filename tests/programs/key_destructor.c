/*
 * key_destructor: at a thread's end its count is added to the total, without the lock.
 *
 * expect: race A A
 */
#include "program.h"

pthread_key_t key;
int total;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void add_up(void *value)
{
    int *count = value;

    total += *count; /* @A */
    free(count);
}

static void *work(void *unused)
{
    int *count = malloc(sizeof(*count));

    *count = 3;
    pthread_setspecific(key, count);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_key_create(&key, add_up);
    run2(work, work);
    printf("%d\n", total > 0);
    return 0;
}
