/* words.c - see words.h. */
#include "base/words.h"

#include "base/alloc.h"
#include "base/input.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_BYTES (64u << 20)

int fw_line_complain(const struct fw_line *line, const char *what)
{
    return fw_error_set(line->err, "%s:%u: %s", line->name, line->number, what);
}

int fw_line_complain_of(const struct fw_line *line, const char *what, const char *text)
{
    return fw_error_set(line->err, "%s:%u: %s '%.200s'", line->name, line->number, what, text);
}

void fw_line_release(struct fw_line *line)
{
    fw_vec_release(&line->words);
    fw_vec_release(&line->text);
}

/* --- taking apart ---------------------------------------------------------------------------- */

static int hex_digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* One letter behind a backslash; returns how many bytes were read, 0: not one that we know. */
static size_t unescape(const char *from, char *to)
{
    switch (*from) {
    case '"':
    case '\\':
        *to = *from;
        return 1;
    case 'n':
        *to = '\n';
        return 1;
    case 't':
        *to = '\t';
        return 1;
    case 'x':
        if (hex_digit(from[1]) < 0 || hex_digit(from[2]) < 0 || strncmp(from + 1, "00", 2) == 0)
            return 0;
        *to = (char)(hex_digit(from[1]) * 16 + hex_digit(from[2]));
        return 3;
    default:
        return 0;
    }
}

/* From behind the opening quote; the text is unescaped in place.  NULL: err. */
static char *take_quoted(struct fw_line *line, char *at)
{
    char *to = at;

    fw_vec_push(&line->words, ((struct fw_line_word) { at, true }));
    while (*at != '"') {
        if (!*at) {
            fw_line_complain(line, "a quoted text without an end");
            return NULL;
        }
        if (*at == '\\') {
            size_t bytes = unescape(at + 1, to);

            if (!bytes) {
                fw_line_complain(line, "an unknown letter behind a backslash (\\\", \\\\, \\n, \\t "
                                       "and \\xHH are known)");
                return NULL;
            }
            at += 1 + bytes;
            to++;
        } else {
            *to++ = *at++;
        }
    }
    *to = '\0';
    return at + 1;
}

/* #12 may be an ordinal, anything else behind a # is a comment (#-1 is neither). */
static bool is_comment(const struct fw_line *line, const char *at)
{
    return *at == '#' && (!line->ordinals || !line->words.len ||
                          !isdigit((unsigned char)at[at[1] == '-' ? 2 : 1]));
}

static int split(struct fw_line *line)
{
    char *at = line->text.at;

    fw_vec_clear(&line->words);
    line->next = 0;
    for (;;) {
        at += strspn(at, " \t");
        if (!*at || is_comment(line, at))
            return 0;
        if (line->words.len == FW_LINE_WORDS)
            return fw_line_complain(line, "too many words in a line");
        if (*at == '"') {
            at = take_quoted(line, at + 1);
            if (!at)
                return -1;
            continue;
        }
        fw_vec_push(&line->words, ((struct fw_line_word) { at, false }));
        at += strcspn(at, " \t");
        if (*at)
            *at++ = '\0';
    }
}

int fw_line_each(struct fw_line *line, const char *text, size_t bytes, int (*take)(void *context),
                 void *context)
{
    const char *end = text + bytes;

    while (text < end) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        size_t len = (size_t)((stop ? stop : end) - text);

        line->number++;
        if (memchr(text, '\0', len))
            return fw_line_complain(line, "a zero byte: this is no text");
        fw_vec_extend(&line->text, len + 1);
        memcpy(line->text.at, text, len);
        if (len && line->text.at[len - 1] == '\r')
            len--;
        line->text.at[len] = '\0';
        if (split(line) < 0 || take(context) < 0)
            return -1;
        text = stop ? stop + 1 : end;
    }
    return 0;
}

/* --- words ----------------------------------------------------------------------------------- */

const struct fw_line_word *fw_line_peek(const struct fw_line *line)
{
    return line->next < line->words.len ? &line->words.at[line->next] : NULL;
}

bool fw_line_take(struct fw_line *line, const char *word)
{
    const struct fw_line_word *next = fw_line_peek(line);

    if (!next || next->quoted || strcmp(next->text, word) != 0)
        return false;
    line->next++;
    return true;
}

int fw_line_end(const struct fw_line *line)
{
    const struct fw_line_word *next = fw_line_peek(line);

    return next ? fw_line_complain_of(line, "unexpected", next->text) : 0;
}

int fw_line_version(struct fw_line *line, const char *what, int newest)
{
    const struct fw_line_word *word;
    int version;

    if (!fw_line_take(line, "foreweave") || !fw_line_take(line, what))
        return fw_error_set(line->err,
                            "%s:%u: not a file of %s: the first line must be 'foreweave %s %d'",
                            line->name, line->number, what, what, newest);
    word = fw_line_peek(line);
    version = word && strlen(word->text) == 1 ? word->text[0] - '0' : 0;
    if (version < 1 || version > newest)
        return fw_error_set(line->err, "%s:%u: %s of an unknown version: '%.200s'", line->name,
                            line->number, what, word ? word->text : "");
    line->next++;
    return fw_line_end(line) < 0 ? -1 : version;
}

/* --- files ----------------------------------------------------------------------------------- */

int fw_text_is_file(const char *path, const char *what, struct fw_error *err)
{
    struct stat st;

    if (strcmp(path, "-") == 0 || (stat(path, &st) == 0 && !S_ISREG(st.st_mode)))
        return fw_error_set(err, "cannot read %s '%s': it is not a regular file", what, path);
    return 0;
}

int fw_text_read(const char *path, const char *what, char **text, size_t *bytes, char **shown,
                 struct fw_error *err)
{
    FW_VEC(char) read = { 0 };
    struct fw_input in;
    struct stat st;
    ssize_t got = 0;

    if (strcmp(path, "-") != 0 && (access(path, R_OK) < 0 || stat(path, &st) < 0))
        return fw_error_errno(err, "cannot open %s '%s'", what, path);
    if (strcmp(path, "-") != 0 && S_ISDIR(st.st_mode))
        return fw_error_set(err, "'%s' is a folder, not a %s", path, what);
    if (fw_input_open(&in, path, err) < 0)
        return -1;
    do {
        fw_vec_reserve(&read, read.len + 65536);
        got = fw_input_read(&in, read.at + read.len, 65536, err);
        read.len += got > 0 ? (size_t)got : 0;
    } while (got > 0 && read.len <= FILE_BYTES);
    if (got > 0)
        fw_error_set(err, "cannot read %s '%s': it is too large", what, path);
    if (got == 0) {
        *shown = fw_xstrdup(in.name);
        *text = read.at;
        *bytes = read.len;
    } else {
        fw_vec_release(&read);
    }
    fw_input_close(&in);
    return got == 0 ? 0 : -1;
}

void fw_output_quoted(struct fw_output *out, const char *text)
{
    fw_output_text(out, "\"");
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;

        if (c == '"' || c == '\\')
            fw_output_printf(out, "\\%c", c);
        else if (c == '\n')
            fw_output_text(out, "\\n");
        else if (c == '\t')
            fw_output_text(out, "\\t");
        else if (c < ' ' || c == 0x7f)
            fw_output_printf(out, "\\x%02x", c);
        else
            fw_output_bytes(out, text, 1);
    }
    fw_output_text(out, "\"");
}
