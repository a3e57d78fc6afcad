/* rwlock.c - read-write locks and spin locks. */
#include "show.h"

static pthread_rwlock_t lock;
static int value, written;

static void *while_written(void *unused)
{
    struct timespec when = soon(CLOCK_REALTIME);

    SHOW(pthread_rwlock_tryrdlock(&lock));
    SHOW(pthread_rwlock_timedrdlock(&lock, &when));
    when = soon(CLOCK_MONOTONIC);
    SHOW(pthread_rwlock_clockwrlock(&lock, CLOCK_MONOTONIC, &when));
    SHOW(pthread_rwlock_trywrlock(&lock));
    SHOW(pthread_rwlock_clockrdlock(&lock, 77, &when));
    when.tv_nsec = 1000000000;
    SHOW(pthread_rwlock_timedwrlock(&lock, &when));
    return unused;
}

static void *while_read(void *unused)
{
    SHOW(pthread_rwlock_tryrdlock(&lock));
    SHOW(pthread_rwlock_trywrlock(&lock));
    SHOW(pthread_rwlock_unlock(&lock));
    return unused;
}

static void *write_it(void *unused)
{
    pthread_rwlock_wrlock(&lock);
    value = 1;
    pthread_rwlock_unlock(&lock);
    return unused;
}

static void *read_until_written(void *unused)
{
    int seen = 0;

    while (!seen) {
        pthread_rwlock_rdlock(&lock);
        seen = written;
        sched_yield();
        pthread_rwlock_unlock(&lock);
    }
    return unused;
}

static void *write_last(void *unused)
{
    pthread_rwlock_wrlock(&lock);
    written = 1;
    pthread_rwlock_unlock(&lock);
    return unused;
}

static void answers(void)
{
    struct timespec when = soon(CLOCK_REALTIME);
    pthread_t writer;

    SHOW(pthread_rwlock_init(&lock, NULL));
    SHOW(pthread_rwlock_wrlock(&lock));
    SHOW(pthread_rwlock_wrlock(&lock));
    SHOW(pthread_rwlock_rdlock(&lock));
    SHOW(pthread_rwlock_timedrdlock(&lock, &when));
    SHOW(pthread_rwlock_tryrdlock(&lock));
    aside(while_written, NULL);
    SHOW(pthread_rwlock_unlock(&lock));
    SHOW(pthread_rwlock_rdlock(&lock));
    SHOW(pthread_rwlock_rdlock(&lock));
    aside(while_read, NULL);
    writer = start(write_it, NULL);
    SHOW(value);
    SHOW(pthread_rwlock_unlock(&lock));
    SHOW(value);
    SHOW(pthread_rwlock_unlock(&lock));
    finish(writer);
    SHOW(value);
    SHOW(pthread_rwlock_destroy(&lock));
}

/* Readers who never leave it alone: a lock that prefers writers lets the writer in. */
static void writers_first(void)
{
    pthread_rwlockattr_t attributes;
    pthread_t readers[3], writer;

    pthread_rwlockattr_init(&attributes);
    pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    pthread_rwlock_init(&lock, &attributes);
    for (int i = 0; i < 3; i++)
        readers[i] = start(read_until_written, NULL);
    writer = start(write_last, NULL);
    finish(writer);
    for (int i = 0; i < 3; i++)
        finish(readers[i]);
    SHOW(written);
    pthread_rwlock_destroy(&lock);
}

static pthread_spinlock_t spin;
static int spun;

static void *add(void *unused)
{
    for (int i = 0; i < 500; i++) {
        if (i % 2)
            pthread_spin_lock(&spin);
        else
            while (pthread_spin_trylock(&spin) != 0)
                ;
        spun++;
        pthread_spin_unlock(&spin);
    }
    return unused;
}

static void spinning(void)
{
    pthread_t threads[3];

    SHOW(pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE));
    for (int i = 0; i < 3; i++)
        threads[i] = start(add, NULL);
    for (int i = 0; i < 3; i++)
        finish(threads[i]);
    SHOW(spun);
    SHOW(pthread_spin_lock(&spin));
    SHOW(pthread_spin_trylock(&spin));
    SHOW(pthread_spin_unlock(&spin));
    SHOW(pthread_spin_destroy(&spin));
}

int main(void)
{
    answers();
    writers_first();
    spinning();
    return 0;
}
