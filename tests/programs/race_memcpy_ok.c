/*
 * race_memcpy_ok: each thread copies into its own half of the buffer.
 *
 * expect: nothing
 */
#include "program.h"

char shared[128];
const char source[64] = "a line of text";
size_t length = 64;

static void *fill(void *unused)
{
    memcpy(shared, source, length); /* @A */
    return unused;
}

static void *drain(void *unused)
{
    memcpy(shared + 64, source, length); /* @B */
    return unused;
}

int main(void)
{
    run2(fill, drain);
    printf("%s\n", shared);
    return 0;
}
