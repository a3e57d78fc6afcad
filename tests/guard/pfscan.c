/*
 * pfscan: the main thread waits until no worker is left; the number of workers is set after they
 * have begun, so that one which is quick is counted before there is anything to count.
 *
 * kind: order
 */
#include "kernel.h"

struct {
    pthread_mutex_t lock;
    pthread_cond_t done;
    int left;
    bool stuck;
} shared = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, false };

static NOINLINE void set_left(int count)
{
    pthread_mutex_lock(&shared.lock);
    shared.left = count;
    pthread_mutex_unlock(&shared.lock);
}

static void scan(void)
{
    meanwhile();
    pthread_mutex_lock(&shared.lock);
    shared.left--;
    pthread_cond_signal(&shared.done);
    pthread_mutex_unlock(&shared.lock);
}

static void lead(void)
{
    struct timespec limit;

    hold();
    set_left(1);
    limit = deadline();
    pthread_mutex_lock(&shared.lock);
    while (shared.left > 0 && !shared.stuck)
        shared.stuck = pthread_cond_timedwait(&shared.done, &shared.lock, &limit) != 0;
    pthread_mutex_unlock(&shared.lock);
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    run_two(lead, scan);
    return verdict(!shared.stuck);
}
