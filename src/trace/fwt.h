/*
 * fwt.h - the binary trace format: its constants, and what only it can carry.
 *
 * docs/formats.md tells the bytes in full.  In short: a file header, then
 * blocks that each say their type, sizes, place in the trace and checksum.
 * The files behind this header:
 *
 *   fwt_block.c   one block as bytes: header, checksum, varints
 *   fwt_source.c  blocks out of an input: cut or bad, checked, decompressed
 *   fwt_events.c  opens an event block: dictionary, threads, columns
 *   fwt_slice.c   makes events out of it
 *   fwt_reuse.c   variables that share a name
 *   fwt_read.c    the decoder: order of blocks, names, modules, metadata
 *   fwt_columns.c events into columns
 *   fwt_write.c   the encoder
 */
#ifndef FW_TRACE_FWT_H
#define FW_TRACE_FWT_H

#include "base/error.h"
#include "trace/event.h"

#include <stddef.h>
#include <stdint.h>

#define FW_FWT_MAGIC       "FWTRACE\n"
#define FW_FWT_MAGIC_SIZE  8
#define FW_FWT_VERSION     1u
#define FW_FWT_HEADER_SIZE 16u
#define FW_FWT_BRANCHES    1u /* flag of the file: it may hold branch events */

#define FW_FWT_MARKER     0x4b425746u /* "FWBK" */
#define FW_FWT_BLOCK_HEAD 32u
#define FW_FWT_BLOCK_TAIL 8u
#define FW_FWT_OPTIONAL   1u /* flag of a block: skip it if its type is unknown */

/* Bounds a reader relies on before it allocates. */
#define FW_FWT_MAX_PAYLOAD  (16u << 20)
#define FW_FWT_MAX_EVENTS   65536u /* in one block */
#define FW_FWT_MAX_RATIO    32u    /* raw : stored size of blocks whose content is kept */
#define FW_FWT_MAX_BUILD_ID 64u

/* Key of metadata at the beginning of recordings: repeated accesses were left out. */
#define FW_FWT_REPEATS "repeats"
/* They were not after all: all accesses are there. */
#define FW_FWT_REPEATS_KEPT "repeats-kept"

enum fw_fwt_type {
    FW_FWT_STRINGS = 1,
    FW_FWT_EVENTS = 2,
    FW_FWT_MODULES = 3,
    FW_FWT_METADATA = 4,
    FW_FWT_END = 5,
    FW_FWT_POSITIONS = 6, /* optional */
};

enum fw_fwt_codec {
    FW_FWT_STORED = 0,
    FW_FWT_ZSTD = 1,
};

/* A program or library that was mapped while the trace was recorded. */
struct fw_fwt_module {
    const char *path;
    uint64_t base, size;
    const unsigned char *build_id;
    uint32_t build_id_size;
    uint64_t since; /* events before it was loaded; set by the reader */
};

/* From event `event` on, the events of `thread` (an id) were made when it had entered so many basic
 * blocks, until its next mark.  FW_FWT_NOWHERE: they tell of something that happened before. */
struct fw_fwt_mark {
    uint64_t event, blocks;
    uint32_t thread;
};
#define FW_FWT_NOWHERE   0xffffffffffffu
#define FW_FWT_MAX_MARKS 65536u /* in one block */

/* Where a trace that is to be continued ends. */
struct fw_fwt_extent {
    uint64_t bytes;  /* up to here it is whole; whatever follows must be cut off first */
    uint64_t events; /* in it */
    uint32_t names[FW_SPACE_COUNT];
};

struct fw_decoder;
struct fw_encoder_setup;

/*
 * What a decoder of fw_format_fwt has met so far.  Modules are in order of
 * appearance and are good until the decoder's next call; metadata values until
 * it is destroyed (NULL: no such key; of several values the latest).
 */
const struct fw_fwt_module *fw_fwt_modules(const struct fw_decoder *decoder, size_t *count);
const char *fw_fwt_metadata(const struct fw_decoder *decoder, const char *key);
/* The i-th pair, in order of appearance; false: there are not so many. */
bool fw_fwt_metadata_at(const struct fw_decoder *decoder, size_t i, const char **key,
                        const char **value);
void fw_fwt_extent(const struct fw_decoder *decoder, struct fw_fwt_extent *extent);

/*
 * For encoders of fw_encoder_fwt.  Blocks written by these come after all
 * events handed over before.  fw_fwt_continue makes an encoder that adds to a
 * trace: it writes no file header; the first names of its symbols are those
 * that the trace holds already.
 */
void *fw_fwt_continue(const struct fw_encoder_setup *setup, const struct fw_fwt_extent *extent);
void fw_fwt_set_codec(void *encoder, enum fw_fwt_codec codec);
int fw_fwt_write_modules(void *encoder, const struct fw_fwt_module *modules, size_t count,
                         struct fw_error *err);
int fw_fwt_write_metadata(void *encoder, const char *key, const char *value, struct fw_error *err);
/* Where events that need no check may be put by themselves (fwt_columns.h); a full block is ended
 * with fw_fwt_flush. */
struct fw_fwt_columns *fw_fwt_columns_of(void *encoder);
/* Marks in order of their events; at most FW_FWT_MAX_MARKS.  May come at any later place. */
int fw_fwt_write_positions(void *encoder, const struct fw_fwt_mark *marks, size_t count,
                           struct fw_error *err);
/* Ends the current block, so that everything handed over can be read. */
int fw_fwt_flush(void *encoder, struct fw_error *err);

#endif
