/*
 * c11_tss_ok: destructors of thread-specific storage add to the total under a lock.
 *
 * expect: nothing
 */
#include "program.h"
#include <threads.h>

tss_t key;
mtx_t lock;
int total;

static void add_up(void *value)
{
    mtx_lock(&lock);
    total += *(int *)value; /* @A */
    mtx_unlock(&lock);
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
    printf("%d\n", total);
    return 0;
}
