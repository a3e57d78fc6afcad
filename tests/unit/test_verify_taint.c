/* test_verify_taint.c - what reads may see, rule by rule (verify_check.h). */
#include "verify_check.h"

/* ---- taint ---- */

static void a_changed_read_stops_at_a_branch(void **state)
{
    const char *t = "T0|w(x)|\nT1|r(x)|\nT1|w(y)|\nT1|br|\nT1|w(z)|\n";

    (void)state;
    accept(t, ORDER, LIST(4), LIST(0, 1, 2, 3, 4));
    accept(t, ORDER, LIST(2), LIST(1, 2)); /* up to the branch the thread goes on */
    reject(t, ORDER, LIST(3), LIST(1, 2, 3),
           "step 3: event 3, 'br' by T1, but it may depend on "
           "event 1, 'r(x)'");
}

static void another_write_or_none_or_one_too_many_is_a_change(void **state)
{
    const char *two = "T0|w(x)|\nT2|w(x)|\nT1|r(x)|\nT1|br|\n";
    const char *none = "T1|r(x)|\nT1|br|\nT0|w(x)|\n";

    (void)state;
    accept(two, ORDER, LIST(3), LIST(0, 1, 2, 3));
    accept(two, ORDER, LIST(3), LIST(1, 2, 0, 3));
    reject(two, ORDER, LIST(3), LIST(1, 0, 2, 3), "may depend on event 2");
    reject(two, ORDER, LIST(3), LIST(2, 3), "may depend on event 2");
    accept(none, ORDER, LIST(1), LIST(0, 2, 1));
    reject(none, ORDER, LIST(1), LIST(2, 0, 1), "may depend on event 0");
}

static void taint_goes_through_writes(void **state)
{
    /* T2 sees the write it saw, but it may carry another value. */
    const char *t = "T0|w(x)|\nT1|r(x)|\nT1|w(y)|\nT2|r(y)|\nT2|br|\n";

    (void)state;
    accept(t, ORDER, LIST(4), LIST(0, 1, 2, 3, 4));
    accept(t, ORDER, LIST(3), LIST(1, 2, 3));
    reject(t, ORDER, LIST(4), LIST(1, 2, 3, 4), "may depend on event 3, 'r(y)'");
}

static void an_untainted_write_washes_the_variable(void **state)
{
    const char *t = "T0|w(x)|\nT1|r(x)|\nT1|w(y)|\nT3|w(y)|\nT2|r(y)|\nT2|br|\n";

    (void)state;
    accept(t, ORDER, LIST(5), LIST(1, 2, 3, 4, 5));
    reject(t, ORDER, LIST(5), LIST(1, 3, 2, 4, 5), "may depend on event 4");
}

static void a_write_before_the_changed_read_is_not_tainted(void **state)
{
    const char *t = "T0|w(x)|\nT1|w(y)|\nT1|r(x)|\nT2|r(y)|\nT2|br|\n";

    (void)state;
    accept(t, ORDER, LIST(4), LIST(1, 2, 3, 4));
}

static void a_tainted_thread_stays_tainted(void **state)
{
    /* The second read is as in the trace, which does not help. */
    const char *t = "T0|w(x)|\nT1|r(x)|\nT1|r(y)|\nT1|br|\n";

    (void)state;
    accept(t, ORDER, LIST(3), LIST(0, 1, 2, 3));
    reject(t, ORDER, LIST(3), LIST(1, 2, 3), "may depend on event 1, 'r(x)'");
}

static void a_fork_by_a_tainted_thread_taints_the_child(void **state)
{
    const char *t = "T0|w(x)|\nT1|r(x)|\nT1|fork(T2)|\nT2|w(y)|\nT2|br|\n";
    const char *before = "T0|w(x)|\nT1|fork(T2)|\nT1|r(x)|\nT2|w(y)|\nT2|br|\n";

    (void)state;
    accept(t, ORDER, LIST(4), LIST(0, 1, 2, 3, 4));
    accept(t, ORDER, LIST(3), LIST(1, 2, 3));
    reject(t, ORDER, LIST(4), LIST(1, 2, 3, 4),
           "'br' by T2, but it may depend on event 2, "
           "'fork(T2)'");
    accept(before, ORDER, LIST(4), LIST(1, 2, 3, 4));
}

static void joining_a_tainted_thread_taints(void **state)
{
    const char *t = "T0|w(x)|\nT1|r(x)|\nT2|join(T1)|\nT2|br|\n";

    (void)state;
    accept(t, ORDER, LIST(3), LIST(0, 1, 2, 3));
    accept(t, ORDER, LIST(2), LIST(1, 2));
    reject(t, ORDER, LIST(3), LIST(1, 2, 3),
           "'br' by T2, but it may depend on event 2, "
           "'join(T1)'");
}

static void a_child_without_events_carries_taint_from_fork_to_join(void **state)
{
    const char *t = "T0|w(x)|\nT1|r(x)|\nT1|fork(T2)|\nT3|join(T2)|\nT3|br|\n";

    (void)state;
    accept(t, ORDER, LIST(4), LIST(0, 1, 2, 3, 4));
    reject(t, ORDER, LIST(4), LIST(1, 2, 3, 4), "may depend on event 3, 'join(T2)'");
}

static void a_changed_read_modify_write_taints_its_own_write(void **state)
{
    const char *t = "T0|armw(x)||ord=rlx\nT1|armw(x)||ord=rlx\nT2|ald(x)||ord=rlx\nT2|br|\n";

    (void)state;
    accept(t, ORDER, LIST(3), LIST(0, 1, 2, 3));
    reject(t, ORDER, LIST(3), LIST(1, 2, 3), "may depend on event 2, 'ald(x)'");
}

static void taint_does_not_go_through_locks_and_signals(void **state)
{
    const char *t = "T0|w(x)|\nT1|r(x)|\nT1|acq(l)|\nT1|rel(l)|\nT1|post(s)|\n"
                    "T2|pend(s)|\nT2|acq(l)|\nT2|br|\n";

    (void)state;
    accept(t, ORDER, LIST(7), LIST(1, 2, 3, 4, 5, 6, 7));
}

/* ---- the strict model: no branches in the trace ---- */

static void without_branches_a_changed_read_is_the_last_event(void **state)
{
    const char *strict = "T0|w(x)|\nT1|r(x)|\nT1|w(y)|\n";
    const char *branches = "# branches: yes\nT0|w(x)|\nT1|r(x)|\nT1|w(y)|\n";

    (void)state;
    accept(strict, ORDER, LIST(2), LIST(0, 1, 2));
    accept(strict, ORDER, LIST(1), LIST(1));
    reject(strict, ORDER, LIST(2), LIST(1, 2),
           "step 2: event 2, 'w(y)' by T1, but T1 cannot pass "
           "the branch implied after event 1, 'r(x)'");
    accept(branches, ORDER, LIST(2), LIST(1, 2));
}

static void without_branches_a_thread_that_ends_with_a_changed_read_is_not_joined(void **state)
{
    const char *strict = "T0|w(x)|\nT1|r(x)|\nT2|join(T1)|\n";
    const char *branches = "# branches: yes\nT0|w(x)|\nT1|r(x)|\nT2|join(T1)|\n";

    (void)state;
    accept(strict, ORDER, LIST(2), LIST(0, 1, 2));
    reject(strict, ORDER, LIST(2), LIST(1, 2),
           "'join(T1)' by T2, but T1 cannot pass the branch "
           "implied after event 1, 'r(x)'");
    accept(branches, ORDER, LIST(2), LIST(1, 2));
}

static void without_branches_a_tainted_write_stops_its_reader(void **state)
{
    const char *t = "T0|armw(x)||ord=rlx\nT1|armw(x)||ord=rlx\nT2|ald(x)||ord=rlx\nT2|w(y)|\n";

    (void)state;
    accept(t, ORDER, LIST(3), LIST(0, 1, 2, 3));
    accept(t, ORDER, LIST(2), LIST(1, 2));
    reject(t, ORDER, LIST(3), LIST(1, 2, 3), "implied after event 2, 'ald(x)'");
}

static void without_branches_a_pending_branch_comes_before_a_race_and_a_deadlock(void **state)
{
    const char *race = "T0|w(x)|\nT1|r(x)|\nT1|w(y)|\nT2|w(y)|\n";
    const char *lock = "T0|acq(a)|\nT0|acq(b)|\nT0|rel(b)|\nT0|rel(a)|\nT2|w(x)|\n"
                       "T1|acq(b)|\nT1|r(x)|\nT1|acq(a)|\n";

    (void)state;
    accept(race, RACE, LIST(2, 3), LIST(0, 1, 2, 3));
    reject(race, RACE, LIST(2, 3), LIST(1, 2, 3),
           "after step 1: event 2, 'w(y)' by T1, but T1 "
           "cannot pass the branch");
    accept(lock, DEADLOCK, LIST(1, 7), LIST(0, 4, 5, 6));
    reject(lock, DEADLOCK, LIST(1, 7), LIST(0, 5, 6),
           "after step 3: event 7, 'acq(a)' by T1, but "
           "T1 cannot pass the branch");
}

/* ---- atomic loads that synchronised ---- */

/* Played with the load first: allowed only if the load did not synchronise. */
static void load_may_change(const char *text)
{
    accept(text, ORDER, LIST(1), LIST(0, 1));
    accept(text, ORDER, LIST(1), LIST(1));
}

static void load_must_see_its_store(const char *text)
{
    accept(text, ORDER, LIST(1), LIST(0, 1));
    reject(text, ORDER, LIST(1), LIST(1), "it synchronised with event 0");
}

static void a_load_that_synchronised_sees_its_store(void **state)
{
    (void)state;
    load_must_see_its_store("T0|ast(x)|\nT1|ald(x)|\n");
    load_must_see_its_store("T0|ast(x)||ord=rel\nT1|ald(x)||ord=acq\n");
    load_must_see_its_store("T0|ast(x)||ord=rel\nT1|ald(x)||ord=con\n");
    load_must_see_its_store("T0|armw(x)||ord=acq_rel\nT1|armw(x)||ord=acq_rel\n");
    load_may_change("T0|ast(x)||ord=rlx\nT1|ald(x)||ord=acq\n");
    load_may_change("T0|ast(x)||ord=rel\nT1|ald(x)||ord=rlx\n");
    load_may_change("T0|armw(x)||ord=acq\nT1|armw(x)||ord=acq_rel\n");
    load_may_change("T0|w(x)|\nT1|ald(x)|\n");
    load_may_change("T0|ast(x)|\nT1|r(x)|\n");
}

static void a_load_of_ones_own_store_did_not_synchronise(void **state)
{
    const char *own = "T0|ast(x)|\nT0|ald(x)|\nT1|ast(x)|\n";
    const char *others = "T0|ast(x)|\nT2|ald(x)|\nT1|ast(x)|\n";

    (void)state;
    accept(own, ORDER, LIST(2, 1), LIST(0, 2, 1));
    reject(others, ORDER, LIST(2, 1), LIST(0, 2, 1),
           "it synchronised with event 0, 'ast(x)' and "
           "would see event 2");
}

static void fences_synchronise_relaxed_atomics(void **state)
{
    /* Both fences; without one of them; at the wrong side. */
    const char *both = "T0|fence||ord=rel\nT0|ast(x)||ord=rlx\nT1|ald(x)||ord=rlx\n"
                       "T1|fence||ord=acq\n";
    const char *no_release = "T0|fence||ord=acq\nT0|ast(x)||ord=rlx\nT1|ald(x)||ord=rlx\n"
                             "T1|fence||ord=acq\n";
    const char *no_acquire = "T0|fence||ord=rel\nT0|ast(x)||ord=rlx\nT1|ald(x)||ord=rlx\n"
                             "T1|fence||ord=rel\n";
    const char *late = "T0|ast(x)||ord=rlx\nT1|ald(x)||ord=rlx\nT0|fence||ord=rel\n"
                       "T1|fence||ord=acq\n";

    (void)state;
    accept(both, ORDER, LIST(2), LIST(0, 1, 2));
    reject(both, ORDER, LIST(2), LIST(0, 2), "it synchronised with event 1");
    accept(no_release, ORDER, LIST(2), LIST(0, 2));
    accept(no_acquire, ORDER, LIST(2), LIST(0, 2));
    accept(late, ORDER, LIST(1), LIST(1));
}

static void a_fence_in_front_of_the_load_does_not_help(void **state)
{
    const char *t = "T1|fence||ord=acq\nT0|ast(x)|\nT1|ald(x)||ord=rlx\n";

    (void)state;
    accept(t, ORDER, LIST(2), LIST(0, 2));
}

static void a_release_sequence_goes_through_read_modify_writes(void **state)
{
    const char *chain = "T0|ast(x)||ord=rel\nT1|armw(x)||ord=rlx\nT2|ald(x)||ord=acq\n";
    const char *broken = "T0|ast(x)||ord=rel\nT1|ast(x)||ord=rlx\nT2|ald(x)||ord=acq\n";
    const char *own_head = "T2|ast(x)||ord=rel\nT1|armw(x)||ord=rlx\nT2|ald(x)||ord=acq\n";

    (void)state;
    accept(chain, ORDER, LIST(2), LIST(0, 1, 2));
    reject(chain, ORDER, LIST(2), LIST(0, 2),
           "it synchronised with event 1, 'armw(x)' and would "
           "see event 0");
    accept(broken, ORDER, LIST(2), LIST(0, 2));
    reject(own_head, ORDER, LIST(2), LIST(0, 2), "it synchronised with event 1");
}

static void the_store_itself_may_be_tainted(void **state)
{
    /* The load sees the store it saw, and is changed all the same. */
    const char *t = "T0|w(y)|\nT1|r(y)|\nT1|ast(x)|\nT2|ald(x)|\nT2|br|\n";

    (void)state;
    accept(t, ORDER, LIST(3), LIST(1, 2, 3));
    reject(t, ORDER, LIST(4), LIST(1, 2, 3, 4), "may depend on event 3, 'ald(x)'");
}

/* ---- memory ---- */

static void a_new_allocation_is_a_new_variable(void **state)
{
    /* The second x has never been written: its read sees nothing, here and in the trace. */
    const char *t = "T0|w(x)|\nT0|alloc(x)|\nT0|r(x)|\nT0|br|\n";
    const char *race = "T0|w(x)|\nT1|alloc(x)|\nT1|w(x)|\n";

    (void)state;
    accept(t, ORDER, LIST(3), LIST(0, 1, 2, 3));
    reject(race, RACE, LIST(0, 2), LIST(1, 0, 2), "do not conflict");
}

static void a_free_is_not_a_write_to_be_seen(void **state)
{
    const char *t = "T0|w(x)|\nT1|free(x)|\nT2|r(x)|\nT2|br|\n";

    (void)state;
    accept(t, ORDER, LIST(3), LIST(0, 1, 2, 3));
    accept(t, ORDER, LIST(3), LIST(0, 2, 1, 3));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_changed_read_stops_at_a_branch),
        cmocka_unit_test(another_write_or_none_or_one_too_many_is_a_change),
        cmocka_unit_test(taint_goes_through_writes),
        cmocka_unit_test(an_untainted_write_washes_the_variable),
        cmocka_unit_test(a_write_before_the_changed_read_is_not_tainted),
        cmocka_unit_test(a_tainted_thread_stays_tainted),
        cmocka_unit_test(a_fork_by_a_tainted_thread_taints_the_child),
        cmocka_unit_test(joining_a_tainted_thread_taints),
        cmocka_unit_test(a_child_without_events_carries_taint_from_fork_to_join),
        cmocka_unit_test(a_changed_read_modify_write_taints_its_own_write),
        cmocka_unit_test(taint_does_not_go_through_locks_and_signals),
        cmocka_unit_test(without_branches_a_changed_read_is_the_last_event),
        cmocka_unit_test(without_branches_a_thread_that_ends_with_a_changed_read_is_not_joined),
        cmocka_unit_test(without_branches_a_tainted_write_stops_its_reader),
        cmocka_unit_test(without_branches_a_pending_branch_comes_before_a_race_and_a_deadlock),
        cmocka_unit_test(a_load_that_synchronised_sees_its_store),
        cmocka_unit_test(a_load_of_ones_own_store_did_not_synchronise),
        cmocka_unit_test(fences_synchronise_relaxed_atomics),
        cmocka_unit_test(a_fence_in_front_of_the_load_does_not_help),
        cmocka_unit_test(a_release_sequence_goes_through_read_modify_writes),
        cmocka_unit_test(the_store_itself_may_be_tainted),
        cmocka_unit_test(a_new_allocation_is_a_new_variable),
        cmocka_unit_test(a_free_is_not_a_write_to_be_seen),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
