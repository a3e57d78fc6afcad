/*
 * mozilla_shutdown: the end is notified before the thread that is to hear of it waits.
 *
 * kind: order
 */
#include "kernel.h"

struct {
    pthread_mutex_t lock;
    pthread_cond_t end;
    bool waiting;
    bool stuck;
} shared = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false, false };

static void run(void)
{
    struct timespec limit;

    hold();
    limit = deadline();
    pthread_mutex_lock(&shared.lock);
    shared.waiting = true;
    shared.stuck = pthread_cond_timedwait(&shared.end, &shared.lock, &limit) != 0;
    pthread_mutex_unlock(&shared.lock);
}

static NOINLINE void shutdown(void)
{
    pthread_mutex_lock(&shared.lock);
    if (shared.waiting)
        pthread_cond_signal(&shared.end);
    pthread_mutex_unlock(&shared.lock);
}

static void terminate(void)
{
    meanwhile();
    shutdown();
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    run_two(run, terminate);
    return verdict(!shared.stuck);
}
