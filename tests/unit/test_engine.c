/* test_engine.c - the engine: every analysis gets every event it asked for, in order. */
#include "analysis/engine.h"
#include "base/alloc.h"
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

    fw_findings_add(recorder->findings,
                    &(struct fw_occurrence) { .kind = FW_FINDING_RACE,
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

static void the_table_is_complete(void **state)
{
    (void)state;
    for (size_t i = 0; fw_analyses[i]; i++) {
        const struct fw_analysis *analysis = fw_analyses[i];

        assert_ptr_equal(fw_analysis_find(analysis->name), analysis); /* names are unique */
        assert_true(analysis->summary && *analysis->summary);
        assert_true(analysis->create && analysis->finish && analysis->destroy);
        assert_non_null(fw_guarantee_names[analysis->guarantee]);
    }
    assert_null(fw_analysis_find("nul"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_analysis_gets_its_kinds_in_order),
        cmocka_unit_test(an_engine_may_be_dropped_half_way),
        cmocka_unit_test(the_table_is_complete),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
