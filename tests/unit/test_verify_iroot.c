/* test_verify_iroot.c - instances of interleaving idioms, rule by rule (verify_check.h). */
#include "verify_check.h"

#define IROOT FW_CLAIM_IROOT

/* ---- a dependency ---- */

static void a_dependency_is_between_conflicting_accesses(void **state)
{
    (void)state;
    accept("T0|w(x)|\nT1|r(x)|\n", IROOT, LIST(1, 0), LIST(1, 0));
    accept("T0|w(x)|\nT1|free(x)|\n", IROOT, LIST(0, 1), LIST(0, 1));
    accept("T0|ast(x)|\nT1|ald(x)|\n", IROOT, LIST(0, 1), LIST(0, 1));
    reject("T0|r(x)|\nT1|r(x)|\n", IROOT, LIST(0, 1), LIST(0, 1), "do not conflict");
    reject("T0|w(x)|\nT1|r(y)|\n", IROOT, LIST(0, 1), LIST(0, 1), "do not conflict");
    reject("T0|w(x)|\nT0|r(x)|\n", IROOT, LIST(0, 1), LIST(0, 1), "do not conflict");
    reject("T0|fork(T1)|\nT1|r(x)|\n", IROOT, LIST(0, 1), LIST(0, 1), "is no access");
    reject("T0|w(x)|\nT1|r(x)|\n", IROOT, LIST(0, 1), LIST(1, 0), "does not come after");
    reject("T0|w(x)|\nT1|r(x)|\n", IROOT, LIST(0, 1), LIST(0), "is not in the order");
}

static void the_order_is_a_correct_reordering(void **state)
{
    const char *t = "T0|acq(l)|\nT0|w(x)|\nT0|rel(l)|\nT1|acq(l)|\nT1|w(x)|\nT1|rel(l)|\n";

    (void)state;
    accept(t, IROOT, LIST(4, 1), LIST(3, 4, 5, 0, 1));
    reject(t, IROOT, LIST(4, 1), LIST(3, 4, 0, 1), "T1 holds l");
}

/* Accesses of the two threads part everything. */
static void its_own_threads_part_a_dependency(void **state)
{
    const char *t = "T0|w(x)|\nT0|r(x)|\nT1|r(x)|\nT1|r(x)|\n";

    (void)state;
    accept(t, IROOT, LIST(0, 2), LIST(0, 2, 1));
    reject(t, IROOT, LIST(0, 2), LIST(0, 1, 2),
           "event 1, 'r(x)' by T0 comes between event 0, 'w(x)' and event 2, 'r(x)'");
    reject(t, IROOT, LIST(0, 3), LIST(0, 2, 3), "event 2, 'r(x)' by T1 comes between");
}

/* Others' reads part two writes, others' writes part everything. */
static void third_threads_part_a_dependency(void **state)
{
    const char *t = "T0|w(x)|\nT1|r(x)|\nT2|r(x)|\nT2|w(x)|\nT1|w(x)|\n";

    (void)state;
    accept(t, IROOT, LIST(0, 1), LIST(0, 2, 1));
    reject(t, IROOT, LIST(0, 1), LIST(0, 2, 3, 1), "event 3, 'w(x)' by T2 comes between");
    accept("T0|w(x)|\nT2|r(x)|\nT1|w(x)|\n", IROOT, LIST(0, 2), LIST(1, 0, 2));
    reject("T0|w(x)|\nT2|r(x)|\nT1|w(x)|\n", IROOT, LIST(0, 2), LIST(0, 1, 2),
           "event 1, 'r(x)' by T2 comes between");
    accept("T0|r(x)|\nT2|r(x)|\nT1|w(x)|\n", IROOT, LIST(0, 2), LIST(0, 1, 2));
}

static void a_lock_is_given_back_and_taken(void **state)
{
    const char *t = "T0|acq(l)|\nT0|rel(l)|\nT1|acq(l)|\nT1|rel(l)|\nT2|acq(l)|\nT2|rel(l)|\n";
    const char *s = "T0|racq(l)|\nT0|rrel(l)|\nT1|racq(l)|\nT1|rrel(l)|\nT2|acq(l)|\nT2|rel(l)|\n";

    (void)state;
    accept(t, IROOT, LIST(3, 0), LIST(2, 3, 0));
    reject(t, IROOT, LIST(3, 0), LIST(2, 3, 4, 5, 0), "event 4, 'acq(l)' by T2 comes between");
    reject(t, IROOT, LIST(2, 0), LIST(2, 3, 0), "does not give back what");
    reject(t, IROOT, LIST(3, 1), LIST(2, 3, 0, 1), "does not give back what");
    accept(s, IROOT, LIST(1, 4), LIST(0, 2, 1, 3, 4));
    reject(s, IROOT, LIST(1, 2), LIST(0, 1, 2), "do not conflict");
}

/* ---- compound idioms ---- */

static void idiom_2_returns_to_its_thread(void **state)
{
    const char *t = "T0|w(x)|\nT0|r(x)|\nT1|w(x)|\nT2|w(x)|\n";

    (void)state;
    accept(t, IROOT, LIST(0, 2, 1), LIST(0, 2, 1));
    reject(t, IROOT, LIST(0, 2, 1), LIST(0, 2, 3, 1), "event 3, 'w(x)' by T2 comes between");
    reject("T0|w(x)|\nT1|w(x)|\nT2|r(x)|\n", IROOT, LIST(0, 1, 2), LIST(0, 1, 2),
           "does not follow");
}

static void idiom_3_leaves_the_object_alone(void **state)
{
    const char *t = "T0|w(x)|\nT0|r(x)|\nT1|w(x)|\nT1|r(x)|\nT1|w(x)|\n";

    (void)state;
    accept(t, IROOT, LIST(0, 2, 4, 1), LIST(0, 2, 3, 4, 1));
    reject("T0|w(x)|\nT0|w(x)|\nT0|r(x)|\nT1|w(x)|\nT1|w(x)|\n", IROOT, LIST(0, 3, 4, 2),
           LIST(0, 3, 1, 4, 2), "event 1, 'w(x)' stands between");
    /* A and C of one thread: no idiom of one object. */
    reject("T0|w(x)|\nT1|w(x)|\nT0|w(x)|\nT1|w(x)|\n", IROOT, LIST(0, 1, 2, 3), LIST(0, 1, 2, 3),
           "of no idiom");
}

static void idiom_4_leaves_both_objects_alone(void **state)
{
    const char *t = "T0|w(x)|\nT0|w(z)|\nT0|r(y)|\nT1|r(x)|\nT1|w(y)|\n";
    const char *between = "T0|w(x)|\nT0|r(y)|\nT0|r(y)|\nT1|r(x)|\nT1|w(y)|\n";

    (void)state;
    accept(t, IROOT, LIST(0, 3, 4, 2), LIST(0, 3, 4, 1, 2));
    reject(between, IROOT, LIST(0, 3, 4, 2), LIST(0, 3, 1, 4, 2), "event 1, 'r(y)' stands between");
}

static void idioms_5_and_6_cross_and_go_side_by_side(void **state)
{
    const char *five = "T0|w(x)|\nT0|r(x)|\nT0|r(y)|\nT1|w(y)|\nT1|r(x)|\n";
    const char *six = "T0|w(x)|\nT0|w(y)|\nT1|r(x)|\nT1|r(y)|\n";

    (void)state;
    accept(five, IROOT, LIST(0, 4, 3, 2), LIST(0, 3, 4, 1, 2));
    reject(five, IROOT, LIST(0, 4, 3, 2), LIST(0, 1, 3, 4, 2), "event 1, 'r(x)' by T0 comes");
    accept(six, IROOT, LIST(0, 2, 1, 3), LIST(0, 2, 1, 3));
    accept(six, IROOT, LIST(0, 2, 1, 3), LIST(0, 1, 2, 3));
    reject(six, IROOT, LIST(1, 3, 0, 2), LIST(0, 1, 2, 3), "does not follow");
}

static void the_window_counts_accesses(void **state)
{
    const char *text = "T0|w(x)|\nT0|w(z)|\nT0|br|\nT0|w(z)|\nT0|r(x)|\nT1|w(x)|\n";
    const uint32_t events[] = { 0, 5, 4 }, order[] = { 0, 5, 1, 2, 3, 4 };
    struct fw_witness witness = { IROOT, events, 3, order, 6 };
    struct fw_trace *trace = load(text);
    struct fw_verifier *verifier = fw_verifier_create(trace);

    (void)state;
    fw_verifier_use_window(verifier, 3);
    assert_true(fw_verify(verifier, &witness).accepted);
    fw_verifier_use_window(verifier, 2);
    assert_string_equal(fw_verify(verifier, &witness).reason,
                        "event 4, 'r(x)' by T0 is 3 accesses behind event 0, 'w(x)', more than 2");
    fw_verifier_destroy(verifier);
    fw_trace_destroy(trace);
}

/* ---- the deadlock ---- */

static void idiom_5_may_be_a_deadlock(void **state)
{
    const char *t = "T0|acq(a)|\nT0|acq(b)|\nT0|rel(b)|\nT0|rel(a)|\n"
                    "T1|acq(b)|\nT1|acq(a)|\nT1|rel(a)|\nT1|rel(b)|\n";
    const char *given = "T0|acq(a)|\nT0|rel(a)|\nT0|acq(b)|\nT0|rel(b)|\n"
                        "T1|acq(b)|\nT1|acq(a)|\nT1|rel(a)|\nT1|rel(b)|\n";
    const char *shared = "T0|racq(a)|\nT0|acq(b)|\nT0|rel(b)|\nT0|rrel(a)|\n"
                         "T1|acq(b)|\nT1|racq(a)|\nT1|rrel(a)|\nT1|rel(b)|\n";

    (void)state;
    accept(t, IROOT, LIST(0, 5, 4, 1), LIST(0, 4));
    reject(t, IROOT, LIST(0, 5, 4, 1), LIST(0), "is not in the order");
    reject(t, IROOT, LIST(0, 5, 4, 1), LIST(0, 1, 2, 3, 4), "already happened");
    reject(given, IROOT, LIST(0, 5, 4, 2), LIST(0, 1, 4), "event 1, 'rel(a)' stands between");
    reject(shared, IROOT, LIST(0, 5, 4, 1), LIST(0, 4), "do not conflict");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_dependency_is_between_conflicting_accesses),
        cmocka_unit_test(the_order_is_a_correct_reordering),
        cmocka_unit_test(its_own_threads_part_a_dependency),
        cmocka_unit_test(third_threads_part_a_dependency),
        cmocka_unit_test(a_lock_is_given_back_and_taken),
        cmocka_unit_test(idiom_2_returns_to_its_thread),
        cmocka_unit_test(idiom_3_leaves_the_object_alone),
        cmocka_unit_test(idiom_4_leaves_both_objects_alone),
        cmocka_unit_test(idioms_5_and_6_cross_and_go_side_by_side),
        cmocka_unit_test(the_window_counts_accesses),
        cmocka_unit_test(idiom_5_may_be_a_deadlock),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
