/* json.c - see json.h. */
#include "base/json.h"

#include "base/bug.h"
#include "base/utf8.h"

#include <inttypes.h>
#include <string.h>

static void quote(struct fw_output *out, const char *text)
{
    const unsigned char *s = (const unsigned char *)text;

    fw_output_text(out, "\"");
    while (*s) {
        size_t len = fw_utf8_length(s);

        if (len == 0)
            fw_output_text(out, "\\ufffd");
        else if (*s == '"' || *s == '\\')
            fw_output_printf(out, "\\%c", *s);
        else if (*s < 0x20 || *s == 0x7f)
            fw_output_printf(out, "\\u%04x", *s);
        else
            fw_output_bytes(out, s, len);
        s += len ? len : 1;
    }
    fw_output_text(out, "\"");
}

static void start(struct fw_json *json, const char *key)
{
    FW_ASSERT(!key == (json->depth == 0 || json->closing[json->depth - 1] == ']'));
    if (json->comma)
        fw_output_text(json->out, ",");
    json->comma = true;
    if (key) {
        quote(json->out, key);
        fw_output_text(json->out, ":");
    }
}

static void nest(struct fw_json *json, const char *key, const char *opening, char closing)
{
    start(json, key);
    FW_ASSERT(json->depth < FW_JSON_DEPTH);
    json->closing[json->depth++] = closing;
    fw_output_text(json->out, opening);
    json->comma = false;
}

void fw_json_object(struct fw_json *json, const char *key)
{
    nest(json, key, "{", '}');
}

void fw_json_array(struct fw_json *json, const char *key)
{
    nest(json, key, "[", ']');
}

void fw_json_end(struct fw_json *json)
{
    FW_ASSERT(json->depth);
    fw_output_bytes(json->out, &json->closing[--json->depth], 1);
    json->comma = true;
    if (json->depth == 0)
        fw_output_text(json->out, "\n");
}

void fw_json_text(struct fw_json *json, const char *key, const char *text)
{
    start(json, key);
    quote(json->out, text);
}

void fw_json_number(struct fw_json *json, const char *key, uint64_t value)
{
    start(json, key);
    fw_output_printf(json->out, "%" PRIu64, value);
}

/* The decimal digits that end at `end`; returns where they begin. */
static char *digits(char *end, uint64_t value)
{
    static const char pairs[] = "0001020304050607080910111213141516171819202122232425262728293031"
                                "3233343536373839404142434445464748495051525354555657585960616263"
                                "6465666768697071727374757677787980818283848586878889909192939495"
                                "96979899";

    for (; value >= 100; value /= 100) {
        end -= 2;
        memcpy(end, pairs + value % 100 * 2, 2);
    }
    if (value >= 10) {
        end -= 2;
        memcpy(end, pairs + value * 2, 2);
    } else {
        *--end = (char)('0' + value);
    }
    return end;
}

void fw_json_next_number(struct fw_json *json, uint64_t value)
{
    char text[24], *end = text + sizeof text, *at = digits(end, value);

    FW_ASSERT(json->depth && json->closing[json->depth - 1] == ']');
    if (json->comma)
        *--at = ',';
    json->comma = true;
    fw_output_bytes(json->out, at, (size_t)(end - at));
}

void fw_json_real(struct fw_json *json, const char *key, double value)
{
    start(json, key);
    fw_output_printf(json->out, "%.3f", value);
}

void fw_json_bool(struct fw_json *json, const char *key, bool value)
{
    start(json, key);
    fw_output_text(json->out, value ? "true" : "false");
}
