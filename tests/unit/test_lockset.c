/* test_lockset.c - Eraser's state machine. */
#include "support/expect.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void expected_answers_of_the_corpus_are_met(void **state)
{
    (void)state;
    assert_int_equal(fw_expect_corpus(&fw_analysis_lockset, NULL, fw_answer_variables), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expected_answers_of_the_corpus_are_met),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
