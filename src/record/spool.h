/*
 * spool.h - a recording while it is made: raw records on disk, safe against being cut.
 *
 * A spool stands where the trace will stand, from the first moment on: a header of its own, then
 * blocks as in a .fwt (fwt_block.h), each with its checksum.  Type 2 holds packed records
 * (pack.h; `sequence` counts records, `count` units), type 4 pairs of texts, type 5 is the end
 * mark.  Whatever is killed, and when, what was written before can be read: see recover.h.
 *
 *     0  8  magic "FWSPOOL\n"     8  2  version     10  2  0
 *     12 4  low half of XXH3-64 of the 12 bytes before
 */
#ifndef FW_RECORD_SPOOL_H
#define FW_RECORD_SPOOL_H

#include "base/input.h"
#include "record/pack.h"
#include "trace/fwt_source.h"

#define FW_SPOOL_MAGIC   "FWSPOOL\n"
#define FW_SPOOL_VERSION 2u
#define FW_SPOOL_HEADER  16u

/* --- writing ------------------------------------------------------------------------------- */

struct fw_spool;

/* Writes to the descriptor, which becomes the spool's; `name` is for messages. */
struct fw_spool *fw_spool_create(int fd, const char *name);
/* Closes the file as it is. */
void fw_spool_destroy(struct fw_spool *spool);

/*
 * After an error (a full disk) the file ends with its last whole block, later calls return -1 at
 * once, and the error can be asked for.
 */
int fw_spool_pair(struct fw_spool *spool, const char *key, const char *value);
int fw_spool_add(struct fw_spool *spool, const struct fw_wire_unit *units, size_t count);
int fw_spool_flush(struct fw_spool *spool); /* what was added can be read from now on */
int fw_spool_end(struct fw_spool *spool);   /* the end mark */
const char *fw_spool_error(const struct fw_spool *spool); /* NULL: none */
bool fw_spool_pending(const struct fw_spool *spool); /* there is something to flush */

/* --- reading ------------------------------------------------------------------------------- */

struct fw_spool_pair_text {
    char *key, *value;
};

struct fw_spool_reader {
    struct fw_input *input; /* borrowed */
    struct fw_fwt_source source;
    struct fw_units units;
    uint64_t records; /* taken */
    FW_VEC(struct fw_spool_pair_text) pairs;
    bool ended; /* the end mark was met: it is whole */
};

/* The input stands at its first byte. */
int fw_spool_open(struct fw_spool_reader *reader, struct fw_input *input, struct fw_error *err);
void fw_spool_close(struct fw_spool_reader *reader);

/* 1: whole records in reader->units; 0: the end (or where it is cut); -1: it is damaged. */
int fw_spool_next(struct fw_spool_reader *reader, struct fw_error *err);

/* The value of a key met so far (the latest), or NULL. */
const char *fw_spool_value(const struct fw_spool_reader *reader, const char *key);

#endif
