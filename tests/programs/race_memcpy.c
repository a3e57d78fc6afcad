/*
 * race_memcpy: a buffer is copied out while another thread fills it.
 *
 * expect: race A B
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
    char local[64];

    memcpy(local, shared + 32, length); /* @B */
    return local[0] == 'x' ? shared : unused;
}

int main(void)
{
    run2(fill, drain);
    printf("%s\n", shared);
    return 0;
}
