/*
 * kernel_apache_3_ok: the decrement of a reference count is atomic.
 *
 * expect: nothing
 */
#include "program.h"
#include <stdatomic.h>

atomic_int references = 2;
int cleared;

static NOINLINE int decrement(void)
{
    return atomic_fetch_sub(&references, 1) - 1; /* @A */
}

static void *release(void *unused)
{
    if (decrement() == 0)
        cleared++;
    return unused;
}

int main(void)
{
    run2(release, release);
    printf("%d\n", cleared);
    return 0;
}
