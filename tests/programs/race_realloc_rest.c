/*
 * race_realloc_rest: a thread uses what a block holds beyond what was asked for, while another one
 * moves the block.
 *
 * expect: race A B
 * overlap: no, free is no access here
 */
#include "program.h"
#include <malloc.h>

enum { WANTED = 1900 };

char *volatile block;

static void *use(void *last)
{
    return *(char *)last == 77 ? last : NULL; /* @A */
}

int main(void)
{
    char *old = malloc(WANTED), *behind = malloc(WANTED);
    pthread_t thread;

    block = old;
    thread = start(use, block + malloc_usable_size(old) - 1);
    step_aside();
    block = realloc(old, 100 * WANTED); /* @B */
    finish(thread);
    free(block);
    free(behind);
    puts("done");
    return 0;
}
