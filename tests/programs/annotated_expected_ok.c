/*
 * annotated_expected_ok: a statistic is counted without care, and that is meant.
 *
 * expect: nothing
 */
#include "program.h"
#include <foreweave/annotate.h>

int statistic;

static void *count(void *unused)
{
    statistic++; /* @A */
    return unused;
}

int main(void)
{
    FOREWEAVE_EXPECT_RACE(&statistic, sizeof(statistic), "it need not be exact");
    run2(count, count);
    printf("%d\n", statistic > 0);
    return 0;
}
