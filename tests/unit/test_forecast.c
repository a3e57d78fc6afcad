/*
 * test_forecast.c - predictions as findings: contexts, merging, limits; the beginning of a trace
 * stands for itself; a rejected witness leaves files that show the mistake.
 */
#include "analysis/forecast.h"
#include "report/reproducer.h"
#include "report/result_read.h"
#include "support/property.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <unistd.h>

/* --- running ----------------------------------------------------------------------------- */

struct run {
    struct fw_trace *trace;
    struct fw_engine *engine;
    struct fw_forecast *forecast;
};

/* `stream`: an analysis that gets the events runs beside it. */
static void run_race(struct run *run, const char *text, bool stream, bool stop, const char *cut)
{
    const struct fw_analysis *analyses[] = { &fw_analysis_race, &fw_analysis_null };
    struct fw_analysis_setup setup = { 0 };
    struct fw_forecast_setup how = { .jobs = 1, .cut = cut };
    struct fw_batch batch;

    run->trace = fw_load_line(text);
    setup.symbols = run->trace->symbols;
    run->engine = fw_engine_create(analyses, 1 + stream, &setup);
    batch = fw_trace_batch(run->trace);
    fw_engine_batch(run->engine, &batch);
    fw_engine_finish(run->engine);
    how.trace = run->trace;
    run->forecast = fw_forecast_create(&how, analyses, 1 + stream);
    if (stop)
        fw_forecast_stop(run->forecast);
    fw_forecast_run(run->forecast);
    fw_forecast_report(run->forecast, run->engine, "the time");
}

static void run_end(struct run *run)
{
    fw_engine_destroy(run->engine);
    fw_forecast_destroy(run->forecast);
    fw_trace_destroy(run->trace);
}

static const struct fw_finding *finding(const struct run *run, uint64_t i)
{
    return fw_findings_get(fw_engine_findings(run->engine, 0), i);
}

/* --- findings ---------------------------------------------------------------------------- */

#define NESTED                                                                                     \
    "T1|call(f)|1 T1|acq(l)|2 T1|w(x)|3 T1|rel(l)|4 T1|ret(f)|5 "                                  \
    "T2|call(g)|6 T2|racq(m)|7 T2|w(x)|8 T2|rrel(m)|9"

static void events_know_their_locks_and_stacks(void **state)
{
    (void)state;
    for (int stream = 0; stream <= 1; stream++) {
        struct run run;
        const struct fw_mark *marks;
        const struct fw_contexts *contexts;
        const uint32_t *locks;
        uint32_t count;

        run_race(&run, NESTED, stream, false, NULL);
        assert_int_equal(fw_findings_count(fw_engine_findings(run.engine, 0)), 1);
        marks = finding(&run, 0)->events.at;
        contexts = fw_engine_contexts(run.engine);
        locks = fw_contexts_locks(contexts, marks[0].context.lock_set, &count);
        assert_int_equal(count, 1);
        assert_string_equal(fw_symbols_name(run.trace->symbols, FW_SPACE_LOCK, locks[0] / 2), "l");
        locks = fw_contexts_locks(contexts, marks[1].context.lock_set, &count);
        assert_int_equal(count, 1);
        assert_true(locks[0] & 1);
        assert_string_equal(
            fw_symbols_name(run.trace->symbols, FW_SPACE_FUNCTION,
                            fw_contexts_frame(contexts, marks[1].context.stack)->function),
            "g");
        run_end(&run);
    }
}

static void equal_sites_are_one_finding_with_the_witness_of_its_events(void **state)
{
    struct fw_schedule_walk walk;
    struct run run;
    uint32_t at, last = FW_NO_EVENT;

    (void)state;
    run_race(&run, "T1|w(x)|1 T1|w(y)|1 T2|w(y)|2 T2|w(x)|2", false, false, NULL);
    assert_int_equal(fw_findings_count(fw_engine_findings(run.engine, 0)), 1);
    assert_int_equal(finding(&run, 0)->count, 2);
    assert_int_equal(finding(&run, 0)->variables.len, 2);
    assert_int_equal(finding(&run, 0)->events.at[1].index, 2);
    assert_non_null(finding(&run, 0)->witness);
    fw_schedule_walk_init(&walk, finding(&run, 0)->witness, fw_forecast_index(run.forecast));
    while (fw_schedule_next(&walk, &at))
        last = at;
    fw_schedule_walk_release(&walk);
    assert_true(last == 1 || last == 2);
    assert_true(fw_engine_outcome(run.engine, 0)->complete);
    assert_false(fw_engine_outcome(run.engine, 0)->spent);
    run_end(&run);
}

static void what_stopped_it_is_said(void **state)
{
    const struct fw_outcome *outcome;
    struct run run;

    (void)state;
    run_race(&run, "T1|w(x)|1 T2|w(x)|2", true, true, NULL);
    outcome = fw_engine_outcome(run.engine, 0);
    assert_false(outcome->complete);
    assert_true(outcome->spent);
    assert_string_equal(outcome->why, "not reached within the time");
    assert_true(fw_engine_outcome(run.engine, 1)->complete); /* null is through */
    run_end(&run);
    run_race(&run, "T1|w(x)|1 T2|w(x)|2", false, false, "only the first 2 events");
    outcome = fw_engine_outcome(run.engine, 0);
    assert_int_equal(outcome->findings, 1);
    assert_string_equal(outcome->why, "only the first 2 events");
    assert_true(outcome->spent);
    run_end(&run);
}

/* --- the beginning of a trace ------------------------------------------------------------ */

static struct fw_trace *load_part(const char *text, bool whole)
{
    struct fw_trace_builder *builder = fw_trace_builder_create();
    struct fw_reader *reader;
    struct fw_trace *trace;
    struct fw_batch batch;
    struct fw_error err;
    int branches;

    assert_int_equal(fw_reader_open_memory(&reader, text, strlen(text), "t.std", NULL, &err), 0);
    branches = fw_reader_has_branches(reader, &err);
    while (fw_reader_next(reader, &batch, &err) > 0)
        assert_int_equal(fw_trace_builder_add(builder, &batch, reader, &err), 0);
    assert_true(fw_trace_builder_bytes(builder) >= 4 * sizeof(struct fw_event));
    trace = fw_trace_builder_finish(builder, reader, branches, whole);
    fw_reader_close(reader);
    return trace;
}

/* The fence that makes the load synchronise may come in the rest. */
static void in_a_beginning_every_atomic_load_acquires(void **state)
{
    static const char text[] = "T1|ast(x)|1|ord=rel\nT2|ald(x)|2|ord=rlx\n"
                               "T2|armw(x)|3|ord=rel\nT2|ast(x)|4|ord=rlx\n";
    struct fw_trace *whole = load_part(text, true), *part = load_part(text, false);

    (void)state;
    assert_int_equal(whole->events[1].order, FW_ORDER_RELAXED);
    assert_int_equal(whole->events[2].order, FW_ORDER_RELEASE);
    assert_int_equal(part->events[0].order, FW_ORDER_RELEASE);
    assert_int_equal(part->events[1].order, FW_ORDER_ACQUIRE);
    assert_int_equal(part->events[2].order, FW_ORDER_ACQ_REL);
    assert_int_equal(part->events[3].order, FW_ORDER_RELAXED);
    fw_trace_destroy(whole);
    fw_trace_destroy(part);
}

/* --- the reproducer ---------------------------------------------------------------------- */

static void a_rejected_witness_can_be_seen_again(void **state)
{
    char folder[] = "/tmp/foreweave-test-XXXXXX";
    struct fw_trace *trace = fw_load_line("T1|w(q)|1 T1|w(x)|2 T2|w(x)|3"), *again;
    uint32_t events[] = { 1, 2 }, order[] = { 1, 2 }; /* lacks event 0 */
    struct fw_rejection rejection = { .claim = FW_CLAIM_RACE,
                                      .events = events,
                                      .event_count = 2,
                                      .order = order,
                                      .order_count = 2,
                                      .reason = "test" };
    struct fw_verifier *verifier;
    struct fw_reproducer files;
    struct fw_result *result;
    struct fw_witness witness;
    struct fw_error err;

    (void)state;
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    assert_int_equal(fw_reproducer_write(&files, trace, &rejection, &err), 0);
    assert_int_equal(fw_trace_load(&again, files.trace, NULL, &err), 0);
    assert_int_equal(fw_result_read(&result, files.result, &err), 0);
    assert_int_equal(result->count, 1);
    assert_int_equal(result->findings[0].witness_count, 2);
    witness = (struct fw_witness) { result->findings[0].claim, events, 2, order, 2 };
    verifier = fw_verifier_create(again);
    assert_false(fw_verify(verifier, &witness).accepted);
    fw_verifier_destroy(verifier);
    fw_result_destroy(result);
    fw_trace_destroy(again);
    fw_trace_destroy(trace);
    unlink(files.trace);
    unlink(files.result);
    assert_int_equal(chdir("/"), 0);
    rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_know_their_locks_and_stacks),
        cmocka_unit_test(equal_sites_are_one_finding_with_the_witness_of_its_events),
        cmocka_unit_test(what_stopped_it_is_said),
        cmocka_unit_test(in_a_beginning_every_atomic_load_acquires),
        cmocka_unit_test(a_rejected_witness_can_be_seen_again),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
