/* test_overlap.c - accesses that stood side by side in the run itself. */
#include "support/expect.h"
#include "support/property.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

/* The pairs that are reported, as "(1,2)", or "none". */
static void assert_pairs(const char *text, const char *wanted)
{
    char *found = fw_events_found(&fw_analysis_overlap, text);

    assert_non_null(found);
    assert_string_equal(found, wanted);
    free(found);
}

#define START "T0|fork(T1)\nT0|fork(T2)\n"

static void what_was_next_in_two_threads_is_reported(void **state)
{
    (void)state;
    assert_pairs(START "T1|begin\nT2|begin\nT1|w(x)\nT2|r(x)\nT2|end\nT1|end\n", "(4,5)");
    assert_pairs(START "T1|w(x)\nT2|w(x)\n", "(2,3)");
    /* Other threads may have done anything meanwhile. */
    assert_pairs(START "T1|w(x)\nT0|w(y)\nT0|acq(m)\nT0|rel(m)\nT2|w(x)\n", "(2,6)");
    /* Nothing is lost by calls and returns. */
    assert_pairs(START "T1|w(x)\nT2|call(f)\nT2|w(x)\nT2|ret(f)\n", "(2,4)");
}

static void what_is_no_conflict_is_not(void **state)
{
    (void)state;
    assert_pairs(START "T1|r(x)\nT2|r(x)\n", "none");
    assert_pairs(START "T1|w(x)\nT2|w(y)\n", "none");
    assert_pairs(START "T1|w(x)\nT1|w(x)\n", "none");
    assert_pairs(START "T1|ast(x)\nT2|ald(x)\n", "none");
}

/* Whatever it was: it may have waited for the other one. */
static void whoever_did_something_in_between_is_left_alone(void **state)
{
    (void)state;
    assert_pairs(START "T1|w(x)\nT2|acq(m)\nT2|w(x)\nT2|rel(m)\n", "none");
    assert_pairs(START "T1|w(x)\nT2|r(y)\nT2|w(x)\n", "none");
    assert_pairs(START "T1|w(x)\nT2|ald(flag)\nT2|r(x)\n", "none");
    assert_pairs(START "T1|w(x)\nT0|join(T1)\nT0|w(x)\n", "none");
    /* Before it was started it was not there. */
    assert_pairs("T0|w(x)\nT0|fork(T1)\nT1|w(x)\n", "none");
}

static void each_of_several_threads_is_asked(void **state)
{
    (void)state;
    assert_pairs("T0|fork(T1)\nT0|fork(T2)\nT0|fork(T3)\nT1|w(x)\nT2|r(x)\nT3|w(x)\n",
                 "(3,4) (3,5) (4,5)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_next_in_two_threads_is_reported),
        cmocka_unit_test(what_is_no_conflict_is_not),
        cmocka_unit_test(whoever_did_something_in_between_is_left_alone),
        cmocka_unit_test(each_of_several_threads_is_asked),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
