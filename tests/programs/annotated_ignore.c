/*
 * annotated_ignore: one of the two threads is ignored for a moment, but not for long enough.
 *
 * expect: race A B
 */
#include "program.h"
#include <foreweave/annotate.h>

int value;

static void *ignored(void *unused)
{
    FOREWEAVE_IGNORE_BEGIN();
    value = 1;
    FOREWEAVE_IGNORE_END();
    value = 2; /* @A */
    return unused;
}

static void *seen(void *unused)
{
    value = 3; /* @B */
    return unused;
}

int main(void)
{
    run2(ignored, seen);
    printf("%d\n", value > 0);
    return 0;
}
