/*
 * rwlock_deadlock: two tables behind read-write locks; each thread reads one and writes the other.
 *
 * bug: who reads keeps the read lock while it waits for the write lock, in a circle
 * fails-as: deadlock
 * depth: 2 (each has its read lock before the other asks for the write lock)
 * preemptions: 1
 * recorded: yes
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
    pthread_rwlock_wrlock(&lock_b); /* @bug */
    b = value + 1;
    pthread_rwlock_unlock(&lock_b);
    pthread_rwlock_unlock(&lock_a);
    return unused;
}

static void *copy_b(void *unused)
{
    int value;

    pthread_rwlock_rdlock(&lock_b);
    value = b;
    pthread_rwlock_wrlock(&lock_a); /* @bug */
    a = value + 1;
    pthread_rwlock_unlock(&lock_a);
    pthread_rwlock_unlock(&lock_b);
    return unused;
}

int main(void)
{
    run2(copy_a, copy_b);
    return 0;
}
