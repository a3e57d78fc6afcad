/*
 * trylock_ok: two threads report to a list; the second one does not want to wait for the lock.
 *
 * mended: if the lock is busy it is waited for after all
 */
#include "threads.h"

static int reports;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *report(void *unused)
{
    pthread_mutex_lock(&lock);
    reports++;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *report_if_free(void *unused)
{
    if (pthread_mutex_trylock(&lock) != 0)
        pthread_mutex_lock(&lock);
    reports++;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    run2(report, report_if_free);
    assert(reports == 2);
    return 0;
}
