/* test_verify.c - program order, threads, locks and signals, rule by rule (verify_check.h). */
#include "verify_check.h"

/* ---- program order ---- */

static void each_event_happens_in_program_order(void **state)
{
    const char *t = "T0|w(x)|\nT0|w(y)|\nT1|w(x)|\n";

    (void)state;
    accept(t, ORDER, LIST(2, 1), LIST(2, 0, 1));
    reject(t, ORDER, LIST(2, 1), LIST(2, 1),
           "step 2: event 1, 'w(y)' by T0, but T0 comes to event "
           "0, 'w(x)' first");
}

static void no_event_happens_twice(void **state)
{
    const char *t = "T0|w(x)|\nT0|w(y)|\nT1|w(x)|\n";

    (void)state;
    accept(t, ORDER, LIST(1), LIST(0, 2, 1));
    reject(t, ORDER, LIST(1), LIST(0, 2, 0, 1),
           "step 3: event 0, 'w(x)' by T0, but it has already "
           "happened, at step 1");
    reject(t, ORDER, LIST(1), LIST(0, 2, 2, 1), "already happened, at step 2");
}

static void only_events_of_the_trace_are_played(void **state)
{
    const char *t = "T0|w(x)|\nT1|r(x)|\n";

    (void)state;
    accept(t, RACE, LIST(0, 1), LIST(0, 1));
    reject(t, ORDER, LIST(0), LIST(0, 2), "step 2: no such event");
    reject(t, ORDER, LIST(0), LIST(UINT32_MAX), "step 1: no such event");
    reject(t, ORDER, LIST(0, UINT32_MAX), LIST(0), "event 2 of the claim is not in the trace");
}

static void the_step_that_breaks_a_rule_is_told(void **state)
{
    const char *t = "T0|w(x)|\nT0|w(y)|\nT1|w(x)|\n";
    struct fw_verdict verdict = judge(t, ORDER, LIST(1), LIST(2, 1));

    (void)state;
    assert_int_equal(verdict.step, 1);
    verdict = judge(t, RACE, LIST(1, 2), LIST(0, 1, 2)); /* the claim itself, not a step */
    assert_int_equal(verdict.step, 3);
}

/* ---- threads ---- */

static void a_thread_starts_after_its_fork(void **state)
{
    const char *t = "T0|w(x)|\nT0|fork(T1)|\nT1|w(y)|\n";

    (void)state;
    accept(t, ORDER, LIST(2), LIST(0, 1, 2));
    reject(t, ORDER, LIST(2), LIST(0, 2, 1),
           "step 2: event 2, 'w(y)' by T1, but T1 starts only "
           "after event 1, 'fork(T1)'");
}

static void a_thread_that_nobody_forks_runs_from_the_start(void **state)
{
    (void)state;
    accept("T0|w(x)|\nT1|w(y)|\n", ORDER, LIST(1, 0), LIST(1, 0));
    reject("T0|fork(T1)|\nT1|w(y)|\n", ORDER, LIST(1, 0), LIST(1, 0), "T1 starts only after");
}

static void a_join_comes_after_all_events_of_the_thread(void **state)
{
    const char *t = "T0|fork(T1)|\nT1|w(x)|\nT1|w(y)|\nT0|join(T1)|\n";

    (void)state;
    accept(t, ORDER, LIST(3), LIST(0, 1, 2, 3));
    reject(t, ORDER, LIST(3), LIST(0, 1, 3),
           "step 3: event 3, 'join(T1)' by T0, but T1 has not "
           "ended: event 2, 'w(y)' is still to come");
}

static void a_thread_without_events_is_joined_after_its_fork(void **state)
{
    const char *t = "T0|fork(T1)|\nT2|join(T1)|\n";

    (void)state;
    accept(t, ORDER, LIST(0, 1), LIST(0, 1));
    reject(t, ORDER, LIST(1), LIST(1), "T1 has not been forked");
}

/* ---- locks ---- */

static const char two_sections[] = "T0|acq(l)|\nT0|w(x)|\nT0|rel(l)|\n"
                                   "T1|acq(l)|\nT1|w(x)|\nT1|rel(l)|\n";

static void a_lock_has_one_holder(void **state)
{
    (void)state;
    accept(two_sections, ORDER, LIST(4, 1), LIST(3, 4, 5, 0, 1));
    reject(two_sections, ORDER, LIST(4, 1), LIST(3, 4, 0, 1),
           "step 3: event 0, 'acq(l)' by T0, but T1 holds l");
}

static void a_try_that_got_the_lock_needs_it_free(void **state)
{
    const char *t = "T0|acq(l)|\nT0|rel(l)|\nT1|tryacq(l)|\nT1|rel(l)|\n";

    (void)state;
    accept(t, ORDER, LIST(2, 0), LIST(2, 3, 0));
    reject(t, ORDER, LIST(2), LIST(0, 2), "'tryacq(l)' by T1, but T0 holds l");
}

static void a_try_that_failed_needs_the_lock_held_by_another(void **state)
{
    const char *t = "T0|acq(l)|\nT1|tryfail(l)|\nT0|rel(l)|\nT2|acq(l)|\nT2|rel(l)|\n";

    (void)state;
    accept(t, ORDER, LIST(1), LIST(0, 1));
    accept(t, ORDER, LIST(1), LIST(3, 1)); /* who holds it does not matter */
    reject(t, ORDER, LIST(1), LIST(1), "'tryfail(l)' by T1, but no other thread holds l");
    reject(t, ORDER, LIST(1), LIST(0, 2, 1), "no other thread holds l");
}

static void a_try_does_not_fail_because_of_its_own_thread(void **state)
{
    const char *own = "T0|acq(m)|\nT1|racq(l)|\nT0|racq(l)|\nT0|tryfail(l)|\n";

    (void)state;
    accept(own, ORDER, LIST(3), LIST(0, 1, 2, 3));
    reject(own, ORDER, LIST(3), LIST(0, 2, 3), "no other thread holds l");
}

static const char readers_and_writer[] = "T0|racq(l)|\nT1|racq(l)|\nT0|rrel(l)|\nT1|rrel(l)|\n"
                                         "T2|acq(l)|\nT2|rel(l)|\n";

static void shared_holders_keep_out_writers_only(void **state)
{
    (void)state;
    accept(readers_and_writer, ORDER, LIST(0, 1), LIST(4, 5, 0, 1));
    accept(readers_and_writer, ORDER, LIST(4), LIST(0, 2, 4));
    reject(readers_and_writer, ORDER, LIST(4), LIST(0, 4),
           "'acq(l)' by T2, but l is held in shared mode by 1 other thread");
    reject(readers_and_writer, ORDER, LIST(4), LIST(0, 1, 2, 4),
           "l is held in shared mode by 1 other thread");
    reject(readers_and_writer, ORDER, LIST(4), LIST(0, 1, 4),
           "l is held in shared mode by 2 other threads");
}

static void a_writer_keeps_out_shared_holders(void **state)
{
    const char *t = "T0|acq(l)|\nT0|rel(l)|\nT1|tryracq(l)|\nT1|rrel(l)|\n";

    (void)state;
    reject(readers_and_writer, ORDER, LIST(0), LIST(4, 0), "'racq(l)' by T0, but T2 holds l");
    accept(t, ORDER, LIST(2, 0), LIST(2, 3, 0));
    reject(t, ORDER, LIST(2), LIST(0, 2), "'tryracq(l)' by T1, but T0 holds l");
    reject(t, ORDER, LIST(0), LIST(2, 0), "l is held in shared mode by 1 other thread");
}

/* ---- conditions, semaphores, barriers ---- */

/* T1 waits; T0 notifies twice, once too early for anybody. */
static const char wait_and_notify[] = "T0|notify(c)|\nT1|acq(m)|\nT1|rel(m)|\nT0|notify(c)|\n"
                                      "T1|wake(c)|\nT1|acq(m)|\n";

static void a_wake_comes_after_its_notify(void **state)
{
    (void)state;
    accept(wait_and_notify, ORDER, LIST(4), LIST(1, 0, 2, 3, 4));
    reject(wait_and_notify, ORDER, LIST(4), LIST(0, 1, 2, 4),
           "step 4: event 4, 'wake(c)' by T1, but it answers event 3, 'notify(c)', which has not");
}

static void a_notify_comes_after_the_waiters_own_release(void **state)
{
    (void)state;
    accept(wait_and_notify, ORDER, LIST(4), LIST(0, 1, 2, 3, 4));
    reject(wait_and_notify, ORDER, LIST(4), LIST(0, 1, 3, 2, 4), "before it began to wait");
    reject(wait_and_notify, ORDER, LIST(4), LIST(0, 3, 1, 2, 4), "before it began to wait");
}

static void a_wake_may_say_which_notify_it_answers(void **state)
{
    const char *t = "T1|acq(m)|\nT1|rel(m)|\nT0|notify(c)|\nT0|notifyall(c)|\n"
                    "T1|wake(c)||rf=2\n";
    const char *latest = "T1|acq(m)|\nT1|rel(m)|\nT0|notify(c)|\nT0|notifyall(c)|\nT1|wake(c)|\n";

    (void)state;
    accept(t, ORDER, LIST(4), LIST(0, 1, 2, 4));
    reject(latest, ORDER, LIST(4), LIST(0, 1, 2, 4), "it answers event 3, 'notifyall(c)'");
}

static void a_pend_comes_after_its_post(void **state)
{
    /* The initial token goes to the first pend, then posts are answered in their order. */
    const char *t = "T0|pend(s)|\nT1|post(s)|\nT2|post(s)|\nT0|pend(s)|\nT0|pend(s)|\n";
    const char *named = "T1|post(s)|\nT2|post(s)|\nT0|pend(s)||rf=1\nT0|pend(s)|\n";

    (void)state;
    accept(t, ORDER, LIST(4), LIST(0, 2, 1, 3, 4));
    accept(t, ORDER, LIST(3), LIST(0, 1, 3));
    reject(t, ORDER, LIST(3), LIST(0, 2, 3), "it answers event 1, 'post(s)', which has not");
    accept(named, ORDER, LIST(2), LIST(1, 2));
    reject(named, ORDER, LIST(3), LIST(1, 2, 3), "it answers event 0, 'post(s)', which has not");
}

/* Two rounds; T0 enters the second one before T1 has left the first. */
static const char two_rounds[] = "T0|barin(b)|\nT1|barin(b)|\nT0|barout(b)|\nT0|barin(b)|\n"
                                 "T1|barout(b)|\nT1|barin(b)|\nT1|barout(b)|\nT0|barout(b)|\n";

static void a_barout_comes_after_all_ins_of_its_round(void **state)
{
    (void)state;
    accept(two_rounds, ORDER, LIST(4), LIST(1, 0, 4));
    reject(two_rounds, ORDER, LIST(2), LIST(0, 2),
           "'barout(b)' by T0, but its round of the barrier has 1 of its 2 ins");
    accept(two_rounds, ORDER, LIST(7, 6), LIST(1, 0, 2, 3, 4, 5, 7, 6));
    reject(two_rounds, ORDER, LIST(7), LIST(1, 0, 2, 3, 4, 7), "has 1 of its 2 ins");
}

static void all_ins_of_a_round_come_before_those_of_the_next(void **state)
{
    /* T2 takes part in the second round only. */
    const char *t = "T0|barin(b)|\nT1|barin(b)|\nT0|barout(b)|\nT1|barout(b)|\nT2|barin(b)|\n"
                    "T0|barin(b)|\n";

    (void)state;
    accept(t, ORDER, LIST(4), LIST(0, 1, 4));
    reject(t, ORDER, LIST(4), LIST(0, 4), "the previous round of the barrier has 1 of its 2 ins");
    reject(t, ORDER, LIST(4), LIST(4), "the previous round of the barrier has 0 of its 2 ins");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_event_happens_in_program_order),
        cmocka_unit_test(no_event_happens_twice),
        cmocka_unit_test(only_events_of_the_trace_are_played),
        cmocka_unit_test(the_step_that_breaks_a_rule_is_told),
        cmocka_unit_test(a_thread_starts_after_its_fork),
        cmocka_unit_test(a_thread_that_nobody_forks_runs_from_the_start),
        cmocka_unit_test(a_join_comes_after_all_events_of_the_thread),
        cmocka_unit_test(a_thread_without_events_is_joined_after_its_fork),
        cmocka_unit_test(a_lock_has_one_holder),
        cmocka_unit_test(a_try_that_got_the_lock_needs_it_free),
        cmocka_unit_test(a_try_that_failed_needs_the_lock_held_by_another),
        cmocka_unit_test(a_try_does_not_fail_because_of_its_own_thread),
        cmocka_unit_test(shared_holders_keep_out_writers_only),
        cmocka_unit_test(a_writer_keeps_out_shared_holders),
        cmocka_unit_test(a_wake_comes_after_its_notify),
        cmocka_unit_test(a_notify_comes_after_the_waiters_own_release),
        cmocka_unit_test(a_wake_may_say_which_notify_it_answers),
        cmocka_unit_test(a_pend_comes_after_its_post),
        cmocka_unit_test(a_barout_comes_after_all_ins_of_its_round),
        cmocka_unit_test(all_ins_of_a_round_come_before_those_of_the_next),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
