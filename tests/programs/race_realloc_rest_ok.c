/*
 * race_realloc_rest_ok: blocks are moved by realloc with all that they hold, which is more than was
 * asked for; another thread had the rest of it in a block of its own before.
 *
 * expect: nothing
 */
#include "program.h"
#include <malloc.h>

enum { FORMER = 2000, WANTED = 1900 }; /* too large for the caches that threads have */

static void *former(void *unused)
{
    char *block = malloc(FORMER), *other = malloc(FORMER);

    memset(block, 1, FORMER);
    memset(other, 1, FORMER);
    free(block);
    free(other);
    return unused;
}

static void *latter(void *unused)
{
    char *block, *other, *behind;

    step_aside();
    block = malloc(WANTED);
    other = malloc(WANTED);
    behind = malloc(WANTED); /* so that none can grow where it is */
    block = realloc(block, 100 * FORMER);
    other = reallocarray(other, 200, FORMER);
    free(block);
    free(other);
    free(behind);
    return unused;
}

int main(void)
{
    mallopt(M_ARENA_MAX, 1);
    run2(former, latter);
    puts("done");
    return 0;
}
