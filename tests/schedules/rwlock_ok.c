/*
 * rwlock_ok: a table that is filled on demand, behind a read-write lock.
 *
 * mended: looked up again
 */
#include "threads.h"

static int present;
static int fills;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *look_up(void *unused)
{
    int found;

    pthread_rwlock_rdlock(&lock);
    found = present;
    pthread_rwlock_unlock(&lock);
    if (found)
        return unused;
    pthread_rwlock_wrlock(&lock);
    if (!present)
        fills++;
    present = 1;
    pthread_rwlock_unlock(&lock);
    return unused;
}

int main(void)
{
    run2(look_up, look_up);
    assert(fills == 1);
    return 0;
}
