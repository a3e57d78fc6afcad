/* spot_text.c - see spot_text.h. */
#include "sections/spot_text.h"

#include "base/alloc.h"
#include "base/options.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MOST_LINES 100000000

const char *fw_line_any(struct fw_line *line, const char *missing)
{
    const struct fw_line_word *word = fw_line_peek(line);

    if (!word || !word->text[0]) {
        fw_line_complain(line, missing);
        return NULL;
    }
    line->next++;
    return word->text;
}

/* --- reading --------------------------------------------------------------------------------- */

/* A number from 1 on in decimal digits, at most MOST_LINES; 0: it is none. */
static uint32_t number_of(const char *text)
{
    uint64_t number;

    if (!isdigit((unsigned char)*text) || fw_parse_count(text, &number) < 0 || number > MOST_LINES)
        return 0;
    return (uint32_t)number;
}

int fw_spot_read_where(struct fw_line *line, struct fw_spot *spot, bool ordinals)
{
    const char *text = fw_line_any(line, "where it is is missing, as bank.c:14");
    char *copy = text ? fw_xstrdup(text) : NULL, *colon, *mark;
    bool good;

    if (!text)
        return -1;
    colon = strrchr(copy, ':');
    mark = colon ? strchr(colon, '#') : NULL;
    spot->ordinal = 1;
    if (mark)
        *mark = '\0';
    good = colon && colon != copy && (spot->line = number_of(colon + 1)) &&
           (!mark || (ordinals && (spot->ordinal = number_of(mark + 1))));
    if (!good) {
        free(copy);
        return fw_line_complain_of(line,
                                   ordinals ? "not a place as bank.c:14 or bank.c:14#2:"
                                            : "not a line as bank.c:14:",
                                   text);
    }
    *colon = '\0';
    spot->file = copy;
    return 0;
}

int fw_spot_read_hints(struct fw_line *line, struct fw_spot *spot)
{
    const struct fw_line_word *word = fw_line_peek(line);

    if (word && !word->quoted && (word->text[0] == '+' || word->text[0] == '-')) {
        char *end;
        long offset = strtol(word->text, &end, 10);

        if (*end || !isdigit((unsigned char)word->text[1]) || labs(offset) > MOST_LINES)
            return fw_line_complain_of(line, "not a number of lines:", word->text);
        spot->has_offset = true;
        spot->offset = (int32_t)offset;
        line->next++;
        word = fw_line_peek(line);
    }
    if (word && word->quoted) {
        spot->text = fw_xstrdup(word->text);
        line->next++;
    }
    return fw_line_end(line);
}

/* --- writing --------------------------------------------------------------------------------- */

void fw_output_as_word(struct fw_output *out, const char *text)
{
    const char *at = text;

    while ((unsigned char)*at > ' ' && *at != '"' && *at != '\\' && *at != 0x7f)
        at++;
    if (*text && !*at && *text != '#')
        fw_output_text(out, text);
    else
        fw_output_quoted(out, text);
}

void fw_spot_print_where(const struct fw_spot *spot, struct fw_output *out)
{
    char *where = fw_spot_where(spot);

    fw_output_as_word(out, where);
    free(where);
}

void fw_spot_print_hints(const struct fw_spot *spot, struct fw_output *out)
{
    if (spot->has_offset)
        fw_output_printf(out, " %+" PRId32, spot->offset);
    if (spot->text) {
        fw_output_text(out, " ");
        fw_output_quoted(out, spot->text);
    }
    fw_output_text(out, "\n");
}
