/*
 * input.h - bytes from a file, standard input or memory, in order.
 *
 * Reads go straight to the caller's buffer; the only copy is of bytes that
 * were looked at ahead (fw_input_peek), for telling formats apart.  A regular
 * file or memory can also be scanned from any offset without moving the place
 * of the next read.
 */
#ifndef FW_BASE_INPUT_H
#define FW_BASE_INPUT_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define FW_INPUT_PEEK 8192u /* room for two packets of a pipe */

struct fw_input {
    char *name;               /* for messages: the path, or "standard input" */
    int fd;                   /* -1: memory */
    const unsigned char *memory;
    size_t memory_size;
    uint64_t offset;          /* of the next byte that fw_input_read delivers */
    bool seekable;            /* fw_input_scan works */
    unsigned char ahead[FW_INPUT_PEEK];
    size_t ahead_len;         /* bytes read from fd but not delivered yet */
};

/* Opens the path; "-" is standard input.  Directories are refused. */
int fw_input_open(struct fw_input *in, const char *path, struct fw_error *err);
void fw_input_open_memory(struct fw_input *in, const void *data, size_t size, const char *name);
/* Takes over a descriptor of a regular file. */
void fw_input_open_fd(struct fw_input *in, int fd, const char *name);
void fw_input_close(struct fw_input *in);

/* Back to the first byte of a seekable input. */
int fw_input_rewind(struct fw_input *in, struct fw_error *err);

/* Up to `want` next bytes; 0 at the end, -1 on error.  Short reads are normal on pipes. */
ssize_t fw_input_read(struct fw_input *in, void *to, size_t want, struct fw_error *err);

/* Reads until `want` bytes are there or the input ends. */
ssize_t fw_input_read_full(struct fw_input *in, void *to, size_t want, struct fw_error *err);

/* Looks at up to `want` (at most FW_INPUT_PEEK) next bytes without taking them. */
ssize_t fw_input_peek(struct fw_input *in, const unsigned char **bytes, size_t want,
                      struct fw_error *err);

/* Bytes from an offset of a seekable input; the place of the next read stays. */
ssize_t fw_input_scan(struct fw_input *in, void *to, size_t want, uint64_t offset,
                      struct fw_error *err);

#endif
