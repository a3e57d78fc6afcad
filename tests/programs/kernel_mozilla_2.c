/*
 * kernel_mozilla_2: two threads seek to an item of an archive; what is to be done once can be done
 * twice, and the second one ends up in the wrong place.
 *
 * expect: race A B
 * may: race B B
 * may: race C C
 */
#include "program.h"

volatile int seeked, offset = 30;

static void *seek_to_item(void *unused)
{
    if (!seeked) { /* @A */
        offset = offset + 16; /* @C */
        seeked = 1; /* @B */
    }
    return unused;
}

int main(void)
{
    run2(seek_to_item, seek_to_item);
    printf("%d\n", offset >= 46);
    return 0;
}
