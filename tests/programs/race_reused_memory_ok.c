/*
 * race_reused_memory_ok: threads use the same addresses one after the other, each as a block of its
 * own.
 *
 * expect: nothing
 */
#include "program.h"

static NOINLINE void touch(long *block)
{
    block[1] = 1; /* @A */
}

static void *work(void *argument)
{
    long *block = malloc(64);

    touch(block);
    free(block);
    (void)argument;
    return NULL;
}

int main(void)
{
    long *block = malloc(64);
    pthread_t thread;

    touch(block);
    free(block);
    thread = start(work, NULL);
    block = malloc(64);
    touch(block);
    finish(thread);
    free(block);
    puts("done");
    return 0;
}
