/*
 * test_verify_values.c - reads of equal values, rule by rule; the verifier and
 * the oracles say the same.
 *
 * Each witness is judged with values (the expected answer) and without, where
 * it must be rejected or, if nothing depends on values, accepted as well.
 */
#include "support/oracle.h"
#include "support/smt.h"
#include "verify_check.h"

/* Whether the witness is accepted, with and without values. */
enum answer {
    NEVER,
    WITH_VALUES,
    ALWAYS,
};

static bool is_accepted(const struct fw_trace *trace, const struct fw_witness *witness, bool values)
{
    struct fw_verifier *verifier = fw_verifier_create(trace);
    struct fw_oracle *oracle = fw_oracle_create(trace);
    bool accepted;

    fw_verifier_use_values(verifier, values);
    fw_oracle_use_values(oracle, values);
    accepted = fw_verify(verifier, witness).accepted;
    assert_int_equal(fw_oracle_judge(oracle, witness), accepted);
    fw_oracle_destroy(oracle);
    fw_verifier_destroy(verifier);
    return accepted;
}

/* Is there any witness of the claim at all?  By Z3. */
static bool is_feasible(const struct fw_trace *trace, const struct fw_witness *witness, bool values)
{
    struct fw_smt *smt = (values ? fw_smt_create_values : fw_smt_create)(trace, 0);
    enum fw_smt_answer answer =
        fw_smt_ask(smt, witness->claim, witness->events, witness->event_count);

    assert_int_not_equal(answer, FW_SMT_UNKNOWN);
    fw_smt_destroy(smt);
    return answer == FW_SMT_FEASIBLE;
}

static void check(const char *text, enum answer answer, enum fw_claim claim, const uint32_t *events,
                  uint32_t event_count, const uint32_t *order, uint32_t order_count)
{
    struct fw_trace *trace = load(text);
    struct fw_witness witness = { claim, events, event_count, order, order_count };

    assert_int_equal(is_accepted(trace, &witness, false), answer == ALWAYS);
    assert_int_equal(is_accepted(trace, &witness, true), answer != NEVER);
    if (answer != NEVER)
        assert_true(is_feasible(trace, &witness, true));
    fw_trace_destroy(trace);
}

static void a_read_of_an_equal_value_is_unchanged(void **state)
{
    const char *t = "T0|w(x)||val=1\nT2|w(x)||val=1\nT1|r(x)||val=1\nT1|br|\n";
    const char *other = "T0|w(x)||val=2\nT2|w(x)||val=1\nT1|r(x)||val=1\nT1|br|\n";

    (void)state;
    check(t, ALWAYS, ORDER, LIST(3), LIST(0, 1, 2, 3));
    check(t, WITH_VALUES, ORDER, LIST(3), LIST(0, 2, 3));
    check(t, WITH_VALUES, ORDER, LIST(3), LIST(1, 0, 2, 3));
    check(other, NEVER, ORDER, LIST(3), LIST(0, 2, 3));
}

static void without_a_record_a_read_got_what_its_write_left(void **state)
{
    const char *t = "T0|w(x)||val=1\nT2|w(x)||val=1\nT1|r(x)|\nT1|br|\n";
    const char *neither = "T0|w(x)||val=1\nT2|w(x)|\nT1|r(x)|\nT1|br|\n";
    const char *read_only = "T0|w(x)||val=1\nT2|w(x)|\nT1|r(x)||val=1\nT1|br|\n";

    (void)state;
    check(t, WITH_VALUES, ORDER, LIST(3), LIST(0, 2, 3));
    check(neither, NEVER, ORDER, LIST(3), LIST(0, 2, 3));
    check(read_only, WITH_VALUES, ORDER, LIST(3), LIST(0, 2, 3));
}

static void records_that_disagree_say_nothing(void **state)
{
    const char *t = "T0|w(x)||val=1\nT2|w(x)||val=2\nT1|r(x)||val=1\nT1|br|\n";

    (void)state;
    check(t, NEVER, ORDER, LIST(3), LIST(0, 2, 3));
    check(t, ALWAYS, ORDER, LIST(3),
          LIST(0, 1, 2, 3)); /* the very write is unchanged all the same */
}

static void a_write_without_value_equals_nothing(void **state)
{
    const char *t = "T0|w(x)|\nT2|w(x)||val=0\nT1|r(x)||val=0\nT1|br|\n";

    (void)state;
    check(t, NEVER, ORDER, LIST(3), LIST(0, 2, 3));
}

static void seeing_nothing_instead_is_a_change_whatever_the_value(void **state)
{
    const char *none = "T1|r(x)||val=0\nT1|br|\nT0|w(x)||val=0\nT2|r(x)||val=0\nT2|br|\n";

    (void)state;
    check(none, NEVER, ORDER, LIST(4), LIST(3, 4));          /* saw a write, sees none */
    check(none, WITH_VALUES, ORDER, LIST(1), LIST(2, 0, 1)); /* saw none, sees what it got */
}

static void a_tainted_write_is_a_change_whatever_the_value(void **state)
{
    const char *t = "T0|w(y)||val=5\nT3|r(y)||val=5\nT3|w(x)||val=1\nT2|w(x)||val=1\n"
                    "T1|r(x)||val=1\nT1|br|\n";

    (void)state;
    check(t, WITH_VALUES, ORDER, LIST(5), LIST(0, 1, 2, 4, 5));
    check(t, NEVER, ORDER, LIST(5), LIST(1, 2, 4, 5)); /* 1 is changed, 2 tainted */
}

static void the_value_of_a_read_modify_write_is_what_it_leaves(void **state)
{
    /* Both armw leave 2; the second one got 1 in the trace, from event 1. */
    const char *t = "T0|w(x)||val=1\nT2|w(x)||val=1\nT1|armw(x)||ord=rlx,val=2\nT1|br|\n";
    const char *left = "T0|w(x)||val=2\nT2|w(x)|\nT1|armw(x)||ord=rlx,val=2\nT1|br|\n";

    (void)state;
    check(t, WITH_VALUES, ORDER, LIST(3), LIST(0, 2, 3));
    check(left, NEVER, ORDER, LIST(3), LIST(0, 2, 3));
}

static void a_load_that_synchronised_keeps_its_store(void **state)
{
    const char *t = "T0|ast(x)||val=1\nT2|ast(x)||val=1\nT1|ald(x)||val=1\nT1|br|\n";
    const char *relaxed = "T0|ast(x)||ord=rlx,val=1\nT2|ast(x)||ord=rlx,val=1\n"
                          "T1|ald(x)||ord=rlx,val=1\nT1|br|\n";

    (void)state;
    check(t, NEVER, ORDER, LIST(3), LIST(0, 2, 3));
    check(relaxed, WITH_VALUES, ORDER, LIST(3), LIST(0, 2, 3));
}

static void without_branches_an_equal_value_lets_the_thread_go_on(void **state)
{
    const char *t = "T0|w(x)||val=1\nT2|w(x)||val=1\nT1|r(x)||val=1\nT1|w(z)|\nT0|w(z)|\n";

    (void)state;
    check(t, WITH_VALUES, RACE, LIST(3, 4), LIST(0, 2, 3, 4));
}

static void a_deadlock_behind_a_value(void **state)
{
    /* T1 goes on when it reads 1; T2 wrote that first, long before T0 took the locks. */
    const char *t = "T2|w(f)||val=1\nT0|acq(a)|\nT0|acq(b)|\nT0|rel(b)|\nT0|rel(a)|\n"
                    "T0|w(f)||val=1\nT1|r(f)||val=1\nT1|acq(b)|\nT1|acq(a)|\n";

    (void)state;
    check(t, WITH_VALUES, DEADLOCK, LIST(2, 8), LIST(0, 1, 6, 7));
}

static void a_nondeterministic_read_gets_another_value(void **state)
{
    const char *t = "T0|w(x)||val=1\nT2|w(x)||val=1\nT1|r(x)||val=1\n";
    const char *other = "T0|w(x)||val=2\nT2|w(x)||val=1\nT1|r(x)||val=1\n";
    const char *unknown = "T0|w(x)|\nT2|w(x)||val=1\nT1|r(x)||val=1\n";
    struct fw_trace *trace = load(t);
    struct fw_witness witness = { NONDET, LIST(2, 0), LIST(0, 2) };

    (void)state;
    assert_true(is_accepted(trace, &witness, false)); /* here values take something away */
    assert_false(is_accepted(trace, &witness, true));
    assert_false(is_feasible(trace, &witness, true));
    fw_trace_destroy(trace);
    check(other, ALWAYS, NONDET, LIST(2, 0), LIST(0, 2));
    check(unknown, ALWAYS, NONDET, LIST(2, 0), LIST(0, 2));
    check(t, ALWAYS, NONDET, LIST(2), LIST(2)); /* no write at all */
}

static void other_reads_of_a_nondeterministic_one_may_see_equal_values(void **state)
{
    const char *t =
        "T0|w(x)||val=1\nT2|w(x)||val=1\nT1|r(x)||val=1\nT1|w(y)|\nT3|r(y)|\nT4|w(y)|\n";

    (void)state;
    check(t, WITH_VALUES, NONDET, LIST(4, 5), LIST(0, 2, 3, 5, 4));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_read_of_an_equal_value_is_unchanged),
        cmocka_unit_test(without_a_record_a_read_got_what_its_write_left),
        cmocka_unit_test(records_that_disagree_say_nothing),
        cmocka_unit_test(a_write_without_value_equals_nothing),
        cmocka_unit_test(seeing_nothing_instead_is_a_change_whatever_the_value),
        cmocka_unit_test(a_tainted_write_is_a_change_whatever_the_value),
        cmocka_unit_test(the_value_of_a_read_modify_write_is_what_it_leaves),
        cmocka_unit_test(a_load_that_synchronised_keeps_its_store),
        cmocka_unit_test(without_branches_an_equal_value_lets_the_thread_go_on),
        cmocka_unit_test(a_deadlock_behind_a_value),
        cmocka_unit_test(a_nondeterministic_read_gets_another_value),
        cmocka_unit_test(other_reads_of_a_nondeterministic_one_may_see_equal_values),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
