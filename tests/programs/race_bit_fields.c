/*
 * race_bit_fields: two bit fields share a byte, so that writing one writes the other.
 *
 * expect: race A B
 */
#include "program.h"

struct {
    unsigned char open : 1;
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
    puts(file.open || file.dirty ? "set" : "lost");
    return 0;
}
