/*
 * c11_mtx_ok: C11 threads; plain, timed and recursive locks.
 *
 * expect: nothing
 */
#include "program.h"
#include <threads.h>

int count;
mtx_t lock;

static int add(void *unused)
{
    mtx_lock(&lock);
    mtx_lock(&lock);
    count += 1; /* @A */
    mtx_unlock(&lock);
    mtx_unlock(&lock);
    return unused != NULL;
}

static int add_timed(void *unused)
{
    struct timespec when = late(CLOCK_REALTIME);

    if (mtx_timedlock(&lock, &when) != thrd_success)
        return 1;
    count += 2; /* @B */
    mtx_unlock(&lock);
    return unused != NULL;
}

int main(void)
{
    thrd_t one, two;
    int result;

    mtx_init(&lock, mtx_timed | mtx_recursive);
    thrd_create(&one, add, NULL);
    thrd_create(&two, add_timed, NULL);
    thrd_join(one, &result);
    thrd_join(two, NULL);
    mtx_destroy(&lock);
    printf("%d %d\n", count, result);
    return 0;
}
