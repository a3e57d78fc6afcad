/*
 * annotated_expected: a statistic is counted without care.
 *
 * expect: race A A
 */
#include "program.h"

int statistic;

static void *count(void *unused)
{
    statistic++; /* @A */
    return unused;
}

int main(void)
{
    run2(count, count);
    printf("%d\n", statistic > 0);
    return 0;
}
