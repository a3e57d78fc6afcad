/* tally.c - a sum under a mutex, and how often it was added to, as an atomic. */
#include "tally.h"

#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total;
static atomic_int additions;

void tally_add(int amount)
{
    pthread_mutex_lock(&lock);
    total += amount;
    pthread_mutex_unlock(&lock);
    atomic_fetch_add(&additions, 1);
}

int tally_total(void)
{
    int now;

    pthread_mutex_lock(&lock);
    now = atomic_load(&additions) ? total : 0;
    pthread_mutex_unlock(&lock);
    return now;
}
