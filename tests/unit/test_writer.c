/* test_writer.c - the front of all writers: formats, files, and rf in renumbered traces. */
#include "trace/writer.h"

#include "base/alloc.h"
#include "trace/trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static struct fw_trace *load(const char *text, const struct fw_read_options *options)
{
    struct fw_error err = { "" };
    struct fw_trace *trace;

    if (fw_trace_load_memory(&trace, text, strlen(text), "in.std", options, &err) < 0)
        fail_msg("%s", err.message);
    return trace;
}

/* The trace in this format, written to memory; the caller frees. */
static char *write_memory(const struct fw_trace *trace, const char *format, size_t *size)
{
    struct fw_batch batch = fw_trace_batch(trace);
    struct fw_writer *writer;
    struct fw_error err;
    char *data;

    assert_int_equal(
        fw_writer_open_memory(&writer, format, trace->symbols, trace->has_branches, &err), 0);
    assert_int_equal(fw_writer_batch(writer, &batch, &err), 0);
    assert_int_equal(fw_writer_take(writer, &data, size, &err), 0);
    assert_int_equal(fw_writer_close(writer, &err), 0);
    return data;
}

static void assert_becomes(const char *text, const struct fw_read_options *options,
                           const char *expected)
{
    struct fw_trace *trace = load(text, options);
    size_t size;
    char *again = write_memory(trace, "std", &size);

    assert_string_equal(again, expected);
    assert_int_equal(size, strlen(expected));
    free(again);
    fw_trace_destroy(trace);
}

static void canonical_text_stays_as_it_is(void **state)
{
    static const char text[] = "# branches: yes\nT0|fork(T1)|a.c:1\nT0|w(x)|a.c:2|size=4,val=7\n"
                               "T1|r(x)|a.c:9|rf=1,val=7\nT1|br\nT0|join(T1)\n";

    (void)state;
    assert_becomes(text, NULL, text);
}

static void other_spellings_become_canonical(void **state)
{
    (void)state;
    assert_becomes("# hello\n\n 0 | fork(1) | a \r\n1|begin()|b", NULL,
                   "T0|fork(T1)|a\nT1|begin|b\n");
    assert_becomes("0|ast(x)|\r\n1|armw(x)||val=1,rf=0,ord=acquire\n", NULL,
                   "T0|ast(x)\nT1|armw(x)||ord=acq,rf=0,val=1\n");
}

static void rf_follows_its_event_when_lines_are_left_out(void **state)
{
    (void)state;
    assert_becomes("T0|req(l)\nT0|acq(l)\nT0|w(x)\nT0|req(m)\nT0|r(x)||rf=2\nT0|r(x)||rf=2,val=5\n"
                   "T0|rel(l)\n",
                   NULL, "T0|acq(l)\nT0|w(x)\nT0|r(x)||rf=1\nT0|r(x)||rf=1,val=5\nT0|rel(l)\n");
}

static void rf_follows_its_event_around_a_wait_line(void **state)
{
    (void)state;
    assert_becomes(
        "T1|acq(l)\nT1|wait(l)\nT0|acq(l)\nT0|w(x)\nT0|notify(l)\nT0|rel(l)\nT1|r(x)||rf=3\n"
        "T1|w(x)\nT1|r(x)||rf=7\n",
        NULL,
        "T1|acq(l)\nT1|rel(l)\nT0|acq(l)\nT0|w(x)\nT0|notify(l)\nT0|rel(l)\nT1|wake(l)\n"
        "T1|acq(l)\nT1|r(x)||rf=3\nT1|w(x)\nT1|r(x)||rf=9\n");
}

/* Batches out of step, made by hand: indices 0 1 | 5 6 | 7, written as 0 .. 4. */
static void batches_may_come_in_pieces(void **state)
{
    struct fw_symbols *symbols = fw_symbols_create();
    struct fw_event events[2] = { { .kind = FW_WRITE }, { .kind = FW_READ, .attr = 1 } };
    struct fw_attr attrs[2] = { { 0 }, { .has = FW_ATTR_RF, .rf = 0 } };
    uint64_t index[2] = { 5, 6 };
    struct fw_writer *writer;
    struct fw_error err;
    size_t size;
    char *text;

    (void)state;
    fw_strtab_intern(&symbols->table[FW_SPACE_THREAD], "T0", 2);
    fw_strtab_intern(&symbols->table[FW_SPACE_VARIABLE], "x", 1);
    assert_int_equal(fw_writer_open_memory(&writer, "std", symbols, false, &err), 0);
    assert_int_equal(
        fw_writer_batch(writer, &(struct fw_batch) { events, attrs, NULL, 0, 2 }, &err), 0);
    attrs[1].rf = 5;
    assert_int_equal(
        fw_writer_batch(writer, &(struct fw_batch) { events, attrs, index, 2, 2 }, &err), 0);
    index[0] = 7;
    events[0] = events[1];
    assert_int_equal(
        fw_writer_batch(writer, &(struct fw_batch) { events, attrs, index, 4, 1 }, &err), 0);
    assert_int_equal(fw_writer_take(writer, &text, &size, &err), 0);
    assert_string_equal(text, "T0|w(x)\nT0|r(x)||rf=0\nT0|w(x)\nT0|r(x)||rf=2\nT0|r(x)||rf=2\n");
    assert_int_equal(fw_writer_close(writer, &err), 0);
    free(text);
    fw_symbols_destroy(symbols);
}

static void an_answer_to_nothing_is_refused(void **state)
{
    struct fw_symbols *symbols = fw_symbols_create();
    struct fw_event event = { .kind = FW_READ, .attr = 1 };
    struct fw_attr attrs[2] = { { 0 }, { .has = FW_ATTR_RF, .rf = 3 } };
    uint64_t index = 9;
    struct fw_writer *writer;
    struct fw_error err;

    (void)state;
    assert_int_equal(fw_writer_open_memory(&writer, "std", symbols, false, &err), 0);
    assert_int_equal(
        fw_writer_batch(writer, &(struct fw_batch) { &event, attrs, &index, 0, 1 }, &err), -1);
    assert_string_equal(err.message, "event 9 answers event 3, which is not written");
    fw_writer_abandon(writer);
    fw_symbols_destroy(symbols);
}

static void every_format_takes_every_trace_back_and_forth(void **state)
{
    static const char text[] = "# branches: yes\nT0|fork(T1)|a\nT0|ast(x)|a|ord=rel,val=7\n"
                               "T1|ald(x)|b|ord=acq,rf=1,size=4,val=7\nT1|br|b\nT0|join(T1)|c\n";
    static const char *const formats[] = { "std", "tid", "fwt" };

    (void)state;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        struct fw_read_options options = { .format = formats[i] };
        struct fw_trace *trace = load(text, NULL), *again;
        struct fw_error err;
        size_t size;
        char *data = write_memory(trace, formats[i], &size), *back;

        assert_int_equal(fw_trace_load_memory(&again, data, size, "x", &options, &err), 0);
        back = write_memory(again, "std", &size);
        assert_string_equal(back, text);
        fw_trace_destroy(trace);
        fw_trace_destroy(again);
        free(data);
        free(back);
    }
}

static void the_extension_decides_the_format(void **state)
{
    static const struct {
        const char *name, *format, *begins;
    } rows[] = {
        { "a.std", NULL, "T0|w(x)" },   { "a.tid", NULL, "wr 0 x" },
        { "a.fwt", NULL, "FWTRACE\n" }, { "b.std.tid", NULL, "wr 0 x" },
        { "none", "std", "T0|w(x)" },   { "a.std", "fwt", "FWTRACE\n" },
    };
    struct fw_trace *trace = load("T0|w(x)\n", NULL);
    struct fw_batch batch = fw_trace_batch(trace);
    char folder[] = "/tmp/foreweave-writer-XXXXXX", path[128], begin[8] = "";

    (void)state;
    assert_non_null(mkdtemp(folder));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct fw_writer *writer;
        struct fw_error err;
        FILE *file;

        snprintf(path, sizeof path, "%s/%s", folder, rows[i].name);
        assert_int_equal(fw_writer_open(&writer, path, rows[i].format, trace->symbols, false, &err),
                         0);
        assert_int_equal(fw_writer_batch(writer, &batch, &err), 0);
        assert_int_equal(fw_writer_close(writer, &err), 0);
        file = fopen(path, "r");
        assert_non_null(file);
        assert_true(fread(begin, 1, sizeof begin, file) > 0);
        assert_memory_equal(begin, rows[i].begins, strlen(rows[i].begins));
        fclose(file);
        unlink(path);
    }
    rmdir(folder);
    fw_trace_destroy(trace);
}

static void what_cannot_be_opened_is_refused(void **state)
{
    struct fw_symbols *symbols = fw_symbols_create();
    struct fw_writer *writer;
    struct fw_error err;

    (void)state;
    assert_int_equal(fw_writer_open(&writer, "/tmp/a.txt", NULL, symbols, false, &err), -1);
    assert_string_equal(err.message,
                        "cannot tell the format of '/tmp/a.txt': name it .std, .tid or .fwt");
    assert_int_equal(fw_writer_open(&writer, "/tmp/a.std", "xyz", symbols, false, &err), -1);
    assert_string_equal(err.message, "unknown trace format 'xyz'");
    assert_int_equal(fw_writer_open(&writer, "/nowhere/a.std", NULL, symbols, false, &err), -1);
    assert_string_equal(err.message, "cannot write '/nowhere/a.std': no such file or directory");
    assert_int_equal(fw_writer_open_memory(&writer, "xyz", symbols, false, &err), -1);
    fw_symbols_destroy(symbols);
}

/* A folder of its own, and a path in it that is not there yet. */
static void make_folder(char folder[32], char path[64])
{
    strcpy(folder, "/tmp/foreweave-writer-XXXXXX");
    assert_non_null(mkdtemp(folder));
    snprintf(path, 64, "%s/a.std", folder);
}

/* A name that text cannot carry: the error names it and no half-written file stays. */
static void a_failed_writer_leaves_no_file(void **state)
{
    struct fw_symbols *symbols = fw_symbols_create();
    struct fw_event event = { .kind = FW_WRITE };
    struct fw_attr none = { 0 };
    char folder[32], path[64];
    struct fw_writer *writer;
    struct fw_error err;

    (void)state;
    make_folder(folder, path);
    fw_strtab_intern(&symbols->table[FW_SPACE_THREAD], "T0", 2);
    fw_strtab_intern(&symbols->table[FW_SPACE_VARIABLE], "a|b", 3);
    assert_int_equal(fw_writer_open(&writer, path, NULL, symbols, false, &err), 0);
    assert_int_equal(
        fw_writer_batch(writer, &(struct fw_batch) { &event, &none, NULL, 0, 1 }, &err), -1);
    assert_non_null(strstr(err.message, "'a|b'"));
    assert_int_equal(fw_writer_close(writer, &err), -1);
    assert_int_equal(rmdir(folder), 0);
    fw_symbols_destroy(symbols);
}

static void an_abandoned_writer_leaves_no_file(void **state)
{
    struct fw_symbols *symbols = fw_symbols_create();
    char folder[32], path[64];
    struct fw_writer *writer;
    struct fw_error err;

    (void)state;
    make_folder(folder, path);
    assert_int_equal(fw_writer_open(&writer, path, NULL, symbols, true, &err), 0);
    fw_writer_abandon(writer);
    fw_writer_abandon(NULL);
    assert_int_equal(rmdir(folder), 0);
    fw_symbols_destroy(symbols);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(canonical_text_stays_as_it_is),
        cmocka_unit_test(other_spellings_become_canonical),
        cmocka_unit_test(rf_follows_its_event_when_lines_are_left_out),
        cmocka_unit_test(rf_follows_its_event_around_a_wait_line),
        cmocka_unit_test(batches_may_come_in_pieces),
        cmocka_unit_test(an_answer_to_nothing_is_refused),
        cmocka_unit_test(every_format_takes_every_trace_back_and_forth),
        cmocka_unit_test(the_extension_decides_the_format),
        cmocka_unit_test(what_cannot_be_opened_is_refused),
        cmocka_unit_test(a_failed_writer_leaves_no_file),
        cmocka_unit_test(an_abandoned_writer_leaves_no_file),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
