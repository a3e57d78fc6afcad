/*
 * test_guards.c - which lock decides for an object, and when none does.
 */
#include "iroot/guards.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Of one thread or two: "l" and a digit takes a lock, "s" in shared mode, "u" gives it back, "x"
 * accesses variable 0; "," goes over to the other thread. */
static uint32_t guard(const char *events)
{
    struct fw_guards *guards = fw_guards_create();
    uint32_t thread = 0, found;

    for (const char *at = events; *at; at++) {
        if (*at == ',')
            thread = !thread;
        else if (*at == 'x')
            fw_guards_access(guards, thread, 0);
        else if (*at == 'u')
            fw_guards_unlock(guards, thread, (uint32_t)(*++at - '0'));
        else if (at[1])
            fw_guards_lock(guards, thread, (uint32_t)(at[1] - '0'), *at == 's'), at++;
    }
    found = fw_guards_of(guards, 0);
    fw_guards_destroy(guards);
    return found;
}

static void a_lock_that_all_accesses_hold_decides(void **state)
{
    (void)state;
    assert_int_equal(guard("l1l2xxu2u1,l3l2xu3u2"), 2);
    assert_int_equal(guard("xl1xu1,x"), 1); /* some hold none at all */
    assert_int_equal(guard("l1xu1l1l2xu2u1"), 1);
    assert_int_equal(guard("l1xl2u2u1"), 1);
}

static void without_such_a_lock_none_decides(void **state)
{
    (void)state;
    assert_int_equal(guard("x,x"), FW_GUARD_NONE);
    assert_int_equal(guard("l1xu1,l2xu2"), FW_GUARD_NONE);
    assert_int_equal(guard("l1xu1,s1xu1"), FW_GUARD_NONE);
}

/* Between the accesses 1 is given back and taken again, 2 is not. */
static void sections_that_come_apart_decide_together(void **state)
{
    (void)state;
    assert_int_equal(guard("l2l1xu1l1xu1u2"), FW_GUARD_NONE);
    assert_int_equal(guard("l2l1xu1,l1xu1,l1xu1u2"), FW_GUARD_NONE);
    assert_int_equal(guard("l2l1xu1u2l2l1xu1u2"), 2);
    assert_int_equal(guard("l2l1xu1u2,l1xu1,l2l1xu1u2"), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lock_that_all_accesses_hold_decides),
        cmocka_unit_test(without_such_a_lock_none_decides),
        cmocka_unit_test(sections_that_come_apart_decide_together),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
