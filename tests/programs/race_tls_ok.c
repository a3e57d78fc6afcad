/*
 * race_tls_ok: each thread uses its own thread-local variable.
 *
 * expect: nothing
 */
#include "program.h"

static __thread int mine;

static NOINLINE void add(int *to, int n)
{
    *to += n; /* @A */
}

static void *use(void *argument)
{
    (void)argument;
    add(&mine, 1);
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
