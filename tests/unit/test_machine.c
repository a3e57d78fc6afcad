/*
 * test_machine.c - what others have of the machine: all but what is idle and one's own.
 */
#include "learn/machine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct fw_machine_use use_of(const char *line, uint64_t own)
{
    struct fw_machine_use use = { 0 };

    assert_true(fw_machine_parse(line, &use));
    use.own = own;
    return use;
}

static void what_is_idle_or_own_is_not_of_others(void **state)
{
    struct fw_machine_use before = use_of("cpu  100 10 50 800 20 5 5 10 7 7\n", 30), after;

    (void)state;
    assert_int_equal(before.all, 1000);
    assert_int_equal(before.busy, 180);
    after = use_of("cpu  100 10 50 880 40 5 5 10 7 7\n", 30);
    assert_int_equal(fw_machine_others(&before, &after), 0); /* nobody did anything */
    after = use_of("cpu  160 10 50 840 20 5 5 10 7 7\n", 90);
    assert_int_equal(fw_machine_others(&before, &after), 0); /* it was all one's own */
    after = use_of("cpu  130 30 60 840 20 5 5 10 7 7\n", 50);
    assert_int_equal(fw_machine_others(&before, &after), 40);
    after = use_of("cpu  100 110 50 800 20 5 5 10 7 7\n", 30);
    assert_int_equal(fw_machine_others(&before, &after), 100);
}

static void what_is_not_known_is_nothing(void **state)
{
    struct fw_machine_use none = { 0 }, some = use_of("cpu  100 10 50 800 20 5 5 10", 30);

    (void)state;
    assert_int_equal(fw_machine_others(&none, &none), 0);
    assert_int_equal(fw_machine_others(&none, &some), 0);
    assert_int_equal(fw_machine_others(&some, &none), 0);
    assert_int_equal(fw_machine_others(&some, &some), 0);
    assert_false(fw_machine_parse("", &none));
    assert_false(fw_machine_parse("cpu0 1 2 3 4 5 6 7 8\n", &none));
    assert_false(fw_machine_parse("cpu  1 2 3 4 5 6 7\n", &none));
    assert_false(fw_machine_parse("cpu  1 2 x 4 5 6 7 8\n", &none));
}

/* Both are read where this runs. */
static void the_machine_can_be_asked(void **state)
{
    struct fw_machine_use before, after;

    (void)state;
    fw_machine_look(&before);
    assert_true(before.all > 0 && before.busy > 0 && before.busy <= before.all);
    fw_machine_look(&after);
    assert_true(after.all >= before.all && after.own >= before.own);
    assert_true(fw_machine_others(&before, &after) <= 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_idle_or_own_is_not_of_others),
        cmocka_unit_test(what_is_not_known_is_nothing),
        cmocka_unit_test(the_machine_can_be_asked),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
