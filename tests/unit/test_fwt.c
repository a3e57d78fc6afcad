/*
 * test_fwt.c - what was written to a .fwt comes back, whole or to its last
 * complete block.  Damaged and hostile files are in test_fwt_damage.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/fwt_file.h"

static void expect_same_names(const struct fw_symbols *a, const struct fw_symbols *b)
{
    for (int space = 0; space < FW_SPACE_COUNT; space++) {
        assert_int_equal(a->table[space].count, b->table[space].count);
        for (uint32_t i = 0; i < a->table[space].count; i++)
            assert_string_equal(a->table[space].entries[i].text, b->table[space].entries[i].text);
    }
}

static void expect_round_trip(const struct fwt_trace *trace, uint32_t block,
                              enum fw_fwt_codec codec)
{
    struct fwt_file file = fwt_file_write(trace, block, codec);
    struct fwt_result result = fwt_file_read(&file, false);

    assert_int_equal(result.end, 0);
    assert_false(result.cut);
    assert_int_equal(result.events.len, trace->events.len);
    assert_true(fwt_result_equals(&result, trace, (uint32_t)trace->events.len));
    expect_same_names(result.symbols, trace->symbols);
    fwt_result_release(&result);
    fwt_file_release(&file);
}

static void everything_that_is_written_is_read_back(void **state)
{
    static const uint32_t sizes[] = { 1, 2, 100, 5000, 70000 };
    /* One, two and three planes of targets. */
    static const uint32_t names[] = { 1, 200, 3000, 70000 };

    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct fwt_trace trace;
        uint32_t block = seed % 3 ? FW_FWT_MAX_EVENTS : 777;

        print_message("seed %u\n", (unsigned)seed);
        fwt_trace_init(&trace);
        fwt_trace_random(&trace, seed, names[seed % 4], sizes[seed % 5]);
        expect_round_trip(&trace, block, seed % 2 ? FW_FWT_ZSTD : FW_FWT_STORED);
        fwt_trace_release(&trace);
    }
}

static void a_trace_without_events_is_whole(void **state)
{
    struct fwt_trace trace;

    (void)state;
    fwt_trace_init(&trace);
    expect_round_trip(&trace, 1, FW_FWT_ZSTD);
    fwt_trace_release(&trace);
}

static void extreme_numbers_survive(void **state)
{
    struct fwt_trace trace;
    struct fw_event read = { .kind = FW_READ }, alloc = { .kind = FW_ALLOC };

    (void)state;
    fwt_trace_init(&trace);
    fw_strtab_append(&trace.symbols->table[FW_SPACE_THREAD], "T0", 2);
    fw_strtab_append(&trace.symbols->table[FW_SPACE_VARIABLE], "x", 1);
    fwt_trace_add(&trace, alloc, (struct fw_attr) { .has = FW_ATTR_SIZE, .size = UINT32_MAX });
    fwt_trace_add(&trace, read, (struct fw_attr) { .has = FW_ATTR_VALUE, .value = INT64_MIN });
    fwt_trace_add(&trace, read, (struct fw_attr) { .has = FW_ATTR_VALUE, .value = INT64_MAX });
    fwt_trace_add(&trace, read, (struct fw_attr) { .has = FW_ATTR_RF, .rf = 0 });
    fwt_trace_add(&trace, read, (struct fw_attr) { .has = FW_ATTR_SIZE, .size = 0 });
    expect_round_trip(&trace, 2, FW_FWT_STORED);
    expect_round_trip(&trace, 100, FW_FWT_ZSTD);
    fwt_trace_release(&trace);
}

/* Events of the blocks that end at or before the offset. */
static uint32_t events_before(const struct fwt_file *file, size_t size, bool *ended)
{
    size_t at = FW_FWT_HEADER_SIZE;
    uint32_t events = 0;

    *ended = false;
    while (at + FW_FWT_BLOCK_HEAD <= size) {
        const unsigned char *head = file->bytes + at;
        size_t next = at + FW_FWT_BLOCK_HEAD + fw_get32(head + 8) + FW_FWT_BLOCK_TAIL;

        if (next > size)
            break;
        events += head[4] == FW_FWT_EVENTS ? fw_get32(head + 24) : 0;
        *ended = head[4] == FW_FWT_END && next == size;
        at = next;
    }
    return events;
}

static void expect_cut(const struct fwt_file *file, size_t size, const struct fwt_trace *trace)
{
    struct fwt_file part = fwt_file_copy(file, size);
    struct fwt_result result = fwt_file_read(&part, false);
    bool ended;
    uint32_t events = events_before(file, size, &ended);

    assert_int_equal(result.end, 0);
    assert_int_equal(result.cut, !ended);
    assert_int_equal(result.cut_reason[0] != '\0', !ended);
    assert_int_equal(result.events.len, events);
    assert_true(fwt_result_equals(&result, trace, events));
    fwt_result_release(&result);
    fwt_file_release(&part);
}

static void a_file_cut_anywhere_reads_to_its_last_complete_block(void **state)
{
    struct fwt_trace trace;
    struct fwt_file file;

    (void)state;
    fwt_trace_init(&trace);
    fwt_trace_random(&trace, 4, 10, 100);
    file = fwt_file_write(&trace, 20, FW_FWT_ZSTD);
    for (size_t size = 0; size <= file.size; size++)
        expect_cut(&file, size, &trace);
    fwt_file_release(&file);
    fwt_trace_release(&trace);
}

static void a_file_can_be_read_while_it_is_written(void **state)
{
    struct fwt_trace trace;
    struct fwt_file file;
    struct fwt_result result = { .symbols = fw_symbols_create() };
    struct fw_decoder *decoder;
    struct fw_input input;

    (void)state;
    fwt_trace_init(&trace);
    fwt_trace_random(&trace, 9, 10, 100);
    fw_vec_push(&result.attrs, ((struct fw_attr) { 0 }));
    file = fwt_file_write(&trace, 20, FW_FWT_ZSTD);
    fw_input_open_memory(&input, file.bytes, 0, "a.fwt");
    decoder =
        fw_format_fwt.create(&(struct fw_decoder_setup) { &input, result.symbols, false, false });
    while (input.memory_size < file.size) {
        bool ended;

        input.memory_size++;
        fwt_result_drain(&result, decoder);
        assert_int_equal(result.end, 0);
        assert_int_equal(result.events.len, events_before(&file, input.memory_size, &ended));
        assert_int_equal(result.cut, !ended);
    }
    assert_true(fwt_result_equals(&result, &trace, 100));
    fw_format_fwt.destroy(decoder);
    fw_input_close(&input);
    fwt_result_release(&result);
    fwt_file_release(&file);
    fwt_trace_release(&trace);
}

/* Reads the file to its end and says where that is. */
static struct fw_fwt_extent extent_of(const struct fwt_file *file)
{
    struct fwt_result result = { .symbols = fw_symbols_create() };
    struct fw_fwt_extent extent;
    struct fw_decoder *decoder;
    struct fw_input input;

    fw_vec_push(&result.attrs, ((struct fw_attr) { 0 }));
    fw_input_open_memory(&input, file->bytes, file->size, "a.fwt");
    decoder =
        fw_format_fwt.create(&(struct fw_decoder_setup) { &input, result.symbols, false, false });
    fwt_result_drain(&result, decoder);
    fw_fwt_extent(decoder, &extent);
    fw_format_fwt.destroy(decoder);
    fw_input_close(&input);
    fwt_result_release(&result);
    return extent;
}

/* Adds the rest of the trace's events to a file that may end anywhere. */
static void append_rest(struct fwt_file *file, const struct fwt_trace *trace)
{
    struct fw_fwt_extent extent = extent_of(file);
    struct fw_output out;
    struct fw_error err;
    void *encoder;

    fw_output_open_memory(&out);
    encoder = fw_fwt_continue(&(struct fw_encoder_setup) { &out, trace->symbols, trace->branches },
                              &extent);
    assert_int_equal(fw_encoder_fwt.events(encoder, trace->events.at + extent.events,
                                           (uint32_t)(trace->events.len - extent.events),
                                           trace->attrs.at, &err),
                     0);
    assert_int_equal(fw_encoder_fwt.finish(encoder, &err), 0);
    fw_encoder_fwt.destroy(encoder);
    file->size = extent.bytes + out.used;
    file->bytes = fw_xrealloc(file->bytes, file->size, 1);
    memcpy(file->bytes + extent.bytes, out.buffer, out.used);
    fw_output_abandon(&out);
}

static void expect_continued(struct fwt_file *part, const struct fwt_trace *trace)
{
    struct fwt_result result;

    append_rest(part, trace);
    result = fwt_file_read(part, false);
    assert_int_equal(result.end, 0);
    assert_false(result.cut);
    assert_int_equal(result.events.len, trace->events.len);
    assert_true(fwt_result_equals(&result, trace, (uint32_t)trace->events.len));
    expect_same_names(result.symbols, trace->symbols);
    fwt_result_release(&result);
}

static void a_cut_or_ended_file_can_be_continued(void **state)
{
    struct fwt_trace trace;
    struct fwt_file file, ended;
    size_t all;

    (void)state;
    fwt_trace_init(&trace);
    fwt_trace_random(&trace, 5, 10, 100);
    file = fwt_file_write(&trace, 20, FW_FWT_ZSTD);
    for (size_t size = FW_FWT_HEADER_SIZE; size <= file.size; size += 7) {
        struct fwt_file part = fwt_file_copy(&file, size);

        expect_continued(&part, &trace);
        fwt_file_release(&part);
    }
    all = trace.events.len;
    trace.events.len = 60;
    ended = fwt_file_write(&trace, 25, FW_FWT_STORED);
    trace.events.len = all;
    expect_continued(&ended, &trace);
    fwt_file_release(&ended);
    fwt_file_release(&file);
    fwt_trace_release(&trace);
}

static void an_event_block_decodes_without_the_others(void **state)
{
    struct fwt_trace trace;
    struct fwt_file file;
    struct fwt_result result;
    size_t from, to;

    (void)state;
    fwt_trace_init(&trace);
    fwt_trace_random(&trace, 6, 10, 40);
    for (size_t i = 0; i < trace.events.len; i++)
        trace.attrs.at[trace.events.at[i].attr].has &= ~(unsigned)FW_ATTR_RF;
    for (size_t i = 0; i < trace.attrs.len; i++)
        trace.attrs.at[i].rf = 0;
    file = fwt_file_write(&trace, 20, FW_FWT_ZSTD);
    from = fwt_file_block(&file, fwt_file_find(&file, FW_FWT_EVENTS, 0));
    to = fwt_file_block(&file, fwt_file_find(&file, FW_FWT_EVENTS, 1));
    memmove(file.bytes + from, file.bytes + to, file.size - to);
    file.size -= to - from;
    fw_put64(file.bytes + from + 16, 0);
    fwt_file_seal(&file, fwt_file_find(&file, FW_FWT_EVENTS, 0));
    result = fwt_file_read(&file, false);
    assert_int_equal(result.events.len, 20);
    trace.events.at += 20;
    trace.events.len -= 20;
    assert_true(fwt_result_equals(&result, &trace, 20));
    trace.events.at -= 20;
    fwt_result_release(&result);
    fwt_file_release(&file);
    fwt_trace_release(&trace);
}

static int branches_of(const struct fwt_file *file)
{
    struct fw_symbols *symbols = fw_symbols_create();
    struct fw_decoder *decoder;
    struct fw_input input;
    struct fw_error err;
    int answer;

    fw_input_open_memory(&input, file->bytes, file->size, "a.fwt");
    decoder = fw_format_fwt.create(&(struct fw_decoder_setup) { &input, symbols, false, false });
    answer = fw_format_fwt.branches(decoder, &err);
    fw_format_fwt.destroy(decoder);
    fw_input_close(&input);
    fw_symbols_destroy(symbols);
    return answer;
}

static void the_header_says_whether_there_are_branches(void **state)
{
    struct fwt_trace trace;
    struct fwt_file file;

    (void)state;
    fwt_trace_init(&trace);
    file = fwt_file_write(&trace, 1, FW_FWT_STORED);
    assert_int_equal(branches_of(&file), 0);
    fwt_file_release(&file);
    trace.branches = true;
    file = fwt_file_write(&trace, 1, FW_FWT_STORED);
    assert_int_equal(branches_of(&file), 1);
    file.bytes[9] = 7;
    assert_int_equal(branches_of(&file), -1);
    fwt_file_release(&file);
    fwt_trace_release(&trace);
}

static void a_branch_is_not_written_where_none_was_announced(void **state)
{
    struct fw_symbols *symbols = fw_symbols_create();
    struct fw_event branch = { .kind = FW_BRANCH };
    struct fw_attr none = { 0 };
    struct fw_output out;
    struct fw_error err;
    void *encoder;

    (void)state;
    fw_output_open_memory(&out);
    encoder = fw_encoder_fwt.create(&(struct fw_encoder_setup) { &out, symbols, false });
    assert_int_equal(fw_encoder_fwt.events(encoder, &branch, 1, &none, &err), -1);
    assert_non_null(strstr(err.message, "event 0: a branch"));
    fw_encoder_fwt.destroy(encoder);
    fw_output_abandon(&out);
    fw_symbols_destroy(symbols);
}

static void modules_and_metadata_come_back(void **state)
{
    static const unsigned char id[] = { 0xde, 0xad, 0x00, 0xef };
    struct fw_fwt_module modules[] = {
        { .path = "/usr/bin/prog",
          .base = 0x555555554000,
          .size = 4096,
          .build_id = id,
          .build_id_size = sizeof id },
        { .path = "/lib/libc.so.6", .base = UINT64_MAX, .size = 1 },
    };
    struct fw_symbols *symbols = fw_symbols_create();
    const struct fw_fwt_module *back;
    struct fw_raw_batch batch;
    struct fw_decoder *decoder;
    struct fw_output out;
    struct fw_input input;
    struct fw_error err;
    size_t count;
    void *encoder;

    (void)state;
    fw_output_open_memory(&out);
    encoder = fw_encoder_fwt.create(&(struct fw_encoder_setup) { &out, symbols, false });
    assert_int_equal(fw_fwt_write_modules(encoder, modules, 2, &err), 0);
    assert_int_equal(fw_fwt_write_metadata(encoder, "program", "a", &err), 0);
    assert_int_equal(fw_fwt_write_metadata(encoder, "program", "b", &err), 0);
    assert_int_equal(fw_encoder_fwt.finish(encoder, &err), 0);
    fw_input_open_memory(&input, out.buffer, out.used, "a.fwt");
    decoder = fw_format_fwt.create(&(struct fw_decoder_setup) { &input, symbols, false, false });
    assert_int_equal(fw_format_fwt.next(decoder, &batch, &err), 0);
    back = fw_fwt_modules(decoder, &count);
    assert_int_equal(count, 2);
    assert_string_equal(back[0].path, "/usr/bin/prog");
    assert_int_equal(back[0].build_id_size, sizeof id);
    assert_memory_equal(back[0].build_id, id, sizeof id);
    assert_true(back[1].base == UINT64_MAX && back[1].size == 1);
    assert_string_equal(fw_fwt_metadata(decoder, "program"), "b");
    assert_null(fw_fwt_metadata(decoder, "missing"));
    fw_format_fwt.destroy(decoder);
    fw_input_close(&input);
    fw_encoder_fwt.destroy(encoder);
    fw_output_abandon(&out);
    fw_symbols_destroy(symbols);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_that_is_written_is_read_back),
        cmocka_unit_test(a_trace_without_events_is_whole),
        cmocka_unit_test(extreme_numbers_survive),
        cmocka_unit_test(a_file_cut_anywhere_reads_to_its_last_complete_block),
        cmocka_unit_test(a_file_can_be_read_while_it_is_written),
        cmocka_unit_test(a_cut_or_ended_file_can_be_continued),
        cmocka_unit_test(an_event_block_decodes_without_the_others),
        cmocka_unit_test(the_header_says_whether_there_are_branches),
        cmocka_unit_test(a_branch_is_not_written_where_none_was_announced),
        cmocka_unit_test(modules_and_metadata_come_back),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
