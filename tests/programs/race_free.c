/*
 * race_free: a block is freed while another thread may still use it.
 *
 * expect: race A B
 * overlap: no, free is no access here
 */
#include "program.h"

long *volatile keep;

static void *use(void *argument)
{
    long *block = argument;

    block[3] = 4; /* @A */
    return NULL;
}

int main(void)
{
    long *block = calloc(16, sizeof(*block));
    pthread_t thread;

    keep = block;
    block[3] = 1;
    thread = start(use, block);
    step_aside();
    free(block); /* @B */
    finish(thread);
    puts("freed");
    return 0;
}
