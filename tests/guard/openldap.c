/*
 * openldap: two threads take two locks in opposite orders.
 *
 * kind: deadlock
 */
#include "kernel.h"

struct {
    pthread_mutex_t lru, entry;
    int used, changed;
    bool stuck;
} shared = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, 0, 0, false };

static NOINLINE void both(pthread_mutex_t *first, pthread_mutex_t *second, int *count)
{
    struct timespec limit = deadline();

    pthread_mutex_lock(first);
    hold();
    if (pthread_mutex_timedlock(second, &limit) == 0) {
        (*count)++;
        pthread_mutex_unlock(second);
    } else {
        shared.stuck = true;
    }
    pthread_mutex_unlock(first);
}

static void find(void)
{
    both(&shared.lru, &shared.entry, &shared.used);
}

static void modify(void)
{
    meanwhile();
    both(&shared.entry, &shared.lru, &shared.changed);
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    run_two(find, modify);
    return verdict(!shared.stuck);
}
