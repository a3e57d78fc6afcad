/* test_json.c - the JSON writer: commas, nesting, and text of any bytes. */
#include "base/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <cjson/cJSON.h>
#include <string.h>

static void check_text(const char *text, const char *expected)
{
    struct fw_output out;
    struct fw_json json = { .out = &out };
    cJSON *parsed;

    fw_output_open_memory(&out);
    fw_json_array(&json, NULL);
    fw_json_text(&json, NULL, text);
    fw_json_end(&json);
    fw_output_bytes(&out, "", 1);
    assert_string_equal(out.buffer, expected);
    parsed = cJSON_Parse(out.buffer);
    assert_non_null(parsed);
    cJSON_Delete(parsed);
    fw_output_abandon(&out);
}

static void commas_stand_between_items_only(void **state)
{
    struct fw_output out;
    struct fw_json json = { .out = &out };

    (void)state;
    fw_output_open_memory(&out);
    fw_json_object(&json, NULL);
    fw_json_number(&json, "a", UINT64_MAX);
    fw_json_array(&json, "b");
    fw_json_object(&json, NULL);
    fw_json_end(&json);
    fw_json_bool(&json, NULL, false);
    fw_json_end(&json);
    fw_json_array(&json, "c");
    fw_json_end(&json);
    fw_json_real(&json, "d", 0.5);
    fw_json_end(&json);
    fw_output_bytes(&out, "", 1);
    assert_string_equal(out.buffer,
                        "{\"a\":18446744073709551615,\"b\":[{},false],\"c\":[],\"d\":0.500}\n");
    fw_output_abandon(&out);
}

static void numbers_of_long_lists_are_spelt_as_others(void **state)
{
    struct fw_output fast, slow;
    struct fw_json a = { .out = &fast }, b = { .out = &slow };
    uint64_t value = 1;

    (void)state;
    fw_output_open_memory(&fast);
    fw_output_open_memory(&slow);
    fw_json_array(&a, NULL);
    fw_json_array(&b, NULL);
    for (int i = 0; i < 64; i++, value *= 2)
        for (uint64_t near = value - 1; near != value + 2; near++) {
            fw_json_next_number(&a, near * (near > UINT64_MAX / 3 ? 1 : 3));
            fw_json_number(&b, NULL, near * (near > UINT64_MAX / 3 ? 1 : 3));
        }
    for (uint64_t i = 0; i < 1200; i++) {
        fw_json_next_number(&a, i);
        fw_json_number(&b, NULL, i);
    }
    fw_json_next_number(&a, UINT64_MAX);
    fw_json_number(&b, NULL, UINT64_MAX);
    fw_json_end(&a);
    fw_json_end(&b);
    assert_int_equal(fast.used, slow.used);
    assert_memory_equal(fast.buffer, slow.buffer, fast.used);
    fw_output_abandon(&fast);
    fw_output_abandon(&slow);
}

static void text_is_escaped(void **state)
{
    (void)state;
    check_text("", "[\"\"]\n");
    check_text("a\"b\\c", "[\"a\\\"b\\\\c\"]\n");
    check_text("\x01\n\x7f", "[\"\\u0001\\u000a\\u007f\"]\n");
}

static void utf8_stays_and_other_bytes_are_replaced(void **state)
{
    (void)state;
    check_text("\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80",
               "[\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\"]\n");
    check_text("\xff", "[\"\\ufffd\"]\n");
    check_text("a\xc3", "[\"a\\ufffd\"]\n");                     /* ends early */
    check_text("\xc0\xaf", "[\"\\ufffd\\ufffd\"]\n");            /* overlong */
    check_text("\xed\xa0\x80", "[\"\\ufffd\\ufffd\\ufffd\"]\n"); /* surrogate */
    check_text("\xf4\x90\x80\x80", "[\"\\ufffd\\ufffd\\ufffd\\ufffd\"]\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commas_stand_between_items_only),
        cmocka_unit_test(numbers_of_long_lists_are_spelt_as_others),
        cmocka_unit_test(text_is_escaped),
        cmocka_unit_test(utf8_stays_and_other_bytes_are_replaced),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
