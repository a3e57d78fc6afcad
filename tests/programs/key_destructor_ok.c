/*
 * key_destructor_ok: at a thread's end its count is added to the total, under the lock.
 *
 * expect: nothing
 */
#include "program.h"

pthread_key_t key;
int total;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void add_up(void *value)
{
    int *count = value;

    pthread_mutex_lock(&lock);
    total += *count; /* @A */
    pthread_mutex_unlock(&lock);
    free(count);
}

static void *work(void *unused)
{
    int *count = malloc(sizeof(*count));

    *count = 3;
    pthread_setspecific(key, count);
    return unused;
}

int main(void)
{
    pthread_key_create(&key, add_up);
    run2(work, work);
    printf("%d\n", total);
    return 0;
}
