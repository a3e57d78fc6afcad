/*
 * json.h - writes JSON to an output.
 *
 *     struct fw_json json = { .out = &out };
 *     fw_json_object(&json, NULL);
 *     fw_json_number(&json, "events", 12);
 *     fw_json_array(&json, "names");
 *     fw_json_text(&json, NULL, "x");
 *     fw_json_end(&json);
 *     fw_json_end(&json);              {"events":12,"names":["x"]} and a newline
 *
 * Keys are NULL inside arrays and for the outermost value.  Text is any bytes:
 * what is not UTF-8 becomes U+FFFD, so the result is always valid.
 */
#ifndef FW_BASE_JSON_H
#define FW_BASE_JSON_H

#include "base/output.h"

#include <stdbool.h>
#include <stdint.h>

#define FW_JSON_DEPTH 16

struct fw_json {
    struct fw_output *out;
    char closing[FW_JSON_DEPTH]; /* '}' or ']' of what is open */
    unsigned depth;
    bool comma; /* an item stands before the next one */
};

void fw_json_object(struct fw_json *json, const char *key);
void fw_json_array(struct fw_json *json, const char *key);
void fw_json_end(struct fw_json *json);

void fw_json_text(struct fw_json *json, const char *key, const char *text);
void fw_json_number(struct fw_json *json, const char *key, uint64_t value);
/* The same in an array, where there may be millions of them. */
void fw_json_next_number(struct fw_json *json, uint64_t value);
void fw_json_real(struct fw_json *json, const char *key, double value); /* three decimals */
void fw_json_bool(struct fw_json *json, const char *key, bool value);

#endif
