/*
 * c11_tss: destructors of thread-specific storage add to the total without a lock.
 *
 * expect: race A A
 */
#include "program.h"
#include <threads.h>

tss_t key;
mtx_t lock;
int total;

static void add_up(void *value)
{
    total += *(int *)value; /* @A */
    free(value);
}

static int work(void *argument)
{
    int *mine = malloc(sizeof(*mine));

    *mine = *(int *)argument;
    tss_set(key, mine);
    return 0;
}

int main(void)
{
    int one = 1, two = 2;
    thrd_t first, second;

    mtx_init(&lock, mtx_plain);
    tss_create(&key, add_up);
    thrd_create(&first, work, &one);
    thrd_create(&second, work, &two);
    thrd_join(first, NULL);
    thrd_join(second, NULL);
    printf("%d\n", total > 0);
    return 0;
}
