/*
 * rwlock: a table that is filled on demand, behind a read-write lock.
 *
 * bug: looked up with the read lock, filled with the write lock, and not looked up again in between
 * fails-as: assertion
 * depth: 2 (each looks before the other fills)
 * preemptions: 1
 * recorded: yes
 */
#include "threads.h"

static int present;
static int fills;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *look_up(void *unused)
{
    int found;

    pthread_rwlock_rdlock(&lock);
    found = present; /* @bug */
    pthread_rwlock_unlock(&lock);
    if (found)
        return unused;
    pthread_rwlock_wrlock(&lock);
    fills++;
    present = 1; /* @bug */
    pthread_rwlock_unlock(&lock);
    return unused;
}

int main(void)
{
    run2(look_up, look_up);
    assert(fills == 1);
    return 0;
}
