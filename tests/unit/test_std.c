/* test_std.c - STD text: every operation, dialect, attribute and line end. */
#include "std_check.h"

static void assert_round_trip(const char *text)
{
    struct decoded *d = decode(text);
    char *again;

    if (d->result < 0)
        fail_msg("%s", d->error.message);
    again = encode(d, strncmp(text, "# branches: yes\n", 16) == 0);
    assert_string_equal(again, text);
    free(again);
    release(d);
}

static void every_operation_is_read_and_written_back(void **state)
{
    (void)state;
    assert_round_trip("# branches: yes\n"
                      "T0|r(x)|1\nT0|w(x)|2\nT0|ald(x)|3\nT0|ast(x)|4\nT0|armw(x)|5\nT0|fence|6\n"
                      "T0|acq(l)|7\nT0|rel(l)|8\nT0|tryacq(l)|9\nT0|tryfail(l)|10\nT0|racq(l)|11\n"
                      "T0|rrel(l)|12\nT0|tryracq(l)|13\nT0|notify(c)|14\nT0|notifyall(c)|15\n"
                      "T0|wake(c)|16\nT0|post(s)|17\nT0|pend(s)|18\nT0|barin(b)|19\n"
                      "T0|barout(b)|20\nT0|fork(T2)|21\nT0|join(T2)|22\nT0|br|23\nT0|begin(a)|24\n"
                      "T0|end(a)|25\nT0|call(f)|26\nT0|ret(f)|27\nT0|alloc(y)|28\nT0|free(y)|29\n");
}

static void kinds_and_names_are_what_the_line_says(void **state)
{
    struct decoded *d = decode("T0|w(x)|a.c:1\nT1|acq(x)|a.c:2\nT1|call(f(int))|\nT0|br\n");

    (void)state;
    assert_int_equal(d->result, 0);
    assert_int_equal(d->count, 4);
    assert_event(d, 0, "T0", FW_WRITE, "x", "a.c:1");
    assert_event(d, 1, "T1", FW_ACQUIRE, "x", "a.c:2");
    assert_event(d, 2, "T1", FW_CALL, "f(int)", "");
    assert_event(d, 3, "T0", FW_BRANCH, "", "");
    release(d);
}

static void rapid_files_load_unchanged(void **state)
{
    struct decoded *d = decode("T0|r(V123)|345\nT1|w(V234.23[0])|456\nT0|fork(T2)|123\n"
                               "T2|acq(L34)|120\nT2|rel(L34)|130\nT0|join(T2)|134\n"
                               "T1|begin|5\nT1|end|6\nT1|begin()|7\nT1|end()|-1\n");

    (void)state;
    assert_int_equal(d->result, 0);
    assert_int_equal(d->count, 10);
    assert_event(d, 1, "T1", FW_WRITE, "V234.23[0]", "456");
    assert_event(d, 2, "T0", FW_FORK, "T2", "123");
    assert_event(d, 6, "T1", FW_BEGIN, "", "5");
    assert_event(d, 8, "T1", FW_BEGIN, "", "7");
    assert_event(d, 9, "T1", FW_END, "", "-1");
    assert_int_equal(d->events[6].target, 0);
    release(d);
}

static void dialects_mean_what_they_mean(void **state)
{
    struct decoded *d = decode("0|fork(9)|1\n9|req(L)|2\nT9|request(L)|2\nT9|acq(L)|2\nT9|wait(L)\n"
                               "T9|notifyAll(L)\nT9|branch|3\nT9|enter(f)\nT9|exit(f)\n"
                               "T9|br()\nT9|fence()\n");

    (void)state;
    assert_int_equal(d->result, 0);
    assert_int_equal(d->count, 11);
    assert_event(d, 0, "T0", FW_FORK, "T9", "1");
    assert_event(d, 1, "T9", FW_REQUEST, "L", "2");
    assert_event(d, 2, "T9", FW_REQUEST, "L", "2");
    assert_event(d, 4, "T9", FW_RAW_WAIT, "L", "");
    assert_int_equal(d->events[4].target, d->events[3].target);
    assert_event(d, 5, "T9", FW_NOTIFY_ALL, "L", "");
    assert_event(d, 6, "T9", FW_BRANCH, "", "3");
    assert_event(d, 7, "T9", FW_CALL, "f", "");
    assert_event(d, 8, "T9", FW_RETURN, "f", "");
    assert_event(d, 9, "T9", FW_BRANCH, "", "");
    assert_event(d, 10, "T9", FW_FENCE, "", "");
    release(d);
}

static void blanks_comments_and_line_ends_do_not_count(void **state)
{
    struct decoded *d = decode("# a comment\r\n\r\n  \t\n \t# another | one\n"
                               " T0 | w ( x y ) | a #1.c \r\nT0|r(x y)|a #1.c\t| size=4 , val=7 ");

    (void)state;
    assert_int_equal(d->result, 0);
    assert_int_equal(d->count, 2);
    assert_event(d, 0, "T0", FW_WRITE, "x y", "a #1.c");
    assert_event(d, 1, "T0", FW_READ, "x y", "a #1.c");
    assert_int_equal(d->events[0].target, d->events[1].target);
    assert_int_equal(d->events[0].site, d->events[1].site);
    assert_int_equal(d->attrs[1].size, 4);
    assert_int_equal(d->attrs[1].value, 7);
    assert_string_equal(d->where[0], "bad.std:5");
    assert_string_equal(d->where[1], "bad.std:6");
    release(d);
}

static void an_empty_file_is_an_empty_trace(void **state)
{
    static const char *const texts[] = { "", "\n", "#", "  ", "# branches: yes", "\r\n\r\n" };

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct decoded *d = decode(texts[i]);

        assert_int_equal(d->result, 0);
        assert_int_equal(d->count, 0);
        release(d);
    }
}

static void attributes_are_read_and_written_in_order(void **state)
{
    static const char text[] = "T0|ast(x)|1|ord=rel,size=4,val=-9223372036854775808\n"
                               "T1|ald(x)||ord=acq,rf=0,size=4294967295,val=9223372036854775807\n"
                               "T1|armw(x)|2|ord=rlx\nT1|armw(x)|2|ord=con\nT1|fence||ord=acq_rel\n"
                               "T1|alloc(y)|3|size=16\nT1|free(y)|3|size=16\n"
                               "T1|wake(c)|3|rf=18446744073709551615\nT1|pend(s)|3|rf=2\n"
                               "T1|r(x)|3|rf=0,val=0\n";
    struct decoded *d = decode(text);

    (void)state;
    assert_int_equal(d->events[0].order, FW_ORDER_RELEASE);
    assert_int_equal(d->attrs[0].has, FW_ATTR_SIZE | FW_ATTR_VALUE);
    assert_true(d->attrs[0].value == INT64_MIN);
    assert_int_equal(d->attrs[1].has, FW_ATTR_RF | FW_ATTR_SIZE | FW_ATTR_VALUE);
    assert_int_equal(d->attrs[1].rf, 0);
    assert_int_equal(d->attrs[1].size, UINT32_MAX);
    assert_int_equal(d->attrs[2].has, 0);
    assert_int_equal(d->events[2].attr, 0);
    release(d);
    assert_round_trip(text);
}

static void orders_have_long_names_too(void **state)
{
    static const struct {
        const char *name;
        unsigned order;
    } rows[] = {
        { "relaxed", FW_ORDER_RELAXED }, { "consume", FW_ORDER_CONSUME },
        { "acquire", FW_ORDER_ACQUIRE }, { "release", FW_ORDER_RELEASE },
        { "sc", FW_ORDER_SEQ_CST },      { "ar", FW_ORDER_ACQ_REL },
        { "seq_cst", FW_ORDER_SEQ_CST },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char line[64];
        struct decoded *d;

        snprintf(line, sizeof line, "T0|armw(x)|5|val=1,ord=%s", rows[i].name);
        d = decode(line);
        assert_int_equal(d->result, 0);
        assert_int_equal(d->events[0].order, rows[i].order);
        assert_int_equal(d->attrs[0].value, 1);
        release(d);
    }
}

static void an_allocation_renews_a_known_variable(void **state)
{
    struct decoded *d = decode("T0|alloc(x)\nT0|w(x)\nT0|free(x)\nT0|alloc(x)\nT0|w(x)\nT0|r(y)\n"
                               "T0|alloc(y)\nT0|r(y)\n");

    (void)state;
    assert_int_equal(d->events[0].target, d->events[1].target);
    assert_int_equal(d->events[1].target, d->events[2].target);
    assert_int_not_equal(d->events[2].target, d->events[3].target);
    assert_int_equal(d->events[3].target, d->events[4].target);
    assert_int_not_equal(d->events[5].target, d->events[6].target);
    assert_int_equal(d->events[6].target, d->events[7].target);
    assert_event(d, 4, "T0", FW_WRITE, "x", "");
    release(d);
}

static void ids_follow_the_first_appearance(void **state)
{
    struct decoded *d = decode("T5|fork(T3)|b\nT3|w(q)|a\nT3|w(p)|b\nT5|w(q)|\n");

    (void)state;
    assert_int_equal(d->events[0].thread, 0);
    assert_int_equal(d->events[0].target, 1);
    assert_int_equal(d->events[0].site, 1);
    assert_int_equal(d->events[1].thread, 1);
    assert_int_equal(d->events[1].target, 0);
    assert_int_equal(d->events[1].site, 2);
    assert_int_equal(d->events[2].target, 1);
    assert_int_equal(d->events[2].site, 1);
    assert_int_equal(d->events[3].site, 0);
    release(d);
}

/* Long names, short names, no names, CRLF: the same events whatever the chunk. */
static void chunks_do_not_change_what_is_read(void **state)
{
    static const char text[] =
        "# branches: yes\nT0|w(a_rather_long_variable_name)|dir/file_with_a_long_name.c:123\r\n"
        "\nT123456789012345678|fork(12345678)|x\n# comment\nT0|br\nT0|rel(1234567)|12345678\n"
        "T0|rel(12345678)|123456789\nT0|rel(123456789)|1\nT0|acq(1234567890123456)|1\n"
        "T0|acq(12345678901234567)|1|\nT0|begin|9\nT0|r(x)|9|rf=1\nT0|r(x(y))|(9)";
    struct decoded *whole = decode(text);
    char *expected = encode(whole, true);

    (void)state;
    assert_int_equal(whole->result, 0);
    for (size_t chunk = 1; chunk < 80; chunk++) {
        struct how how = { .chunk = chunk };
        struct decoded *d = decode_bytes(text, sizeof text - 1, &how);
        char *again = encode(d, true);

        assert_int_equal(d->result, 0);
        assert_string_equal(again, expected);
        assert_int_equal(d->count, whole->count);
        for (uint32_t i = 0; i < d->count; i++)
            assert_string_equal(d->where[i], whole->where[i]);
        free(again);
        release(d);
    }
    free(expected);
    release(whole);
}

static void a_pipe_reads_like_a_file(void **state)
{
    struct how how = { .pipe = true, .ask_branches = true };
    static const char text[] = "# branches: yes\nT0|w(x)|1\nT0|br|2\n";
    struct decoded *d = decode_bytes(text, sizeof text - 1, &how);

    (void)state;
    assert_int_equal(how.answer, 1);
    assert_int_equal(d->result, 0);
    assert_int_equal(d->count, 2);
    release(d);
}

/* Batches never hold more than FW_BATCH_EVENTS, and locate counts on. */
static void long_traces_come_in_batches(void **state)
{
    enum {
        EVENTS = 20000
    };
    struct fw_symbols *symbols = fw_symbols_create();
    struct fw_output out;
    struct fw_input input;
    struct fw_decoder_setup setup = { &input, symbols, false, false };
    struct fw_decoder *decoder;
    struct fw_raw_batch batch;
    struct fw_error err;
    uint32_t seen = 0;

    (void)state;
    fw_output_open_memory(&out);
    for (int i = 0; i < EVENTS; i++)
        fw_output_printf(&out, "%sT%d|w(v%d)|%d\n", i % 3 ? "" : "# c\n", i % 7, i % 1000, i % 77);
    fw_input_open_memory(&input, out.buffer, out.used, "long.std");
    decoder = fw_format_std.create(&setup);
    while (fw_format_std.next(decoder, &batch, &err) > 0) {
        char where[64], expected[64];

        assert_true(batch.count <= FW_BATCH_EVENTS);
        for (uint32_t i = 0; i < batch.count; i++, seen++) {
            snprintf(expected, sizeof expected, "v%d", (int)(seen % 1000));
            assert_string_equal(fw_symbols_name(symbols, FW_SPACE_VARIABLE, batch.events[i].target),
                                expected);
            snprintf(expected, sizeof expected, "long.std:%u", seen + seen / 3 + 2);
            fw_format_std.locate(decoder, i, where, sizeof where);
            assert_string_equal(where, expected);
        }
    }
    assert_int_equal(seen, EVENTS);
    fw_format_std.destroy(decoder);
    fw_input_close(&input);
    fw_output_abandon(&out);
    fw_symbols_destroy(symbols);
}

static void names_that_text_cannot_carry_are_refused(void **state)
{
    static const struct {
        enum fw_space space;
        const char *name, *message;
    } rows[] = {
        { FW_SPACE_VARIABLE, "a|b", "STD cannot carry the name 'a|b': it contains '|'" },
        { FW_SPACE_VARIABLE, "a\nb", "STD cannot carry the name 'a\\x0ab': it contains a newline" },
        { FW_SPACE_VARIABLE, "", "STD cannot carry the name '': it is empty" },
        { FW_SPACE_SITE, " a", "STD cannot carry the name ' a': it begins or ends with a blank" },
        { FW_SPACE_SITE, "a|b", "STD cannot carry the name 'a|b': it contains '|'" },
        { FW_SPACE_THREAD, "#a", "STD cannot carry the name '#a': it begins with '#'" },
        { FW_SPACE_THREAD, "12", "STD cannot carry the name '12': it is a bare number" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct fw_symbols *symbols = fw_symbols_create();
        struct fw_event event = { .kind = FW_WRITE };
        struct fw_attr none = { 0 };
        struct fw_error err;
        struct fw_output out;
        void *encoder;
        uint32_t id;

        fw_output_open_memory(&out);
        id = fw_strtab_intern(&symbols->table[rows[i].space], rows[i].name, strlen(rows[i].name));
        event.site = rows[i].space == FW_SPACE_SITE ? id : 0;
        fw_strtab_intern(&symbols->table[FW_SPACE_THREAD], "T0", 2);
        fw_strtab_intern(&symbols->table[FW_SPACE_VARIABLE], "x", 1);
        encoder = fw_encoder_std.create(&(struct fw_encoder_setup) { &out, symbols, false });
        assert_int_equal(fw_encoder_std.events(encoder, &event, 1, &none, &err), -1);
        assert_string_equal(err.message, rows[i].message);
        fw_encoder_std.destroy(encoder);
        fw_output_abandon(&out);
        fw_symbols_destroy(symbols);
    }
}

static void an_empty_trace_with_branches_keeps_its_header(void **state)
{
    (void)state;
    assert_round_trip("# branches: yes\n");
    assert_round_trip("");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_operation_is_read_and_written_back),
        cmocka_unit_test(kinds_and_names_are_what_the_line_says),
        cmocka_unit_test(rapid_files_load_unchanged),
        cmocka_unit_test(dialects_mean_what_they_mean),
        cmocka_unit_test(blanks_comments_and_line_ends_do_not_count),
        cmocka_unit_test(an_empty_file_is_an_empty_trace),
        cmocka_unit_test(attributes_are_read_and_written_in_order),
        cmocka_unit_test(orders_have_long_names_too),
        cmocka_unit_test(an_allocation_renews_a_known_variable),
        cmocka_unit_test(ids_follow_the_first_appearance),
        cmocka_unit_test(chunks_do_not_change_what_is_read),
        cmocka_unit_test(a_pipe_reads_like_a_file),
        cmocka_unit_test(long_traces_come_in_batches),
        cmocka_unit_test(names_that_text_cannot_carry_are_refused),
        cmocka_unit_test(an_empty_trace_with_branches_keeps_its_header),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
