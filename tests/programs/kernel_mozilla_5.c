/*
 * kernel_mozilla_5: a new thread looks for its own handle, which its creator has yet to put down.
 *
 * expect: race A B
 */
#include "program.h"

volatile pthread_t handle;
int crashed;

static void *run(void *unused)
{
    crashed = handle == 0; /* @A */
    return unused;
}

int main(void)
{
    pthread_t thread;

    thread = start(run, NULL);
    handle = thread; /* @B */
    finish(thread);
    printf("%d\n", crashed <= 1);
    return 0;
}
