/*
 * test_fwt_damage.c - damaged and hostile .fwt files get a clear error with
 * their place, or are called cut; never a wrong answer.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/fwt_file.h"
#include "trace/fwt_events.h"

#include <stdio.h>
#define XXH_INLINE_ALL
#include <xxhash.h>
#include <zstd.h>

#define EVENTS 60u
#define BLOCK  20u

/* Three event blocks; some tests look at single bytes, so nothing is compressed. */
static struct fwt_file example(struct fwt_trace *trace, enum fw_fwt_codec codec)
{
    fwt_trace_init(trace);
    fwt_trace_random(trace, 2, 10, EVENTS);
    return fwt_file_write(trace, BLOCK, codec);
}

static void expect_error(const struct fwt_file *file, const char *message)
{
    struct fwt_result result = fwt_file_read(file, false);

    assert_int_equal(result.end, -1);
    assert_string_equal(result.error.message, message);
    assert_false(result.cut);
    fwt_result_release(&result);
}

static void expect_error_part(const struct fwt_file *file, const char *part)
{
    struct fwt_result result = fwt_file_read(file, false);

    assert_int_equal(result.end, -1);
    if (!strstr(result.error.message, part))
        fail_msg("'%s' does not say '%s'", result.error.message, part);
    fwt_result_release(&result);
}

static void expect_cut_part(const struct fwt_file *file, const char *part, uint32_t events)
{
    struct fwt_result result = fwt_file_read(file, false);

    assert_int_equal(result.end, 0);
    assert_true(result.cut);
    assert_int_equal(result.events.len, events);
    if (!strstr(result.cut_reason, part))
        fail_msg("'%s' does not say '%s'", result.cut_reason, part);
    fwt_result_release(&result);
}

static void no_changed_bit_goes_unnoticed(void **state)
{
    struct fwt_trace trace;
    struct fwt_file file = example(&trace, FW_FWT_ZSTD);

    (void)state;
    for (size_t i = 0; i < file.size; i++) {
        struct fwt_result result;

        file.bytes[i] ^= (unsigned char)(1u << i % 8);
        result = fwt_file_read(&file, false);
        assert_true(result.end == -1 || result.cut);
        assert_true(fwt_result_equals(&result, &trace, (uint32_t)result.events.len));
        fwt_result_release(&result);
        file.bytes[i] ^= (unsigned char)(1u << i % 8);
    }
    fwt_file_release(&file);
    fwt_trace_release(&trace);
}

static void a_bad_checksum_with_data_after_it_is_an_error(void **state)
{
    struct fwt_trace trace;
    struct fwt_file file = example(&trace, FW_FWT_STORED);
    unsigned number = fwt_file_find(&file, FW_FWT_EVENTS, 1);
    size_t at = fwt_file_block(&file, number);
    struct fwt_result result;
    char message[100];

    (void)state;
    file.bytes[at + FW_FWT_BLOCK_HEAD + 50] ^= 1;
    snprintf(message, sizeof message, "a.fwt: offset %zu: bad checksum in block %u", at, number);
    expect_error(&file, message);
    result = fwt_file_read(&file, false);
    assert_int_equal(result.events.len, BLOCK);
    fwt_result_release(&result);
    fwt_file_release(&file);
    fwt_trace_release(&trace);
}

static void a_bad_checksum_in_the_last_block_is_a_cut(void **state)
{
    struct fwt_trace trace;
    struct fwt_file file = example(&trace, FW_FWT_STORED);
    size_t end = fwt_file_block(&file, fwt_file_find(&file, FW_FWT_END, 0));

    (void)state;
    file.bytes[file.size - 1] ^= 1;
    expect_cut_part(&file, "bad checksum in the last block", EVENTS);
    file.size = end; /* now the last block is one of events */
    file.bytes[file.size - 1] ^= 1;
    expect_cut_part(&file, "bad checksum in the last block", EVENTS - BLOCK);
    fwt_file_release(&file);
    fwt_trace_release(&trace);
}

static void zeros_behind_the_last_block_are_a_cut(void **state)
{
    struct fwt_trace trace;
    struct fwt_file file = example(&trace, FW_FWT_STORED);
    size_t end = fwt_file_block(&file, fwt_file_find(&file, FW_FWT_END, 0));
    size_t size = end + 200000;

    (void)state;
    file.bytes = fw_xrealloc(file.bytes, size, 1);
    memset(file.bytes + end, 0, size - end);
    file.size = size;
    expect_cut_part(&file, "the file ends in zeros", EVENTS);
    file.size = end + 10;
    expect_cut_part(&file, "the file ends inside a block", EVENTS);
    file.size = size;
    file.bytes[end - 1] ^= 1; /* a block that was being written into the zeros */
    expect_cut_part(&file, "bad checksum in the last block", EVENTS - BLOCK);
    file.bytes[size - 1] = 1;
    expect_error_part(&file, "bad checksum in block");
    file.bytes[end - 1] ^= 1;
    expect_error_part(&file, "bad header of block");
    fwt_file_release(&file);
    fwt_trace_release(&trace);
}

static void repair_steps_over_a_damaged_event_block(void **state)
{
    struct fwt_trace trace;
    struct fwt_file file = example(&trace, FW_FWT_STORED);
    size_t at = fwt_file_block(&file, fwt_file_find(&file, FW_FWT_EVENTS, 1));
    struct fwt_result result;

    (void)state;
    file.bytes[at + FW_FWT_BLOCK_HEAD + 50] ^= 1;
    result = fwt_file_read(&file, true);
    assert_int_equal(result.end, 0);
    assert_false(result.cut);
    assert_int_equal(result.events.len, EVENTS);
    assert_non_null(strstr(result.first_broken, "bad checksum in block"));
    for (uint32_t i = BLOCK; i < 2 * BLOCK; i++) {
        assert_int_equal(result.events.at[i].kind, FW_RAW_BROKEN);
        result.events.at[i] = trace.events.at[i];
        if (result.events.at[i].attr) {
            fw_vec_push(&result.attrs, trace.attrs.at[trace.events.at[i].attr]);
            result.events.at[i].attr = (uint32_t)result.attrs.len - 1;
        }
    }
    assert_true(fwt_result_equals(&result, &trace, EVENTS));
    fwt_result_release(&result);
    fwt_file_release(&file);
    fwt_trace_release(&trace);
}

static void repair_does_not_guess_lost_names(void **state)
{
    struct fwt_trace trace;
    struct fwt_file file = example(&trace, FW_FWT_STORED);
    size_t at = fwt_file_block(&file, fwt_file_find(&file, FW_FWT_STRINGS, 1));
    struct fwt_result result;

    (void)state;
    file.bytes[at + FW_FWT_BLOCK_HEAD + 3] ^= 1;
    result = fwt_file_read(&file, true);
    assert_int_equal(result.end, -1);
    assert_non_null(strstr(result.error.message, "bad checksum in block 2"));
    fwt_result_release(&result);
    fwt_file_release(&file);
    fwt_trace_release(&trace);
}

static void unknown_blocks_are_skipped_only_if_optional(void **state)
{
    struct fw_fwt_head head = { .type = 99, .codec = 7, .flags = FW_FWT_OPTIONAL, .stored = 5 };
    struct fwt_trace trace;
    struct fwt_file file = example(&trace, FW_FWT_STORED);
    struct fwt_result result;

    (void)state;
    fwt_file_insert(&file, FW_FWT_HEADER_SIZE, &head, "later");
    result = fwt_file_read(&file, false);
    assert_int_equal(result.end, 0);
    assert_int_equal(result.events.len, EVENTS);
    fwt_result_release(&result);
    file.bytes[FW_FWT_HEADER_SIZE + 6] = 0;
    fwt_file_seal(&file, 1);
    expect_error(&file, "a.fwt: offset 16: unknown type of block 1");
    fwt_file_release(&file);
    fwt_trace_release(&trace);
}

/* A change that a writer would have to be wrong, or hostile, to make. */
struct lie {
    enum fw_fwt_type type; /* of the block, the first of it */
    unsigned offset;       /* in the block, FW_FWT_BLOCK_HEAD is the payload's first byte */
    unsigned char byte;
    const char *message;
};

#define IN_PAYLOAD(n) (FW_FWT_BLOCK_HEAD + (n))
#define IN_LAYOUT(n)  IN_PAYLOAD(n)
#define IN_CODES(n)   IN_PAYLOAD(FW_FWT_EVENTS_HEAD + (n))

static const struct lie lies[] = {
    { FW_FWT_EVENTS, 5, 9, "unknown codec of block" },
    { FW_FWT_EVENTS, 6, 2, "unknown flags of block" },
    { FW_FWT_EVENTS, 11, 0x7f, "too large a size of block" },
    { FW_FWT_EVENTS, 15, 0x7f, "too large a size of block" },
    { FW_FWT_EVENTS, 12, 1, "contradictory sizes of block" },
    { FW_FWT_EVENTS, 5, 1, "bad zstd data in block" },
    { FW_FWT_EVENTS, 16, 1, "begins at event 1, but 0 came before it" },
    { FW_FWT_EVENTS, 23, 0x80, "begins at event" },
    { FW_FWT_EVENTS, 24, 0, "has 0 events" },
    { FW_FWT_EVENTS, 27, 1, "events" },
    { FW_FWT_EVENTS, 24, 19, "entries for 19 events" },
    { FW_FWT_EVENTS, 24, 21, "columns do not add up" },
    { FW_FWT_EVENTS, IN_LAYOUT(0), 0, "dictionary of 0 entries" },
    { FW_FWT_EVENTS, IN_LAYOUT(3), 1, "entries for 20 events" },
    { FW_FWT_EVENTS, IN_LAYOUT(4), 0, "0 threads in 20 events" },
    { FW_FWT_EVENTS, IN_LAYOUT(7), 1, "threads in 20 events" },
    { FW_FWT_EVENTS, IN_LAYOUT(8), 21, "21 runs in 20 events" },
    { FW_FWT_EVENTS, IN_LAYOUT(12), 3, "unknown layout" },
    { FW_FWT_EVENTS, IN_LAYOUT(13), 3, "unknown layout" },
    { FW_FWT_EVENTS, IN_LAYOUT(14), 5, "unknown layout" },
    { FW_FWT_EVENTS, IN_LAYOUT(15), 2, "unknown layout" },
    { FW_FWT_EVENTS, IN_LAYOUT(19), 1, "columns do not add up" },
    { FW_FWT_EVENTS, IN_LAYOUT(23), 0xff, "columns do not add up" },
    { FW_FWT_EVENTS, IN_LAYOUT(24), 0xff, "columns do not add up" },
    { FW_FWT_EVENTS, IN_LAYOUT(31), 0xff, "columns do not add up" },
    { FW_FWT_EVENTS, IN_CODES(0), FW_KIND_COUNT, "unknown event kind" },
    { FW_FWT_EVENTS, IN_CODES(1), 0x0f, "memory order 15" },
    { FW_FWT_EVENTS, IN_CODES(1), 0x80, "attributes 0x8" },
    { FW_FWT_EVENTS, IN_CODES(2), 0x7f, "site 127 does not exist" },
    { FW_FWT_STRINGS, 7, FW_SPACE_COUNT, "unknown space" },
    { FW_FWT_STRINGS, 24, 200, "names end early" },
    { FW_FWT_STRINGS, 24, 0, "bytes after the last name" },
    { FW_FWT_STRINGS, IN_PAYLOAD(0), 5, "names begin at id 5 instead of 0" },
    { FW_FWT_STRINGS, IN_PAYLOAD(1), 0, "empty name" },
    { FW_FWT_STRINGS, IN_PAYLOAD(1), 0x7f, "names end early" },
    { FW_FWT_END, 24, 1, "end mark with content" },
    { FW_FWT_END, 16, 0, "begins at event 0, but 60 came before it" },
};

static void expect_lie_is_found(const struct fwt_file *file, const struct lie *lie)
{
    struct fwt_file copy = fwt_file_copy(file, file->size);
    unsigned number = fwt_file_find(&copy, lie->type, 0);
    size_t at = fwt_file_block(&copy, number);
    struct fw_fwt_head head;
    struct fwt_result result;
    char place[64];

    copy.bytes[at + lie->offset] = lie->byte;
    if (lie->offset >= 8 && lie->offset < 12) {
        fw_fwt_head_unpack(copy.bytes + at, &head);
        fw_fwt_head_pack(copy.bytes + at, &head); /* the block's end is beyond the file's */
    } else {
        fwt_file_seal(&copy, number);
    }
    expect_error_part(&copy, lie->message);
    snprintf(place, sizeof place, "a.fwt: offset %zu: ", at);
    expect_error_part(&copy, place);
    result = fwt_file_read(&copy, true);
    assert_true(result.events.len <= EVENTS);
    fwt_result_release(&result);
    fwt_file_release(&copy);
}

static void lies_behind_a_right_checksum_are_errors_with_their_offset(void **state)
{
    struct fwt_trace trace;
    struct fwt_file file = example(&trace, FW_FWT_STORED);

    (void)state;
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++)
        expect_lie_is_found(&file, &lies[i]);
    fwt_file_release(&file);
    fwt_trace_release(&trace);
}

/* Any byte, right checksums: whatever comes out is within the tables, and indices add up. */
static void expect_sane(const struct fwt_file *file, bool repair)
{
    struct fwt_result result = fwt_file_read(file, repair);

    for (size_t i = 0; i < result.events.len; i++) {
        const struct fw_event *event = &result.events.at[i];
        const struct fw_attr *attr = &result.attrs.at[event->attr];
        enum fw_space space = fw_kind_info[event->kind].space;

        if (event->kind == FW_RAW_BROKEN)
            continue;
        assert_true(event->kind < FW_KIND_COUNT);
        assert_true(event->site < fw_symbols_count(result.symbols, FW_SPACE_SITE));
        assert_true(event->thread < fw_symbols_count(result.symbols, FW_SPACE_THREAD));
        assert_true(event->target <
                    (space == FW_SPACE_NONE ? 1 : fw_symbols_count(result.symbols, space)));
        assert_true(!(attr->has & FW_ATTR_RF) || attr->rf < i);
        assert_true(fw_fwt_attrs_allowed(event->kind, attr->has));
    }
    fwt_result_release(&result);
}

static void any_byte_behind_a_right_checksum_is_safe(void **state)
{
    static const unsigned char values[] = { 0, 1, 0x7f, 0x80, 0xff };
    struct fwt_trace trace;
    struct fwt_file file = example(&trace, FW_FWT_STORED);

    (void)state;
    for (unsigned number = 1; fwt_file_block(&file, number) < file.size; number++) {
        size_t from = fwt_file_block(&file, number), to = fwt_file_block(&file, number + 1);

        for (size_t at = from; at < to - FW_FWT_BLOCK_TAIL; at++) {
            unsigned char old = file.bytes[at];

            if (at >= from + 8 && at < from + 12)
                continue; /* the stored size: sealing would run past the file */
            for (size_t v = 0; v < sizeof values; v++) {
                file.bytes[at] = values[v];
                fwt_file_seal(&file, number);
                expect_sane(&file, v % 2);
            }
            file.bytes[at] = old;
            fwt_file_seal(&file, number);
        }
    }
    fwt_file_release(&file);
    fwt_trace_release(&trace);
}

static void a_bad_event_comes_after_the_good_ones_before_it(void **state)
{
    struct fwt_trace trace;
    struct fwt_file file;
    struct fwt_result result;
    struct fw_event write = { .kind = FW_WRITE };
    unsigned number;
    size_t end;

    (void)state;
    fwt_trace_init(&trace);
    fw_strtab_append(&trace.symbols->table[FW_SPACE_THREAD], "T0", 2);
    for (uint32_t i = 0; i < 2; i++)
        fw_strtab_append(&trace.symbols->table[FW_SPACE_VARIABLE], i ? "y" : "x", 1);
    for (uint32_t i = 0; i < 10000; i++) {
        write.target = i * i / 7 % 2;
        fwt_trace_add(&trace, write, (struct fw_attr) { 0 });
    }
    file = fwt_file_write(&trace, 10000, FW_FWT_STORED);
    number = fwt_file_find(&file, FW_FWT_EVENTS, 0);
    end = fwt_file_block(&file, number + 1) - FW_FWT_BLOCK_TAIL; /* the column of targets is last */
    file.bytes[end - 10000 + 9000] = 2;
    fwt_file_seal(&file, number);
    result = fwt_file_read(&file, false);
    assert_int_equal(result.end, -1);
    assert_int_equal(result.events.len, 9000);
    assert_true(fwt_result_equals(&result, &trace, 9000));
    assert_non_null(strstr(result.error.message, "event 9000: target 2 of 'w' does not exist"));
    fwt_result_release(&result);
    result = fwt_file_read(&file, true);
    assert_int_equal(result.end, 0);
    assert_int_equal(result.events.len, 10000);
    assert_int_equal(result.events.at[9000].kind, FW_RAW_BROKEN);
    fwt_result_release(&result);
    fwt_file_release(&file);
    fwt_trace_release(&trace);
}

static void a_target_of_a_space_without_names_is_refused(void **state)
{
    struct fwt_trace trace;
    struct fwt_file file;

    (void)state;
    fwt_trace_init(&trace);
    fw_strtab_append(&trace.symbols->table[FW_SPACE_THREAD], "T0", 2);
    fwt_trace_add(&trace, (struct fw_event) { .kind = FW_ACQUIRE }, (struct fw_attr) { 0 });
    file = fwt_file_write(&trace, 1, FW_FWT_STORED);
    expect_error_part(&file, "event 0: target 0 of 'acq' does not exist");
    fwt_file_release(&file);
    fwt_trace_release(&trace);
}

static void only_variables_may_share_a_name(void **state)
{
    struct fwt_trace trace;
    struct fwt_file file;
    struct fwt_result result;

    (void)state;
    fwt_trace_init(&trace);
    fw_strtab_append(&trace.symbols->table[FW_SPACE_VARIABLE], "x", 1);
    fw_strtab_append(&trace.symbols->table[FW_SPACE_VARIABLE], "x", 1);
    file = fwt_file_write(&trace, 1, FW_FWT_STORED);
    result = fwt_file_read(&file, false);
    assert_int_equal(result.end, 0);
    assert_int_equal(fw_symbols_count(result.symbols, FW_SPACE_VARIABLE), 2);
    fwt_result_release(&result);
    file.bytes[FW_FWT_HEADER_SIZE + 7] = FW_SPACE_LOCK;
    fwt_file_seal(&file, 1);
    expect_error(&file, "a.fwt: offset 16: block 1: name 'x' appears twice");
    fwt_file_release(&file);
    fwt_trace_release(&trace);
}

static void an_older_variable_of_the_name_is_over(void **state)
{
    static const uint32_t good[] = { 0, 3, 0, 2, 3, 2 }, bad[] = { 0, 1, 3, 0 };
    struct fwt_trace trace;
    struct fwt_file file;
    struct fwt_result result;

    (void)state;
    fwt_trace_init(&trace);
    fw_strtab_append(&trace.symbols->table[FW_SPACE_THREAD], "T0", 2);
    for (int i = 0; i < 4; i++)
        fw_strtab_append(&trace.symbols->table[FW_SPACE_VARIABLE], i < 3 ? "x" : "y", 1);
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        fwt_trace_add(&trace, (struct fw_event) { .kind = FW_WRITE, .target = good[i] },
                      (struct fw_attr) { 0 });
    file = fwt_file_write(&trace, 2, FW_FWT_STORED);
    result = fwt_file_read(&file, false);
    assert_int_equal(result.end, 0);
    fwt_result_release(&result);
    fwt_file_release(&file);
    fw_vec_clear(&trace.events);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        fwt_trace_add(&trace, (struct fw_event) { .kind = FW_WRITE, .target = bad[i] },
                      (struct fw_attr) { 0 });
    file = fwt_file_write(&trace, 3, FW_FWT_STORED);
    expect_error_part(&file, "event 3: a newer variable has the name 'x' by now");
    result = fwt_file_read(&file, true);
    assert_int_equal(result.events.len, 4);
    assert_int_equal(result.events.at[3].kind, FW_RAW_BROKEN);
    fwt_result_release(&result);
    fwt_file_release(&file);
    fwt_trace_release(&trace);
}

/* A block of 16 MiB of one-letter names in a few hundred bytes. */
static void names_that_explode_are_refused(void **state)
{
    size_t raw = FW_FWT_MAX_PAYLOAD, bound = ZSTD_compressBound(raw);
    unsigned char *names = fw_xmalloc(raw), *packed = fw_xmalloc(bound);
    struct fw_fwt_head head = { .type = FW_FWT_STRINGS,
                                .codec = FW_FWT_ZSTD,
                                .detail = FW_SPACE_VARIABLE,
                                .raw = (uint32_t)raw,
                                .count = (uint32_t)raw / 2 - 1 };
    struct fwt_trace trace;
    struct fwt_file file = example(&trace, FW_FWT_STORED);

    (void)state;
    memset(names, 1, raw);
    head.stored = (uint32_t)ZSTD_compress(packed, bound, names, raw, 1);
    fwt_file_insert(&file, FW_FWT_HEADER_SIZE, &head, packed);
    expect_error(&file, "a.fwt: offset 16: block 1: is compressed too well to be kept in memory");
    free(names);
    free(packed);
    fwt_file_release(&file);
    fwt_trace_release(&trace);
}

static void other_files_and_versions_are_refused(void **state)
{
    struct fwt_trace trace;
    struct fwt_file file = example(&trace, FW_FWT_STORED);
    struct fwt_file text = { (unsigned char *)"T0|w(x)|1\nT0|r(x)|2\n", 20 };

    (void)state;
    expect_error(&text, "a.fwt: offset 0: not a .fwt trace");
    text.size = 3;
    expect_error(&text, "a.fwt: offset 0: not a .fwt trace");
    file.bytes[8] = 2;
    expect_error(&file, "a.fwt: offset 0: bad checksum in the file header");
    fw_put32(file.bytes + 12, (uint32_t)XXH3_64bits(file.bytes, 12));
    expect_error_part(&file, "format version 2 is not supported");
    file.bytes[8] = 1;
    file.bytes[11] = 1;
    fw_put32(file.bytes + 12, (uint32_t)XXH3_64bits(file.bytes, 12));
    expect_error_part(&file, "unknown flags");
    fwt_file_release(&file);
    fwt_trace_release(&trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_changed_bit_goes_unnoticed),
        cmocka_unit_test(a_bad_checksum_with_data_after_it_is_an_error),
        cmocka_unit_test(a_bad_checksum_in_the_last_block_is_a_cut),
        cmocka_unit_test(zeros_behind_the_last_block_are_a_cut),
        cmocka_unit_test(repair_steps_over_a_damaged_event_block),
        cmocka_unit_test(repair_does_not_guess_lost_names),
        cmocka_unit_test(unknown_blocks_are_skipped_only_if_optional),
        cmocka_unit_test(lies_behind_a_right_checksum_are_errors_with_their_offset),
        cmocka_unit_test(any_byte_behind_a_right_checksum_is_safe),
        cmocka_unit_test(a_bad_event_comes_after_the_good_ones_before_it),
        cmocka_unit_test(a_target_of_a_space_without_names_is_refused),
        cmocka_unit_test(only_variables_may_share_a_name),
        cmocka_unit_test(an_older_variable_of_the_name_is_over),
        cmocka_unit_test(names_that_explode_are_refused),
        cmocka_unit_test(other_files_and_versions_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
