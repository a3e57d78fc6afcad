/* test_mb.c - must-before on the example traces. */
#include "support/expect.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static void corpus_expectations_are_met(void **state)
{
    struct fw_analysis_setup setup = { .pairs_all = true };

    (void)state;
    assert_int_equal(fw_expect_corpus(&fw_analysis_mb, &setup, fw_answer_events), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(corpus_expectations_are_met),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
