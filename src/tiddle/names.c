/* names.c - see names.h. */
#include "tiddle/names.h"

#include <stdio.h>
#include <string.h>

#define LONGEST 48u /* characters of a name that go into the identifier */

void fw_c_names_init(struct fw_c_names *names)
{
    fw_strtab_init(&names->used);
}

void fw_c_names_release(struct fw_c_names *names)
{
    fw_strtab_release(&names->used);
}

static bool is_identifier_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

const char *fw_c_names_make(struct fw_c_names *names, const char *prefix, const char *name)
{
    char text[LONGEST + 64];
    size_t base = (size_t)snprintf(text, 32, "%s_", prefix), len;
    uint32_t before = names->used.count, id;

    for (size_t i = 0; name[i] && i < LONGEST; i++)
        text[base++] = is_identifier_char(name[i]) ? name[i] : '_';
    text[base] = '\0';
    len = base;
    id = fw_strtab_intern(&names->used, text, len);
    for (unsigned n = 2; id < before; n++) {
        len = base + (size_t)snprintf(text + base, sizeof text - base, "_%u", n);
        id = fw_strtab_intern(&names->used, text, len);
    }
    return fw_strtab_text(&names->used, id);
}
