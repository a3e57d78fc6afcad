/* test_result.c - a result file is read, or refused with one clear error; never anything else. */
#include "report/result_read.h"

#include "base/alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct fw_result *read_text(const char *text)
{
    struct fw_result *result;
    struct fw_error err;

    if (fw_result_read_memory(&result, text, strlen(text), "r.json", &err) < 0)
        fail_msg("%s", err.message);
    return result;
}

/* Exactly these bytes, so that a sanitizer sees a read behind them. */
static int try_bytes(const char *text, size_t size, struct fw_error *err)
{
    struct fw_result *result;
    char *copy = fw_xmalloc(size + 1);
    char *exact = size ? fw_xrealloc(copy, size, 1) : copy;
    int status;

    memcpy(exact, text, size);
    status = fw_result_read_memory(&result, exact, size, "r.json", err);
    free(exact);
    if (status == 0)
        fw_result_destroy(result);
    return status;
}

static void refused(const char *text, const char *message)
{
    struct fw_error err = { "" };

    if (try_bytes(text, strlen(text), &err) == 0)
        fail_msg("read, but: %s", message);
    if (!strstr(err.message, message))
        fail_msg("error is '%s', not '%s'", err.message, message);
    if (strncmp(err.message, "r.json", 6) != 0)
        fail_msg("error does not name the file: '%s'", err.message);
}

static const char two_findings[] =
    "{ \"schema\": 1, \"trace\": { \"events\": 9 },\n"
    "  \"findings\": [\n"
    "    { \"id\": \"3f2a9c\", \"kind\": \"race\", \"count\": 2, \"harmful\": false,\n"
    "      \"events\": [ { \"index\": 4, \"thread\": \"T1\", \"op\": \"w\", \"target\": \"x\" },\n"
    "                  { \"index\": 9, \"site\": \"a.c:3\" } ],\n"
    "      \"witness\": [ 0, 1, 7.0, 8, 4, 9e0 ] },\n"
    "    { \"kind\": \"atomicity\", \"events\": [ { \"index\": 2 } ],\n"
    "      \"saw\": { \"index\": 1, \"op\": \"w\" } } ],\n"
    "  \"analyses\": [] }\n";

static void findings_are_read(void **state)
{
    struct fw_result *result = read_text(two_findings);
    const struct fw_result_finding *race = &result->findings[0], *other = &result->findings[1];
    static const uint64_t witness[] = { 0, 1, 7, 8, 4, 9 };

    (void)state;
    assert_int_equal(result->count, 2);
    assert_string_equal(race->id, "3f2a9c");
    assert_string_equal(race->kind, "race");
    assert_true(race->has_witness);
    assert_int_equal(race->claim, FW_CLAIM_RACE);
    assert_int_equal(race->event_count, 2);
    assert_int_equal(race->events[0].index, 4);
    assert_string_equal(race->events[0].thread, "T1");
    assert_string_equal(race->events[0].op, "w");
    assert_string_equal(race->events[0].target, "x");
    assert_int_equal(race->events[1].index, 9);
    assert_null(race->events[1].thread);
    assert_int_equal(race->witness_count, 6);
    assert_memory_equal(race->witness, witness, sizeof witness);
    assert_string_equal(other->id, "#2"); /* it has none: its number */
    assert_string_equal(other->kind, "atomicity");
    assert_false(other->has_witness);
    assert_int_equal(other->saw->index, 1);
    assert_string_equal(other->saw->op, "w");
    assert_null(race->saw);
    fw_result_destroy(result);
}

static void every_kind_has_its_claim(void **state)
{
    static const struct {
        const char *kind;
        enum fw_claim claim;
    } rows[] = {
        { "race", FW_CLAIM_RACE },
        { "deadlock", FW_CLAIM_DEADLOCK },
        { "order", FW_CLAIM_ORDER },
        { "atomicity", FW_CLAIM_ATOMICITY },
        { "nondeterminism", FW_CLAIM_NONDETERMINISM },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[200];
        struct fw_result *result;

        snprintf(text, sizeof text,
                 "{\"findings\":[{\"kind\":\"%s\",\"events\":[],\"witness\":[]}]}", rows[i].kind);
        result = read_text(text);
        assert_int_equal(result->findings[0].claim, rows[i].claim);
        assert_true(result->findings[0].has_witness); /* an empty witness is one */
        fw_result_destroy(result);
    }
}

static void a_result_may_have_no_findings(void **state)
{
    struct fw_result *result = read_text("{\"schema\":1,\"findings\":[]}");

    (void)state;
    assert_int_equal(result->count, 0);
    fw_result_destroy(result);
}

static void a_result_says_whether_equal_values_count_as_unchanged(void **state)
{
    static const struct {
        const char *text;
        bool values;
    } rows[] = {
        { "{\"values\":true,\"findings\":[]}", true },
        { "{\"values\":false,\"findings\":[]}", false },
        { "{\"values\":null,\"findings\":[]}", false },
        { "{\"findings\":[]}", false },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct fw_result *result = read_text(rows[i].text);

        assert_int_equal(result->values, rows[i].values);
        fw_result_destroy(result);
    }
    refused("{\"values\":1,\"findings\":[]}", "r.json: 'values' is neither true nor false");
    refused("{\"values\":true,\"values\":false,\"findings\":[]}", "'values' is there twice");
}

static void a_result_says_which_trace_it_is_about(void **state)
{
    struct fw_result *result =
        read_text("{\"trace\":{\"name\":\"a.fwt\",\"dropped\":2},\"findings\":[]}");

    (void)state;
    assert_string_equal(result->trace, "a.fwt");
    assert_true(result->repaired);
    fw_result_destroy(result);
    result = read_text("{\"trace\":{\"events\":3,\"dropped\":0},\"findings\":[]}");
    assert_null(result->trace);
    assert_false(result->repaired);
    fw_result_destroy(result);
    refused("{\"trace\":\"a.fwt\",\"findings\":[]}", "r.json: 'trace' is not an object");
    refused("{\"trace\":{\"name\":1},\"findings\":[]}", "r.json: 'name' is not a text");
    refused("{\"trace\":{\"dropped\":-1},\"findings\":[]}", "'dropped' is not a number of events");
}

static void null_means_not_given(void **state)
{
    struct fw_result *result = read_text("{\"schema\":null,\"findings\":[{\"id\":null,"
                                         "\"kind\":\"race\",\"events\":null,\"witness\":null}]}");

    (void)state;
    assert_false(result->findings[0].has_witness);
    assert_string_equal(result->findings[0].id, "#1");
    fw_result_destroy(result);
    refused("{\"findings\":null}", "r.json: has no 'findings'");
}

static void unknown_kinds_without_witness_pass(void **state)
{
    struct fw_result *result = read_text("{\"findings\":[{\"kind\":\"cycle\"}]}");

    (void)state;
    assert_int_equal(result->count, 1);
    fw_result_destroy(result);
    refused("{\"findings\":[{\"kind\":\"cycle\",\"events\":[],\"witness\":[1]}]}",
            "r.json: finding 1: has a witness, but its kind 'cycle' is not known");
}

static void what_is_not_json_is_refused_with_its_line(void **state)
{
    (void)state;
    refused("", "r.json:1: not valid JSON");
    refused("T0|w(x)|\n", "r.json:1: not valid JSON");
    refused("{\"findings\":[]} x", "r.json:1: not valid JSON");
    refused("{\"findings\":\n[1,\n,2]}", "r.json:3: not valid JSON");
    refused("\xff\xfe\x01", "r.json:1: not valid JSON");
}

static void every_prefix_of_a_result_is_refused(void **state)
{
    size_t size = strlen(two_findings);

    (void)state;
    for (size_t cut = 0; cut + 1 < size; cut++) {
        struct fw_error err = { "" };

        if (try_bytes(two_findings, cut, &err) == 0)
            fail_msg("the first %zu bytes were taken for a whole result", cut);
        assert_non_null(strstr(err.message, "not valid JSON (or cut"));
    }
}

static void every_changed_byte_is_survived(void **state)
{
    static const char bytes[] = {
        0, '"', '}', ']', '[', '{', ',', '9', '-', 'e', '\\', (char)0x80
    };
    size_t size = strlen(two_findings);
    char text[sizeof two_findings];

    (void)state;
    for (size_t at = 0; at < size; at++) {
        for (size_t i = 0; i < sizeof bytes; i++) {
            struct fw_error err = { "" };

            memcpy(text, two_findings, sizeof text);
            text[at] = bytes[i];
            if (try_bytes(text, size, &err) < 0)
                assert_non_null(strstr(err.message, "r.json"));
        }
    }
}

static void deep_nesting_is_refused(void **state)
{
    size_t depth = 1000000;
    char *text = fw_xmalloc(depth);
    struct fw_error err;

    (void)state;
    memset(text, '[', depth);
    assert_int_equal(try_bytes(text, depth, &err), -1);
    assert_non_null(strstr(err.message, "nested too deeply"));
    free(text);
}

static void wrong_types_are_refused_with_their_finding(void **state)
{
    (void)state;
    refused("[]", "r.json: is not an object with 'findings'");
    refused("7", "r.json: is not an object with 'findings'");
    refused("{}", "r.json: has no 'findings'");
    refused("{\"schema\":2,\"findings\":[]}", "r.json: its 'schema' is not 1");
    refused("{\"schema\":\"1\",\"findings\":[]}", "r.json: its 'schema' is not 1");
    refused("{\"findings\":{}}", "r.json: 'findings' is not a list");
    refused("{\"findings\":[1]}", "r.json: finding 1: is not an object");
    refused("{\"findings\":[{}]}", "r.json: finding 1: has no 'kind'");
    refused("{\"findings\":[{\"kind\":7}]}", "r.json: finding 1: 'kind' is not a text");
    refused("{\"findings\":[{\"kind\":\"race\",\"id\":7}]}", "finding 1: 'id' is not a text");
    refused("{\"findings\":[{\"kind\":\"race\"},{\"id\":\"ab\",\"kind\":\"race\",\"witness\":7}]}",
            "r.json: finding 2 (id 'ab'): 'witness' is not a list");
    refused("{\"findings\":[{\"kind\":\"race\",\"witness\":[1,2]}]}",
            "r.json: finding 1: has a witness, but no 'events'");
    refused("{\"findings\":[{\"kind\":\"race\",\"events\":7}]}", "'events' is not a list");
    refused("{\"findings\":[{\"kind\":\"race\",\"saw\":7}]}", "'saw' is not an object");
    refused("{\"findings\":[{\"kind\":\"race\",\"saw\":{}}]}", "'saw' has no valid 'index'");
    refused("{\"findings\":[{\"kind\":\"race\",\"events\":[7]}]}",
            "item 1 of 'events' is not an object");
    refused("{\"findings\":[{\"kind\":\"race\",\"events\":[{\"index\":1},{}]}]}",
            "item 2 of 'events' has no valid 'index'");
    refused("{\"findings\":[{\"kind\":\"race\",\"events\":[{\"index\":1,\"op\":2}]}]}",
            "'op' is not a text");
}

static void numbers_that_are_no_index_are_refused(void **state)
{
    static const char *const bad[] = {
        "-1",    "1.5",  "1e300", "1e999", "-1e999", "9007199254740994", "18446744073709551616",
        "\"1\"", "true", "[1]",   "{}",    "null",
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[200];

        snprintf(text, sizeof text,
                 "{\"findings\":[{\"kind\":\"race\",\"events\":[],\"witness\":[0,%s]}]}", bad[i]);
        refused(text, "r.json: finding 1: item 2 of 'witness' is not the index of an event");
        snprintf(text, sizeof text,
                 "{\"findings\":[{\"kind\":\"race\",\"events\":[{\"index\":%s}]}]}", bad[i]);
        refused(text, "r.json: finding 1: item 1 of 'events' has no valid 'index'");
    }
}

static void a_key_given_twice_is_refused(void **state)
{
    (void)state;
    refused("{\"findings\":[],\"findings\":[]}", "r.json: 'findings' is there twice");
    refused("{\"findings\":[{\"kind\":\"race\",\"kind\":\"race\"}]}", "'kind' is there twice");
    refused("{\"findings\":[{\"kind\":\"race\",\"events\":[],\"witness\":[1],\"witness\":[2]}]}",
            "r.json: finding 1: 'witness' is there twice");
    refused("{\"findings\":[{\"kind\":\"race\",\"events\":[{\"index\":1,\"index\":2}]}]}",
            "'index' is there twice");
    /* Keys that nobody reads may be. */
    fw_result_destroy(read_text("{\"findings\":[],\"note\":1,\"note\":2}"));
}

static void a_missing_file_is_named(void **state)
{
    struct fw_result *result;
    struct fw_error err;

    (void)state;
    assert_int_equal(fw_result_read(&result, "/nonexistent/r.json", &err), -1);
    assert_string_equal(err.message,
                        "cannot open result '/nonexistent/r.json': no such file or directory");
    assert_int_equal(fw_result_read(&result, "/", &err), -1);
    assert_string_equal(err.message, "cannot read result '/': is a directory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(findings_are_read),
        cmocka_unit_test(every_kind_has_its_claim),
        cmocka_unit_test(a_result_may_have_no_findings),
        cmocka_unit_test(a_result_says_whether_equal_values_count_as_unchanged),
        cmocka_unit_test(a_result_says_which_trace_it_is_about),
        cmocka_unit_test(null_means_not_given),
        cmocka_unit_test(unknown_kinds_without_witness_pass),
        cmocka_unit_test(what_is_not_json_is_refused_with_its_line),
        cmocka_unit_test(every_prefix_of_a_result_is_refused),
        cmocka_unit_test(every_changed_byte_is_survived),
        cmocka_unit_test(deep_nesting_is_refused),
        cmocka_unit_test(wrong_types_are_refused_with_their_finding),
        cmocka_unit_test(numbers_that_are_no_index_are_refused),
        cmocka_unit_test(a_key_given_twice_is_refused),
        cmocka_unit_test(a_missing_file_is_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
