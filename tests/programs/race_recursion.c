/*
 * race_recursion: deep down in a recursion a counter is changed without the lock.
 *
 * expect: race A A
 */
#include "program.h"

int leaves;

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

    depth = descend(300);
    return depth == 301 ? unused : &leaves;
}

int main(void)
{
    run2(climb, climb);
    printf("%d\n", leaves > 0);
    return 0;
}
