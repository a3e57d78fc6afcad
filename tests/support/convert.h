/* convert.h - a trace as a file in memory, for round trips in tests. */
#ifndef FW_TESTS_CONVERT_H
#define FW_TESTS_CONVERT_H

#include "support/random.h"
#include "trace/trace.h"

#include <stddef.h>

/* A file in memory; the caller releases it. */
struct fw_file {
    char *data;
    size_t size;
};

/* Writes the whole trace as "std", "tid" or "fwt".  -1 and the cause in `why` if it cannot be. */
int fw_file_write(struct fw_file *file, const struct fw_trace *trace, const char *format, char *why,
                  size_t why_size);
/* Writes a .fwt whose blocks end at random places, compressed or not. */
struct fw_file fw_file_write_blocks(const struct fw_trace *trace, struct fw_random *random);
void fw_file_release(struct fw_file *file);

/* Reads it back; NULL and the cause in `why` if it does not load. */
struct fw_trace *fw_file_load(const struct fw_file *file, const char *format, char *why,
                              size_t why_size);

bool fw_file_equal(const struct fw_file *a, const struct fw_file *b);

#endif
