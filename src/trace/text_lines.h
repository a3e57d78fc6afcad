/*
 * text_lines.h - whole lines from a text trace, in bounded memory.
 *
 * Bytes are read in chunks into one buffer.  What a decoder sees is a run of
 * whole lines, buffer[at] .. buffer[whole - 1], each ended by '\n' (one is put
 * behind a last line that has none), and FW_TEXT_PADDING readable bytes behind
 * the run, so that a scanner may load words without looking where it ends.
 * fw_text_fill fetches the next run.
 *
 * Lines end with LF or CRLF.  A line may hold FW_TEXT_LINE_MAX bytes and no
 * NUL (fw_text_check); a run that has a NUL somewhere is marked.  A line longer
 * than the buffer is cut, never kept whole, but still longer than it may be:
 * memory is independent of what the file holds.
 *
 * The first line may say "# branches: yes" or "# branches: no".
 */
#ifndef FW_TRACE_TEXT_LINES_H
#define FW_TRACE_TEXT_LINES_H

#include "base/error.h"
#include "base/input.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define FW_TEXT_LINE_MAX 65536u
#define FW_TEXT_PADDING  64u
#define FW_TEXT_CHUNK    (128u * 1024u)
#define FW_TEXT_QUOTE    96u

enum fw_text_header {
    FW_TEXT_SAYS_NOTHING,
    FW_TEXT_SAYS_BRANCHES,
    FW_TEXT_SAYS_NONE,
};

struct fw_text {
    struct fw_input *input; /* borrowed */
    char *buffer;
    size_t chunk;         /* bytes asked for at a time */
    size_t at;            /* the first byte that was not taken yet */
    size_t whole;         /* behind the last whole line */
    size_t end;           /* behind the last byte read */
    uint64_t line;        /* number of lines taken so far */
    uint64_t batch_line;  /* the same when the current batch began */
    uint64_t scan_offset; /* of the next byte, if scanning */
    bool scanning;        /* reads with fw_input_scan, leaving the input's place alone */
    bool started;         /* the first run was fetched, so `header` is known */
    bool ended;           /* the input has no more bytes */
    bool has_nul;         /* a line of this run holds a NUL byte */
    enum fw_text_header header;
};

/* chunk 0: FW_TEXT_CHUNK.  Tests use small ones. */
void fw_text_init(struct fw_text *text, struct fw_input *input, size_t chunk);
/* The same over the bytes of a seekable input from `offset` on, not moving its place. */
void fw_text_init_scan(struct fw_text *text, struct fw_input *input, uint64_t offset);
void fw_text_release(struct fw_text *text);

/*
 * Makes at < whole true: 1 if it is, 0 at the end, -1 on error.  The first call also reads the
 * header (a bad one is an error, with its position).
 */
int fw_text_fill(struct fw_text *text, struct fw_error *err);

/* Counts the lines of a batch from here. */
static inline void fw_text_begin_batch(struct fw_text *text)
{
    text->batch_line = text->line;
}

/* Takes the next line of the run (there must be one), without its end. */
static inline const char *fw_text_take(struct fw_text *text, size_t *len)
{
    const char *line = text->buffer + text->at;
    const char *newline = memchr(line, '\n', text->whole - text->at);
    size_t bytes = (size_t)(newline - line);

    text->at += bytes + 1;
    text->line++;
    *len = bytes && line[bytes - 1] == '\r' ? bytes - 1 : bytes;
    return line;
}

/* Is the line one that text may hold?  0, or -1 with a cause that lacks the position. */
int fw_text_check(const char *line, size_t len, struct fw_error *err);

/* Nothing but blanks, or a comment? */
bool fw_text_is_void(const char *line, size_t len);

static inline bool fw_text_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* Moves both ends inward over blanks. */
static inline void fw_text_trim(const char **from, const char **to)
{
    while (*from < *to && fw_text_is_blank(**from))
        ++*from;
    while (*to > *from && fw_text_is_blank((*to)[-1]))
        --*to;
}

/* The subject of a message: shortened, control characters escaped; returns `to`. */
const char *fw_text_quote(char to[FW_TEXT_QUOTE], const char *text, size_t len);

#endif
