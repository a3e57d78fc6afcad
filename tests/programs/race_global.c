/*
 * race_global: two threads count in a global variable without a lock.
 *
 * expect: race A A
 */
#include "program.h"

int hits;

static void *count(void *unused)
{
    hits++; /* @A */
    return unused;
}

int main(void)
{
    run2(count, count);
    puts(hits > 0 ? "counted" : "nothing");
    return 0;
}
