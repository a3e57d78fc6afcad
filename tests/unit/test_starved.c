/* test_starved.c - what a process has executed, and what it has waited for a processor. */
#include "explore/starved.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <time.h>
#include <unistd.h>

static double own_time(void)
{
    struct timespec time;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void test_who_executes_is_seen_to(void **state)
{
    double until = own_time() + 0.05;
    struct fw_executed before = fw_executed(getpid()), after;

    (void)state;
    if (before.ran == 0)
        skip(); /* this kernel does not tell */
    while (own_time() < until)
        ;
    after = fw_executed(getpid());
    assert_true(after.ran - before.ran > 0.04);
    assert_true(after.waited >= before.waited);
}

static void test_of_nobody_nothing_is_known(void **state)
{
    struct fw_executed nobody = fw_executed(-1);

    (void)state;
    assert_true(nobody.ran == 0 && nobody.waited == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_who_executes_is_seen_to),
        cmocka_unit_test(test_of_nobody_nothing_is_known),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
