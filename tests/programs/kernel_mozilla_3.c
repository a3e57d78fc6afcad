/*
 * kernel_mozilla_3: at the end two threads look whether the timer is still there and release it.
 * (Releases are counted here, where the original freed.)
 *
 * expect: race A B
 * may: race B B
 * may: race C C
 */
#include "program.h"

struct timer {
    volatile int releases;
};
struct timer object;
struct timer *volatile timer = &object;

static NOINLINE void release(struct timer *released)
{
    released->releases = released->releases + 1; /* @C */
}

static void *shut_down(void *unused)
{
    struct timer *mine = timer; /* @A */

    if (mine) {
        release(mine);
        timer = NULL; /* @B */
    }
    return unused;
}

int main(void)
{
    run2(shut_down, shut_down);
    printf("%d\n", object.releases > 0);
    return 0;
}
