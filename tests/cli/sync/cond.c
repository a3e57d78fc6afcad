/* cond.c - conditions, barriers and pthread_once. */
#include "show.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int waiting, open, woken;

static void time_limits(void)
{
    struct timespec when = soon(CLOCK_REALTIME), past = { 1, 0 };
    pthread_condattr_t attributes;
    pthread_cond_t monotonic;

    pthread_mutex_lock(&mutex);
    SHOW(pthread_cond_timedwait(&cond, &mutex, &when));
    SHOW(pthread_cond_timedwait(&cond, &mutex, &past));
    when = soon(CLOCK_MONOTONIC);
    SHOW(pthread_cond_clockwait(&cond, &mutex, CLOCK_MONOTONIC, &when));
    SHOW(pthread_cond_clockwait(&cond, &mutex, 77, &when));
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&monotonic, &attributes);
    when = soon(CLOCK_MONOTONIC);
    SHOW(pthread_cond_timedwait(&monotonic, &mutex, &when));
    SHOW(pthread_cond_destroy(&monotonic));
    when.tv_nsec = -1;
    SHOW(pthread_cond_timedwait(&cond, &mutex, &when));
    pthread_mutex_unlock(&mutex);
}

static void *wait_for_it(void *unused)
{
    pthread_mutex_lock(&mutex);
    waiting++;
    while (!open)
        pthread_cond_wait(&cond, &mutex);
    woken++;
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void let_go(int by_one)
{
    pthread_t threads[3];
    int all = 0;

    open = waiting = woken = 0;
    for (int i = 0; i < 3; i++)
        threads[i] = start(wait_for_it, NULL);
    while (!all) {
        pthread_mutex_lock(&mutex);
        all = waiting == 3;
        pthread_mutex_unlock(&mutex);
        sched_yield();
    }
    pthread_mutex_lock(&mutex);
    open = 1;
    if (!by_one)
        SHOW(pthread_cond_broadcast(&cond));
    for (int i = 0; by_one && i < 3; i++)
        SHOW(pthread_cond_signal(&cond));
    pthread_mutex_unlock(&mutex);
    SHOW(pthread_cond_destroy(&cond)); /* all are woken: this is allowed */
    for (int i = 0; i < 3; i++)
        finish(threads[i]);
    SHOW(woken);
    pthread_cond_init(&cond, NULL);
}

static void wrong_mutex(void)
{
    pthread_mutexattr_t attributes;
    pthread_mutex_t checking;

    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&checking, &attributes);
    SHOW(pthread_cond_wait(&cond, &checking));
    pthread_mutex_destroy(&checking);
}

static pthread_barrier_t barrier;
static int rounds[3], serial;

static void *go_round(void *number)
{
    int mine = (int)(long)number;

    for (int i = 0; i < 50; i++) {
        int status;

        rounds[mine]++;
        status = pthread_barrier_wait(&barrier);
        if (rounds[0] != i + 1 || rounds[1] != i + 1 || rounds[2] != i + 1)
            abort();
        if (status == PTHREAD_BARRIER_SERIAL_THREAD)
            serial++;
        pthread_barrier_wait(&barrier);
    }
    return NULL;
}

static void barriers(void)
{
    pthread_t threads[3];

    SHOW(pthread_barrier_init(&barrier, NULL, 0));
    SHOW(pthread_barrier_init(&barrier, NULL, 3));
    for (long i = 0; i < 3; i++)
        threads[i] = start(go_round, (void *)i);
    for (int i = 0; i < 3; i++)
        finish(threads[i]);
    SHOW(serial);
    SHOW(pthread_barrier_destroy(&barrier));
    SHOW(pthread_barrier_init(&barrier, NULL, 1));
    SHOW(pthread_barrier_wait(&barrier));
    SHOW(pthread_barrier_destroy(&barrier));
}

static pthread_once_t once = PTHREAD_ONCE_INIT, left = PTHREAD_ONCE_INIT;
static int runs, tries;

static void run(void)
{
    runs++;
    sched_yield();
}

static void leave(void)
{
    if (tries++ == 0)
        pthread_exit((void *)5); /* not done: the next one tries */
}

static void *run_once(void *unused)
{
    pthread_once(&once, run);
    if (runs != 1)
        abort();
    pthread_once(&once, run);
    return unused;
}

static void *leave_once(void *unused)
{
    pthread_once(&left, leave);
    if (tries != 2)
        abort();
    return unused;
}

static void onces(void)
{
    pthread_t threads[4];
    long left_with = 0;

    for (int i = 0; i < 4; i++)
        threads[i] = start(run_once, NULL);
    for (int i = 0; i < 4; i++)
        finish(threads[i]);
    SHOW(runs);
    for (int i = 0; i < 4; i++)
        threads[i] = start(leave_once, NULL);
    for (int i = 0; i < 4; i++)
        left_with += (long)finish(threads[i]);
    SHOW(left_with == 5);
    SHOW(tries);
}

int main(void)
{
    time_limits();
    let_go(0);
    let_go(1);
    wrong_mutex();
    barriers();
    onces();
    return 0;
}
