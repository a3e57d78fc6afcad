/*
 * kernel_apache_3: the "atomic" decrement of a reference count is not atomic.
 *
 * expect: race A A
 * may: race B B
 */
#include "program.h"

int references = 2;
int cleared;

static NOINLINE int decrement(void)
{
    return --references; /* @A */
}

static void *release(void *unused)
{
    if (decrement() == 0)
        cleared++; /* @B */
    return unused;
}

int main(void)
{
    run2(release, release);
    printf("%d\n", cleared <= 2);
    return 0;
}
