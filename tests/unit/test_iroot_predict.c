/* test_iroot_predict.c - which iRoots are predicted: example traces, and what can be asked for. */
#include "predict/iroot.h"
#include "support/expect.h"
#include "support/property.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static void example_traces_get_their_answers(void **state)
{
    (void)state;
    assert_int_equal(fw_expect_corpus(&fw_analysis_iroot, NULL, fw_answer_events), 0);
}

/* --- the forecast ------------------------------------------------------------------------ */

struct asked {
    struct fw_trace *trace;
    struct fw_index *index;
    struct fw_strtab accesses;
    struct fw_iroot_setup setup;
    struct fw_iroot_forecast *forecast;
};

static void begin(struct asked *asked, const char *text)
{
    *asked = (struct asked) { .trace = fw_load_line(text) };
    fw_strtab_init(&asked->accesses);
    asked->index = fw_index_create(asked->trace);
    asked->setup =
        (struct fw_iroot_setup) { .index = asked->index, .accesses = &asked->accesses, .jobs = 1 };
}

static void ask(struct asked *asked)
{
    fw_iroot_forecast_destroy(asked->forecast);
    asked->forecast = fw_iroot_forecast_create(&asked->setup);
    assert_string_equal(asked->forecast->rejected, "");
}

static void end(struct asked *asked)
{
    fw_iroot_forecast_destroy(asked->forecast);
    fw_index_destroy(asked->index);
    fw_strtab_release(&asked->accesses);
    fw_trace_destroy(asked->trace);
}

static const struct fw_iroot_prediction *find(const struct asked *asked, const char *text)
{
    struct fw_strtab *accesses = (struct fw_strtab *)&asked->accesses;
    struct fw_iroot iroot;
    struct fw_error err;

    if (fw_iroot_parse(&iroot, text, accesses, &err) < 0)
        fail_msg("%s", err.message);
    for (size_t i = 0; i < asked->forecast->count; i++)
        if (fw_iroot_compare(&asked->forecast->at[i].iroot, &iroot) == 0)
            return &asked->forecast->at[i];
    return NULL;
}

static void the_witness_comes_with_the_answer(void **state)
{
    struct asked asked;
    const struct fw_iroot_prediction *prediction;

    (void)state;
    begin(&asked, "T1|w(x)|a T2|r(x)|b");
    ask(&asked);
    assert_true(asked.forecast->finished);
    assert_false(asked.forecast->cut);
    assert_int_equal(asked.forecast->count, 1);
    prediction = find(&asked, "1 r b | w a");
    assert_non_null(prediction);
    assert_int_equal(prediction->answer, FW_FEASIBLE);
    assert_int_equal(prediction->events[0], 1);
    assert_int_equal(prediction->events[1], 0);
    assert_int_equal(prediction->witness.steps, 2);
    assert_null(find(&asked, "1 w a | r b")); /* the trace exposes it */
    end(&asked);
}

/* In the strict model a read that changes is the last of its thread, and keeps the lock. */
static void what_cannot_be_is_infeasible(void **state)
{
    struct asked asked;

    (void)state;
    begin(&asked, "T1|acq(l)|1 T1|w(x)|2 T1|rel(l)|3 T2|acq(l)|4 T2|r(x)|5 T2|rel(l)|6");
    ask(&asked);
    assert_int_equal(find(&asked, "1 r 5 | w 2")->answer, FW_INFEASIBLE);
    assert_null(find(&asked, "1 unlock 6 | lock 1")); /* a filter has refuted it */
    end(&asked);
}

static void only_what_is_asked_for_is_looked_at(void **state)
{
    struct fw_iroot_set *known = fw_iroot_set_create();
    struct asked asked;
    struct fw_iroot iroot;
    struct fw_error err;

    (void)state;
    begin(&asked, "T1|r(x)|1 T1|w(x)|2 T2|w(x)|3");
    asked.setup.idioms = 1u << 2;
    ask(&asked);
    assert_int_equal(asked.forecast->count, 1);
    assert_int_equal(find(&asked, "2 r 1 | w 3 | w 2")->answer, FW_FEASIBLE);
    assert_int_equal(fw_iroot_parse(&iroot, "2 r 1 | w 3 | w 2", &asked.accesses, &err), 0);
    fw_iroot_set_add(known, &iroot);
    asked.setup.known = known;
    ask(&asked);
    assert_int_equal(asked.forecast->count, 0);
    asked.setup.idioms =
        1u << 1; /* nothing of idiom 1 is known, not what the trace exposes either */
    ask(&asked);
    assert_int_equal(asked.forecast->count, 4);
    assert_non_null(find(&asked, "1 w 2 | w 3"));
    fw_iroot_set_destroy(known);
    end(&asked);
}

static void the_window_bounds_compound_idioms(void **state)
{
    struct asked asked;

    (void)state;
    begin(&asked, "T1|r(x)|1 T1|w(z)|0 T1|w(x)|2 T2|w(x)|3");
    asked.setup.idioms = 1u << 2;
    asked.setup.window = 2;
    ask(&asked);
    assert_int_equal(asked.forecast->count, 1);
    asked.setup.window = 1;
    ask(&asked);
    assert_int_equal(asked.forecast->count, 0);
    end(&asked);
}

/* The instance of x is cheaper and not feasible, that of y is. */
static void what_the_cap_leaves_is_undecided(void **state)
{
    struct asked asked;

    (void)state;
    begin(&asked, "T1|w(y)|1 T1|acq(l)|8 T1|w(x)|1 T1|rel(l)|9 T2|acq(l)|8 T2|r(x)|2 T2|rel(l)|9 "
                  "T3|r(y)|2");
    asked.setup.idioms = 1u << 1;
    ask(&asked);
    assert_int_equal(find(&asked, "1 r 2 | w 1")->answer, FW_FEASIBLE);
    asked.setup.cap = 1;
    ask(&asked);
    assert_int_equal(find(&asked, "1 r 2 | w 1")->answer, FW_UNDECIDED);
    end(&asked);
}

static void a_raised_flag_ends_it(void **state)
{
    atomic_bool stop = true;
    struct asked asked;

    (void)state;
    begin(&asked, "T1|w(x)|a T2|r(x)|b");
    asked.setup.budget.stop = &stop;
    ask(&asked);
    assert_false(asked.forecast->finished);
    assert_int_equal(asked.forecast->counts.proved, 0);
    end(&asked);
}

/* A run that ends in a deadlock exposes it; where only one waits, it is still to be tested. */
static void requests_count_as_waiting(void **state)
{
    struct asked asked;

    (void)state;
    begin(&asked, "T1|acq(a)|1 T2|acq(b)|3 T1|req(b)|2 T2|req(a)|4");
    ask(&asked);
    assert_null(find(&asked, "5w lock 1 | lock 4 | lock 3 | lock 2"));
    end(&asked);
    begin(&asked, "T1|acq(a)|1 T1|acq(b)|2 T1|rel(b)|5 T1|rel(a)|6 T2|acq(b)|3 T2|acq(a)|4");
    ask(&asked);
    assert_int_equal(find(&asked, "5w lock 1 | lock 4 | lock 3 | lock 2")->answer, FW_FEASIBLE);
    end(&asked);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(example_traces_get_their_answers),
        cmocka_unit_test(the_witness_comes_with_the_answer),
        cmocka_unit_test(what_cannot_be_is_infeasible),
        cmocka_unit_test(only_what_is_asked_for_is_looked_at),
        cmocka_unit_test(the_window_bounds_compound_idioms),
        cmocka_unit_test(what_the_cap_leaves_is_undecided),
        cmocka_unit_test(a_raised_flag_ends_it),
        cmocka_unit_test(requests_count_as_waiting),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
