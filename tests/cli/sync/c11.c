/* c11.c - the threads of C11. */
#include "show.h"

#include <threads.h>

static mtx_t mutex;
static cnd_t cond;
static once_flag once = ONCE_FLAG_INIT;
static int ready, runs;

static void run(void)
{
    runs++;
}

static int signal_it(void *unused)
{
    (void)unused;
    call_once(&once, run);
    mtx_lock(&mutex);
    ready++;
    cnd_signal(&cond);
    mtx_unlock(&mutex);
    return 11;
}

static int leave(void *unused)
{
    (void)unused;
    thrd_exit(12);
}

static int as_other(void *unused)
{
    struct timespec when = soon(CLOCK_REALTIME);

    (void)unused;
    SHOW(mtx_trylock(&mutex) == thrd_busy);
    SHOW(mtx_timedlock(&mutex, &when) == thrd_timedout);
    return -1;
}

static tss_t key;
static int ended;

static void end(void *value)
{
    ended = *(int *)value;
}

static int use_key(void *value)
{
    tss_set(key, value);
    return tss_get(key) == value;
}

static int result_of(thrd_start_t routine, void *argument)
{
    thrd_t thread;
    int result = 0;

    if (thrd_create(&thread, routine, argument) != thrd_success ||
        thrd_join(thread, &result) != thrd_success)
        abort();
    return result;
}

int main(void)
{
    struct timespec past = { 1, 0 };
    thrd_t thread;
    int value = 9;

    SHOW(mtx_init(&mutex, mtx_timed | mtx_recursive) == thrd_success);
    SHOW(cnd_init(&cond) == thrd_success);
    SHOW(thrd_create(&thread, signal_it, NULL) == thrd_success);
    mtx_lock(&mutex);
    while (!ready)
        cnd_wait(&cond, &mutex);
    SHOW(cnd_timedwait(&cond, &mutex, &past) == thrd_timedout);
    SHOW(mtx_trylock(&mutex) == thrd_success);
    SHOW(mtx_unlock(&mutex) == thrd_success);
    SHOW(result_of(as_other, NULL));
    SHOW(mtx_unlock(&mutex) == thrd_success);
    SHOW(thrd_join(thread, &value) == thrd_success);
    SHOW(value);
    SHOW(result_of(leave, NULL));
    call_once(&once, run);
    SHOW(runs);
    SHOW(tss_create(&key, end) == thrd_success);
    SHOW(result_of(use_key, &value));
    SHOW(ended);
    SHOW(cnd_broadcast(&cond) == thrd_success);
    cnd_destroy(&cond);
    mtx_destroy(&mutex);
    SHOW(thrd_create(&thread, use_key, &value) == thrd_success);
    SHOW(thrd_detach(thread) == thrd_success);
    thrd_yield();
    return 0;
}
