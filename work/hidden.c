/*
 * hidden.c - a data race that hardly any run shows.
 *
 * main and the worker both write x, and no lock protects it.  But each also has a section of the
 * same lock: main's comes right behind its write, the worker's right before its own.  The worker
 * is slow to start (it sleeps, as if it had to connect somewhere), so main's section practically
 * always comes first, and then the lock seems to order the writes:
 *
 *     main    x = 1   lock l  z++  unlock l
 *     worker                                  lock l  y++  unlock l   x = 2
 *
 * Detectors that trust the order in which this run took the lock are silent.  Yet the two sections
 * have nothing to do with each other: when the worker is faster for once, both writes to x come at
 * the same time, and x is 1 or 2 by chance.
 *
 *     foreweave cc -g hidden.c -o hidden
 *     foreweave record -o t.fwt -- ./hidden
 *     foreweave check t.fwt
 */
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER;
int x; /* what both want to set */
int y; /* the worker's count, under l */
int z; /* main's count, under l */

static void *worker(void *unused)
{
    usleep(50000);
    pthread_mutex_lock(&l);
    y++;
    pthread_mutex_unlock(&l);
    x = 2; /* races with main's write */
    return unused;
}

int main(void)
{
    pthread_t thread;

    if (pthread_create(&thread, NULL, worker, NULL) != 0)
        return 1;
    x = 1; /* races with the worker's write */
    pthread_mutex_lock(&l);
    z++;
    pthread_mutex_unlock(&l);
    pthread_join(thread, NULL);
    return 0;
}
