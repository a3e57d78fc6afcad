/*
 * rwlock_deadlock_ok: two tables behind read-write locks; each thread reads one and writes the
 * other.
 *
 * mended: the read lock is given back first
 */
#include "threads.h"

static int a;
static int b;
static pthread_rwlock_t lock_a = PTHREAD_RWLOCK_INITIALIZER;
static pthread_rwlock_t lock_b = PTHREAD_RWLOCK_INITIALIZER;

static void *copy_a(void *unused)
{
    int value;

    pthread_rwlock_rdlock(&lock_a);
    value = a;
    pthread_rwlock_unlock(&lock_a);
    pthread_rwlock_wrlock(&lock_b);
    b = value + 1;
    pthread_rwlock_unlock(&lock_b);
    return unused;
}

static void *copy_b(void *unused)
{
    int value;

    pthread_rwlock_rdlock(&lock_b);
    value = b;
    pthread_rwlock_unlock(&lock_b);
    pthread_rwlock_wrlock(&lock_a);
    a = value + 1;
    pthread_rwlock_unlock(&lock_a);
    return unused;
}

int main(void)
{
    run2(copy_a, copy_b);
    return 0;
}
