/*
 * mutex_heap_ok: the threads share a lock on the heap; it is destroyed and made anew between two
 * rounds, at the same address.
 *
 * expect: nothing
 */
#include "program.h"

int value;

static void *add(void *argument)
{
    pthread_mutex_t *lock = argument;

    pthread_mutex_lock(lock);
    value++; /* @A */
    pthread_mutex_unlock(lock);
    return NULL;
}

static void round_of_two(pthread_mutex_t *lock)
{
    pthread_t one, two;

    pthread_mutex_init(lock, NULL);
    one = start(add, lock);
    two = start(add, lock);
    finish(one);
    finish(two);
    pthread_mutex_destroy(lock);
}

int main(void)
{
    pthread_mutex_t *lock = malloc(sizeof(*lock));

    round_of_two(lock);
    round_of_two(lock);
    free(lock);
    printf("%d\n", value);
    return 0;
}
