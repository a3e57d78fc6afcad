/*
 * race_recursion_ok: the lock is held through the whole recursion.
 *
 * expect: nothing
 */
#include "program.h"

int leaves;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static NOINLINE int descend(int depth)
{
    int below;

    if (depth == 0) {
        leaves++; /* @A */
        return 1;
    }
    below = descend(depth - 1);
    return below + 1;
}

static void *climb(void *unused)
{
    int depth;

    pthread_mutex_lock(&lock);
    depth = descend(300);
    pthread_mutex_unlock(&lock);
    return depth == 301 ? unused : &leaves;
}

int main(void)
{
    run2(climb, climb);
    printf("%d\n", leaves);
    return 0;
}
