/*
 * annotated_ignore_ok: what one of the two threads does is ignored.
 *
 * expect: nothing
 */
#include "program.h"
#include <foreweave/annotate.h>

int value;

static void *ignored(void *unused)
{
    FOREWEAVE_IGNORE_BEGIN();
    value = 1;
    value = 2; /* @A */
    FOREWEAVE_IGNORE_END();
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
