/*
 * error.h - what went wrong with the world: a file, its syntax, a permission.
 *
 * A function that can fail because of the world returns -1 (or NULL) and
 * describes the cause once, where it is known, in the caller's fw_error.
 * Callers on the way up may put context in front.  Only src/cmd prints.
 * Messages: lower case, cause first, subject in quotes.
 *
 * The message lives inside the struct: no ownership, no freeing.
 */
#ifndef FW_BASE_ERROR_H
#define FW_BASE_ERROR_H

struct fw_error {
    char message[1024]; /* empty: no error was described */
};

/* Describes the error; returns -1 so that `return fw_error_set(...)` reads well. */
int fw_error_set(struct fw_error *err, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* The same with ": " and the text of errno behind it. */
int fw_error_errno(struct fw_error *err, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Puts "CONTEXT: " in front of what is already described; returns -1. */
int fw_error_context(struct fw_error *err, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

#endif
