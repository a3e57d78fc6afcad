/*
 * test_smt.c - the SMT oracle on traces small enough to be understood by
 * reading: rules that random traces seldom touch, each with a twin.
 */
#include "support/smt.h"
#include "verify_check.h"

/* The claim can happen, and the witness shows it; or cannot. */
static void expect(const char *text, bool feasible, enum fw_claim claim, const uint32_t *events,
                   uint32_t count)
{
    struct fw_trace *trace = load(text);
    struct fw_smt *smt = fw_smt_create(trace, 0);
    struct fw_verifier *verifier = fw_verifier_create(trace);
    struct fw_witness witness = { claim, events, count, NULL, 0 };

    assert_int_equal(fw_smt_ask(smt, claim, events, count),
                     feasible ? FW_SMT_FEASIBLE : FW_SMT_INFEASIBLE);
    witness.order = fw_smt_witness(smt, &witness.order_count);
    assert_int_equal(fw_verify(verifier, &witness).accepted, feasible);
    fw_verifier_destroy(verifier);
    fw_smt_destroy(smt);
    fw_trace_destroy(trace);
}

static void a_fork_by_a_tainted_thread_taints_the_child(void **state)
{
    const char *t = "T0|w(x)|\nT1|r(x)|\nT1|fork(T2)|\nT2|w(y)|\nT2|br|\n";

    (void)state;
    expect(t, true, ORDER, LIST(3, 0));
    expect(t, false, ORDER, LIST(4, 0)); /* the branch needs T1's read as it was */
}

static void joining_a_tainted_thread_taints(void **state)
{
    const char *t = "T0|w(x)|\nT1|r(x)|\nT1|w(y)|\nT2|join(T1)|\nT2|br|\n";

    (void)state;
    expect(t, true, ORDER, LIST(3, 0));
    expect(t, false, ORDER, LIST(4, 0));
}

static void a_child_without_events_carries_taint_from_fork_to_join(void **state)
{
    const char *t = "T0|w(x)|\nT1|r(x)|\nT1|fork(T3)|\nT2|join(T3)|\nT2|br|\n";

    (void)state;
    expect(t, true, ORDER, LIST(3, 0));
    expect(t, false, ORDER, LIST(3, 2));
    expect(t, false, ORDER, LIST(4, 0));
}

static void without_branches_a_thread_that_ends_with_a_changed_read_is_not_joined(void **state)
{
    (void)state;
    expect("T0|w(x)|\nT1|r(x)|\nT2|join(T1)|\n", false, ORDER, LIST(2, 0));
    expect("# branches: yes\nT0|w(x)|\nT1|r(x)|\nT2|join(T1)|\n", true, ORDER, LIST(2, 0));
    expect("T0|w(x)|\nT1|r(x)|\nT1|w(y)|\nT2|join(T1)|\n", false, ORDER, LIST(3, 0));
}

static void without_branches_there_is_no_race_behind_a_changed_read(void **state)
{
    (void)state;
    expect("T0|w(x)|\nT0|w(y)|\nT1|r(x)|\nT1|w(y)|\n", true, RACE, LIST(1, 3));
    expect("T0|w(y)|\nT0|w(x)|\nT1|r(x)|\nT1|w(y)|\n", false, RACE, LIST(0, 3));
    expect("# branches: yes\nT0|w(y)|\nT0|w(x)|\nT1|r(x)|\nT1|w(y)|\n", true, RACE, LIST(0, 3));
}

static void locks_held_in_the_end_stay_held(void **state)
{
    const char *t = "T0|acq(l)|\nT0|w(x)|\nT0|rel(l)|\nT1|acq(l)|\nT1|w(x)|\n";

    (void)state;
    expect(t, true, ORDER, LIST(0, 3));
    expect(t, false, ORDER, LIST(3, 0));
    expect(t, false, RACE, LIST(1, 4));
    expect("T0|racq(l)|\nT0|w(x)|\nT0|rrel(l)|\nT1|racq(l)|\nT1|w(x)|\n", true, RACE, LIST(1, 4));
}

static void a_gate_lock_excludes_a_deadlock(void **state)
{
    (void)state;
    expect("T0|acq(a)|\nT0|acq(b)|\nT0|rel(b)|\nT0|rel(a)|\nT1|acq(b)|\nT1|acq(a)|\n", true,
           DEADLOCK, LIST(1, 5));
    expect("T0|acq(g)|\nT0|acq(a)|\nT0|acq(b)|\nT0|rel(b)|\nT0|rel(a)|\nT0|rel(g)|\n"
           "T1|acq(g)|\nT1|acq(b)|\nT1|acq(a)|\n",
           false, DEADLOCK, LIST(2, 8));
}

static void a_third_write_between_makes_a_read_see_another_one(void **state)
{
    /* T1's write of x can only come between the others with T0's lock taken. */
    const char *t = "T0|w(x)|\nT0|r(x)|\nT1|w(x)|\n";
    const char *locked = "T0|acq(l)|\nT0|w(x)|\nT0|r(x)|\nT0|rel(l)|\nT1|acq(l)|\nT1|w(x)|\n";

    (void)state;
    expect(t, true, NONDET, LIST(1, 2));
    expect(t, false, NONDET, LIST(1));
    expect(locked, false, NONDET, LIST(2, 5));
}

static void claims_that_are_none_are_infeasible(void **state)
{
    const char *t = "T0|w(x)|\nT0|r(x)|\nT1|r(x)|\nT1|acq(l)|\n";

    (void)state;
    expect(t, false, RACE, LIST(0, 1));
    expect(t, false, RACE, LIST(1, 2));
    expect(t, false, ATOMICITY, LIST(0, 2, 1));
    expect(t, false, DEADLOCK, LIST(3));
    expect(t, false, ORDER, LIST(1, 1));
    expect(t, false, NONDET, LIST(2, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fork_by_a_tainted_thread_taints_the_child),
        cmocka_unit_test(joining_a_tainted_thread_taints),
        cmocka_unit_test(a_child_without_events_carries_taint_from_fork_to_join),
        cmocka_unit_test(without_branches_a_thread_that_ends_with_a_changed_read_is_not_joined),
        cmocka_unit_test(without_branches_there_is_no_race_behind_a_changed_read),
        cmocka_unit_test(locks_held_in_the_end_stay_held),
        cmocka_unit_test(a_gate_lock_excludes_a_deadlock),
        cmocka_unit_test(a_third_write_between_makes_a_read_see_another_one),
        cmocka_unit_test(claims_that_are_none_are_infeasible),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
