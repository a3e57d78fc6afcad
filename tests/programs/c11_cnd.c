/*
 * c11_cnd: the value is written after the signal, outside the lock.
 *
 * expect: race A B
 */
#include "program.h"
#include <threads.h>

int ready, value;
mtx_t lock;
cnd_t changed;

static int produce(void *unused)
{
    mtx_lock(&lock);
    ready = 1;
    cnd_signal(&changed);
    mtx_unlock(&lock);
    value = 3; /* @A */
    return unused != NULL;
}

static int consume(void *unused)
{
    int seen;

    mtx_lock(&lock);
    while (!ready)
        cnd_wait(&changed, &lock);
    seen = *(volatile int *)&value; /* @B */
    mtx_unlock(&lock);
    return unused != NULL || seen > 3;
}

int main(void)
{
    thrd_t one, two;

    mtx_init(&lock, mtx_plain);
    cnd_init(&changed);
    thrd_create(&two, consume, NULL);
    thrd_create(&one, produce, NULL);
    thrd_join(one, NULL);
    thrd_join(two, NULL);
    cnd_destroy(&changed);
    mtx_destroy(&lock);
    printf("%d\n", value);
    return 0;
}
