/* The last that a thread does comes behind its end for the program: in the last round of destructors, after all
 * that is seen of it.  -DDETACHED: nobody joins it.  -DWAITS: it cannot go on before main has. */
#include <limits.h>
#include <pthread.h>
#include <stdint.h>

static pthread_key_t key;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int gone;

static void leave(void *round)
{
    if ((uintptr_t)round < PTHREAD_DESTRUCTOR_ITERATIONS) {
        pthread_setspecific(key, (void *)((uintptr_t)round + 1));
        return;
    }
    for (volatile int i = 0; i < 1000000; i++)
        ;
#ifdef WAITS
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
#endif
    gone = 1;
}

static void *work(void *x)
{
    pthread_setspecific(key, (void *)1);
    return x;
}

int main(void)
{
    pthread_t t;

    pthread_key_create(&key, leave);
    pthread_mutex_lock(&m);
    pthread_create(&t, 0, work, 0);
#ifdef DETACHED
    pthread_detach(t);
#endif
    int seen = gone;
    pthread_mutex_unlock(&m);
#ifndef DETACHED
    pthread_join(t, 0);
#endif
    return seen ? 3 : 0;
}
