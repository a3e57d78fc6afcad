/* test_std_errors.c - STD text that is wrong: each cause, its place, and repair; branches. */
#include "std_check.h"

/* The whole text is refused with this message, on whatever way it is read. */
static void assert_refused_bytes(const char *text, size_t size, const char *message)
{
    static const size_t chunks[] = { 0, 1, 5, 64 };

    for (size_t i = 0; i < sizeof chunks / sizeof *chunks; i++) {
        struct how how = { .chunk = chunks[i] };
        struct decoded *d = decode_bytes(text, size, &how);

        assert_int_equal(d->result, -1);
        assert_string_equal(d->error.message, message);
        release(d);
    }
}

static void assert_refused(const char *text, const char *message)
{
    assert_refused_bytes(text, strlen(text), message);
}

static void broken_lines_are_refused_with_cause_and_place(void **state)
{
    (void)state;
    assert_refused("T0|w(x)|1\n\nT0|foo(x)|1\n", "bad.std:3: unknown operation 'foo'");
    assert_refused("T0|rel|1\n", "bad.std:1: 'rel' needs a target");
    assert_refused("T0|fork()|1\n", "bad.std:1: 'fork' needs a target");
    assert_refused("T0|br(x)|1\n", "bad.std:1: 'br' takes no target, but has 'x'");
    assert_refused("T0|w(x|1\n", "bad.std:1: missing ')' in 'w(x'");
    assert_refused("T0|w x)|1\n", "bad.std:1: unknown operation 'w x)'");
    assert_refused("T0||1\n", "bad.std:1: unknown operation ''");
    assert_refused("|w(x)|1\n", "bad.std:1: thread name is missing");
    assert_refused("T0 w(x)\n",
                   "bad.std:1: 'T0 w(x)' is no event: THREAD|OP(TARGET)|SITE expected");
    assert_refused("T0|w(x)|1|size=1|\n",
                   "bad.std:1: more than four fields in 'T0|w(x)|1|size=1|'");
    assert_refused("T0|\x01(x)|1\n", "bad.std:1: unknown operation '\\x01'");
    assert_refused("T0|W(x)|1\n", "bad.std:1: unknown operation 'W'");
    assert_refused("# branches: maybe\nT0|w(x)|1\n",
                   "bad.std:1: '# branches:' must say yes or no, not 'maybe'");
}

static void bad_attributes_are_refused(void **state)
{
    (void)state;
    assert_refused("T0|w(x)|1|foo=1\n", "bad.std:1: unknown attribute 'foo'");
    assert_refused("T0|w(x)|1|size\n", "bad.std:1: 'size' is no attribute: key=value expected");
    assert_refused("T0|w(x)|1|size=1,\n", "bad.std:1: attribute list ends with a comma");
    assert_refused("T0|w(x)|1|,size=1\n", "bad.std:1: '' is no attribute: key=value expected");
    assert_refused("T0|w(x)|1|ord=acq\n", "bad.std:1: 'w' takes no attribute 'ord'");
    assert_refused("T0|w(x)|1|rf=1\n", "bad.std:1: 'w' takes no attribute 'rf'");
    assert_refused("T0|acq(x)|1|size=1\n", "bad.std:1: 'acq' takes no attribute 'size'");
    assert_refused("T0|alloc(x)|1|val=1\n", "bad.std:1: 'alloc' takes no attribute 'val'");
    assert_refused("T0|w(x)|1|size=1,size=2\n", "bad.std:1: attribute 'size' given twice");
    assert_refused("T0|w(x)|1|size=x\n", "bad.std:1: attribute 'size' cannot be 'x'");
    assert_refused("T0|w(x)|1|size=4294967296\n",
                   "bad.std:1: attribute 'size' cannot be '4294967296'");
    assert_refused("T0|r(x)|1|rf=18446744073709551616\n",
                   "bad.std:1: attribute 'rf' cannot be '18446744073709551616'");
    assert_refused("T0|w(x)|1|val=9223372036854775808\n",
                   "bad.std:1: attribute 'val' cannot be '9223372036854775808'");
    assert_refused("T0|w(x)|1|val=-\n", "bad.std:1: attribute 'val' cannot be '-'");
    assert_refused("T0|w(x)|1|val=\n", "bad.std:1: attribute 'val' cannot be ''");
    assert_refused("T0|fence||ord=strong\n", "bad.std:1: attribute 'ord' cannot be 'strong'");
}

static char *repeated(const char *before, char c, size_t times, const char *after)
{
    size_t head = strlen(before), tail = strlen(after);
    char *text = fw_xmalloc(head + times + tail + 1);

    memcpy(text, before, head);
    memset(text + head, c, times);
    memcpy(text + head + times, after, tail + 1);
    return text;
}

static void assert_long(const char *before, size_t times, const char *after, const char *message)
{
    char *text = repeated(before, 'x', times, after);

    if (message) {
        assert_refused(text, message);
    } else {
        struct decoded *d = decode(text);

        assert_int_equal(d->result, 0);
        release(d);
    }
    free(text);
}

static void names_and_lines_have_their_limits(void **state)
{
    static const char shown[] =
        "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
        "xxxxxxxxxxxxxxxxxxxxx...'";
    char message[256];

    (void)state;
    assert_long("T0|w(", 4096, ")|1\n", NULL);
    snprintf(message, sizeof message, "bad.std:1: target longer than 4096 bytes: '%s", shown);
    assert_long("T0|w(", 4097, ")|1\n", message);
    snprintf(message, sizeof message, "bad.std:1: site longer than 4096 bytes: '%s", shown);
    assert_long("T0|w(x)|", 4097, "\n", message);
    snprintf(message, sizeof message, "bad.std:1: thread name longer than 4096 bytes: '%s", shown);
    assert_long("", 4097, "|w(x)|\n", message);
    assert_long("T0|w(x)\n#", 65535, "\r\nT0|w(x)\n", NULL);
    assert_long("T0|w(x)\n#", 65535, "", NULL);
    assert_long("T0|w(x)\n#", 65536, "\r\nT0|w(x)\n", "bad.std:2: line longer than 65536 bytes");
    assert_long("T0|w(x)\n#", 300000, "\n", "bad.std:2: line longer than 65536 bytes");
    assert_long("T0|w(x)\n#", 300000, "", "bad.std:2: line longer than 65536 bytes");
    assert_long("T0|w(x)\nT0|", 65536, "", "bad.std:2: line longer than 65536 bytes");
}

/* Reads a text whose threads are one too many; returns the result of the last next(). */
static int read_too_many_threads(bool repair, struct fw_symbols *symbols, uint64_t *broken,
                                 struct fw_error *err)
{
    struct fw_output out;
    struct fw_input input;
    struct fw_decoder_setup setup = { &input, symbols, repair, false };
    struct fw_decoder *decoder;
    struct fw_raw_batch batch;
    int got;

    fw_output_open_memory(&out);
    for (uint32_t i = 0; i <= FW_MAX_THREADS; i++)
        fw_output_printf(&out, "T%u|br\n", i);
    fw_output_printf(&out, "T%u|br\nT0|br\n", FW_MAX_THREADS);
    fw_input_open_memory(&input, out.buffer, out.used, "bad.std");
    decoder = fw_format_std.create(&setup);
    while ((got = fw_format_std.next(decoder, &batch, err)) > 0)
        for (uint32_t i = 0; i < batch.count; i++)
            *broken += batch.events[i].kind == FW_RAW_BROKEN;
    fw_format_std.destroy(decoder);
    fw_input_close(&input);
    fw_output_abandon(&out);
    return got;
}

static void too_many_threads_are_refused(void **state)
{
    struct fw_symbols *symbols = fw_symbols_create();
    struct fw_error err;
    uint64_t broken = 0;

    (void)state;
    assert_int_equal(read_too_many_threads(false, symbols, &broken, &err), -1);
    assert_string_equal(err.message, "bad.std:1048577: more than 1048576 threads");
    fw_symbols_destroy(symbols);
    symbols = fw_symbols_create();
    assert_int_equal(read_too_many_threads(true, symbols, &broken, &err), 0);
    assert_int_equal(broken, 2);
    fw_symbols_destroy(symbols);
}

static void nul_bytes_are_refused(void **state)
{
    static const char name[] = "T0|w(x)|1\nT0|w(x\0)|1\n", comment[] = "T0|w(x)|1\n# \0\n";

    (void)state;
    assert_refused_bytes(name, sizeof name - 1, "bad.std:2: line with a NUL byte");
    assert_refused_bytes(comment, sizeof comment - 1, "bad.std:2: line with a NUL byte");
}

static void events_before_an_error_are_delivered(void **state)
{
    struct decoded *d = decode("T0|w(x)|1\nT0|w(x)|2\nT0|foo|3\nT0|w(x)|4\n");

    (void)state;
    assert_int_equal(d->result, -1);
    assert_int_equal(d->count, 2);
    release(d);
}

static void repair_keeps_the_place_of_a_broken_line(void **state)
{
    struct how how = { .repair = true, .chunk = 32 };
    static const char text[] = "T0|w(x)|1\nghost|foo(x)|2\n\nT0|w(\0)|2\nT0|w(x)|4\nT0|rel|5";
    struct decoded *d = decode_bytes(text, sizeof text - 1, &how);

    (void)state;
    assert_int_equal(d->result, 0);
    assert_int_equal(d->count, 5);
    assert_event(d, 0, "T0", FW_WRITE, "x", "1");
    assert_int_equal(d->events[1].kind, FW_RAW_BROKEN);
    assert_int_equal(d->events[2].kind, FW_RAW_BROKEN);
    assert_event(d, 3, "T0", FW_WRITE, "x", "4");
    assert_int_equal(d->events[4].kind, FW_RAW_BROKEN);
    assert_string_equal(d->first_broken, "bad.std:2: unknown operation 'foo'");
    assert_string_equal(d->where[2], "bad.std:4");
    assert_int_equal(fw_symbols_count(d->symbols, FW_SPACE_THREAD), 1);
    release(d);
}

static void repair_drops_an_overlong_line(void **state)
{
    struct how how = { .repair = true };
    char *text = repeated("T0|w(x)|1\nT0|w(", 'x', 1000000, ")\nT0|w(x)|3\n");
    struct decoded *d = decode_bytes(text, strlen(text), &how);

    (void)state;
    assert_int_equal(d->result, 0);
    assert_int_equal(d->count, 3);
    assert_int_equal(d->events[1].kind, FW_RAW_BROKEN);
    assert_event(d, 2, "T0", FW_WRITE, "x", "3");
    assert_string_equal(d->where[2], "bad.std:3");
    release(d);
    free(text);
}

static int branches_of(const char *text, bool pipe)
{
    struct how how = { .ask_branches = true, .only_ask = true, .pipe = pipe };
    struct decoded *d = decode_bytes(text, strlen(text), &how);

    release(d);
    return how.answer;
}

static void branches_are_found_by_header_or_scan(void **state)
{
    (void)state;
    assert_int_equal(branches_of("# branches: yes\nT0|w(x)|1\n", false), 1);
    assert_int_equal(branches_of("# branches: no\nT0|w(x)|1\n", false), 0);
    assert_int_equal(branches_of("#branches:yes\r\nT0|w(x)|1\n", false), 1);
    assert_int_equal(branches_of("T0|w(x)|1\n# branches: yes\n", false), 0);
    assert_int_equal(branches_of("", false), 0);
    assert_int_equal(branches_of("T0|w(x)|1\nT0|br|2", false), 1);
    assert_int_equal(branches_of("T0|w(x)|1\nT0| br\r\n", false), 1);
    assert_int_equal(branches_of("T0|w(x)|1\nT0|branch|\n", false), 1);
    assert_int_equal(branches_of("br|w(br)|br\nbr|w(x|br)|br\n#T0|br\n", false), 0);
    assert_int_equal(branches_of("br|w(br)|br\nT0|br()|br\n", false), 1);
    assert_int_equal(branches_of("# branches: yes\nT0|w(x)|1\n", true), 1);
    assert_int_equal(branches_of("# branches: no\nT0|w(x)|1\n", true), 0);
    assert_int_equal(branches_of("T0|br|1\n", true), 0);
    assert_int_equal(branches_of("# branches: 1\nT0|w(x)|1\n", false), -1);
}

static void a_branch_far_away_is_found(void **state)
{
    struct fw_output out;

    (void)state;
    fw_output_open_memory(&out);
    for (int i = 0; i < 100000; i++)
        fw_output_printf(&out, "T0|w(x%d)|bread.c:%d\n", i % 10, i % 100);
    fw_output_bytes(&out, "", 1);
    assert_int_equal(branches_of(out.buffer, false), 0);
    memcpy(out.buffer + 10, "\nT|br|1\n", 8);
    assert_int_equal(branches_of(out.buffer, false), 1);
    memset(out.buffer + 10, ' ', 8);
    out.used--;
    fw_output_text(&out, "T0|br|0");
    fw_output_bytes(&out, "", 1);
    assert_int_equal(branches_of(out.buffer, false), 1);
    fw_output_abandon(&out);
}

static void a_branch_that_must_not_be_is_refused(void **state)
{
    struct how pipe = { .pipe = true };
    struct decoded *d = decode_bytes("T0|br|1\n", 8, &pipe);

    (void)state;
    assert_int_equal(d->result, -1);
    assert_non_null(strstr(d->error.message,
                           ":1: 'br' in a stream that does not begin with '# branches: yes'"));
    release(d);
    assert_refused("# branches: no\nT0|w(x)|1\nT0|br|2\n",
                   "bad.std:3: 'br' in a trace that says it has no branches");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(broken_lines_are_refused_with_cause_and_place),
        cmocka_unit_test(bad_attributes_are_refused),
        cmocka_unit_test(names_and_lines_have_their_limits),
        cmocka_unit_test(too_many_threads_are_refused),
        cmocka_unit_test(nul_bytes_are_refused),
        cmocka_unit_test(events_before_an_error_are_delivered),
        cmocka_unit_test(repair_keeps_the_place_of_a_broken_line),
        cmocka_unit_test(repair_drops_an_overlong_line),
        cmocka_unit_test(branches_are_found_by_header_or_scan),
        cmocka_unit_test(a_branch_far_away_is_found),
        cmocka_unit_test(a_branch_that_must_not_be_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
