/*
 * race_free_ok: the block is freed when its user has been joined.
 *
 * expect: nothing
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
    finish(thread);
    free(block); /* @B */
    puts("freed");
    return 0;
}
