/*
 * phase_ok: two threads lock x before y in the first phase and y before x in the second.
 *
 * mended: a barrier between the phases
 */
#include "threads.h"

static pthread_mutex_t x = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t y = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t between;
static int work;

static void *both_phases(void *unused)
{
    pthread_mutex_lock(&x);
    pthread_mutex_lock(&y);
    work++;
    pthread_mutex_unlock(&y);
    pthread_mutex_unlock(&x);
    pthread_barrier_wait(&between);
    pthread_mutex_lock(&y);
    pthread_mutex_lock(&x);
    work++;
    pthread_mutex_unlock(&x);
    pthread_mutex_unlock(&y);
    return unused;
}

int main(void)
{
    pthread_barrier_init(&between, NULL, 2);
    run2(both_phases, both_phases);
    return work == 4 ? 0 : 1;
}
