/*
 * bluetooth_ok: a driver is stopped while a request enters it.
 *
 * mended: the request is counted first and looks then
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
    answer = stopping;
    pthread_mutex_unlock(&lock);
    return answer;
}

static void leave(void)
{
    if (atomic_fetch_sub(&pending, 1) == 1)
        stopped = 1;
}

static void *request(void *unused)
{
    atomic_fetch_add(&pending, 1);
    if (!is_stopping())
        assert(!stopped);
    leave();
    return unused;
}

static void *stop(void *unused)
{
    pthread_mutex_lock(&lock);
    stopping = 1;
    pthread_mutex_unlock(&lock);
    leave();
    return unused;
}

int main(void)
{
    run2(request, stop);
    return 0;
}
