/* test_options.c - options and suggestions: what is accepted, what is refused, who wins. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/options.h"
#include "base/suggest.h"

#include <stdlib.h>
#include <string.h>

struct values {
    bool plain, quiet;
    const char *output;
    uint64_t limit, memory;
    int format;
    struct fw_words names, kinds;
};

static const char *const formats[] = { "text", "json", NULL };
static const char *const kinds[] = { "read", "write", "lock", NULL };

static const struct fw_option table[] = {
    { "plain", 'p', NULL, "", FW_OPTION(FLAG, struct values, plain) },
    { "quiet", 'q', NULL, "", FW_OPTION(FLAG, struct values, quiet) },
    { "output", 'o', "FILE", "", FW_OPTION(FILE, struct values, output) },
    { "limit", 'n', "N", "", FW_OPTION(COUNT, struct values, limit) },
    { "memory", 0, "SIZE", "", FW_OPTION(SIZE, struct values, memory) },
    { "format", 0, "FORMAT", "", FW_OPTION(CHOICE, struct values, format), .choices = formats },
    { "name", 0, "NAME,...", "", FW_OPTION(LIST, struct values, names) },
    { "kind", 'k', "KIND,...", "", FW_OPTION(LIST, struct values, kinds), .choices = kinds },
    { 0 },
};

#define MOST 12

/* One command line, parsed; release with end(). */
struct line {
    struct values values;
    struct fw_parsed parsed;
    struct fw_error err;
    int result;
};

static void end(struct line *line)
{
    fw_options_release(table, &line->values, &line->parsed);
}

/* Arguments up to a NULL. */
static void parse(struct line *line, unsigned flags, ...)
{
    static char *argv[MOST + 1];
    va_list args;
    int argc = 0;

    memset(line, 0, sizeof *line);
    va_start(args, flags);
    while ((argv[argc] = va_arg(args, char *)))
        assert_true(++argc < MOST);
    va_end(args);
    line->result =
        fw_options_parse(table, &line->values, argc, argv, flags, &line->parsed, &line->err);
}

static char unknown_keys[256];

static void note_unknown(const char *key)
{
    strcat(unknown_keys, key);
    strcat(unknown_keys, ";");
}

static int environment(struct line *line, const char *text)
{
    unknown_keys[0] = '\0';
    return fw_options_environment(table, &line->values, text, note_unknown, &line->parsed,
                                  &line->err);
}

static void values_may_follow_or_be_attached(void **state)
{
    struct line line;

    (void)state;
    parse(&line, 0, "--limit=3", "--output", "a", "x", NULL);
    assert_int_equal(line.result, 0);
    assert_int_equal(line.values.limit, 3);
    assert_string_equal(line.values.output, "a");
    assert_int_equal(line.parsed.count, 1);
    assert_string_equal(line.parsed.operands[0], "x");
    assert_null(line.parsed.operands[1]);
    end(&line);
    parse(&line, 0, "-n7", "-o", "-", NULL);
    assert_int_equal(line.values.limit, 7);
    assert_string_equal(line.values.output, "-");
    end(&line);
}

static void letters_combine(void **state)
{
    struct line line;

    (void)state;
    parse(&line, 0, "-pqofile", "x", NULL);
    assert_int_equal(line.result, 0);
    assert_true(line.values.plain && line.values.quiet);
    assert_string_equal(line.values.output, "file");
    end(&line);
    parse(&line, 0, "-pqo", "file", "x", NULL);
    assert_string_equal(line.values.output, "file");
    assert_int_equal(line.parsed.count, 1);
    end(&line);
}

static void options_and_operands_mix_until_two_dashes(void **state)
{
    struct line line;

    (void)state;
    parse(&line, 0, "a", "-p", "-", "--", "-q", "--limit", NULL);
    assert_int_equal(line.result, 0);
    assert_true(line.values.plain);
    assert_false(line.values.quiet);
    assert_int_equal(line.parsed.count, 4);
    assert_string_equal(line.parsed.operands[1], "-");
    assert_string_equal(line.parsed.operands[2], "-q");
    assert_true(line.parsed.ended);
    assert_int_equal(line.parsed.dashes, 2);
    end(&line);
}

static void options_end_at_the_operand_where_asked(void **state)
{
    struct line line;

    (void)state;
    parse(&line, FW_PARSE_STOP_AT_OPERAND, "-p", "prog", "-q", "--what", NULL);
    assert_int_equal(line.result, 0);
    assert_true(line.values.plain);
    assert_false(line.values.quiet);
    assert_int_equal(line.parsed.count, 3);
    end(&line);
}

static void the_last_of_repeated_options_wins(void **state)
{
    struct line line;

    (void)state;
    parse(&line, 0, "--limit=1", "--limit=2", "-p", "--no-plain", NULL);
    assert_int_equal(line.values.limit, 2);
    assert_false(line.values.plain);
    assert_true(fw_options_seen(table, &line.parsed, "plain"));
    assert_false(fw_options_seen(table, &line.parsed, "quiet"));
    end(&line);
}

static void lists_split_at_commas_and_grow(void **state)
{
    struct line line;

    (void)state;
    parse(&line, 0, "--name=a,b", "--name", "c", "-k", "read,lock", NULL);
    assert_int_equal(line.values.names.len, 3);
    assert_string_equal(line.values.names.at[2], "c");
    assert_int_equal(line.values.kinds.len, 2);
    end(&line);
}

static void help_stops_the_parser(void **state)
{
    struct line line;

    (void)state;
    parse(&line, 0, "x", "-ph", "--nonsense", NULL);
    assert_int_equal(line.result, 0);
    assert_int_equal(line.parsed.help, FW_HELP_SHORT);
    end(&line);
    parse(&line, 0, "--help", "--nonsense", NULL);
    assert_int_equal(line.parsed.help, FW_HELP_MANUAL);
    end(&line);
}

static void check_refused(const char *argument, const char *message)
{
    struct line line;

    parse(&line, 0, argument, NULL);
    assert_int_equal(line.result, -1);
    assert_string_equal(line.err.message, message);
    end(&line);
}

static void wrong_options_are_refused_with_a_reason(void **state)
{
    (void)state;
    check_refused("--limti=3", "unknown option '--limti': did you mean '--limit'?");
    check_refused("--lim=3", "unknown option '--lim': did you mean '--limit'?");
    check_refused("--zzz", "unknown option '--zzz'");
    check_refused("--no-limit", "unknown option '--no-limit': did you mean '--limit'?");
    check_refused("-x", "unknown option '-x'");
    check_refused("-px", "unknown option '-x'");
    check_refused("--plain=1", "option '--plain' takes no value");
    check_refused("--limit", "option '--limit' needs a value: --limit=N");
    check_refused("-n", "option '-n' needs a value: -n N");
    check_refused("--limit=many", "option '--limit' needs a number, not 'many'");
    check_refused("--limit=", "option '--limit' needs a number, not ''");
    check_refused("--limit=-1", "option '--limit' needs a number, not '-1'");
    check_refused("--limit=18446744073709551616",
                  "option '--limit' needs a number, not '18446744073709551616'");
    check_refused("--output=", "option '--output' needs a value, not an empty one");
    check_refused("--format=jsno", "option '--format' cannot be 'jsno': did you mean 'json'?");
    check_refused("--format=html", "option '--format' cannot be 'html': it is text or json");
    check_refused("--kind=read,xyzzy",
                  "option '--kind' cannot be 'xyzzy': it is read, write or lock");
    check_refused("--name=a,,b", "option '--name' has an empty word in 'a,,b'");
    check_refused("--memory=2X", "option '--memory' needs a size such as 512M or 2G, not '2X'");
}

static void check_size(const char *text, uint64_t expected)
{
    uint64_t value;

    assert_int_equal(fw_parse_size(text, &value), 0);
    assert_int_equal(value, expected);
}

static void sizes_have_units(void **state)
{
    uint64_t value;

    (void)state;
    check_size("0", 0);
    check_size("17", 17);
    check_size("2K", 2048);
    check_size("3m", 3u << 20);
    check_size("1G", 1u << 30);
    check_size("1GB", 1u << 30);
    check_size("1GiB", 1u << 30);
    check_size("16777215T", (uint64_t)16777215 << 40);
    assert_int_equal(fw_parse_size("16777216T", &value), -1);
    assert_int_equal(fw_parse_size("", &value), -1);
    assert_int_equal(fw_parse_size("K", &value), -1);
    assert_int_equal(fw_parse_size("1KK", &value), -1);
    assert_int_equal(fw_parse_size("1.5G", &value), -1);
}

static void the_command_line_wins_over_the_environment(void **state)
{
    struct line line;

    (void)state;
    parse(&line, 0, "--limit=3", "--no-plain", "--name=a", NULL);
    assert_int_equal(environment(&line, "limit=4:plain=1:name=b,c:format=json:quiet"), 0);
    assert_int_equal(line.values.limit, 3);
    assert_false(line.values.plain);
    assert_int_equal(line.values.names.len, 1);
    assert_int_equal(line.values.format, 1);
    assert_true(line.values.quiet);
    assert_string_equal(unknown_keys, "");
    end(&line);
}

static void the_environment_reports_unknown_keys(void **state)
{
    struct line line;

    (void)state;
    parse(&line, 0, NULL);
    assert_int_equal(environment(&line, "limti=4::plain=yes:other:=5:plain=no"), 0);
    assert_string_equal(unknown_keys, "limti;other;;");
    assert_false(line.values.plain);
    end(&line);
}

static void the_environment_quotes_colons(void **state)
{
    struct line line;

    (void)state;
    parse(&line, 0, NULL);
    assert_int_equal(environment(&line, "output=\"a:b\":limit=5:name='x:y',z"), 0);
    assert_string_equal(line.values.output, "a:b");
    assert_int_equal(line.values.limit, 5);
    assert_string_equal(line.values.names.at[0], "x:y");
    assert_string_equal(line.values.names.at[1], "z");
    assert_int_equal(environment(&line, "output=\"a:limit=6"), -1);
    assert_string_equal(line.err.message, "a quote does not end in 'output=\"a:limit=6'");
    end(&line);
}

static void the_environment_refuses_bad_values(void **state)
{
    struct line line;

    (void)state;
    parse(&line, 0, NULL);
    assert_int_equal(environment(&line, "plain=maybe"), -1);
    assert_string_equal(line.err.message, "option 'plain' is yes or no, not 'maybe'");
    assert_int_equal(environment(&line, "limit"), -1);
    assert_string_equal(line.err.message, "option 'limit' needs a value: limit=N");
    assert_int_equal(environment(&line, "limit=x"), -1);
    end(&line);
}

static void distance_counts_edits_and_swaps(void **state)
{
    (void)state;
    assert_int_equal(fw_edit_distance("", ""), 0);
    assert_int_equal(fw_edit_distance("check", "check"), 0);
    assert_int_equal(fw_edit_distance("chekc", "check"), 1);
    assert_int_equal(fw_edit_distance("cheek", "check"), 1);
    assert_int_equal(fw_edit_distance("", "abc"), 3);
    assert_int_equal(fw_edit_distance("kitten", "sitting"), 3);
}

static void only_close_words_are_suggested(void **state)
{
    struct fw_suggestion far = { .word = "xyz" }, near = { .word = "conver" };

    (void)state;
    fw_suggest(&far, "check");
    fw_suggest(&far, "trace");
    assert_null(far.best);
    fw_suggest(&near, "cover");
    fw_suggest(&near, "convert");
    assert_string_equal(near.best, "cover"); /* both are one edit away: the first stays */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_may_follow_or_be_attached),
        cmocka_unit_test(letters_combine),
        cmocka_unit_test(options_and_operands_mix_until_two_dashes),
        cmocka_unit_test(options_end_at_the_operand_where_asked),
        cmocka_unit_test(the_last_of_repeated_options_wins),
        cmocka_unit_test(lists_split_at_commas_and_grow),
        cmocka_unit_test(help_stops_the_parser),
        cmocka_unit_test(wrong_options_are_refused_with_a_reason),
        cmocka_unit_test(sizes_have_units),
        cmocka_unit_test(the_command_line_wins_over_the_environment),
        cmocka_unit_test(the_environment_reports_unknown_keys),
        cmocka_unit_test(the_environment_quotes_colons),
        cmocka_unit_test(the_environment_refuses_bad_values),
        cmocka_unit_test(distance_counts_edits_and_swaps),
        cmocka_unit_test(only_close_words_are_suggested),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
