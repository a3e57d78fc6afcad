/*
 * test_lifetx.c - where transactions are cut, and what is told about them.
 *
 * Each trace that must be cut has a twin that must not.
 */
#include "support/property.h"

#include "lifetx/lifetx.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* --- loops by the names of sites: "i3" is the third place of loop 7's body ------------------- */

static bool at(void *me, const char *site, struct fw_loop_place *place)
{
    (void)me;
    *place = (struct fw_loop_place) { 1, (uint64_t)atoi(site + 1), FW_NO_LOOP, 0 };
    if (site[0] == 'i') {
        place->innermost = 7;
        place->depth = 1;
    }
    return true;
}

static uint32_t parent(void *me, uint32_t loop)
{
    (void)me;
    (void)loop;
    return FW_NO_LOOP;
}

static bool again(void *me, uint32_t loop, uint64_t from, uint64_t to)
{
    (void)me;
    (void)loop;
    return to <= from;
}

static char *name(void *me, uint32_t loop)
{
    (void)me;
    (void)loop;
    return fw_xstrdup("header");
}

/* Of code without hooks nobody can tell that it calls: the site "lib". */
static bool can_cut(void *me, const char *site)
{
    (void)me;
    return strcmp(site, "lib") != 0;
}

static const struct fw_lifetx_code with_loops = {
    .at = at, .parent = parent, .again = again, .name = name, .can_cut = can_cut
};
static const struct fw_lifetx_code without_loops;

/* --- learning -------------------------------------------------------------------------------- */

static struct fw_lifetx_stats learn(const char *text, struct fw_cuts *cuts,
                                    const struct fw_lifetx_options *options)
{
    struct fw_trace *trace = fw_load_line(text);
    struct fw_batch batch = fw_trace_batch(trace);
    struct fw_lifetx *learner =
        fw_lifetx_create(trace->symbols, options->me ? &with_loops : &without_loops, cuts, options);
    struct fw_lifetx_stats stats;

    fw_lifetx_batch(learner, &batch);
    fw_lifetx_finish(learner);
    stats = *fw_lifetx_stats(learner);
    fw_lifetx_destroy(learner);
    fw_trace_destroy(trace);
    return stats;
}

/* The cutpoints that the trace teaches, as "kind place, kind place"; with loops if it begins so. */
static void expect(const char *text, const char *cutpoints)
{
    static int yes;
    struct fw_lifetx_options options = { 0 };
    struct fw_cuts *cuts = fw_cuts_create();
    char found[256] = "";
    size_t used = 0;

    if (strncmp(text, "loops ", 6) == 0) {
        options.me = &yes;
        text += 6;
    }
    learn(text, cuts, &options);
    for (uint32_t i = 0; i < fw_cuts_count(cuts); i++)
        used +=
            (size_t)snprintf(found + used, sizeof found - used, "%s%s %s", i ? ", " : "",
                             fw_cut_kinds[fw_cuts_get(cuts, i).kind], fw_cuts_get(cuts, i).place);
    assert_string_equal(found, cutpoints);
    fw_cuts_destroy(cuts);
}

/* --- where is it cut? ------------------------------------------------------------------------ */

static void one_conflict_each_way_is_cut_before_the_last_access(void **state)
{
    (void)state;
    expect("A|w(x)|1 B|r(x)|2 B|w(y)|3 A|r(y)|4", "access 4");
    expect("A|w(x)|1 A|r(y)|4 B|r(x)|2 B|w(y)|3", "");
    expect("A|w(x)|1 B|r(x)|2 B|r(y)|3 A|r(y)|4", "");
}

/* Source, figure 6.1: of two conflicts between the same two the cut is behind the later one. */
static void the_last_event_that_leads_into_the_cycle_counts(void **state)
{
    (void)state;
    expect("A|r(c)|1 A|call(f)|9 B|w(c)|2 A|w(a)|3 B|r(a)|4 B|w(b)|5 A|w(b)|6", "access 6");
    expect("A|r(c)|1 A|call(f)|9 B|w(c)|2 A|w(a)|3 B|w(b)|5 A|w(b)|6", "call 9");
    /* The later conflict is from the earlier access: a cut between the two is not enough. */
    expect("A|w(a)|1 A|call(f)|9 A|w(b)|2 B|r(b)|3 B|r(a)|4 B|w(c)|5 A|w(c)|6", "access 6");
}

/* Source, figure 6.2. */
static void the_outermost_call_that_separates_is_cut(void **state)
{
    (void)state;
    expect("A|call(main)|0 A|call(foo)|1 A|r(a)|2 A|call(bar)|3 A|call(baz)|4 B|w(a)|5 B|w(c)|6 "
           "A|w(c)|7",
           "call 3");
    expect("A|call(main)|0 A|call(foo)|1 A|call(bar)|3 A|r(a)|2 A|call(baz)|4 B|w(a)|5 B|w(c)|6 "
           "A|w(c)|7",
           "call 4");
    /* A call that is over does not hold the last access. */
    expect("A|call(foo)|1 A|r(a)|2 A|call(bar)|3 A|ret(bar) B|w(a)|5 B|w(c)|6 A|w(c)|7",
           "access 7");
    expect("A|r(a)|2 A|call(bar) B|w(a)|5 B|w(c)|6 A|w(c)|7", "entry bar");
}

static void loops_and_iterations_are_segments(void **state)
{
    (void)state;
    expect("loops A|r(a)|o1 A|r(d)|i2 B|w(a)|o8 B|w(c)|o9 A|w(c)|i3", "loop header");
    expect("loops A|r(a)|i2 A|r(d)|i1 B|w(a)|o8 B|w(c)|o9 A|w(c)|i3", "iteration header");
    expect("loops A|r(a)|i1 A|r(d)|i2 B|w(a)|o8 B|w(c)|o9 A|w(c)|i3", "access i3");
    /* In an iteration the call is the next one inside. */
    expect("loops A|r(a)|i1 A|call(f)|i2 B|w(a)|o8 B|w(c)|o9 A|w(c)|o3", "call i2");
}

static void what_code_without_hooks_calls_is_cut_at_its_entry(void **state)
{
    (void)state;
    expect("loops A|r(a)|o2 A|call(bar)|lib B|w(a)|o8 B|w(c)|o9 A|w(c)|o3", "entry bar");
    expect("loops A|r(a)|o2 A|call(bar)|o7 B|w(a)|o8 B|w(c)|o9 A|w(c)|o3", "call o7");
}

static void a_cutpoint_cuts_wherever_its_place_is_passed(void **state)
{
    struct fw_cuts *cuts = fw_cuts_create();
    struct fw_lifetx_options options = { 0 };
    struct fw_lifetx_stats stats;
    static const char text[] = "A|w(x)|1 B|r(x)|2 B|w(y)|3 A|r(y)|4 C|r(z)|4 C|r(z)|4";

    (void)state;
    stats = learn(text, cuts, &options);
    assert_int_equal(stats.splits, 1);
    assert_int_equal(stats.new_cuts, 1);
    assert_int_equal(stats.length.count, 3); /* B, and two of C; not the halves of A's */
    stats = learn(text, cuts, &options);
    assert_int_equal(stats.splits, 0);
    assert_int_equal(stats.new_cuts, 0);
    assert_int_equal(stats.length.count, 5);
    assert_int_equal(stats.length.sum, 6);
    assert_int_equal(stats.length.most, 2);
    fw_cuts_destroy(cuts);
}

/* --- synchronisation ------------------------------------------------------------------------- */

/* What the lock protects may be interleaved as it was, section by section (source, 6.2.4). */
static void locks_make_edges(void **state)
{
    (void)state;
    expect("A|acq(l)|1 A|rel(l)|2 B|acq(l)|3 B|rel(l)|4 A|acq(l)|5 A|rel(l)|6", "access 5");
    expect("A|acq(l)|1 A|rel(l)|2 B|acq(m)|3 B|rel(m)|4 A|acq(l)|5 A|rel(l)|6", "");
    expect("A|racq(l)|1 A|rrel(l)|2 B|racq(l)|3 B|rrel(l)|4 A|racq(l)|5 A|rrel(l)|6", "");
    expect("A|racq(l)|1 A|rrel(l)|2 B|acq(l)|3 B|rel(l)|4 A|racq(l)|5 A|rrel(l)|6", "access 5");
}

/* A wait in a loop gives its lock back, wakes and takes it again at one place: whoever enforces
 * transactions sees the next iteration too late. */
static void a_wait_is_cut_where_it_is(void **state)
{
    (void)state;
    expect("loops A|acq(l)|o1 A|r(x)|i1 A|rel(l)|i2 B|acq(l)|o8 B|w(x)|o8 B|notify(c)|o8 "
           "B|rel(l)|o9 A|wake(c)|i2 A|acq(l)|i2 A|r(x)|i1",
           "access i2");
    expect("loops A|acq(l)|o1 A|r(x)|i1 A|rel(l)|i2 B|acq(l)|o8 B|w(x)|o8 B|rel(l)|o9 A|acq(l)|i2",
           "access i2");
    /* Something in between: it goes round. */
    expect("loops A|acq(l)|o1 A|r(x)|i1 A|rel(l)|i2 A|r(z)|i3 B|acq(l)|o8 B|w(x)|o8 "
           "B|rel(l)|o9 A|acq(l)|i2",
           "iteration header");
}

static void fork_and_join_make_edges(void **state)
{
    (void)state;
    expect("A|fork(B)|1 B|r(x)|2 A|join(B)|3", "access 3");
    expect("A|fork(B)|1 A|r(x)|2 B|r(x)|4", "");
    expect("A|fork(B)|1 A|r(x)|2 A|join(B)|3", ""); /* it did nothing */
    expect("A|fork(B)|1 B|post(s)|2 A|pend(s)|3", "access 3");
}

static void what_the_kernel_carries_makes_edges(void **state)
{
    (void)state;
    expect("A|w(x)|1 A|ast(hb:channel1)|2 B|ald(hb:channel1)|3 B|w(y)|4 A|r(y)|5", "access 5");
    /* Two that only send are not ordered. */
    expect("A|ast(hb:channel1)|2 B|ast(hb:channel1)|3 B|w(y)|4 A|r(y)|5", "");
    expect("A|ast(flag)|2 B|ast(flag)|3 B|w(y)|4 A|r(y)|5", "access 5");
}

/* --- what is asked for besides --------------------------------------------------------------- */

static void long_loops_get_a_cutpoint_for_each_iteration(void **state)
{
    static int yes;
    struct fw_lifetx_options options = { .trips = 3, .me = &yes };
    struct fw_cuts *cuts = fw_cuts_create();
    struct fw_lifetx_stats stats;

    (void)state;
    stats = learn("A|r(x)|i1 A|r(x)|i1 A|r(x)|i1", cuts, &options);
    assert_int_equal(stats.long_loops, 0);
    assert_int_equal(fw_cuts_count(cuts), 0);
    stats = learn("A|r(x)|i1 A|r(x)|i1 A|r(x)|i1 A|r(x)|i1", cuts, &options);
    assert_int_equal(stats.long_loops, 1);
    assert_true(fw_cuts_has(cuts, FW_CUT_ITERATION, "header"));
    assert_int_equal(stats.length.count, 2);
    stats = learn("A|r(x)|i1 A|r(x)|i1 A|r(x)|i1 A|r(x)|i1", cuts, &options);
    assert_int_equal(stats.length.count, 4);
    fw_cuts_destroy(cuts);
}

static void what_cannot_be_undone_gets_a_cutpoint(void **state)
{
    struct fw_lifetx_options options = { .system_calls = true };
    struct fw_cuts *cuts = fw_cuts_create();
    struct fw_lifetx_stats stats;

    (void)state;
    stats = learn("A|r(x)|1 A|ast(hb:channel1)|2 A|r(x)|3", cuts, &options);
    assert_int_equal(stats.calls, 1);
    assert_true(fw_cuts_has(cuts, FW_CUT_ACCESS, "2"));
    assert_int_equal(stats.length.count, 2);
    stats = learn("A|r(x)|1 A|ast(flag)|2 A|r(x)|3", cuts, &options);
    assert_int_equal(stats.calls, 0);
    fw_cuts_destroy(cuts);
}

/* Two transactions that have read what both will write cannot be kept apart any more. */
static void reads_of_what_is_written_later_are_claims(void **state)
{
    (void)state;
    expect("A|r(x)|1 A|r(x)|2 A|w(x)|3", "claim 1");
    expect("A|r(x)|1 B|r(x)|1 A|r(y)|2 A|w(x)|3", "claim 1");
    expect("A|r(x)|1 A|w(y)|3", "");
    expect("A|w(x)|1 A|r(x)|2 A|w(x)|3", "");
    /* Once in three times is not mostly. */
    expect("A|r(x)|1 A|w(x)|2 A|r(y)|1 A|r(z)|1", "");
    /* Behind a cutpoint it is another transaction. */
    expect("A|r(x)|1 A|w(z)|6 B|r(z)|2 B|w(y)|3 A|r(y)|4 A|w(x)|5", "access 4");
}

static void words_are_counted_once_in_a_transaction(void **state)
{
    struct fw_cuts *cuts = fw_cuts_create();
    struct fw_lifetx_options options = { 0 };
    struct fw_lifetx_stats stats;

    (void)state;
    stats = learn("B|r(x)|1 A|r(x)|1 A|r(x)|1 A|w(x)|1 A|r(y)|1 A|w(z)|1 A|r(z)|1", cuts, &options);
    assert_int_equal(stats.touched.count, 2);
    assert_int_equal(stats.touched.sum, 4);
    assert_int_equal(stats.touched.most, 3);
    assert_int_equal(fw_lifetx_quantile(&stats.touched, 500), 1);
    assert_int_equal(fw_lifetx_quantile(&stats.touched, 1000), 2);
    fw_lifetx_stats_add(&stats, &stats);
    assert_int_equal(stats.touched.sum, 8);
    fw_cuts_destroy(cuts);
}

/* --- memory ---------------------------------------------------------------------------------- */

enum {
    THREADS = 5,
    VARIABLES = 20,
    SITES = 40,
    BATCHES = 60,
    EVENTS = 4000
};

static struct fw_symbols *many_symbols(void)
{
    struct fw_symbols *symbols = fw_symbols_create();
    char text[16];

    for (unsigned i = 0; i < 100; i++) {
        int len = snprintf(text, sizeof text, "n%u", i);

        fw_strtab_intern(&symbols->table[FW_SPACE_THREAD], text, (size_t)len);
        fw_strtab_intern(&symbols->table[FW_SPACE_VARIABLE], text, (size_t)len);
        fw_strtab_intern(&symbols->table[FW_SPACE_LOCK], text, (size_t)len);
        fw_strtab_intern(&symbols->table[FW_SPACE_FUNCTION], text, (size_t)len);
        text[0] = i % 2 ? 'i' : 'o';
        fw_strtab_intern(&symbols->table[FW_SPACE_SITE], text, (size_t)len);
    }
    return symbols;
}

/* Thread 0 only writes what others read, so that it is never cut; the others go up and down in
 * calls, and conflict with each other. */
static struct fw_event next_event(struct fw_random *random, uint32_t *depth)
{
    struct fw_event event = { .thread = fw_random_below(random, THREADS),
                              .site = 1 + fw_random_below(random, SITES),
                              .target = 1 + fw_random_below(random, VARIABLES - 1) };
    uint32_t act = fw_random_below(random, 10);

    if (event.thread == 0) {
        event.kind = FW_WRITE;
        event.target = 0;
    } else if (act < 2 && depth[event.thread] < 6) {
        event.kind = FW_CALL;
        depth[event.thread]++;
    } else if (act < 4 && depth[event.thread]) {
        event.kind = FW_RETURN;
        depth[event.thread]--;
    } else if (act < 5) {
        event.kind = FW_READ;
        event.target = 0;
    } else {
        event.kind = act < 8 ? FW_READ : FW_WRITE;
    }
    return event;
}

static void memory_does_not_grow_with_the_trace(void **state)
{
    static struct fw_event events[EVENTS];
    static const struct fw_attr none;
    static int yes;
    struct fw_symbols *symbols = many_symbols();
    struct fw_cuts *cuts = fw_cuts_create();
    struct fw_lifetx_options options = { .me = &yes };
    struct fw_lifetx *learner = fw_lifetx_create(symbols, &with_loops, cuts, &options);
    uint32_t depth[THREADS] = { 0 };
    struct fw_random random;

    (void)state;
    fw_random_init(&random, 1);
    for (uint64_t i = 0; i < BATCHES; i++) {
        struct fw_batch batch = {
            .events = events, .attrs = &none, .first = i * EVENTS, .count = EVENTS
        };

        for (uint32_t j = 0; j < EVENTS; j++)
            events[j] = next_event(&random, depth);
        fw_lifetx_batch(learner, &batch);
        /* For each pair of threads one lane, and two pairs for each call, loop and iteration. */
        assert_true(fw_lifetx_size(learner) < THREADS * THREADS * (1 + 2 * (6 * 3 + 3) + 3));
    }
    assert_true(fw_lifetx_stats(learner)->splits > 10);
    assert_true(fw_lifetx_stats(learner)->splits < 10000);
    fw_lifetx_destroy(learner);
    fw_cuts_destroy(cuts);
    fw_symbols_destroy(symbols);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_conflict_each_way_is_cut_before_the_last_access),
        cmocka_unit_test(the_last_event_that_leads_into_the_cycle_counts),
        cmocka_unit_test(the_outermost_call_that_separates_is_cut),
        cmocka_unit_test(loops_and_iterations_are_segments),
        cmocka_unit_test(what_code_without_hooks_calls_is_cut_at_its_entry),
        cmocka_unit_test(a_cutpoint_cuts_wherever_its_place_is_passed),
        cmocka_unit_test(locks_make_edges),
        cmocka_unit_test(a_wait_is_cut_where_it_is),
        cmocka_unit_test(fork_and_join_make_edges),
        cmocka_unit_test(what_the_kernel_carries_makes_edges),
        cmocka_unit_test(long_loops_get_a_cutpoint_for_each_iteration),
        cmocka_unit_test(what_cannot_be_undone_gets_a_cutpoint),
        cmocka_unit_test(reads_of_what_is_written_later_are_claims),
        cmocka_unit_test(words_are_counted_once_in_a_transaction),
        cmocka_unit_test(memory_does_not_grow_with_the_trace),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
