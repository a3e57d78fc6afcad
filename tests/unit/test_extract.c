/*
 * test_extract.c - what stays of a trace in the extract of a finding, and what goes.
 *
 * Each trace is one line of STD; the witness is the solver's.
 */
#include "base/alloc.h"
#include "predict/solver.h"
#include "support/property.h"
#include "tiddle/extract.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct question {
    const char *trace;
    enum fw_claim claim;
    uint32_t events[3];
    uint32_t count;
};

static struct fw_extract *ask(const struct question *question)
{
    struct fw_trace *trace = fw_load_line(question->trace);
    struct fw_index *index = fw_index_create(trace);
    struct fw_core *core = fw_core_create(index, &(struct fw_core_options) { 0 });
    struct fw_solver *solver = fw_solver_create(core, &(struct fw_budget) { 0 });
    struct fw_witness witness = { .claim = question->claim,
                                  .events = question->events,
                                  .event_count = question->count };
    struct fw_extract *extract;
    struct fw_error err = { "" };

    assert_int_equal(fw_solver_ask(solver, witness.claim, witness.events, witness.event_count),
                     FW_FEASIBLE);
    witness.order = fw_solver_witness(solver, &witness.order_count);
    if (fw_extract_create(&extract, index, &witness, false, &err) < 0)
        fail_msg("%s", err.message);
    fw_solver_destroy(solver);
    fw_core_destroy(core);
    fw_index_destroy(index);
    fw_trace_destroy(trace);
    return extract;
}

static void gives(const struct question *question, const char *expected)
{
    struct fw_extract *extract = ask(question);
    char *text = fw_xasprintf("%.*s", (int)extract->size, extract->text);

    assert_string_equal(text, expected);
    free(text);
    fw_extract_destroy(extract);
}

#define RACE(a, b)         FW_CLAIM_RACE, { a, b }, 2
#define DEADLOCK(a, b)     FW_CLAIM_DEADLOCK, { a, b }, 2
#define ATOMICITY(a, b, c) FW_CLAIM_ATOMICITY, { a, b, c }, 3

/* --- races ------------------------------------------------------------------------------- */

static void a_race_is_its_two_events(void **state)
{
    (void)state;
    gives(&(struct question) { "T0|fork(T1) T0|w(y) T0|w(x) T0|acq(l) T0|rel(l) T1|acq(l) T1|r(z) "
                               "T1|rel(l) T1|w(x) T0|join(T1)",
                               RACE(2, 8) },
          "wr 0 x\nwr 1 x\n");
}

static void locks_that_are_held_at_a_race_stay(void **state)
{
    (void)state;
    gives(&(struct question) { "T1|acq(k) T1|rel(k) T1|acq(l) T1|w(x) T1|rel(l) T2|acq(m) T2|w(x) "
                               "T2|rel(m)",
                               RACE(3, 6) },
          "acq 1 l\nacq 2 m\nwr 1 x\nwr 2 x\n");
}

static void what_a_branch_looked_at_stays(void **state)
{
    (void)state;
    gives(&(struct question) { "T3|w(y) T3|w(go) T2|r(own) T2|r(go) T2|br T2|w(x) T1|w(x)",
                               RACE(5, 6) },
          "# branches: yes\nwr 3 go\nrd 2 go\nbr 2\nwr 2 x\nwr 1 x\n");
}

static void what_no_branch_looked_at_goes(void **state)
{
    (void)state;
    gives(&(struct question) { "T3|w(y) T3|w(go) T3|r(y) T3|br T2|r(own) T2|r(go) T2|w(x) T1|w(x)",
                               RACE(6, 7) },
          "# branches: yes\nwr 2 x\nwr 1 x\n");
}

static void what_a_value_depends_on_stays(void **state)
{
    (void)state;
    gives(&(struct question) { "T4|w(a) T3|r(a) T3|w(go) T2|r(go) T2|br T2|w(x) T1|w(x)",
                               RACE(5, 6) },
          "# branches: yes\nwr 4 a\nrd 3 a\nwr 3 go\nrd 2 go\nbr 2\nwr 2 x\nwr 1 x\n");
}

static void without_branches_every_read_is_one(void **state)
{
    (void)state;
    gives(&(struct question) { "T3|w(go) T2|r(go) T2|r(go) T2|w(x) T1|w(x)", RACE(3, 4) },
          "wr 3 go\nrd 2 go\nwr 2 x\nwr 1 x\n");
}

static void synchronisation_stays_that_orders_what_stays(void **state)
{
    (void)state;
    gives(
        &(struct question) { "T3|post(t) T3|w(go) T3|post(s) T2|pend(t) T2|pend(s) T2|r(go) T2|br "
                             "T2|w(x) T1|w(x)",
                             RACE(7, 8) },
        "# branches: yes\nwr 3 go\npost 3 s\npend 2 s\nrd 2 go\nbr 2\nwr 2 x\nwr 1 x\n");
}

static void memory_is_used_before_it_is_freed(void **state)
{
    (void)state;
    gives(&(struct question) { "T1|alloc(x) T1|fork(T2) T1|free(x) T2|r(x)", RACE(2, 3) },
          "rd 2 x\nfree 1 x\n");
}

/* --- the others -------------------------------------------------------------------------- */

static void a_deadlock_is_in_the_order_of_the_trace(void **state)
{
    const struct question question = {
        "T1|acq(c) T1|acq(a) T1|r(x) T1|acq(b) T1|w(x) T1|rel(b) T1|rel(a) T1|rel(c) T2|acq(b) "
        "T2|acq(a) T2|rel(a) T2|rel(b)",
        DEADLOCK(3, 9)
    };
    struct fw_extract *extract = ask(&question);

    (void)state;
    assert_int_equal(extract->witness.order_count, 2);
    assert_int_equal(extract->witness.order[0] + extract->witness.order[1], 4); /* 0 and 4 */
    assert_false(extract->reordered);
    fw_extract_destroy(extract);
    gives(&question, "acq 1 a\nacq 1 b\nrel 1 b\nrel 1 a\nacq 2 b\nacq 2 a\nrel 2 a\nrel 2 b\n");
}

static void an_atomicity_violation_keeps_its_sections(void **state)
{
    (void)state;
    gives(&(struct question) { "T1|acq(l) T1|r(x) T1|rel(l) T1|acq(l) T1|w(x) T1|rel(l) T2|acq(l) "
                               "T2|w(y) T2|w(x) T2|rel(l)",
                               ATOMICITY(1, 8, 4) },
          "acq 1 l\nrd 1 x\nrel 1 l\nacq 2 l\nwr 2 x\nrel 2 l\nacq 1 l\nwr 1 x\n");
}

static void a_nondeterministic_read_stays_beside_what_it_saw(void **state)
{
    (void)state;
    gives(
        &(struct question) {
            "T1|w(y) T1|w(x) T2|r(y) T2|r(x) T2|w(y)", FW_CLAIM_NONDETERMINISM, { 3 }, 1 },
        "wr 1 y\nwr 1 x\nrd 2 y\nrd 2 x\n");
    gives(
        &(struct question) { "T1|w(y) T1|w(x) T2|r(x) T2|w(y)", FW_CLAIM_NONDETERMINISM, { 2 }, 1 },
        "wr 1 x\nrd 2 x\n");
}

/* --- names, values, sizes ---------------------------------------------------------------- */

static void names_become_short(void **state)
{
    (void)state;
    gives(&(struct question) { "main|w(accounts[3].balance)|a.c:1 T1|w(mem:0x7ffd1234)|a.c:2 "
                               "T1|w(accounts[3].balance)|a.c:3",
                               RACE(0, 2) },
          "wr 2 accounts[3].balance @a.c:1\nwr 1 accounts[3].balance @a.c:3\n");
    gives(&(struct question) { "T1|w(mem:0x7ffd1234) T2|w(mem:0x7ffd1234)", RACE(0, 1) },
          "wr 1 x\nwr 2 x\n");
    gives(&(struct question) { "T1|w(a_long_way::to_the_last::word) "
                               "T2|w(a_long_way::to_the_last::word)",
                               RACE(0, 1) },
          "wr 1 word\nwr 2 word\n");
}

static void a_value_stays_that_a_program_would_see(void **state)
{
    (void)state;
    gives(
        &(struct question) { "T3|w(go)||val=7 T2|r(go)||val=7 T2|r(at)||val=5 T2|br T2|w(x)||val=1 "
                             "T1|w(at)||val=2 T1|r(x)||val=1",
                             RACE(4, 6) },
        "# branches: yes\nwr 3 go 7\nrd 2 go 7\nrd 2 at\nbr 2\nwr 2 x 1\nrd 1 x 1\n");
}

static void too_much_of_what_branches_looked_at_is_left_out(void **state)
{
    char *text = fw_xstrdup(""), *longer;
    struct question question = { .claim = FW_CLAIM_RACE, .count = 2, .events = { 801, 802 } };
    struct fw_extract *extract;

    (void)state;
    for (int i = 0; i < 400; i++) {
        longer = fw_xasprintf("%sT3|w(v%d) T2|r(v%d) ", text, i, i);
        free(text);
        text = longer;
    }
    longer = fw_xasprintf("%sT2|br T2|w(x) T1|w(x)", text);
    question.trace = longer;
    extract = ask(&question);
    assert_true(extract->left_out);
    assert_int_equal(extract->trace->count, 2);
    fw_extract_destroy(extract);
    free(text);
    free(longer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_race_is_its_two_events),
        cmocka_unit_test(locks_that_are_held_at_a_race_stay),
        cmocka_unit_test(what_a_branch_looked_at_stays),
        cmocka_unit_test(what_no_branch_looked_at_goes),
        cmocka_unit_test(what_a_value_depends_on_stays),
        cmocka_unit_test(without_branches_every_read_is_one),
        cmocka_unit_test(synchronisation_stays_that_orders_what_stays),
        cmocka_unit_test(memory_is_used_before_it_is_freed),
        cmocka_unit_test(a_deadlock_is_in_the_order_of_the_trace),
        cmocka_unit_test(an_atomicity_violation_keeps_its_sections),
        cmocka_unit_test(a_nondeterministic_read_stays_beside_what_it_saw),
        cmocka_unit_test(names_become_short),
        cmocka_unit_test(a_value_stays_that_a_program_would_see),
        cmocka_unit_test(too_much_of_what_branches_looked_at_is_left_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
