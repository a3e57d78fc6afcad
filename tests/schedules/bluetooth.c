/*
 * bluetooth: a driver is stopped while a request enters it.
 *
 * bug: the request looks at the stopping flag before it is counted: the driver can stop in between
 * fails-as: assertion
 * depth: 2 (the look before the flag is set, the work after the driver has stopped)
 * preemptions: 1
 * recorded: yes
 */
#include <stdatomic.h>
#include "threads.h"

static atomic_int pending = 1; /* the driver itself counts as one */
static int stopping;
static int stopped;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int is_stopping(void)
{
    int answer;

    pthread_mutex_lock(&lock);
    answer = stopping; /* @bug */
    pthread_mutex_unlock(&lock);
    return answer;
}

static void leave(void)
{
    if (atomic_fetch_sub(&pending, 1) == 1)
        stopped = 1; /* @bug */
}

static void *request(void *unused)
{
    if (is_stopping())
        return unused;
    atomic_fetch_add(&pending, 1);
    assert(!stopped); /* @bug */
    leave();
    return unused;
}

static void *stop(void *unused)
{
    pthread_mutex_lock(&lock);
    stopping = 1; /* @bug */
    pthread_mutex_unlock(&lock);
    leave();
    return unused;
}

int main(void)
{
    run2(request, stop);
    return 0;
}
