/*
 * race_bit_fields_ok: the two bit fields lie in different units.
 *
 * expect: nothing
 */
#include "program.h"

struct {
    unsigned char open : 1;
    unsigned char : 0;
    unsigned char dirty : 1;
} file;

static void *opened(void *unused)
{
    file.open = 1; /* @A */
    return unused;
}

static void *dirtied(void *unused)
{
    file.dirty = 1; /* @B */
    return unused;
}

int main(void)
{
    run2(opened, dirtied);
    printf("%d %d\n", file.open, file.dirty);
    return 0;
}
