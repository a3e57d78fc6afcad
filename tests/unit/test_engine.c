/* test_engine.c - the engine: every analysis gets every event it asked for, in order. */
#include "analysis/engine.h"
#include "base/alloc.h"
#include "report/report.h"
#include "support/toy.h"
#include "trace/trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

static int alive; /* analyses created and not destroyed */

/* An analysis that writes down the indices of writes. */
struct recorder {
    struct fw_findings *findings;
    uint64_t seen[16];
    size_t count;
};

static void *recorder_create(const struct fw_analysis_setup *setup)
{
    struct recorder *recorder = fw_xcalloc(1, sizeof *recorder);

    assert_non_null(setup->symbols);
    recorder->findings = setup->findings;
    alive++;
    return recorder;
}

static void recorder_write(void *state, const struct fw_event *event, const struct fw_place *place)
{
    struct recorder *recorder = state;
    struct fw_mark mark = fw_place_mark(place);

    fw_findings_add(recorder->findings, &(struct fw_occurrence) { .kind = FW_FINDING_RACE,
                                                                  .events = &mark,
                                                                  .event_count = 1,
                                                                  .variable = event->target });
    assert_int_equal(event->kind, FW_WRITE);
    assert_int_equal(fw_place_attr(place)->has, 0);
    recorder->seen[recorder->count++] = fw_place_index(place);
}

static void recorder_finish(void *state, struct fw_outcome *outcome)
{
    const struct recorder *recorder = state;

    for (size_t i = 0; i < recorder->count; i++)
        sprintf(outcome->note + strlen(outcome->note), "%d ", (int)recorder->seen[i]);
}

static void recorder_destroy(void *state)
{
    alive--;
    free(state);
}

static const struct fw_analysis recorder = {
    .name = "recorder",
    .summary = "writes",
    .guarantee = FW_NO_CLAIM,
    .create = recorder_create,
    .finish = recorder_finish,
    .destroy = recorder_destroy,
    .on = { [FW_WRITE] = recorder_write },
};

static const char text[] = "T1|w(x)|1\nT1|req(l)|2\nT1|r(x)|3\nT2|w(y)|4\nT2|w(x)|5\n";

static struct fw_trace *load(void)
{
    struct fw_trace *trace;
    struct fw_error err;

    assert_int_equal(fw_trace_load_memory(&trace, text, strlen(text), "a.std", NULL, &err), 0);
    return trace;
}

static void each_analysis_gets_its_kinds_in_order(void **state)
{
    const struct fw_analysis *analyses[] = { &recorder, &fw_analysis_null, &recorder };
    struct fw_trace *trace = load();
    struct fw_analysis_setup setup = { .symbols = trace->symbols };
    struct fw_engine *engine = fw_engine_create(analyses, 3, &setup);
    struct fw_batch batch = fw_trace_batch(trace);

    (void)state;
    assert_int_equal(alive, 2);
    fw_engine_batch(engine, &batch);
    fw_engine_finish(engine);
    assert_int_equal(fw_engine_count(engine), 3);
    assert_string_equal(fw_engine_outcome(engine, 0)->note, "0 3 4 ");
    assert_string_equal(fw_engine_outcome(engine, 2)->note, "0 3 4 ");
    assert_int_equal(fw_engine_outcome(engine, 0)->findings, 3);
    assert_true(fw_engine_outcome(engine, 0)->complete);
    assert_ptr_equal(fw_engine_analysis(engine, 1), &fw_analysis_null);
    assert_string_equal(fw_engine_outcome(engine, 1)->note, "1 r, 3 w");
    assert_int_equal(fw_engine_outcome(engine, 1)->findings, 0);
    fw_engine_destroy(engine);
    fw_trace_destroy(trace);
    assert_int_equal(alive, 0);
}

static void an_engine_may_be_dropped_half_way(void **state)
{
    const struct fw_analysis *analyses[] = { &recorder };
    struct fw_symbols *symbols = fw_symbols_create();
    struct fw_analysis_setup setup = { .symbols = symbols };

    (void)state;
    fw_engine_destroy(fw_engine_create(analyses, 1, &setup));
    fw_engine_destroy(NULL);
    fw_symbols_destroy(symbols);
    assert_int_equal(alive, 0);
}

/* A long trace in which new names keep coming, so that reading changes what analyses look at. */
static char *long_text(size_t *size)
{
    const int lines = 30000;
    char *at = fw_xmalloc((size_t)lines * 40), *start = at;

    for (int i = 0; i < lines / 5; i++) {
        int thread = i % 5, lock = i / 50 % 1000;

        at += sprintf(at, "T%d|call(f%d)|%d\n", thread, i / 20, i % 97);
        at += sprintf(at, "T%d|acq(l%d)|a%d\n", thread, lock, i / 10);
        at += sprintf(at, "T%d|%s(x%d)|b%d|size=%d\n", thread, i % 3 ? "w" : "r", i / 9, i / 7,
                      i % 8 + 1);
        at += sprintf(at, "T%d|rel(l%d)|%d\n", thread, lock, i % 11);
        at += sprintf(at, "T%d|ret(f%d)|%d\n", thread, i / 20, i % 89);
    }
    *size = (size_t)(at - start);
    return start;
}

/* Many small batches: more to go wrong. */
static void feed_in_pieces(struct fw_engine *engine, const struct fw_batch *batch)
{
    const uint32_t size = 300;

    for (uint32_t i = 0; i < batch->count; i += size)
        fw_engine_batch(engine, &(struct fw_batch) {
                                    .events = batch->events + i,
                                    .attrs = batch->attrs,
                                    .first = batch->first + i,
                                    .count = size < batch->count - i ? size : batch->count - i,
                                });
}

/* Everything that users would see of it. */
static void analyse(const char *trace, size_t size, size_t jobs, bool pairs_all,
                    struct fw_output *out)
{
    const struct fw_analysis *analyses[] = { &fw_analysis_toy, &fw_analysis_null,
                                             &fw_analysis_toy_triples, &fw_analysis_toy };
    struct fw_reader *reader;
    struct fw_engine *engine;
    struct fw_batch batch;
    struct fw_error err;
    int got;

    assert_int_equal(fw_reader_open_memory(&reader, trace, size, "a.std", NULL, &err), 0);
    engine = fw_engine_create(analyses, 4,
                              &(struct fw_analysis_setup) { .symbols = fw_reader_symbols(reader),
                                                            .pairs_all = pairs_all });
    fw_engine_use_jobs(engine, jobs);
    while ((got = fw_reader_next(reader, &batch, &err)) > 0)
        feed_in_pieces(engine, &batch);
    assert_int_equal(got, 0);
    fw_engine_finish(engine);
    fw_output_open_memory(out);
    fw_report_json(&(struct fw_report) { .name = "a.std",
                                         .format = "std",
                                         .status = fw_reader_status(reader),
                                         .symbols = fw_reader_symbols(reader),
                                         .engine = engine },
                   out);
    fw_engine_destroy(engine);
    fw_reader_close(reader);
    assert_int_equal(fw_toys_alive, 0);
}

static void any_number_of_jobs_finds_the_same(void **state)
{
    struct fw_output one, many;
    size_t size;
    char *long_one = long_text(&size);

    (void)state;
    for (int pairs_all = 0; pairs_all <= 1; pairs_all++) {
        analyse(long_one, size, 1, pairs_all, &one);
        assert_true(one.used > 250000);
        for (size_t jobs = 2; jobs <= 9; jobs += jobs == 2 ? 1 : 6) {
            analyse(long_one, size, jobs, pairs_all, &many);
            assert_int_equal(one.used, many.used);
            assert_memory_equal(one.buffer, many.buffer, one.used);
            fw_output_abandon(&many);
        }
        fw_output_abandon(&one);
    }
    free(long_one);
}

/* Batches of any size, with gaps in the indices and attributes far into a table. */
static void copies_of_batches_are_faithful(void **state)
{
    const struct fw_analysis *analyses[] = { &recorder };
    struct fw_trace *trace = load();
    struct fw_engine *engine =
        fw_engine_create(analyses, 1, &(struct fw_analysis_setup) { .symbols = trace->symbols });
    struct fw_batch whole = fw_trace_batch(trace);

    (void)state;
    fw_engine_use_jobs(engine, 2);
    for (int i = 0; i < 40; i++) /* long enough for threads to start */
        fw_engine_batch(engine, &(struct fw_batch) {
                                    .events = whole.events + 1, .attrs = whole.attrs, .count = 1 });
    for (uint32_t i = 0; i < whole.count; i++)
        fw_engine_batch(engine, &(struct fw_batch) { .events = whole.events + i,
                                                     .attrs = whole.attrs,
                                                     .index = whole.index + i,
                                                     .first = i,
                                                     .count = 1 });
    fw_engine_finish(engine);
    assert_string_equal(fw_engine_outcome(engine, 0)->note, "0 3 4 ");
    fw_engine_destroy(engine);
    fw_trace_destroy(trace);
    assert_int_equal(alive, 0);
}

static void threads_end_when_an_engine_is_dropped_half_way(void **state)
{
    const struct fw_analysis *analyses[] = { &fw_analysis_null, &recorder };
    struct fw_trace *trace = load();
    struct fw_engine *engine =
        fw_engine_create(analyses, 2, &(struct fw_analysis_setup) { .symbols = trace->symbols });
    struct fw_event event = { .kind = FW_READ };
    struct fw_attr none = { 0 };

    (void)state;
    fw_engine_use_jobs(engine, 4);
    for (uint32_t i = 0; i < 100; i++)
        fw_engine_batch(engine, &(struct fw_batch) {
                                    .events = &event, .attrs = &none, .first = i, .count = 1 });
    fw_engine_destroy(engine);
    fw_trace_destroy(trace);
    assert_int_equal(alive, 0);
}

static void the_table_is_complete(void **state)
{
    (void)state;
    for (size_t i = 0; fw_analyses[i]; i++) {
        const struct fw_analysis *analysis = fw_analyses[i];

        assert_ptr_equal(fw_analysis_find(analysis->name), analysis); /* names are unique */
        assert_true(analysis->summary && *analysis->summary);
        assert_true(analysis->predictor ||
                    (analysis->create && analysis->finish && analysis->destroy));
        assert_non_null(fw_guarantee_names[analysis->guarantee]);
    }
    assert_null(fw_analysis_find("nul"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_analysis_gets_its_kinds_in_order),
        cmocka_unit_test(an_engine_may_be_dropped_half_way),
        cmocka_unit_test(any_number_of_jobs_finds_the_same),
        cmocka_unit_test(copies_of_batches_are_faithful),
        cmocka_unit_test(threads_end_when_an_engine_is_dropped_half_way),
        cmocka_unit_test(the_table_is_complete),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
