/* text_lines.c - see text_lines.h. */
#include "trace/text_lines.h"

#include "base/alloc.h"

#include <stdio.h>
#include <stdlib.h>

/* A cut line keeps more than a line may have, CR included, so that fw_text_check sees it. */
#define CUT_LINE (FW_TEXT_LINE_MAX + 2u)

/* Memory is read whole if it is small: many small traces should cost little. */
static size_t choose_chunk(const struct fw_input *input)
{
    return input->fd < 0 && input->memory_size < FW_TEXT_CHUNK ? input->memory_size + 1
                                                               : FW_TEXT_CHUNK;
}

/* An unfinished line, a chunk behind it, and a newline the file did not have. */
static size_t buffer_size(const struct fw_input *input, size_t chunk)
{
    size_t line = CUT_LINE;

    if (input->fd < 0 && input->memory_size < line)
        line = input->memory_size;
    return line + chunk + 1 + FW_TEXT_PADDING;
}

void fw_text_init(struct fw_text *text, struct fw_input *input, size_t chunk)
{
    memset(text, 0, sizeof *text);
    text->input = input;
    text->chunk = chunk ? chunk : choose_chunk(input);
    text->buffer = fw_xcalloc(1, buffer_size(input, text->chunk));
}

void fw_text_init_scan(struct fw_text *text, struct fw_input *input, uint64_t offset)
{
    fw_text_init(text, input, 0);
    text->scanning = true;
    text->scan_offset = offset;
}

void fw_text_release(struct fw_text *text)
{
    free(text->buffer);
    memset(text, 0, sizeof *text);
}

/* Appends up to a chunk to the buffer; 1, 0 at the end of the input, -1 on error. */
static int read_chunk(struct fw_text *text, struct fw_error *err)
{
    char *to = text->buffer + text->end;
    ssize_t got;

    if (text->scanning)
        got = fw_input_scan(text->input, to, text->chunk, text->scan_offset, err);
    else
        got = fw_input_read(text->input, to, text->chunk, err);
    if (got <= 0)
        return (int)got;
    if (text->scanning)
        text->scan_offset += (uint64_t)got;
    text->has_nul |= memchr(to, 0, (size_t)got) != NULL;
    text->end += (size_t)got;
    return 1;
}

/* The end of the input: what is left over becomes a whole line. */
static void finish_last_line(struct fw_text *text)
{
    text->ended = true;
    if (text->end > 0)
        text->buffer[text->end++] = '\n';
    text->whole = text->end;
}

static int fetch_run(struct fw_text *text, struct fw_error *err)
{
    size_t left = text->end - text->at;

    memmove(text->buffer, text->buffer + text->at, left);
    text->end = left;
    text->at = text->whole = 0;
    text->has_nul = memchr(text->buffer, 0, left) != NULL;
    while (!text->whole && !text->ended) {
        size_t before = text->end < CUT_LINE ? text->end : CUT_LINE;
        const char *newline;
        int got;

        text->end = before;
        got = read_chunk(text, err);
        if (got < 0)
            return -1;
        if (got == 0) {
            finish_last_line(text);
            break;
        }
        newline = memrchr(text->buffer + before, '\n', text->end - before);
        if (newline)
            text->whole = (size_t)(newline - text->buffer) + 1;
    }
    return text->whole > 0;
}

/* The words behind "# branches:" if the line is such a header. */
static const char *header_value(const char *line, const char *end)
{
    static const char key[] = "branches:";

    fw_text_trim(&line, &end);
    if (line == end || *line != '#')
        return NULL;
    line++;
    fw_text_trim(&line, &end);
    if ((size_t)(end - line) < sizeof key - 1 || memcmp(line, key, sizeof key - 1) != 0)
        return NULL;
    return line + sizeof key - 1;
}

static bool is_word(const char *from, const char *to, const char *word)
{
    return (size_t)(to - from) == strlen(word) && memcmp(from, word, strlen(word)) == 0;
}

/* Reads what the first line says about branches; it stays in the run, as a comment. */
static int read_header(struct fw_text *text, struct fw_error *err)
{
    const char *end = memchr(text->buffer, '\n', text->whole);
    const char *value = header_value(text->buffer, end);
    char quoted[FW_TEXT_QUOTE];

    if (!value)
        return 0;
    fw_text_trim(&value, &end);
    if (is_word(value, end, "yes"))
        text->header = FW_TEXT_SAYS_BRANCHES;
    else if (is_word(value, end, "no"))
        text->header = FW_TEXT_SAYS_NONE;
    else
        return fw_error_set(err, "%s:1: '# branches:' must say yes or no, not '%s'",
                            text->input->name, fw_text_quote(quoted, value, (size_t)(end - value)));
    return 0;
}

int fw_text_fill(struct fw_text *text, struct fw_error *err)
{
    int got;

    if (text->at < text->whole)
        return 1;
    if (text->ended)
        return 0;
    got = fetch_run(text, err);
    if (got > 0 && !text->started && read_header(text, err) < 0)
        return -1;
    if (got >= 0)
        text->started = true;
    return got;
}

int fw_text_check(const char *line, size_t len, struct fw_error *err)
{
    if (len > FW_TEXT_LINE_MAX)
        return fw_error_set(err, "line longer than %u bytes", FW_TEXT_LINE_MAX);
    if (memchr(line, 0, len))
        return fw_error_set(err, "line with a NUL byte");
    return 0;
}

bool fw_text_is_void(const char *line, size_t len)
{
    const char *end = line + len;

    fw_text_trim(&line, &end);
    return line == end || *line == '#';
}

/* Takes a character off the end whose UTF-8 bytes are not all there. */
static size_t whole_characters(const char *text, size_t len)
{
    while (len > 0 && ((unsigned char)text[len - 1] & 0xc0) == 0x80)
        len--;
    return len > 0 && (unsigned char)text[len - 1] >= 0xc0 ? len - 1 : len;
}

const char *fw_text_quote(char to[FW_TEXT_QUOTE], const char *text, size_t len)
{
    enum {
        ESCAPE = 4,  /* \xNN */
        ELLIPSIS = 4 /* three dots and a NUL */
    };
    size_t used = 0;

    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)text[i];

        if (used + ESCAPE + ELLIPSIS > FW_TEXT_QUOTE) {
            used = whole_characters(to, used);
            memcpy(to + used, "...", ELLIPSIS);
            return to;
        }
        if (c < 0x20 || c == 0x7f)
            used += (size_t)sprintf(to + used, "\\x%02x", c);
        else
            to[used++] = (char)c;
    }
    to[used] = '\0';
    return to;
}
