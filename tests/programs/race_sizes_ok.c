/*
 * race_sizes_ok: threads write neighbouring bytes of one word.
 *
 * expect: nothing
 */
#include "program.h"

union {
    unsigned long word;
    unsigned short half[4];
    unsigned char byte[8];
} u;

static void *wide(void *unused)
{
    u.half[0] = 0x100; /* @A */
    u.half[2] = 0x100;
    return unused;
}

static void *narrow(void *unused)
{
    u.byte[3] = 1; /* @B */
    u.byte[7] = 1;
    u.byte[6] = 1;
    return unused;
}

int main(void)
{
    run2(wide, narrow);
    printf("%016lx\n", u.word);
    return 0;
}
