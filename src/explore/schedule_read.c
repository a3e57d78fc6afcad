/*
 * schedule_read.c - see schedule.h: reading schedules.
 *
 * Every line is split into tokens first: words and quoted texts.  What a file says is bounded
 * before memory is asked for.
 */
#include "explore/schedule.h"

#include "analysis/findings.h"
#include "base/alloc.h"
#include "base/input.h"
#include "base/options.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_BYTES (64u << 20)
#define LINE_BYTES 65536u
#define DEPTH      64u
#define MOST_TOKENS 4096u

struct token {
    char *text; /* in the reader's line */
    bool quoted;
};

struct reader {
    struct fw_script *schedule;
    const char *name;
    unsigned line;
    struct fw_error *err;
    bool has_version;
    char text[LINE_BYTES]; /* the line, taken apart in place */
    FW_VEC(struct token) tokens;
    size_t next; /* token */
};

static int complain(struct reader *reader, const char *what)
{
    return fw_error_set(reader->err, "%s:%u: %s", reader->name, reader->line, what);
}

static int complain_of(struct reader *reader, const char *what, const char *text)
{
    return fw_error_set(reader->err, "%s:%u: %s '%.200s'", reader->name, reader->line, what, text);
}

/* --- tokens ---------------------------------------------------------------------------------- */

static int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0'
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
static char *take_quoted(struct reader *reader, char *at)
{
    char *to = at;

    fw_vec_push(&reader->tokens, ((struct token){ at, true }));
    while (*at != '"') {
        if (!*at) {
            complain(reader, "a quoted text without an end");
            return NULL;
        }
        if (*at == '\\') {
            size_t bytes = unescape(at + 1, to);

            if (!bytes) {
                complain(reader, "an unknown letter behind a backslash (\\\", \\\\, \\n, \\t and "
                                 "\\xHH are known)");
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

static int split(struct reader *reader)
{
    char *at = reader->text;

    fw_vec_clear(&reader->tokens);
    reader->next = 0;
    for (;;) {
        at += strspn(at, " \t");
        if (!*at || *at == '#') {
            /* #12 is an ordinal, anything else behind a # a comment (#-1 is neither) */
            if (!*at || !isdigit((unsigned char)at[at[1] == '-' ? 2 : 1]) || !reader->tokens.len)
                return 0;
        }
        if (reader->tokens.len == MOST_TOKENS)
            return complain(reader, "too many words in a line");
        if (*at == '"') {
            at = take_quoted(reader, at + 1);
            if (!at)
                return -1;
            continue;
        }
        fw_vec_push(&reader->tokens, ((struct token){ at, false }));
        at += strcspn(at, " \t");
        if (*at)
            *at++ = '\0';
    }
}

static const struct token *peek(const struct reader *reader)
{
    return reader->next < reader->tokens.len ? &reader->tokens.at[reader->next] : NULL;
}

/* Takes the word if it comes next. */
static bool take(struct reader *reader, const char *word)
{
    const struct token *token = peek(reader);

    if (!token || token->quoted || strcmp(token->text, word) != 0)
        return false;
    reader->next++;
    return true;
}

static bool take_words(struct reader *reader, const char *first, const char *second,
                       const char *third)
{
    size_t mark = reader->next;

    if (take(reader, first) && take(reader, second) && take(reader, third))
        return true;
    reader->next = mark;
    return false;
}

static int end_of_line(struct reader *reader)
{
    const struct token *token = peek(reader);

    return token ? complain_of(reader, "unexpected", token->text) : 0;
}

/* --- steps ----------------------------------------------------------------------------------- */

static int read_path(struct reader *reader, uint32_t *path)
{
    const char *text = reader->tokens.at[reader->next++].text, *at = text + 1;

    *path = 0;
    if (text[0] != '0')
        return complain_of(reader, "a thread's path begins with 0, the main thread:", text);
    for (unsigned depth = 0; *at; depth++) {
        unsigned long ordinal;
        char *end;

        if (*at != '.' || !isdigit((unsigned char)at[1]) || depth == DEPTH)
            return complain_of(reader, "not a thread's path:", text);
        ordinal = strtoul(at + 1, &end, 10);
        if (!ordinal || ordinal > 1000000000)
            return complain_of(reader, "not a thread's path:", text);
        *path = fw_script_path(reader->schedule, *path, (uint32_t)ordinal);
        if (reader->schedule->paths.len > FW_SCRIPT_PATHS)
            return complain(reader, "too many threads");
        at = end;
    }
    return 0;
}

static int read_line(struct reader *reader, struct fw_anchor *anchor)
{
    const struct token *token = peek(reader);
    char *end;
    long line;

    if (!token || token->quoted || (token->text[0] != '+' && token->text[0] != '-'))
        return 0;
    line = strtol(token->text, &end, 10);
    if (*end || !isdigit((unsigned char)token->text[1]) || labs(line) > 100000000)
        return complain_of(reader, "not a number of lines:", token->text);
    anchor->has_line = true;
    anchor->line = (int32_t)line;
    reader->next++;
    return 0;
}

static int read_before(struct reader *reader, struct fw_script_step *step)
{
    struct fw_anchor *anchor = &step->anchor;
    const struct token *token = peek(reader);

    if (!token || !token->text[0])
        return complain(reader, "'before' needs an operation");
    anchor->operation = fw_xstrdup(token->text);
    reader->next++;
    if (take(reader, "in")) {
        token = peek(reader);
        if (!token || !token->text[0])
            return complain(reader, "'in' needs a function");
        anchor->function = fw_xstrdup(token->text);
        reader->next++;
    }
    token = peek(reader);
    if (token && token->quoted) {
        anchor->text = fw_xstrdup(token->text);
        reader->next++;
    }
    if (read_line(reader, anchor) < 0)
        return -1;
    token = peek(reader);
    if (!token || token->quoted || token->text[0] != '#')
        return complain(reader, "which one is missing, as #1");
    if (fw_parse_count(token->text + 1, &step->ordinal) < 0 || !step->ordinal)
        return complain_of(reader, "which one is counted from #1 on, this is", token->text);
    reader->next++;
    return 0;
}

static int read_goal(struct reader *reader, struct fw_script_step *step)
{
    const struct token *token;
    uint64_t number;

    if (!take(reader, "goal"))
        return 0;
    token = peek(reader);
    if (!token || token->quoted || fw_parse_count(token->text, &number) < 0 || !number ||
        number > FW_CONTROL_GOALS)
        return complain(reader, "'goal' needs a number from 1 to 16");
    step->goal = (uint16_t)(number - 1);
    reader->next++;
    return 0;
}

static int read_step(struct reader *reader)
{
    struct fw_script_step *step;
    uint32_t path;

    if (reader->schedule->steps.len == FW_SCRIPT_STEPS)
        return complain(reader, "too many steps");
    if (read_path(reader, &path) < 0)
        return -1;
    step = fw_script_add(reader->schedule, path, FW_UNTIL_WAITS);
    step->file_line = reader->line;
    if (take(reader, "before")) {
        step->end = FW_UNTIL_BEFORE;
        if (read_before(reader, step) < 0)
            return -1;
    } else if (take_words(reader, "until", "it", "waits")) {
        step->end = FW_UNTIL_WAITS;
    } else if (take_words(reader, "until", "it", "ends")) {
        step->end = FW_UNTIL_ENDS;
    } else if (take_words(reader, "one", "point", "further")) {
        step->end = FW_UNTIL_NEXT;
    } else {
        return complain(reader, "a step ends 'before OPERATION ...', 'until it waits', 'until it "
                                "ends' or 'one point further'");
    }
    return read_goal(reader, step) < 0 ? -1 : end_of_line(reader);
}

/* --- the rest -------------------------------------------------------------------------------- */

static int read_program(struct reader *reader)
{
    if (reader->schedule->program.len || !peek(reader))
        return complain(reader, "'program' needs a program, and may be said once");
    for (; peek(reader); reader->next++)
        fw_vec_push(&reader->schedule->program, fw_xstrdup(peek(reader)->text));
    return 0;
}

static int read_build(struct reader *reader)
{
    const struct token *token = peek(reader);

    if (!token || token->quoted || strspn(token->text, "0123456789abcdef") != strlen(token->text))
        return complain(reader, "'build' needs a build id in hexadecimal digits");
    free(reader->schedule->build);
    reader->schedule->build = fw_xstrdup(token->text);
    reader->next++;
    return end_of_line(reader);
}

static int read_judge(struct reader *reader)
{
    const struct token *token = peek(reader);

    if (!token || !token->quoted)
        return complain(reader, "'judge' needs a command in quotes");
    free(reader->schedule->judge);
    reader->schedule->judge = fw_xstrdup(token->text);
    reader->next++;
    return end_of_line(reader);
}

static int read_time(struct reader *reader)
{
    if (!take(reader, "virtual"))
        return complain(reader, "'time' may be 'virtual'");
    reader->schedule->virtual_time = true;
    return end_of_line(reader);
}

/* Behind the word that says it all there may be details: "stuck: ...", "signal 6 (...)". */
static bool has_details_only(const char *text)
{
    return !*text || *text == ':' || strncmp(text, " (", 2) == 0;
}

static bool is_number(const char *text, const char *word, unsigned least, unsigned most)
{
    size_t length = strlen(word);
    unsigned long number;
    char *end;

    if (strncmp(text, word, length) != 0 || !isdigit((unsigned char)text[length]))
        return false;
    number = strtoul(text + length, &end, 10);
    return number >= least && number <= most && has_details_only(end);
}

/* Is it something that a run can show? */
static bool is_shown(const char *text)
{
    static const char *const ends[] = { "deadlock", "stuck", "hang" };

    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (strncmp(text, ends[i], strlen(ends[i])) == 0 &&
            has_details_only(text + strlen(ends[i])))
            return true;
    for (size_t i = 0; i < FW_FINDING_KIND_COUNT; i++)
        if (strcmp(text, fw_finding_kind_names[i]) == 0)
            return true;
    return is_number(text, "exit ", 0, 255) || is_number(text, "signal ", 1, 64);
}

/* All words, one blank between them. */
static int read_shows(struct reader *reader)
{
    struct fw_output text;
    int status = 0;

    if (!peek(reader))
        return complain(reader, "'shows' needs what it shows, as 'exit 1'");
    fw_output_open_memory(&text);
    for (bool first = true; peek(reader); first = false) {
        fw_output_text(&text, first ? "" : " ");
        fw_output_text(&text, reader->tokens.at[reader->next++].text);
    }
    fw_output_bytes(&text, "", 1);
    if (is_shown(text.buffer))
        fw_script_set_shows(reader->schedule, text.buffer);
    else
        status = complain_of(reader,
                             "'shows' may be 'exit N', 'signal N', 'deadlock', 'stuck', "
                             "'hang' or a kind of finding, not",
                             text.buffer);
    fw_output_abandon(&text);
    return status;
}

static int read_version(struct reader *reader)
{
    const struct token *token;

    if (!take(reader, "foreweave") || !take(reader, "schedule"))
        return complain(reader, "not a schedule: the first line must be 'foreweave schedule 1'");
    token = peek(reader);
    if (!token || strcmp(token->text, "1") != 0)
        return complain_of(reader, "a schedule of an unknown version:", token ? token->text : "");
    reader->next++;
    reader->has_version = true;
    return end_of_line(reader);
}

static int read_tokens(struct reader *reader)
{
    const struct token *first = peek(reader);

    if (!first)
        return 0;
    if (!reader->has_version)
        return read_version(reader);
    if (!first->quoted && isdigit((unsigned char)first->text[0]))
        return read_step(reader);
    if (take(reader, "program"))
        return read_program(reader);
    if (take(reader, "build"))
        return read_build(reader);
    if (take(reader, "time"))
        return read_time(reader);
    if (take(reader, "judge"))
        return read_judge(reader);
    if (take(reader, "shows"))
        return read_shows(reader);
    return complain_of(reader, "not known in a schedule:", first->text);
}

static int read_text(struct reader *reader, const char *text, size_t bytes)
{
    const char *end = text + bytes;

    while (text < end) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        size_t len = (size_t)((stop ? stop : end) - text);

        reader->line++;
        if (len >= LINE_BYTES)
            return complain(reader, "the line is too long");
        if (memchr(text, '\0', len))
            return complain(reader, "a zero byte: this is no text");
        memcpy(reader->text, text, len);
        if (len && reader->text[len - 1] == '\r')
            len--;
        reader->text[len] = '\0';
        if (split(reader) < 0 || read_tokens(reader) < 0)
            return -1;
        text = stop ? stop + 1 : end;
    }
    if (!reader->has_version)
        return fw_error_set(reader->err, "%s: not a schedule: it is empty", reader->name);
    return 0;
}

int fw_script_read_memory(struct fw_script *schedule, const char *text, size_t bytes,
                            const char *name, struct fw_error *err)
{
    struct reader *reader = fw_xcalloc(1, sizeof *reader);
    int status;

    fw_script_init(schedule);
    reader->schedule = schedule;
    reader->name = name;
    reader->err = err;
    status = read_text(reader, text, bytes);
    fw_vec_release(&reader->tokens);
    free(reader);
    if (status < 0)
        fw_script_release(schedule);
    return status;
}

int fw_script_read(struct fw_script *schedule, const char *path, struct fw_error *err)
{
    FW_VEC(char) text = { 0 };
    struct fw_input in;
    struct stat st;
    ssize_t got = 0;
    int status = -1;

    if (strcmp(path, "-") != 0 && (access(path, R_OK) < 0 || stat(path, &st) < 0))
        return fw_error_errno(err, "cannot open schedule '%s'", path);
    if (strcmp(path, "-") != 0 && S_ISDIR(st.st_mode))
        return fw_error_set(err, "'%s' is a folder, not a schedule", path);
    if (fw_input_open(&in, path, err) < 0)
        return -1;
    do {
        fw_vec_reserve(&text, text.len + 65536);
        got = fw_input_read(&in, text.at + text.len, 65536, err);
        text.len += got > 0 ? (size_t)got : 0;
    } while (got > 0 && text.len <= FILE_BYTES);
    if (got > 0)
        fw_error_set(err, "cannot read schedule '%s': it is too large", path);
    else if (got == 0)
        status = fw_script_read_memory(schedule, text.at, text.len, in.name, err);
    fw_vec_release(&text);
    fw_input_close(&in);
    return status;
}
