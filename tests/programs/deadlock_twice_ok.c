/*
 * deadlock_twice_ok: a thread takes a lock again that it has given back.
 *
 * expect: nothing
 */
#include "program.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static NOINLINE void inner(void)
{
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
}

static void *outer(void *unused)
{
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    inner();
    return unused;
}

int main(void)
{
    finish(start(outer, NULL));
    puts("done");
    return 0;
}
