/*
 * words.h - a line of a small text file, taken apart: words, texts in quotes, comments.
 *
 *     section "operator new" +3      # a comment
 *
 * Words are separated by blanks; what is in quotes is one word, with \" \\ \n \t and \xHH in it.
 * A # at the beginning of a word starts a comment.  Words lie in the line, which is changed.
 *
 * A cursor, `next`, goes through them.  Not thread-safe.
 */
#ifndef FW_BASE_WORDS_H
#define FW_BASE_WORDS_H

#include "base/error.h"
#include "base/output.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stddef.h>

#define FW_LINE_WORDS 4096u

struct fw_line_word {
    char *text;
    bool quoted;
};

struct fw_line {
    const char *name; /* of the file, for messages */
    unsigned number;  /* of the line, from 1 */
    struct fw_error *err;
    bool ordinals; /* #12 behind another word is a word, not a comment */
    FW_VEC(char) text;
    FW_VEC(struct fw_line_word) words;
    size_t next;
};

/*
 * Calls `take` for each line of the text, taken apart, until one returns -1.  The line's number and
 * its words are set by it, everything else by the caller; fw_line_release ends it.
 */
int fw_line_each(struct fw_line *line, const char *text, size_t bytes, int (*take)(void *context),
                 void *context);
void fw_line_release(struct fw_line *line);

/* Describe what is wrong, with file and line; return -1. */
int fw_line_complain(const struct fw_line *line, const char *what);
int fw_line_complain_of(const struct fw_line *line, const char *what, const char *text);

/* The next word, which is not taken; NULL: there is none. */
const struct fw_line_word *fw_line_peek(const struct fw_line *line);
/* Takes the word if it comes next, and is not in quotes. */
bool fw_line_take(struct fw_line *line, const char *word);
/* -1: something is left. */
int fw_line_end(const struct fw_line *line);
/* The first line of a file of constraints, say: `foreweave constraints 2`; returns its version,
 * which is 1 to `newest`, or -1. */
int fw_line_version(struct fw_line *line, const char *what, int newest);

/* -1: it is something else that is there, which may keep its reader waiting: a pipe, a device. */
int fw_text_is_file(const char *path, const char *what, struct fw_error *err);
/* Reads a whole file of such lines, "-" is standard input; `what` it is is for messages.  The
 * caller frees *text, and *shown, its name. */
int fw_text_read(const char *path, const char *what, char **text, size_t *bytes, char **shown,
                 struct fw_error *err);

/* Writes it in quotes. */
void fw_output_quoted(struct fw_output *out, const char *text);

#endif
