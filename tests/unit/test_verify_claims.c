/* test_verify_claims.c - what a correct reordering must show, claim by claim (verify_check.h). */
#include "verify_check.h"

/* ---- race ---- */

/* The race hidden behind lock order: T0's section came first in the trace. */
static const char hidden_race[] = "T0|fork(T1)|\nT0|w(x)|\nT0|acq(l)|\nT0|w(z)|\nT0|rel(l)|\n"
                                  "T1|acq(l)|\nT1|w(y)|\nT1|rel(l)|\nT1|w(x)|\n";

static void a_race_is_two_events_that_are_next(void **state)
{
    (void)state;
    accept(hidden_race, RACE, LIST(1, 8), LIST(0, 5, 6, 7, 1, 8));
    accept(hidden_race, RACE, LIST(1, 8), LIST(0, 5, 6, 7, 8, 1)); /* either one may be last */
    accept(hidden_race, RACE, LIST(8, 1), LIST(0, 5, 6, 7, 1, 8));
    reject(hidden_race, RACE, LIST(1, 8), LIST(0, 5, 6, 1, 8),
           "after step 3: event 8, 'w(x)' by T1, but T1 comes to event 7, 'rel(l)' first");
}

static void the_order_ends_with_the_racing_pair(void **state)
{
    (void)state;
    reject(hidden_race, RACE, LIST(1, 8), LIST(0, 5, 6, 7), "does not end with the two events");
    reject(hidden_race, RACE, LIST(1, 8), LIST(0, 5, 6, 7, 1), "does not end with the two events");
    reject(hidden_race, RACE, LIST(1, 8), LIST(0, 5, 6, 7, 1, 8, 2), "does not end with");
    reject(hidden_race, RACE, LIST(1, 8), LIST(8), "does not end with");
    reject(hidden_race, RACE, LIST(1, 8), EMPTY, "does not end with");
}

static void what_comes_before_the_pair_is_a_correct_reordering(void **state)
{
    const char *t = "T0|acq(l)|\nT0|w(x)|\nT0|rel(l)|\nT1|acq(l)|\nT1|rel(l)|\nT1|w(x)|\n";

    (void)state;
    accept(t, RACE, LIST(1, 5), LIST(3, 4, 0, 1, 5));
    reject(t, RACE, LIST(1, 5), LIST(0, 3, 4, 1, 5), "step 2: event 3, 'acq(l)' by T1, but T0");
}

static void a_pair_in_one_section_each_is_no_race(void **state)
{
    const char *t = "T0|acq(l)|\nT0|w(x)|\nT0|rel(l)|\nT1|acq(l)|\nT1|w(x)|\nT1|rel(l)|\n";

    (void)state;
    reject(t, RACE, LIST(1, 4), LIST(0, 3, 1, 4), "T0 holds l");
    reject(t, RACE, LIST(1, 4), LIST(0, 1, 4), "T1 comes to event 3, 'acq(l)' first");
}

static void both_racing_threads_are_started(void **state)
{
    const char *t = "T0|w(y)|\nT0|fork(T1)|\nT1|w(x)|\nT2|w(x)|\n";

    (void)state;
    accept(t, RACE, LIST(2, 3), LIST(0, 1, 2, 3));
    reject(t, RACE, LIST(2, 3), LIST(0, 2, 3), "T1 starts only after event 1, 'fork(T1)'");
    /* The fork is next in T0, but has not happened. */
    reject("T0|w(x)|\nT0|fork(T1)|\nT1|w(x)|\n", RACE, LIST(0, 2), LIST(0, 2), "starts only after");
}

static void racing_events_conflict(void **state)
{
    (void)state;
    accept("T0|w(x)|\nT1|r(x)|\n", RACE, LIST(0, 1), LIST(0, 1));
    accept("T0|w(x)|\nT1|ald(x)|\n", RACE, LIST(0, 1), LIST(0, 1));
    accept("T0|ast(x)|\nT1|r(x)|\n", RACE, LIST(0, 1), LIST(0, 1));
    accept("T0|r(x)|\nT1|free(x)|\n", RACE, LIST(0, 1), LIST(0, 1));
    accept("T0|ald(x)|\nT1|free(x)|\n", RACE, LIST(0, 1), LIST(0, 1));
    reject("T0|r(x)|\nT1|r(x)|\n", RACE, LIST(0, 1), LIST(0, 1), "do not conflict");
    reject("T0|r(x)|\nT1|ald(x)|\n", RACE, LIST(0, 1), LIST(0, 1), "do not conflict");
    reject("T0|ast(x)|\nT1|armw(x)|\n", RACE, LIST(0, 1), LIST(0, 1), "do not conflict");
    reject("T0|w(x)|\nT1|w(y)|\n", RACE, LIST(0, 1), LIST(0, 1), "do not conflict");
    reject("T0|w(x)|\nT1|alloc(x)|\n", RACE, LIST(0, 1), LIST(0, 1), "do not conflict");
    reject("T0|acq(x)|\nT1|w(x)|\n", RACE, LIST(0, 1), LIST(0, 1), "do not conflict");
}

static void racing_events_are_of_two_threads(void **state)
{
    const char *t = "T0|w(x)|\nT0|w(x)|\nT1|w(x)|\n";

    (void)state;
    accept(t, RACE, LIST(0, 2), LIST(0, 2));
    reject(t, RACE, LIST(0, 1), LIST(0, 1), "are of one thread");
    reject(t, RACE, LIST(0, 0), LIST(0, 0), "are of one thread");
}

static void a_race_has_two_events(void **state)
{
    (void)state;
    reject(hidden_race, RACE, EMPTY, LIST(0), "a race has 2 events, not 0");
    reject(hidden_race, RACE, LIST(1, 8, 3), LIST(0, 1, 8), "a race has 2 events, not 3");
}

static void the_pair_need_not_be_possible_in_sequence(void **state)
{
    /* The load synchronised with its store; both it and the plain write are next, and race. */
    const char *t = "T0|ast(x)|\nT1|ald(x)|\nT2|w(x)|\n";

    (void)state;
    accept(t, RACE, LIST(1, 2), LIST(2, 1));
    reject(t, ORDER, LIST(2, 1), LIST(2, 1), "it synchronised with event 0");
}

static void a_tainted_thread_may_race_before_its_next_branch(void **state)
{
    const char *t = "T0|w(x)|\nT1|r(x)|\nT1|w(y)|\nT1|br|\nT1|w(z)|\nT2|w(y)|\nT2|w(z)|\n";

    (void)state;
    accept(t, RACE, LIST(2, 5), LIST(1, 2, 5));
    accept(t, RACE, LIST(4, 6), LIST(0, 1, 2, 3, 5, 4, 6));
    reject(t, RACE, LIST(4, 6), LIST(1, 2, 5, 4, 6), "T1 comes to event 3, 'br' first");
    reject(t, RACE, LIST(4, 6), LIST(1, 2, 3, 5, 4, 6), "it may depend on event 1");
}

/* ---- deadlock ---- */

static const char crossed[] = "T0|acq(a)|\nT0|acq(b)|\nT0|rel(b)|\nT0|rel(a)|\n"
                              "T1|acq(b)|\nT1|acq(a)|\nT1|rel(a)|\nT1|rel(b)|\n";

static void a_deadlock_is_a_cycle_of_waiting_threads(void **state)
{
    (void)state;
    accept(crossed, DEADLOCK, LIST(1, 5), LIST(0, 4));
    reject(crossed, DEADLOCK, LIST(1, 5), LIST(0),
           "after step 1: event 5, 'acq(a)' by T1, but T1 "
           "comes to event 4, 'acq(b)' first");
    reject(crossed, DEADLOCK, LIST(1, 4), LIST(0),
           "'acq(b)' by T0, but no other thread of the "
           "deadlock keeps it waiting");
    reject(crossed, DEADLOCK, LIST(1, 5), LIST(0, 1, 4), "T0 holds b");
}

static void three_threads_may_deadlock(void **state)
{
    const char *t = "T0|acq(a)|\nT0|acq(b)|\nT0|rel(b)|\nT0|rel(a)|\n"
                    "T1|acq(b)|\nT1|acq(c)|\nT1|rel(c)|\nT1|rel(b)|\n"
                    "T2|acq(c)|\nT2|acq(a)|\nT2|rel(a)|\nT2|rel(c)|\n";

    (void)state;
    accept(t, DEADLOCK, LIST(1, 5, 9), LIST(0, 4, 8));
    /* T1 waits for T2, which is not in the set: it may go on. */
    reject(t, DEADLOCK, LIST(1, 5), LIST(0, 4, 8),
           "'acq(c)' by T1, but no other thread of the "
           "deadlock");
}

static void a_deadlock_needs_two_threads_each_once(void **state)
{
    (void)state;
    reject(crossed, DEADLOCK, LIST(1), LIST(0, 4), "at least 2 waiting threads, not 1");
    reject(crossed, DEADLOCK, EMPTY, LIST(0, 4), "at least 2 waiting threads, not 0");
    reject(crossed, DEADLOCK, LIST(1, 5, 1), LIST(0, 4), "its thread is already in the deadlock");
}

static void only_blocking_acquires_deadlock(void **state)
{
    const char *tries = "T0|acq(a)|\nT0|tryacq(b)|\nT0|rel(b)|\nT0|rel(a)|\n"
                        "T1|acq(b)|\nT1|acq(a)|\nT1|rel(a)|\nT1|rel(b)|\n";

    (void)state;
    reject(tries, DEADLOCK, LIST(1, 5), LIST(0, 4), "event 1, 'tryacq(b)' by T0 does not wait");
    reject(crossed, DEADLOCK, LIST(2, 5), LIST(0, 1), "'rel(b)' by T0 does not wait");
}

static void a_gate_lock_keeps_a_deadlock_away(void **state)
{
    const char *t = "T0|acq(g)|\nT0|acq(a)|\nT0|acq(b)|\nT0|rel(b)|\nT0|rel(a)|\nT0|rel(g)|\n"
                    "T1|acq(g)|\nT1|acq(b)|\nT1|acq(a)|\nT1|rel(a)|\nT1|rel(b)|\nT1|rel(g)|\n";

    (void)state;
    reject(t, DEADLOCK, LIST(2, 8), LIST(0, 1, 6, 7), "'acq(g)' by T1, but T0 holds g");
}

static void shared_holders_block_writers_in_a_deadlock(void **state)
{
    const char *upgrade = "T0|racq(a)|\nT0|acq(b)|\nT0|rel(b)|\nT0|rrel(a)|\n"
                          "T1|racq(b)|\nT1|acq(a)|\nT1|rel(a)|\nT1|rrel(b)|\n";
    const char *readers = "T0|racq(a)|\nT0|racq(b)|\nT0|rrel(b)|\nT0|rrel(a)|\n"
                          "T1|racq(b)|\nT1|acq(a)|\nT1|rel(a)|\nT1|rrel(b)|\n";
    const char *mixed = "T0|racq(a)|\nT0|racq(b)|\nT0|rrel(b)|\nT0|rrel(a)|\n"
                        "T1|acq(b)|\nT1|acq(a)|\nT1|rel(a)|\nT1|rel(b)|\n";

    (void)state;
    accept(upgrade, DEADLOCK, LIST(1, 5), LIST(0, 4));
    accept(mixed, DEADLOCK, LIST(1, 5), LIST(0, 4));
    reject(readers, DEADLOCK, LIST(1, 5), LIST(0, 4),
           "'racq(b)' by T0, but no other thread of the "
           "deadlock keeps it waiting");
}

static void shared_holders_outside_the_set_do_not_count(void **state)
{
    const char *t = "T2|racq(b)|\nT2|rrel(b)|\nT0|acq(a)|\nT0|acq(b)|\nT0|rel(b)|\nT0|rel(a)|\n"
                    "T1|racq(b)|\nT1|acq(a)|\nT1|rel(a)|\nT1|rrel(b)|\n";

    (void)state;
    accept(t, DEADLOCK, LIST(3, 7), LIST(0, 2, 6));
    accept(t, DEADLOCK, LIST(3, 7), LIST(0, 2, 6, 1));
    /* T1 has not taken b; only T2 holds it. */
    reject(t, DEADLOCK, LIST(3, 6), LIST(0, 2), "'acq(b)' by T0, but no other thread");
}

/* ---- order ---- */

static void an_order_has_its_events_in_order(void **state)
{
    const char *t = "T0|w(x)|\nT1|w(y)|\nT2|w(z)|\n";

    (void)state;
    accept(t, ORDER, LIST(2, 0, 1), LIST(2, 0, 1));
    accept(t, ORDER, LIST(2, 1), LIST(2, 0, 1)); /* others may come between */
    reject(t, ORDER, LIST(0, 2), LIST(2, 0, 1),
           "event 2, 'w(z)' by T2 does not come after event 0");
    reject(t, ORDER, LIST(2, 0), LIST(2, 1), "event 0, 'w(x)' by T0 is not in the order");
    reject(t, ORDER, LIST(2, 2), LIST(2, 1), "does not come after");
    reject(t, ORDER, EMPTY, LIST(2, 1), "at least 1 event");
}

/* ---- atomicity ---- */

/* a1, b, a2 by their kinds; T0's events are 0 and 1, b is 2.  Nothing synchronises. */
static const char *triple(const char *a1, const char *b, const char *a2)
{
    static char text[200];
    const char *ops[3] = { a1, a2, b };
    size_t used = (size_t)snprintf(text, sizeof text, "# branches: yes\n");

    for (int i = 0; i < 3; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "T%d|%s(x)||%s\n", i / 2, ops[i],
                                 ops[i][0] == 'a' ? "ord=rlx" : "");
    return text;
}

static void violates(const char *a1, const char *b, const char *a2)
{
    accept(triple(a1, b, a2), ATOMICITY, LIST(0, 2, 1), LIST(0, 2, 1));
}

static void serialises(const char *a1, const char *b, const char *a2)
{
    reject(triple(a1, b, a2), ATOMICITY, LIST(0, 2, 1), LIST(0, 2, 1), "can be serialised");
}

static void four_patterns_are_unserialisable(void **state)
{
    (void)state;
    violates("r", "w", "r");
    violates("w", "w", "r");
    violates("w", "r", "w");
    violates("r", "w", "w");
    serialises("r", "r", "r");
    serialises("r", "r", "w");
    serialises("w", "r", "r");
    serialises("w", "w", "w");
}

static void a_read_modify_write_is_what_fits(void **state)
{
    (void)state;
    violates("armw", "w", "w"); /* r-w-w */
    violates("w", "armw", "w"); /* w-r-w */
    violates("w", "armw", "r"); /* w-w-r */
    violates("armw", "r", "armw");
    violates("armw", "armw", "armw");
    serialises("r", "r", "armw");
    serialises("armw", "r", "r");
    serialises("w", "w", "ast");
}

static void an_atomicity_violation_is_a_feasible_order(void **state)
{
    const char *guarded = "T0|acq(l)|\nT0|r(x)|\nT0|w(x)|\nT0|rel(l)|\n"
                          "T1|acq(l)|\nT1|w(x)|\nT1|rel(l)|\n";
    const char *split = "T0|acq(l)|\nT0|r(x)|\nT0|rel(l)|\nT0|acq(l)|\nT0|w(x)|\nT0|rel(l)|\n"
                        "T1|acq(l)|\nT1|w(x)|\nT1|rel(l)|\n";

    (void)state;
    accept(split, ATOMICITY, LIST(1, 7, 4), LIST(0, 1, 2, 6, 7, 8, 3, 4));
    reject(split, ATOMICITY, LIST(1, 7, 4), LIST(0, 1, 2, 6, 7, 8), "event 4, 'w(x)' by T0 is not");
    reject(guarded, ATOMICITY, LIST(1, 5, 2), LIST(0, 1, 4, 5, 2), "T0 holds l");
    reject(guarded, ATOMICITY, LIST(1, 5, 2), LIST(0, 1, 2, 3, 4, 5), "does not come after");
}

static void both_own_accesses_are_consecutive(void **state)
{
    const char *between = "T0|r(x)|\nT0|r(x)|\nT0|r(x)|\nT1|w(x)|\n";
    const char *other = "T0|r(x)|\nT0|r(y)|\nT0|acq(x)|\nT0|r(x)|\nT1|w(x)|\n";

    (void)state;
    accept(between, ATOMICITY, LIST(1, 3, 2), LIST(0, 1, 3, 2));
    reject(between, ATOMICITY, LIST(0, 3, 2), LIST(0, 1, 3, 2),
           "event 2, 'r(x)' by T0 is not the next access to its variable after event 0");
    accept(other, ATOMICITY, LIST(0, 4, 3), LIST(0, 1, 2, 4, 3));
}

static void an_atomicity_violation_is_of_one_variable_and_two_threads(void **state)
{
    const char *t = "T0|r(x)|\nT0|r(x)|\nT1|w(x)|\nT1|w(y)|\nT2|r(x)|\nT0|w(x)|\nT1|free(x)|\n";

    (void)state;
    accept(t, ATOMICITY, LIST(0, 2, 1), LIST(0, 2, 1));
    reject(t, ATOMICITY, LIST(0, 3, 1), LIST(0, 2, 3, 1), "not accesses to one variable");
    reject(t, ATOMICITY, LIST(0, 6, 1), LIST(0, 2, 3, 6, 1), "not accesses to one variable");
    reject(t, ATOMICITY, LIST(0, 2, 4), LIST(0, 2, 4), "must be of one thread");
    reject(t, ATOMICITY, LIST(0, 5, 1), LIST(0, 1, 5), "must be of one thread");
    reject(t, ATOMICITY, LIST(0, 2), LIST(0, 2), "has 3 events, not 2");
}

/* ---- nondeterminism ---- */

static const char two_writers[] = "T0|w(x)|\nT1|w(x)|\nT2|r(x)|\nT2|w(y)|\n";

static void a_nondeterministic_read_sees_another_write(void **state)
{
    (void)state;
    accept(two_writers, NONDET, LIST(2, 0), LIST(1, 0, 2));
    accept(two_writers, NONDET, LIST(2, 0), LIST(0, 2));
    accept(two_writers, NONDET, LIST(2), LIST(2)); /* no write at all */
    reject(two_writers, NONDET, LIST(2, 1), LIST(0, 1, 2), "sees in the trace what it is claimed");
    reject(two_writers, NONDET, LIST(2, 0), LIST(0, 1, 2), "does not see event 0, 'w(x)' by T0");
    reject(two_writers, NONDET, LIST(2), LIST(0, 2), "claimed to see no write, but sees event 0");
    reject(two_writers, NONDET, LIST(2, 0), LIST(2), "does not see event 0");
}

static void a_read_of_nothing_may_see_a_write(void **state)
{
    const char *t = "T2|r(x)|\nT0|w(x)|\n";

    (void)state;
    accept(t, NONDET, LIST(0, 1), LIST(1, 0));
    reject(t, NONDET, LIST(0), LIST(0), "sees in the trace what it is claimed");
}

static void the_order_ends_with_the_read(void **state)
{
    (void)state;
    reject(two_writers, NONDET, LIST(2, 0), LIST(0, 2, 1), "does not end with event 2");
    reject(two_writers, NONDET, LIST(2, 0), EMPTY, "does not end with event 2");
    reject(two_writers, NONDET, LIST(0, 1), LIST(1, 0), "event 0, 'w(x)' by T0 is not a read");
    reject(two_writers, NONDET, LIST(2, 0, 1), LIST(0, 2), "has 1 or 2 events, not 3");
}

static void every_other_read_keeps_its_writer(void **state)
{
    const char *t = "# branches: yes\nT0|w(x)|\nT1|r(x)|\nT1|w(y)|\nT2|w(y)|\nT3|r(y)|\n";

    (void)state;
    accept(t, NONDET, LIST(4, 2), LIST(0, 1, 2, 4));
    reject(t, NONDET, LIST(4, 2), LIST(1, 2, 4),
           "step 1: event 1, 'r(x)' by T1, but it does not see what it saw in the trace");
}

static void a_read_that_synchronised_is_deterministic(void **state)
{
    const char *t = "T0|ast(x)|\nT1|ald(x)|\n";
    const char *relaxed = "T0|ast(x)||ord=rlx\nT1|ald(x)|\n";

    (void)state;
    accept(relaxed, NONDET, LIST(1), LIST(1));
    reject(t, NONDET, LIST(1), LIST(1), "step 1: event 1, 'ald(x)' by T1, but it synchronised");
}

static void a_read_modify_write_may_be_nondeterministic(void **state)
{
    const char *t = "T0|armw(x)||ord=rlx\nT1|armw(x)||ord=rlx\n";

    (void)state;
    accept(t, NONDET, LIST(1), LIST(1));
    reject(t, NONDET, LIST(1, 0), LIST(0, 1), "sees in the trace what it is claimed");
}

/* ---- indices ---- */

static void reasons_speak_of_indices(void **state)
{
    /* req lines are no events but count as lines. */
    const char *t = "T0|req(l)|\nT0|acq(l)|\nT0|w(x)|\nT0|rel(l)|\nT1|req(l)|\nT1|acq(l)|\n";

    (void)state;
    reject(t, ORDER, LIST(3), LIST(0, 3), "step 2: event 5, 'acq(l)' by T1, but T0 holds l");
}

/* ---- many witnesses, one verifier ---- */

static void a_rejected_witness_leaves_no_traces(void **state)
{
    struct fw_trace *trace = load(crossed);
    struct fw_verifier *verifier = fw_verifier_create(trace);
    struct fw_witness good = { DEADLOCK, LIST(1, 5), LIST(0, 4) };
    struct fw_witness bad = { DEADLOCK, LIST(1, 4), LIST(0, 1) };
    struct fw_witness order = { ORDER, LIST(5), LIST(4, 5) };

    (void)state;
    for (int i = 0; i < 1000; i++) {
        assert_true(fw_verify(verifier, &good).accepted);
        assert_false(fw_verify(verifier, &bad).accepted);
        assert_true(fw_verify(verifier, &order).accepted);
    }
    fw_verifier_destroy(verifier);
    fw_trace_destroy(trace);
}

static void an_empty_trace_has_only_rejected_witnesses(void **state)
{
    (void)state;
    reject("", ORDER, LIST(0), EMPTY, "not in the trace");
    reject("", DEADLOCK, EMPTY, EMPTY, "at least 2");
}

static void long_names_do_not_overflow_reasons(void **state)
{
    static char text[4000];
    char name[900];

    (void)state;
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    snprintf(text, sizeof text, "%s1|acq(%s)|\n%s2|tryfail(%s)|\n", name, name, name, name);
    reject(text, ORDER, LIST(1), LIST(1), "no other thread holds nnn");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_race_is_two_events_that_are_next),
        cmocka_unit_test(the_order_ends_with_the_racing_pair),
        cmocka_unit_test(what_comes_before_the_pair_is_a_correct_reordering),
        cmocka_unit_test(a_pair_in_one_section_each_is_no_race),
        cmocka_unit_test(both_racing_threads_are_started),
        cmocka_unit_test(racing_events_conflict),
        cmocka_unit_test(racing_events_are_of_two_threads),
        cmocka_unit_test(a_race_has_two_events),
        cmocka_unit_test(the_pair_need_not_be_possible_in_sequence),
        cmocka_unit_test(a_tainted_thread_may_race_before_its_next_branch),
        cmocka_unit_test(a_deadlock_is_a_cycle_of_waiting_threads),
        cmocka_unit_test(three_threads_may_deadlock),
        cmocka_unit_test(a_deadlock_needs_two_threads_each_once),
        cmocka_unit_test(only_blocking_acquires_deadlock),
        cmocka_unit_test(a_gate_lock_keeps_a_deadlock_away),
        cmocka_unit_test(shared_holders_block_writers_in_a_deadlock),
        cmocka_unit_test(shared_holders_outside_the_set_do_not_count),
        cmocka_unit_test(an_order_has_its_events_in_order),
        cmocka_unit_test(four_patterns_are_unserialisable),
        cmocka_unit_test(a_read_modify_write_is_what_fits),
        cmocka_unit_test(an_atomicity_violation_is_a_feasible_order),
        cmocka_unit_test(both_own_accesses_are_consecutive),
        cmocka_unit_test(an_atomicity_violation_is_of_one_variable_and_two_threads),
        cmocka_unit_test(a_nondeterministic_read_sees_another_write),
        cmocka_unit_test(a_read_of_nothing_may_see_a_write),
        cmocka_unit_test(the_order_ends_with_the_read),
        cmocka_unit_test(every_other_read_keeps_its_writer),
        cmocka_unit_test(a_read_that_synchronised_is_deterministic),
        cmocka_unit_test(a_read_modify_write_may_be_nondeterministic),
        cmocka_unit_test(reasons_speak_of_indices),
        cmocka_unit_test(a_rejected_witness_leaves_no_traces),
        cmocka_unit_test(an_empty_trace_has_only_rejected_witnesses),
        cmocka_unit_test(long_names_do_not_overflow_reasons),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
