/*
 * test_places.c - names of a recorded trace become those of the program's source.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* */
#include <cmocka.h>

#include "symbol_build.h"
#include "trace/fwt.h"
#include "trace/places.h"
#include "trace/trace.h"
#include "trace/writer.h"

#include <inttypes.h>

/* A recording: the text of a trace as .fwt, with one module. */
struct recording {
    char *data;
    size_t size;
};

static struct recording record(const char *text, const struct fw_fwt_module *module)
{
    struct recording recording;
    struct fw_trace *trace;
    struct fw_writer *writer;
    struct fw_batch batch;
    struct fw_error err;

    assert_int_equal(fw_trace_load_memory(&trace, text, strlen(text), "a.std", NULL, &err), 0);
    batch = fw_trace_batch(trace);
    assert_int_equal(fw_writer_open_memory(&writer, "fwt", trace->symbols, false, &err), 0);
    if (module)
        assert_int_equal(fw_fwt_write_modules(fw_writer_encoder(writer), module, 1, &err), 0);
    assert_int_equal(fw_writer_batch(writer, &batch, &err), 0);
    assert_int_equal(fw_writer_take(writer, &recording.data, &recording.size, &err), 0);
    fw_writer_close(writer, &err);
    fw_trace_destroy(trace);
    return recording;
}

static struct fw_trace *load(const struct recording *recording, bool symbols)
{
    struct fw_read_options options = { .symbols = symbols };
    struct fw_trace *trace;
    struct fw_error err;

    if (fw_trace_load_memory(&trace, recording->data, recording->size, "a.fwt", &options, &err) < 0)
        fail_msg("%s", err.message);
    return trace;
}

struct world {
    struct sample sample;
    struct fw_fwt_module module;
    uint64_t inner_in_one, inner_in_two, one, two, x, balance, lock;
};

static void world_open(struct world *world)
{
    struct fw_symbolizer *symbolizer = fw_symbolizer_create();
    unsigned line = sample_line("line of inner");

    sample_build(&world->sample, "gcc", "-O2 -g -Wl,--build-id");
    world->module = (struct fw_fwt_module) {
        .path = world->sample.path,
        .build_id = world->sample.file->build_id,
        .build_id_size = world->sample.file->build_id_size,
    };
    fw_symbolizer_module(symbolizer, world->sample.path, NULL, 0);
    world->inner_in_one = sample_address(&world->sample, symbolizer, 0, "one", line);
    world->inner_in_two = sample_address(&world->sample, symbolizer, 0, "two", line);
    world->one = sample_function(&world->sample, "one")->start;
    world->two = sample_function(&world->sample, "two")->start;
    world->x = sample_object(&world->sample, "x");
    world->balance = sample_object(&world->sample, "accounts") + 88;
    world->lock = sample_object(&world->sample, "accounts") + 96;
    fw_symbolizer_destroy(symbolizer);
}

/* A line of a trace: THREAD|OP(PATH+0xTARGET)|PATH+0xSITE. */
static void add_line(char *text, size_t size, const struct world *world, const char *op,
                     uint64_t target, uint64_t site)
{
    size_t len = strlen(text);

    snprintf(text + len, size - len, "T0|%s(%s+0x%" PRIx64 ")|%s+0x%" PRIx64 "\n", op,
             world->sample.path, target, world->sample.path, site);
}

static const char *target_name(const struct fw_trace *trace, uint32_t at)
{
    const struct fw_event *event = &trace->events[at];

    return fw_symbols_name(trace->symbols, fw_kind_info[event->kind].space, event->target);
}

static const char *site_name(const struct fw_trace *trace, uint32_t at)
{
    return fw_symbols_name(trace->symbols, FW_SPACE_SITE, trace->events[at].site);
}

static void make_text(const struct world *world, char *text, size_t size)
{
    *text = '\0';
    add_line(text, size, world, "call", world->one + 4, 16);
    add_line(text, size, world, "w", world->x, world->inner_in_one);
    add_line(text, size, world, "ret", world->one + 4, world->one);
    add_line(text, size, world, "call", world->two + 4, 16);
    add_line(text, size, world, "r", world->x, world->inner_in_two);
    add_line(text, size, world, "w", world->balance, world->inner_in_two);
    add_line(text, size, world, "acq", world->lock, world->inner_in_two);
    add_line(text, size, world, "w", 4, 5);
}

static void names_become_those_of_the_source(void **state)
{
    struct world world;
    struct recording recording;
    struct fw_trace *trace;
    char text[4096], line[64];

    (void)state;
    world_open(&world);
    make_text(&world, text, sizeof text);
    snprintf(line, sizeof line, "symbol_sample.c:%u", sample_line("line of inner"));
    recording = record(text, &world.module);
    trace = load(&recording, true);
    assert_string_equal(target_name(trace, 0), "one");
    assert_string_equal(target_name(trace, 1), "x");
    assert_string_equal(site_name(trace, 1), line);
    assert_true(trace->events[0].target == trace->events[2].target);
    assert_string_equal(target_name(trace, 3), "two");
    assert_true(trace->events[1].site == trace->events[4].site);
    assert_true(trace->events[1].target == trace->events[4].target);
    assert_string_equal(target_name(trace, 5), "accounts[1].balance");
    assert_string_equal(target_name(trace, 6), "accounts[1].lock");
    assert_string_equal(target_name(trace, 7), "sample+0x4");
    assert_string_equal(site_name(trace, 7), "sample+0x5");
    fw_trace_destroy(trace);
    free(recording.data);
    sample_release(&world.sample);
}

static void frames_are_those_of_the_function_that_was_called(void **state)
{
    struct world world;
    struct recording recording;
    struct fw_trace *trace;
    struct fw_source_frame frames[4];
    struct fw_source_variable variable;
    char text[4096], *name;
    bool same;

    (void)state;
    world_open(&world);
    make_text(&world, text, sizeof text);
    recording = record(text, &world.module);
    trace = load(&recording, true);
    for (unsigned i = 0; i < 5; i += 3) {
        struct fw_places *places = trace->symbols->places;

        assert_int_equal(fw_places_frames(places, trace->events[i + 1].site,
                                          trace->events[i].target, frames, 4, &same),
                         2);
        assert_true(same);
        assert_string_equal(frames[0].function, "inner");
        assert_string_equal(frames[1].function, i ? "two" : "one");
        assert_int_equal(frames[1].at.line, sample_line(i ? "line of two" : "line of one"));
    }
    assert_true(fw_places_variable(trace->symbols->places, trace->events[5].target, &variable));
    assert_string_equal(variable.object, "accounts");
    assert_false(fw_places_variable(trace->symbols->places, trace->events[7].target, &variable));
    name = fw_places_recorded(trace->symbols->places, FW_SPACE_VARIABLE, trace->events[1].target);
    snprintf(text, sizeof text, "%s+0x%" PRIx64, world.sample.path, world.x);
    assert_string_equal(name, text);
    free(name);
    fw_trace_destroy(trace);
    free(recording.data);
    sample_release(&world.sample);
}

static void names_stay_if_nobody_asks_or_nothing_is_known(void **state)
{
    struct world world;
    struct recording with, without;
    struct fw_trace *trace;
    char text[4096], name[256];

    (void)state;
    world_open(&world);
    make_text(&world, text, sizeof text);
    snprintf(name, sizeof name, "%s+0x%" PRIx64, world.sample.path, world.x);
    with = record(text, &world.module);
    without = record(text, NULL);
    trace = load(&with, false);
    assert_string_equal(target_name(trace, 1), name);
    assert_null(trace->symbols->places);
    fw_trace_destroy(trace);
    trace = load(&without, true);
    assert_string_equal(target_name(trace, 1), name);
    fw_trace_destroy(trace);
    free(with.data);
    free(without.data);
    sample_release(&world.sample);
}

/* The same name for different things, and the same thing made anew. */
static void different_things_never_get_one_name(void **state)
{
    static const char text[] = "T0|alloc(heap:1)|s\nT0|w(/a/p+0x10)|s\nT0|w(p+0x10)|s\n"
                               "T0|w(/b/p+0x10)|s\nT0|alloc(heap:1)|s\nT0|w(heap:1)|s\n"
                               "T0|acq(/a/p+0x20)|s\nT0|acq(/a/p+0x20#2)|s\n";
    struct fw_fwt_module module = { .path = "/a/p" };
    struct recording recording = record(text, &module);
    struct fw_trace *trace = load(&recording, true);

    (void)state;
    assert_string_equal(target_name(trace, 1), "p+0x10");
    assert_string_equal(target_name(trace, 2), "p+0x10#2");
    assert_string_equal(target_name(trace, 3), "/b/p+0x10");
    assert_true(trace->events[0].target != trace->events[4].target);
    assert_true(trace->events[4].target == trace->events[5].target);
    assert_string_equal(target_name(trace, 0), "heap:1");
    assert_string_equal(target_name(trace, 4), "heap:1");
    assert_string_equal(target_name(trace, 6), "p+0x20");
    assert_string_equal(target_name(trace, 7), "p+0x20#2");
    assert_non_null(strstr(fw_places_complaint(trace->symbols->places, 0), "cannot open"));
    assert_null(fw_places_complaint(trace->symbols->places, 1));
    fw_trace_destroy(trace);
    free(recording.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_become_those_of_the_source),
        cmocka_unit_test(frames_are_those_of_the_function_that_was_called),
        cmocka_unit_test(names_stay_if_nobody_asks_or_nothing_is_known),
        cmocka_unit_test(different_things_never_get_one_name),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
