/* test_report.c - what was found, as people and programs get to see it. */
#include "base/progress.h"
#include "report/report.h"
#include "report/result_read.h"
#include "support/toy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

/* A trace, an analysis of it, and the two reports. */
struct session {
    struct fw_reader *reader;
    struct fw_engine *engine;
    struct fw_report report;
};

static void open_session(struct session *session, const char *text,
                         const struct fw_analysis *analysis, bool repair)
{
    struct fw_read_options options = { .repair = repair };
    struct fw_analysis_setup setup = { 0 };
    struct fw_batch batch;
    struct fw_error err;

    if (fw_reader_open_memory(&session->reader, text, strlen(text), "a.std", &options, &err) < 0)
        fail_msg("%s", err.message);
    setup.symbols = fw_reader_symbols(session->reader);
    session->engine = fw_engine_create(&analysis, 1, &setup);
    while (fw_reader_next(session->reader, &batch, &err) > 0)
        fw_engine_batch(session->engine, &batch);
    fw_engine_finish(session->engine);
    session->report = (struct fw_report) {
        .name = "a.std",
        .path = "a.std",
        .format = "std",
        .reading_options = repair ? "--repair " : "",
        .status = fw_reader_status(session->reader),
        .symbols = setup.symbols,
        .engine = session->engine,
    };
}

static void close_session(struct session *session)
{
    fw_engine_destroy(session->engine);
    fw_reader_close(session->reader);
}

static void expect_text(const struct session *session, const char *wanted)
{
    struct fw_output out;

    fw_output_open_memory(&out);
    fw_report_text(&session->report, false, &out);
    fw_output_bytes(&out, "", 1);
    assert_string_equal(out.buffer, wanted);
    fw_output_abandon(&out);
}

static void expect_json(const struct session *session, const char *wanted)
{
    struct fw_result *result;
    struct fw_output out;
    struct fw_error err;

    fw_output_open_memory(&out);
    fw_report_json(&session->report, &out);
    assert_int_equal(fw_result_read_memory(&result, out.buffer, out.used, "result", &err), 0);
    assert_int_equal(result->count, fw_report_findings(&session->report));
    fw_result_destroy(result);
    fw_output_bytes(&out, "", 1);
    assert_string_equal(out.buffer, wanted);
    fw_output_abandon(&out);
}

static const char race[] = "T0|call(main)|a.c:1\n"
                           "T0|call(set)|a.c:2\n"
                           "T0|acq(l)|a.c:3\n"
                           "T0|w(x)|a.c:4|size=4\n"
                           "T0|rel(l)|a.c:5\n"
                           "T2|racq(m)|b.c:1\n"
                           "T2|r(x)|b.c:2|size=2\n";

static void a_race_is_told_with_its_places_locks_and_stacks(void **state)
{
    struct session session;

    (void)state;
    open_session(&session, race, &fw_analysis_toy, false);
    expect_text(&session,
                "==================\n"
                "WARNING: Foreweave: data race (predicted by toy) id 58d119\n"
                "  Write of size 4 at a.c:4 in set by main thread (locks held: l; event 3)\n"
                "    #0 set a.c:4\n"
                "    #1 main a.c:2\n"
                "  Read of size 2 at b.c:2 by thread T2 (locks held: m (shared); event 6)\n"
                "  Location is variable 'x'\n"
                "  Certain: it is the first finding of toy\n"
                "SUMMARY: Foreweave: data race a.c:4 in set\n"
                "==================\n"
                "toy: 1 finding, complete (17 letters, 2 locks)\n"
                "Next: foreweave trace show --range=3-6 a.std\n"
                "foreweave: 1 finding in 7 events of 2 threads\n");
    expect_json(&session,
                "{\"schema\":1,\"trace\":{\"name\":\"a.std\",\"format\":\"std\",\"events\":7,\""
                "threads\":2,\"branches\":false,\"ignored\":0,\"reentrant\":0,\"dropped\":0,\"c"
                "ut\":false},\"findings\":[{\"id\":\"58d119\",\"analysis\":\"toy\",\"kind\":\"r"
                "ace\",\"guarantee\":\"first\",\"first\":true,\"status\":\"predicted\",\"count"
                "\":1,\"variables\":[\"x\"],\"events\":[{\"index\":3,\"thread\":\"T0\",\"op\":"
                "\"w\",\"target\":\"x\",\"site\":\"a.c:4\",\"size\":4,\"locks\":[{\"name\":\"l"
                "\",\"shared\":false}],\"stack\":[{\"function\":\"set\",\"site\":\"a.c:4\"},{\""
                "function\":\"main\",\"site\":\"a.c:2\"}]},{\"index\":6,\"thread\":\"T2\",\"op"
                "\":\"r\",\"target\":\"x\",\"site\":\"b.c:2\",\"size\":2,\"locks\":[{\"name\":"
                "\"m\",\"shared\":true}]}]}],\"analyses\":[{\"name\":\"toy\",\"findings\":1,\"c"
                "omplete\":true,\"note\":\"17 letters, 2 locks\"}]}\n");
    close_session(&session);
}

static void merged_findings_say_how_often_and_where_else(void **state)
{
    struct session session;

    (void)state;
    open_session(&session,
                 "T1|w(x)|1\nT2|w(x)|2\nT1|w(y)|1\nT2|w(y)|2\nT1|alloc(x)|9\nT1|w(x)|1\nT2|w(x)|2\n"
                 "T1|ast(y)|3\nT2|free(y)|4\n",
                 &fw_analysis_toy, false);
    expect_text(&session, "==================\n"
                          "WARNING: Foreweave: data race (predicted by toy) id fec9eb\n"
                          "  Write at 1 by thread T1 (locks held: none; event 0)\n"
                          "  Write at 2 by thread T2 (locks held: none; event 1)\n"
                          "  Location is variable 'x'\n"
                          "  The same sites on 1 other variable: 'y'\n"
                          "  Found 3 times; this is the earliest\n"
                          "  Certain: it is the first finding of toy\n"
                          "SUMMARY: Foreweave: data race 1\n"
                          "==================\n"
                          "==================\n"
                          "WARNING: Foreweave: data race (predicted by toy) id 2240da\n"
                          "  Write at 2 by thread T2 (locks held: none; event 3)\n"
                          "  Atomic store at 3 by thread T1 (locks held: none; event 7)\n"
                          "  Location is variable 'y'\n"
                          "  Certain only if no earlier finding of toy is real\n"
                          "SUMMARY: Foreweave: data race 2\n"
                          "==================\n"
                          "==================\n"
                          "WARNING: Foreweave: data race (predicted by toy) id d27cdb\n"
                          "  Atomic store at 3 by thread T1 (locks held: none; event 7)\n"
                          "  Free at 4 by thread T2 (locks held: none; event 8)\n"
                          "  Location is variable 'y'\n"
                          "  Certain only if no earlier finding of toy is real\n"
                          "SUMMARY: Foreweave: data race 3\n"
                          "==================\n"
                          "toy: 3 findings, complete (32 letters, 0 locks)\n"
                          "Next: foreweave trace show --range=0-1 a.std\n"
                          "foreweave: 3 findings in 9 events of 2 threads\n");
    close_session(&session);
}

static void without_sites_the_variables_are_named(void **state)
{
    struct session session;

    (void)state;
    open_session(&session, "T1|w(x)\nT2|r(x)\n", &fw_analysis_toy, false);
    expect_text(&session, "==================\n"
                          "WARNING: Foreweave: data race (predicted by toy) id e2f995\n"
                          "  Write to 'x' by thread T1 (locks held: none; event 0)\n"
                          "  Read of 'x' by thread T2 (locks held: none; event 1)\n"
                          "  Location is variable 'x'\n"
                          "  Certain: it is the first finding of toy\n"
                          "SUMMARY: Foreweave: data race on x\n"
                          "==================\n"
                          "toy: 1 finding, complete (6 letters, 0 locks)\n"
                          "Next: foreweave trace show --range=0-1 a.std\n"
                          "foreweave: 1 finding in 2 events of 2 threads\n");
    close_session(&session);
}

static void labels_details_and_what_is_not_complete_are_told(void **state)
{
    struct session session;

    (void)state;
    open_session(&session, "T1|w(x)|1\nT2|w(x)|2\n", &fw_analysis_toy_triples, false);
    expect_text(&session,
                "==================\n"
                "WARNING: Foreweave: atomicity violation, by-write (observed by toy-triples) id"
                " 555a77\n"
                "  Write at 1 by thread T1 (locks held: none; event 0)\n"
                "  Write at 2 by thread T2 (locks held: none; event 1)\n"
                "  Write at 1 by thread T1 (locks held: none; event 0)\n"
                "  Location is variable 'x'\n"
                "  first line\n"
                "  event 1\n"
                "  Certain: the trace itself shows it\n"
                "SUMMARY: Foreweave: atomicity violation, by-write 1\n"
                "==================\n"
                "toy-triples: 1 finding, not complete: it is a toy (8 letters, 0 locks)\n"
                "Next: foreweave trace show --range=0-1 a.std\n"
                "foreweave: 1 finding in 2 events of 2 threads\n");
    expect_json(&session,
                "{\"schema\":1,\"trace\":{\"name\":\"a.std\",\"format\":\"std\",\"events\":2,\""
                "threads\":2,\"branches\":false,\"ignored\":0,\"reentrant\":0,\"dropped\":0,\"c"
                "ut\":false},\"findings\":[{\"id\":\"555a77\",\"analysis\":\"toy-triples\",\"ki"
                "nd\":\"atomicity\",\"label\":\"by-write\",\"guarantee\":\"sound\",\"first\""
                ":true,\"status\":\"observed\",\"count\":1,\"variables\":[\"x\"],\"events\":[{"
                "\"index\":0,\"thread\":\"T1\",\"op\":\"w\",\"target\":\"x\",\"site\":\"1\"},{"
                "\"index\":1,\"thread\":\"T2\",\"op\":\"w\",\"target\":\"x\",\"site\":\"2\"},{"
                "\"index\":0,\"thread\":\"T1\",\"op\":\"w\",\"target\":\"x\",\"site\":\"1\"}],"
                "\"detail\":\"first line\\u000aevent 1\"}],\"analyses\":[{\"name\":\"toy-triple"
                "s\",\"findings\":1,\"complete\":false,\"why\":\"it is a toy\",\"note\":\"8 let"
                "ters, 0 locks\"}]}\n");
    close_session(&session);
}

static void events_on_locks_are_told_with_their_locks(void **state)
{
    struct session session;

    (void)state;
    open_session(&session, "T1|acq(l)|1\nT2|tryfail(l)|2\nT1|rel(l)|3\n", &fw_analysis_toy_locks,
                 false);
    expect_text(&session,
                "==================\n"
                "WARNING: Foreweave: deadlock (predicted by toy-locks) id fe636f\n"
                "  Acquire of 'l' at 1 by thread T1 (locks held: none; event 0)\n"
                "  Failed try to acquire 'l' at 2 by thread T2 (locks held: none; event 1)\n"
                "  Not proven: toy-locks can raise false alarms\n"
                "SUMMARY: Foreweave: deadlock 1\n"
                "==================\n"
                "==================\n"
                "WARNING: Foreweave: deadlock (predicted by toy-locks) id 509230\n"
                "  Failed try to acquire 'l' at 2 by thread T2 (locks held: none; event 1)\n"
                "  Release of 'l' at 3 by thread T1 (locks held: l; event 2)\n"
                "  Not proven: toy-locks can raise false alarms\n"
                "SUMMARY: Foreweave: deadlock 2\n"
                "==================\n"
                "toy-locks: 2 findings, complete (0 letters, 0 locks)\n"
                "Next: foreweave trace show --range=0-1 a.std\n"
                "foreweave: 2 findings in 3 events of 2 threads\n");
    close_session(&session);
}

static void nothing_found_still_has_a_last_line(void **state)
{
    struct session session;

    (void)state;
    open_session(&session, "T1|w(x)|1\nT2|r(y)|2\n", &fw_analysis_toy, false);
    expect_text(&session, "toy: 0 findings, complete (8 letters, 0 locks)\n"
                          "foreweave: 0 findings in 2 events of 2 threads\n");
    close_session(&session);
}

static void the_next_command_can_be_typed(void **state)
{
    char text[2048] = "T1|rel(l)|0\nT1|w(x)|1\n";
    struct session session;
    struct fw_output out;

    (void)state;
    for (int i = 0; i < 60; i++)
        strcat(text, "T1|r(y)|2\n");
    strcat(text, "T2|w(x)|3\n");
    open_session(&session, text, &fw_analysis_toy, true);
    session.report.path = "it's mine.std";
    fw_output_open_memory(&out);
    fw_report_text(&session.report, false, &out);
    fw_output_bytes(&out, "", 1);
    assert_non_null(strstr(out.buffer, "The trace is ill-formed: 1 event dropped"));
    assert_non_null(strstr(out.buffer, "\nNext: foreweave trace show --repair --events=1,62 "
                                       "'it'\\''s mine.std'\n"));
    fw_output_abandon(&out);
    close_session(&session);
}

static void names_cannot_disturb_a_terminal(void **state)
{
    struct session session;
    struct fw_output out;

    (void)state;
    open_session(&session, "T1|w(x\033[2J)|\033]a\nT2|w(x\033[2J)|\033]b\n", &fw_analysis_toy,
                 false);
    fw_output_open_memory(&out);
    fw_report_text(&session.report, false, &out);
    assert_null(memchr(out.buffer, '\033', out.used));
    out.used = 0;
    fw_report_text(&session.report, true, &out);
    assert_non_null(memmem(out.buffer, out.used, "\033[1;31mWARNING: Foreweave: \033[0m", 31));
    fw_output_abandon(&out);
    close_session(&session);
}

static void progress_says_how_much_is_left(void **state)
{
    struct fw_progress progress;
    char text[128];

    (void)state;
    fw_progress_init(&progress, -1, 1000, 10.0);
    assert_false(progress.wanted); /* no terminal */
    fw_progress_update(&progress, 20.0, 1, 1);
    fw_progress_text(&progress, 14.0, 50000000, 250, text, sizeof text);
    assert_string_equal(text, "50.0 M events, 12.5 M/s, 25%, 12 s left");
    progress.total = 0;
    fw_progress_text(&progress, 14.0, 800, 250, text, sizeof text);
    assert_string_equal(text, "800 events, 200/s");
    fw_progress_text(&progress, 10.0, 1234, 250, text, sizeof text);
    assert_string_equal(text, "1.2 k events, 0/s");
}

/* A terminal that is a file: after a second, not too often, and gone at the end. */
static void progress_is_shown_late_and_erased(void **state)
{
    struct fw_progress progress;
    FILE *screen = tmpfile();
    char text[256];
    size_t len;

    (void)state;
    fw_progress_init(&progress, fileno(screen), 0, 10.0);
    progress.wanted = true;
    fw_progress_update(&progress, 10.9, 500, 0);
    assert_int_equal(progress.len, 0);
    fw_progress_update(&progress, 11.01, 1000, 0);
    fw_progress_update(&progress, 11.1, 1100, 0);
    fw_progress_update(&progress, 11.25, 900, 0);
    fw_progress_clear(&progress);
    fw_progress_clear(&progress);
    rewind(screen);
    len = fread(text, 1, sizeof text - 1, screen);
    text[len] = '\0';
    assert_string_equal(text, "\r1.0 k events, 990/s\r900 events, 720/s  \r                 \r");
    fclose(screen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_race_is_told_with_its_places_locks_and_stacks),
        cmocka_unit_test(merged_findings_say_how_often_and_where_else),
        cmocka_unit_test(without_sites_the_variables_are_named),
        cmocka_unit_test(labels_details_and_what_is_not_complete_are_told),
        cmocka_unit_test(events_on_locks_are_told_with_their_locks),
        cmocka_unit_test(nothing_found_still_has_a_last_line),
        cmocka_unit_test(the_next_command_can_be_typed),
        cmocka_unit_test(names_cannot_disturb_a_terminal),
        cmocka_unit_test(progress_says_how_much_is_left),
        cmocka_unit_test(progress_is_shown_late_and_erased),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
