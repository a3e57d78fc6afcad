/*
 * race_reused_memory: a block is freed, and another thread is still told to write to it.
 *
 * expect: race A B
 * overlap: no, free is no access here
 */
#include "program.h"

long *volatile keep;

static NOINLINE void touch(long *block)
{
    block[1] = 1; /* @A */
}

static void *work(void *argument)
{
    touch(argument);
    return NULL;
}

int main(void)
{
    long *block = malloc(64);
    pthread_t thread;

    touch(block);
    thread = start(work, block);
    step_aside();
    block = realloc(block, 1 << 20); /* @B */
    keep = block;
    finish(thread);
    free(block);
    puts("done");
    return 0;
}
