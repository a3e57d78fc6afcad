/*
 * race_tls: a thread passes the address of its thread-local variable around and goes on using it.
 *
 * expect: race A B
 */
#include "program.h"

static __thread int mine;

static NOINLINE void add(int *to, int n)
{
    *to += n; /* @A */
}

static void *use(void *argument)
{
    add(argument, 1);
    return NULL;
}

int main(void)
{
    pthread_t thread = start(use, &mine);

    mine += 2; /* @B */
    finish(thread);
    printf("%d\n", mine >= 1);
    return 0;
}
