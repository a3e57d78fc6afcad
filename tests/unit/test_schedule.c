/*
 * test_schedule.c - schedules as text: what is read, what is refused and where, and that what was
 * written reads the same.
 */
#include "base/output.h"
#include "explore/schedule.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const char whole[] =
    "foreweave schedule 1\n"
    "program \"./lost\" \"3\" \"a \\\"b\\\\\\n\"\n"
    "build 5f0c1d\n"
    "time virtual\n"
    "timeouts 0.5\n"
    "setup \"rm -f sock\"\n"
    "drive \"client sock\"\n"
    "teardown \"kill $FOREWEAVE_PID\"\n"
    "judge \"grep -q ok\"\n"
    "shows exit 1\n"
    "0 until it waits\n"
    "0.1 before write in deposit \"balance = old + amount;\" +3 #2 goal 1\n"
    "0.2 before pthread_mutex_lock in \"operator bool\" -1 #1\n"
    "0.1.3 before start #1\n"
    "0.2 one point further\n"
    "0.1 until it ends\n"
    "0.2 times out at pthread_cond_timedwait in waits \"wait();\" +3 #2 after 0.05 s\n"
    "0.1 times out goal 2\n";

static char *print(const struct fw_script *script)
{
    struct fw_output out;
    char *text;

    fw_output_open_memory(&out);
    fw_script_print(script, &out);
    text = strndup(out.buffer, out.used);
    fw_output_abandon(&out);
    return text;
}

static void read_text(struct fw_script *script, const char *text)
{
    struct fw_error err = { "" };

    if (fw_script_read_memory(script, text, strlen(text), "t", &err) < 0)
        fail_msg("refused: %s", err.message);
}

static void what_is_written_reads_the_same(void **state)
{
    struct fw_script script;
    char *text;

    (void)state;
    read_text(&script, whole);
    text = print(&script);
    assert_string_equal(text, whole);
    free(text);
    fw_script_release(&script);
}

static void steps_are_what_they_say(void **state)
{
    struct fw_script script;
    char path[FW_PATH_TEXT];
    const struct fw_script_step *step;

    (void)state;
    read_text(&script, whole);
    assert_int_equal(script.program.len, 3);
    assert_string_equal(script.program.at[2], "a \"b\\\n");
    assert_string_equal(script.shows, "exit 1");
    assert_int_equal(script.steps.len, 8);
    step = &script.steps.at[1];
    assert_int_equal(step->end, FW_UNTIL_BEFORE);
    assert_string_equal(step->anchor.operation, "write");
    assert_string_equal(step->anchor.function, "deposit");
    assert_string_equal(step->anchor.text, "balance = old + amount;");
    assert_true(step->anchor.has_line);
    assert_int_equal(step->anchor.line, 3);
    assert_int_equal(step->ordinal, 2);
    assert_int_equal(step->goal, 0);
    assert_int_equal(step->file_line, 12);
    assert_int_equal(script.steps.at[0].goal, FW_NO_GOAL);
    assert_string_equal(script.steps.at[2].anchor.function, "operator bool");
    assert_null(script.steps.at[2].anchor.text);
    assert_int_equal(script.steps.at[2].anchor.line, -1);
    assert_string_equal(fw_script_path_text(&script, script.steps.at[3].path, path), "0.1.3");
    assert_int_equal(script.steps.at[1].path, script.steps.at[5].path);
    assert_int_equal(script.steps.at[4].end, FW_UNTIL_NEXT);
    assert_int_equal(script.steps.at[5].end, FW_UNTIL_ENDS);
    assert_int_equal(script.timeouts, 500000000);
    assert_int_equal(script.steps.at[6].end, FW_UNTIL_EXPIRES);
    assert_string_equal(script.steps.at[6].anchor.function, "waits");
    assert_int_equal(script.steps.at[6].ordinal, 2);
    assert_int_equal(script.steps.at[6].limit, 50000000);
    assert_int_equal(script.steps.at[7].end, FW_UNTIL_EXPIRES);
    assert_null(script.steps.at[7].anchor.operation);
    assert_int_equal(script.steps.at[7].goal, 1);
    fw_script_release(&script);
}

static void ends_may_have_details(void **state)
{
    static const char *const texts[] = { "signal 11 (Segmentation fault)", "exit 0",
                                         "stuck: all threads wait", "deadlock (a \"b\" #1)",
                                         "hang:  x  y ", "stuck (tab\there)",
                                         "deadlock: two\nlines", "race", "nondeterminism" };

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct fw_script script, again;
        char *text;

        fw_script_init(&script);
        fw_script_set_shows(&script, texts[i]);
        text = print(&script);
        read_text(&again, text);
        assert_string_equal(again.shows, texts[i]);
        free(text);
        fw_script_release(&again);
        fw_script_release(&script);
    }
}

static void comments_blanks_and_crlf_are_accepted(void **state)
{
    struct fw_script script;

    (void)state;
    read_text(&script, "\r\n# made by hand\r\n\tforeweave  schedule 1 # version\r\n\r\n"
                       "  0.1   before read in f \"a # b\" #12 # twelve\r\n0 until it ends");
    assert_int_equal(script.steps.len, 2);
    assert_string_equal(script.steps.at[0].anchor.text, "a # b");
    assert_int_equal(script.steps.at[0].ordinal, 12);
    assert_int_equal(script.steps.at[0].file_line, 5);
    fw_script_release(&script);
}

static void what_is_wrong_is_named_with_its_line(void **state)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        { "", "t: not a schedule: it is empty" },
        { "# only a comment\n", "t: not a schedule: it is empty" },
        { "foreweave schedule 1\nprogram \"a\"\n",
          "t: the schedule has no steps and shows nothing" },
        { "hello\n", "t:1: not a schedule" },
        { "foreweave schedule 2\n", "t:1: a schedule of an unknown version: '2'" },
        { "foreweave schedule 1 x\n", "t:1: unexpected 'x'" },
        { "foreweave schedule 1\nfoo\n", "t:2: not known in a schedule: 'foo'" },
        { "foreweave schedule 1\n1 until it ends\n", "t:2: a thread's path begins with 0" },
        { "foreweave schedule 1\n0.0 until it ends\n", "t:2: not a thread's path: '0.0'" },
        { "foreweave schedule 1\n0.x until it ends\n", "t:2: not a thread's path: '0.x'" },
        { "foreweave schedule 1\n0.1. until it ends\n", "t:2: not a thread's path: '0.1.'" },
        { "foreweave schedule 1\n0\n", "t:2: a step ends" },
        { "foreweave schedule 1\n0 until it sleeps\n", "t:2: a step ends" },
        { "foreweave schedule 1\n0 until it ends now\n", "t:2: unexpected 'now'" },
        { "foreweave schedule 1\n0 times\n", "t:2: 'times' goes on with 'out'" },
        { "foreweave schedule 1\n0 times out at\n", "t:2: 'at' needs an operation" },
        { "foreweave schedule 1\n0 times out after 1\n",
          "t:2: 'after' needs seconds, as '0.5 s'" },
        { "foreweave schedule 1\ntimeouts -1\n", "t:2: not a number of seconds" },
        { "foreweave schedule 1\n0 before\n", "t:2: 'before' needs an operation" },
        { "foreweave schedule 1\n0 before read in\n", "t:2: 'in' needs a function" },
        { "foreweave schedule 1\n0 before read in f\n", "t:2: which one is missing" },
        { "foreweave schedule 1\n0 before read #0\n", "t:2: which one is counted from #1 on" },
        { "foreweave schedule 1\n0 before read #-1\n", "t:2: which one is counted from #1 on" },
        { "foreweave schedule 1\n0 before read #99999999999999999999\n",
          "t:2: which one is counted from #1 on, this is '#99999999999999999999'" },
        { "foreweave schedule 1\n0 before read +x #1\n", "t:2: not a number of lines: '+x'" },
        { "foreweave schedule 1\n0 before read \"x #1\n", "t:2: a quoted text without an end" },
        { "foreweave schedule 1\n0 before read \"\\q\" #1\n", "t:2: an unknown letter" },
        { "foreweave schedule 1\n0 before read #1 goal 17\n", "t:2: 'goal' needs a number" },
        { "foreweave schedule 1\nprogram\n", "t:2: 'program' needs" },
        { "foreweave schedule 1\nprogram a\nprogram b\n", "t:3: 'program' needs" },
        { "foreweave schedule 1\nbuild xyz\n", "t:2: 'build' needs" },
        { "foreweave schedule 1\njudge x\n", "t:2: 'judge' needs" },
        { "foreweave schedule 1\ndrive\n", "t:2: 'drive' needs" },
        { "foreweave schedule 1\ntime flies\n", "t:2: 'time' may be 'virtual'" },
        { "foreweave schedule 1\nshows\n", "t:2: 'shows' needs" },
        { "foreweave schedule 1\nshows deadlok\n", "t:2: 'shows' may be" },
        { "foreweave schedule 1\nshows deadlocks\n", "t:2: 'shows' may be" },
        { "foreweave schedule 1\nshows exit\n", "t:2: 'shows' may be" },
        { "foreweave schedule 1\nshows exit 300\n", "t:2: 'shows' may be" },
        { "foreweave schedule 1\nshows exit 1 or 2\n", "t:2: 'shows' may be" },
        { "foreweave schedule 1\nshows signal 0\n", "t:2: 'shows' may be" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fw_script script;
        struct fw_error err = { "" };

        assert_int_equal(fw_script_read_memory(&script, cases[i].text, strlen(cases[i].text), "t",
                                               &err),
                         -1);
        if (strncmp(err.message, cases[i].says, strlen(cases[i].says)) != 0)
            fail_msg("'%s' is refused with '%s'", cases[i].text, err.message);
    }
}

static void zero_bytes_and_missing_files_are_refused(void **state)
{
    static const char text[] = "foreweave schedule 1\n0 until\0it ends\n";
    struct fw_script script;
    struct fw_error err = { "" };

    (void)state;
    assert_int_equal(fw_script_read_memory(&script, text, sizeof text - 1, "t", &err), -1);
    assert_non_null(strstr(err.message, "t:2: a zero byte"));
    assert_int_equal(fw_script_read(&script, "/nowhere/x.sched", &err), -1);
    assert_non_null(strstr(err.message, "/nowhere/x.sched"));
}

static void paths_are_made_once(void **state)
{
    struct fw_script script;
    uint32_t first, again;

    (void)state;
    fw_script_init(&script);
    first = fw_script_path(&script, 0, 2);
    again = fw_script_path(&script, 0, 2);
    assert_int_equal(first, again);
    assert_int_not_equal(first, fw_script_path(&script, first, 2));
    fw_script_release(&script);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_reads_the_same),
        cmocka_unit_test(steps_are_what_they_say),
        cmocka_unit_test(ends_may_have_details),
        cmocka_unit_test(comments_blanks_and_crlf_are_accepted),
        cmocka_unit_test(what_is_wrong_is_named_with_its_line),
        cmocka_unit_test(zero_bytes_and_missing_files_are_refused),
        cmocka_unit_test(paths_are_made_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
