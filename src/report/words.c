/* words.c - see words.h. */
#include "report/words.h"

void fw_words_plain(struct fw_output *out, const char *text)
{
    for (; *text; text++)
        fw_output_bytes(out, (unsigned char)*text < 0x20 || *text == 0x7f ? "?" : text, 1);
}

/* What stands before access B, C and D. */
static const char *const joints[FW_IDIOMS + 1][FW_IROOT_MOST] = {
    [1] = { "", " => " },
    [2] = { "", " => ", " => " },
    [3] = { "", " => ", ", ", " => " },
    [4] = { "", " => ", ", ", " => " },
    [5] = { "", " => ", ", ", " => " },
    [6] = { "", " => ", ", ", " => " },
};

void fw_words_iroot(struct fw_output *out, const struct fw_memo_iroot *iroot)
{
    for (unsigned i = 0; i < iroot->count; i++) {
        const char *access = iroot->access[i], *place = iroot->place[i];

        fw_output_text(out, iroot->waits && i % 2 ? " blocks " : joints[iroot->idiom][i]);
        if (*place)
            fw_output_printf(out, "%s ", fw_iroot_does_names[fw_access_does(access)]);
        fw_words_plain(out, *place ? place : access);
    }
}

void fw_words_exactly(struct fw_output *out, const struct fw_memo_iroot *iroot)
{
    fw_output_printf(out, "%u%s", iroot->idiom, iroot->waits ? "w" : "");
    for (unsigned i = 0; i < iroot->count; i++) {
        fw_output_text(out, i ? " | " : " ");
        fw_words_plain(out, iroot->access[i]);
    }
}

void fw_words_json(struct fw_json *json, const struct fw_memo_iroot *iroot)
{
    fw_json_number(json, "idiom", iroot->idiom);
    fw_json_bool(json, "waits", iroot->waits);
    fw_json_array(json, "accesses");
    for (unsigned i = 0; i < iroot->count; i++) {
        fw_json_object(json, NULL);
        fw_json_text(json, "access", iroot->access[i]);
        if (*iroot->place[i])
            fw_json_text(json, "place", iroot->place[i]);
        fw_json_end(json);
    }
    fw_json_end(json);
}
