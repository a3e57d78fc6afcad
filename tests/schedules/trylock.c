/*
 * trylock: two threads report to a list; the second one does not want to wait for the lock.
 *
 * bug: if the lock is busy the report is forgotten
 * fails-as: assertion
 * depth: 2 (tried after the other one locked, before it unlocks)
 * preemptions: 1
 * recorded: no (that a try would fail is not foreseen)
 */
#include "threads.h"

static int reports;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *report(void *unused)
{
    pthread_mutex_lock(&lock); /* @bug */
    reports++;
    pthread_mutex_unlock(&lock); /* @bug */
    return unused;
}

static void *report_if_free(void *unused)
{
    if (pthread_mutex_trylock(&lock) != 0) /* @bug */
        return unused;
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
