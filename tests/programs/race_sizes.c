/*
 * race_sizes: one thread writes eight bytes, the other one byte in the middle of them.
 *
 * expect: race A B
 */
#include "program.h"

union {
    unsigned long word;
    unsigned short half[4];
    unsigned char byte[8];
} u;

static void *wide(void *unused)
{
    u.word = 0; /* @A */
    return unused;
}

static void *narrow(void *unused)
{
    u.byte[3] = 1; /* @B */
    return unused;
}

int main(void)
{
    run2(wide, narrow);
    printf("%d\n", u.byte[0]);
    return 0;
}
