/*
 * output.h - a buffered file to write, whose errors cannot be overlooked.
 *
 * The first failed write is remembered and described by fw_output_close; all
 * later ones do nothing.  So callers write freely and check once.  A file gets
 * its name only when it is complete: until then it is NAME.part-PID beside it,
 * so that no half-written result is ever taken for a whole one, and an older
 * file of that name stays if the new one fails.  (Standard output, pipes and
 * devices are written directly.)
 */
#ifndef FW_BASE_OUTPUT_H
#define FW_BASE_OUTPUT_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fw_output {
    char *name;
    int fd;        /* -1: memory (see fw_output_open_memory) */
    char *buffer;
    size_t used, size;
    uint64_t written; /* bytes handed over so far, the buffered ones included */
    int error;        /* errno of the first failed write */
    char *part;       /* where the bytes are until it is complete; NULL: written directly */
};

/* Opens the path for writing; "-" is standard output. */
int fw_output_open(struct fw_output *out, const char *path, struct fw_error *err);
/* Takes over a descriptor; it is written directly. */
void fw_output_open_fd(struct fw_output *out, int fd, const char *name);
/* Collects in memory: buffer and used hold the result until fw_output_abandon. */
void fw_output_open_memory(struct fw_output *out);

void fw_output_bytes(struct fw_output *out, const void *bytes, size_t len);
void fw_output_text(struct fw_output *out, const char *text);
/* As a word of a shell command, quoted if need be. */
void fw_output_word(struct fw_output *out, const char *word);
void fw_output_printf(struct fw_output *out, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void fw_output_flush(struct fw_output *out);

/* Space for `len` bytes at the end of the buffer, for writers in a hurry; then advance. */
char *fw_output_reserve(struct fw_output *out, size_t len);
static inline void fw_output_advance(struct fw_output *out, size_t len)
{
    out->used += len;
    out->written += len;
}

/* Flushes and closes; -1 if anything failed since opening. */
int fw_output_close(struct fw_output *out, struct fw_error *err);
/* Closes without keeping the result. */
void fw_output_abandon(struct fw_output *out);

/* Makes the folder and those above it, as far as they are not there. */
int fw_folder_make(const char *path, struct fw_error *err);

#endif
