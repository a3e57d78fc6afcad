/*
 * test_recording.c - what a trace says about its recording arrives.
 */
#include "record/recording.h"

#include "record/recover.h"
#include "support/raw.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

struct read {
    unsigned char *bytes;
    struct fw_reader *reader;
    struct fw_recording recording;
};

static struct read read_raw(struct raw *raw)
{
    struct read read;
    struct fw_batch batch;
    struct fw_error err;
    size_t size;

    fw_reader_set_recovery(&fw_spool_recovery);
    read.bytes = raw_spool_bytes(raw, 100, true, &size);
    if (fw_reader_open_memory(&read.reader, read.bytes, size, "t.fwt", NULL, &err) < 0)
        fail_msg("%s", err.message);
    while (fw_reader_next(read.reader, &batch, &err) > 0)
        ;
    fw_recording_init(&read.recording, read.reader);
    fw_vec_release(&raw->units);
    return read;
}

static void done(struct read *read)
{
    fw_recording_release(&read->recording);
    fw_reader_close(read->reader);
    free(read->bytes);
}

static void modules_and_notes_are_told(void **state)
{
    struct raw raw = { 0 };
    struct read read;

    (void)state;
    raw_put_module(&raw, 0x400000, 0x1000, FW_WIRE_MODULE_INSTRUMENTED, "/p");
    raw_put_module(&raw, 0x500000, 0x1000, 0, "/usr/lib/libz.so.1");
    raw_put_module(&raw, 0x600000, 0x1000, 0, "/usr/lib/libc.so.6");
    raw_put_text(&raw, FW_WIRE_NOTE, 0, "unmodelled=process-shared mutex");
    raw_put_text(&raw, FW_WIRE_NOTE, 0, "unmodelled=process-shared mutex");
    raw_put_text(&raw, FW_WIRE_NOTE, 0, "inexact=a thread did not give way");
    raw_put_text(&raw, FW_WIRE_NOTE, 0, "off=no memory");
    raw_put_text(&raw, FW_WIRE_NOTE, 0, "colour=blue");
    raw_put_text(&raw, FW_WIRE_NAME, 0, "main loop");
    raw_put(&raw, FW_WIRE_EXIT, 7, 0, 0, 0);
    read = read_raw(&raw);
    assert_true(read.recording.known);
    assert_true(read.recording.accesses);
    assert_int_equal(read.recording.plain.len, 1);
    assert_string_equal(read.recording.plain.at[0], "/usr/lib/libz.so.1");
    assert_int_equal(read.recording.system.len, 1);
    assert_int_equal(read.recording.unmodelled.len, 1);
    assert_string_equal(read.recording.inexact.at[0], "a thread did not give way");
    assert_string_equal(read.recording.off.at[0], "no memory");
    assert_string_equal(read.recording.notes.at[0], "colour=blue");
    assert_string_equal(read.recording.thread_names.at[0], "T0=main loop");
    assert_string_equal(read.recording.exit, "7");
    assert_null(read.recording.signal);
    done(&read);
}

/* Unless they have hooks; and before the first thread begins, for those who read no further. */
static void libraries_that_synchronise_are_not_modelled(void **state)
{
    struct raw raw = { 0 };
    struct read read;

    (void)state;
    raw_put_module(&raw, 0x400000, 0x1000, FW_WIRE_MODULE_INSTRUMENTED, "/p");
    raw_put_module(&raw, 0x500000, 0x1000, 0, "/usr/lib/libgomp.so.1");
    raw_put_module(&raw, 0x600000, 0x1000, 0, "/mine/libtbb.so.12");
    raw_put_module(&raw, 0x600000, 0x1000, FW_WIRE_MODULE_INSTRUMENTED, "/mine/libtbb.so.12");
    raw_put(&raw, FW_WIRE_FORK, 1, 0, 0, 0);
    read = read_raw(&raw);
    assert_int_equal(read.recording.unmodelled.len, 1);
    assert_string_equal(read.recording.unmodelled.at[0], "OpenMP (libgomp.so.1)");
    done(&read);
}

static void program_without_hooks_has_no_accesses(void **state)
{
    struct raw raw = { 0 };
    struct read read;

    (void)state;
    raw_put_module(&raw, 0x400000, 0x1000, FW_WIRE_MODULE_MAIN, "/p");
    raw_put(&raw, FW_WIRE_SIGNAL, 11, 0, 0, 0);
    read = read_raw(&raw);
    assert_false(read.recording.accesses);
    assert_string_equal(read.recording.plain.at[0], "/p");
    assert_string_equal(read.recording.signal, "11");
    done(&read);
}

/* Named before or after they are used, by any byte of them. */
static void expected_variables_are_known_by_their_ids(void **state)
{
    struct raw raw = { 0 };
    struct read read;

    (void)state;
    raw_put(&raw, FW_WIRE_FORK, 1, 0, 0, 0);
    raw_put_more(&raw, FW_WIRE_EXPECT, 0x1000, 8, 0, 0);
    for (unsigned i = 0; i < 2; i++) {
        raw_switch(&raw, i);
        raw_write(&raw, 0x2000, 8, 0); /* id 0 */
        raw_write(&raw, 0x1000, 4, 0); /* id 1 */
        raw_write(&raw, 0x1004, 4, 0); /* id 2 */
        raw_write(&raw, 0x3000, 8, 0); /* id 3 */
        raw_write(&raw, 0x4000, 8, 0); /* id 4 */
    }
    raw_put_more(&raw, FW_WIRE_EXPECT, 0x4000, 1, 0, 0);
    read = read_raw(&raw);
    assert_int_equal(read.recording.expected_count, 3);
    assert_false(fw_id_ranges_have(&read.recording.expected, 0));
    assert_true(fw_id_ranges_have(&read.recording.expected, 1));
    assert_true(fw_id_ranges_have(&read.recording.expected, 2));
    assert_false(fw_id_ranges_have(&read.recording.expected, 3));
    assert_true(fw_id_ranges_have(&read.recording.expected, 4));
    done(&read);
}

/* They are kept though one thread alone is seen to touch them. */
static void variables_written_unseen_are_known_by_their_ids(void **state)
{
    struct raw raw = { 0 };
    struct read read;

    (void)state;
    raw_put(&raw, FW_WIRE_FORK, 1, 0, 0, 0);
    for (unsigned i = 0; i < 2; i++) {
        raw_switch(&raw, i);
        raw_write(&raw, 0x2000, 8, 0); /* id 0 */
    }
    raw_put(&raw, FW_WIRE_READ, 0x1004, 4, 0, 0); /* id 1 */
    raw_put(&raw, FW_WIRE_UNSEEN, 0x1004, 4, 0, 0);
    raw_put(&raw, FW_WIRE_READ, 0x1008, 4, 0, 0);
    read = read_raw(&raw);
    assert_int_equal(read.recording.unseen_count, 1);
    assert_false(fw_id_ranges_have(&read.recording.unseen, 0));
    assert_true(fw_id_ranges_have(&read.recording.unseen, 1));
    assert_int_equal(read.recording.expected_count, 0);
    done(&read);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(modules_and_notes_are_told),
        cmocka_unit_test(libraries_that_synchronise_are_not_modelled),
        cmocka_unit_test(program_without_hooks_has_no_accesses),
        cmocka_unit_test(variables_written_unseen_are_known_by_their_ids),
        cmocka_unit_test(expected_variables_are_known_by_their_ids),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
