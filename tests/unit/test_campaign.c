/*
 * test_campaign.c - what campaigns are made of, without programs: journals, knowledge, messages.
 */
#include "explore/collect.h"
#include "explore/failure.h"
#include "explore/journal.h"
#include "explore/knowledge.h"
#include "explore/named_points.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- messages -------------------------------------------------------------------------------- */

static void assert_blurred(const char *text, const char *wanted)
{
    char *copy = fw_xstrdup(text);

    fw_failure_blur(copy);
    assert_string_equal(copy, wanted);
    free(copy);
}

static void test_numbers_that_differ_from_run_to_run_are_blurred(void **unused)
{
    (void)unused;
    assert_blurred("lost 2 of 40", "lost # of #");
    assert_blurred("at 0x7ffe12ab", "at #");
    assert_blurred("p: a.c:12: main: Assertion `x1 == 2' failed.",
                   "p: a.c:12: main: Assertion `x1 == #' failed.");
    assert_blurred("", "");
}

static void assert_last_line(const char *output, const char *wanted)
{
    char *line = fw_failure_last_line(output, strlen(output));

    assert_string_equal(line, wanted);
    free(line);
}

static void test_the_last_line_that_says_something_is_the_message(void **unused)
{
    (void)unused;
    assert_last_line("one\ntwo\n\n  \n", "two");
    assert_last_line("one", "one");
    assert_last_line("", "");
    assert_last_line("a\tb\x01"
                     "c\n",
                     "a b c"); /* what is no text is blank */
}

static void test_files_are_named_after_the_failure(void **unused)
{
    char *one = fw_collector_path("d", "exit 1: lost #"),
         *two = fw_collector_path("d", "exit 1: x");
    char *three = fw_collector_path("d", "signal 6 (Aborted)");

    (void)unused;
    assert_memory_equal(one, "d/exit-1-", 9);
    assert_string_not_equal(one, two);
    assert_memory_equal(three, "d/signal-6-", 11);
    free(one);
    free(two);
    free(three);
}

static void test_places_are_named_by_function_or_line(void **unused)
{
    struct fw_source_frame frame = { .function = "deposit", .at = { "src/bank.c", 12 } };
    struct fw_source_frame bare = { 0 };

    (void)unused;
    assert_true(fw_named_points_fits("deposit", &frame));
    assert_true(fw_named_points_fits("bank.c:12", &frame));
    assert_true(fw_named_points_fits("src/bank.c:12", &frame));
    assert_false(fw_named_points_fits("bank.c:13", &frame));
    assert_false(fw_named_points_fits("ank.c:12", &frame));
    assert_false(fw_named_points_fits("depos", &frame));
    assert_false(fw_named_points_fits(":12", &frame));
    assert_false(fw_named_points_fits("deposit", &bare));
}

/* --- knowledge ------------------------------------------------------------------------------- */

static void add_place(struct fw_trial *trial, const char *module, uint64_t offset)
{
    struct fw_spot place = { fw_xstrdup(module), fw_xstrdup("write"), offset };

    fw_vec_push(&trial->found, place);
}

static struct fw_trial make_trial(uint64_t number, uint64_t points, const char *failure)
{
    return (struct fw_trial) { .number = number,
                               .done = true,
                               .result = { .end = FW_RUN_EXITED, .code = failure ? 1 : 0 },
                               .points = points,
                               .threads = 3,
                               .failure = failure ? fw_xstrdup(failure) : NULL,
                               .message = failure ? fw_xstrdup("it failed") : NULL };
}

static bool learn(struct fw_knowledge *knowledge, struct fw_trial trial)
{
    bool fresh = fw_knowledge_add(knowledge, &trial, trial.number * 10);

    fw_trial_release(&trial);
    return fresh;
}

static void test_only_what_was_not_known_is_new(void **unused)
{
    struct fw_knowledge knowledge;
    struct fw_trial one = make_trial(1, 7, NULL), two = make_trial(2, 9, NULL);

    (void)unused;
    fw_knowledge_init(&knowledge);
    add_place(&one, "a.out", 16);
    add_place(&two, "a.out", 16);
    fw_vec_push(&one.pairs, 5);
    fw_vec_push(&two.pairs, 5);
    assert_true(learn(&knowledge, one));
    assert_false(learn(&knowledge, two));
    assert_true(learn(&knowledge, make_trial(3, 4, "exit 1: x")));
    assert_false(learn(&knowledge, make_trial(4, 4, "exit 1: x")));
    assert_true(learn(&knowledge, make_trial(5, 4, "exit 1: y")));
    assert_int_equal(knowledge.state.runs, 5);
    assert_int_equal(knowledge.state.failing, 3);
    assert_int_equal(knowledge.state.length, 9);
    assert_int_equal(knowledge.state.shared, 1);
    assert_int_equal(knowledge.state.pairs, 1);
    assert_int_equal(knowledge.state.failures.len, 2);
    assert_int_equal(knowledge.state.failures.at[0].first, 3);
    assert_int_equal(knowledge.state.failures.at[0].count, 2);
    assert_int_equal(knowledge.state.failures.at[0].seed, 30);
    fw_knowledge_release(&knowledge);
}

static void test_budgets_are_exact(void **unused)
{
    struct fw_campaign_setup runs = { .runs = 3 }, idle = { .idle = 2 },
                             first = { .until_first = true };
    struct fw_knowledge knowledge;

    (void)unused;
    fw_knowledge_init(&knowledge);
    learn(&knowledge, make_trial(1, 4, NULL));
    assert_false(fw_knowledge_ends(&knowledge, &idle));
    learn(&knowledge, make_trial(2, 4, NULL));
    assert_true(fw_knowledge_ends(&knowledge, &idle));
    assert_int_equal(knowledge.state.end, FW_CAMPAIGN_IDLE);
    assert_false(fw_knowledge_ends(&knowledge, &runs));
    assert_false(fw_knowledge_ends(&knowledge, &first));
    learn(&knowledge, make_trial(3, 4, "exit 1"));
    assert_false(fw_knowledge_ends(&knowledge, &idle));
    assert_true(fw_knowledge_ends(&knowledge, &runs));
    assert_int_equal(knowledge.state.end, FW_CAMPAIGN_RUNS);
    assert_true(fw_knowledge_ends(&knowledge, &first));
    assert_int_equal(knowledge.state.end, FW_CAMPAIGN_FIRST);
    fw_knowledge_release(&knowledge);
}

/* --- journals -------------------------------------------------------------------------------- */

static char path[] = "/tmp/foreweave-journal-XXXXXX";

static int make_file(void **unused)
{
    int fd;

    (void)unused;
    strcpy(path + sizeof path - 7, "XXXXXX");
    fd = mkstemp(path);
    return fd < 0 || close(fd);
}

static int remove_file(void **unused)
{
    (void)unused;
    return unlink(path);
}

static void release(struct fw_trial_vec *trials)
{
    for (size_t i = 0; i < trials->len; i++)
        fw_trial_release(&trials->at[i]);
    fw_vec_release(trials);
}

static void append(int fd, struct fw_trial trial)
{
    struct fw_error err;

    assert_int_equal(fw_journal_append(fd, &trial, &err), 0);
    fw_trial_release(&trial);
}

static void write_two(void)
{
    struct fw_trial_vec none = { 0 };
    struct fw_error err;
    struct fw_trial one = make_trial(1, 7, NULL), two = make_trial(2, 8, "exit 1: it # failed");
    int fd = fw_journal_open(path, "this", &none, &err);

    assert_true(fd >= 0);
    assert_int_equal(none.len, 0);
    add_place(&one, "/a path/a.out", 0xabc);
    fw_vec_push(&one.pairs, UINT64_MAX);
    append(fd, one);
    two.redundant = true;
    two.decisions = fw_xstrdup("some decisions, some decisions");
    two.decision_bytes = 30;
    append(fd, two);
    close(fd);
}

static void test_a_journal_tells_what_was_written(void **unused)
{
    struct fw_trial_vec known = { 0 };
    struct fw_error err;
    int fd;

    (void)unused;
    write_two();
    fd = fw_journal_open(path, "this", &known, &err);
    assert_true(fd >= 0);
    assert_int_equal(known.len, 2);
    assert_int_equal(known.at[0].number, 1);
    assert_int_equal(known.at[0].points, 7);
    assert_null(known.at[0].failure);
    assert_int_equal(known.at[0].found.len, 1);
    assert_string_equal(known.at[0].found.at[0].module, "/a path/a.out");
    assert_string_equal(known.at[0].found.at[0].operation, "write");
    assert_int_equal(known.at[0].found.at[0].offset, 0xabc);
    assert_true(known.at[0].pairs.len == 1 && known.at[0].pairs.at[0] == UINT64_MAX);
    assert_string_equal(known.at[1].failure, "exit 1: it # failed");
    assert_string_equal(known.at[1].message, "it failed");
    assert_int_equal(known.at[1].result.code, 1);
    assert_true(known.at[1].redundant && !known.at[0].redundant && !known.at[1].diverged);
    assert_int_equal(known.at[1].decision_bytes, 30);
    assert_true(!known.at[1].decisions && fw_journal_unpack(&known.at[1]));
    assert_memory_equal(known.at[1].decisions, "some decisions, some decisions", 30);
    assert_true(fw_journal_unpack(&known.at[0]));
    assert_null(known.at[0].decisions);
    close(fd);
    release(&known);
}

/* Wherever it was cut, what is whole is kept, and it can be written on. */
static void test_a_journal_may_be_cut_anywhere(void **unused)
{
    struct stat st;

    (void)unused;
    write_two();
    assert_int_equal(stat(path, &st), 0);
    for (off_t bytes = st.st_size - 1; bytes >= 0; bytes--) {
        struct fw_trial_vec known = { 0 }, again = { 0 };
        struct fw_error err;
        size_t count;
        int fd;

        assert_int_equal(truncate(path, bytes), 0);
        fd = fw_journal_open(path, "this", &known, &err);
        assert_true(fd >= 0);
        count = known.len;
        assert_true(count <= 1);
        append(fd, make_trial(9, 1, NULL));
        close(fd);
        fd = fw_journal_open(path, "this", &again, &err);
        assert_true(fd >= 0);
        assert_int_equal(again.len, count + 1);
        assert_int_equal(again.at[count].number, 9);
        close(fd);
        release(&known);
        release(&again);
        unlink(path);
        write_two();
    }
}

static void test_other_files_are_refused(void **unused)
{
    static const char *const texts[] = {
        "something else\n",
        "foreweave explore 1\nabout that\n",
        "foreweave explore 1\nabout this\nrun x\n",
        "foreweave explore 1\nabout this\nrun 1 2 3 99 0 0\n",
        "foreweave explore 1\nabout this\nsite 1 zz\n",
        "foreweave explore 1\nabout this\ndecisions 1 16 28b5\n",
        "foreweave explore 1\nabout this\ndecisions 1 99999999999 28\n",
    };

    (void)unused;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct fw_trial_vec known = { 0 };
        struct fw_error err = { "" };
        int fd = open(path, O_WRONLY | O_TRUNC);

        assert_int_equal(write(fd, texts[i], strlen(texts[i])), strlen(texts[i]));
        close(fd);
        assert_int_equal(fw_journal_open(path, "this", &known, &err), -1);
        assert_true(err.message[0]);
        release(&known);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers_that_differ_from_run_to_run_are_blurred),
        cmocka_unit_test(test_the_last_line_that_says_something_is_the_message),
        cmocka_unit_test(test_files_are_named_after_the_failure),
        cmocka_unit_test(test_places_are_named_by_function_or_line),
        cmocka_unit_test(test_only_what_was_not_known_is_new),
        cmocka_unit_test(test_budgets_are_exact),
        cmocka_unit_test_setup_teardown(test_a_journal_tells_what_was_written, make_file,
                                        remove_file),
        cmocka_unit_test_setup_teardown(test_a_journal_may_be_cut_anywhere, make_file, remove_file),
        cmocka_unit_test_setup_teardown(test_other_files_are_refused, make_file, remove_file),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
