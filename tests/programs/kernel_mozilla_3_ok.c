/*
 * kernel_mozilla_3_ok: whoever exchanges the timer's pointer releases it.
 *
 * expect: nothing
 */
#include "program.h"
#include <stdatomic.h>

struct timer {
    volatile int releases;
};
struct timer object;
_Atomic(struct timer *) timer = &object;

static NOINLINE void release(struct timer *released)
{
    released->releases = released->releases + 1; /* @C */
}

static void *shut_down(void *unused)
{
    struct timer *mine = atomic_exchange(&timer, NULL); /* @A */

    if (mine)
        release(mine);
    return unused;
}

int main(void)
{
    run2(shut_down, shut_down);
    printf("%d\n", object.releases);
    return 0;
}
