/*
 * kernel_mozilla_4: a transport passes through a state that nobody else should see.
 *
 * expect: race A B
 * expect: race B C
 */
#include "program.h"

enum { SUSPENDED, TEMPORARY, RUNNING };

volatile int state = SUSPENDED;
int confused;

static void *transport(void *unused)
{
    state = TEMPORARY; /* @A */
    if (state == TEMPORARY)
        state = RUNNING; /* @C */
    return unused;
}

static void *listener(void *unused)
{
    confused = state == TEMPORARY; /* @B */
    return unused;
}

int main(void)
{
    run2(transport, listener);
    printf("%d\n", confused <= 1);
    return 0;
}
