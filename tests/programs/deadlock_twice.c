/*
 * deadlock_twice: a thread takes a lock that it holds, and that is not recursive.
 *
 * expect: deadlock A
 */
#include "program.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static NOINLINE void inner(void)
{
    pthread_mutex_lock(&mutex); /* @A */
    pthread_mutex_unlock(&mutex);
}

static void *outer(void *unused)
{
    pthread_mutex_lock(&mutex);
    inner();
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    end_when_stuck("stuck\n");
    alarm(1);
    finish(start(outer, NULL));
    puts("not reached");
    return 0;
}
