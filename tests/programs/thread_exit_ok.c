/*
 * thread_exit_ok: a thread ends in the depth of its calls; its handler gives the lock back.
 *
 * expect: nothing
 */
#include "program.h"

int ended;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void clean(void *argument)
{
    ended++; /* @A */
    pthread_mutex_unlock(argument);
}

static NOINLINE void leave(int depth)
{
    if (depth == 0)
        pthread_exit(&ended);
    leave(depth - 1);
    ended = -1000;
}

static void *work(void *unused)
{
    pthread_mutex_lock(&lock);
    pthread_cleanup_push(clean, &lock);
    leave(10);
    pthread_cleanup_pop(1);
    return unused;
}

int main(void)
{
    run2(work, work);
    printf("%d\n", ended);
    return 0;
}
