/*
 * fwt_file.h - .fwt files in memory, for tests: written, read back, damaged.
 */
#ifndef FW_TESTS_FWT_FILE_H
#define FW_TESTS_FWT_FILE_H

#include "base/vec.h"
#include "trace/decoder.h"
#include "trace/fwt_block.h"
#include "trace/writer.h"

/* A trace to be written: events[i].attr counts in attrs; attrs.at[0] is empty. */
struct fwt_trace {
    struct fw_symbols *symbols;
    FW_VEC(struct fw_event) events;
    FW_VEC(struct fw_attr) attrs;
    bool branches;
};

void fwt_trace_init(struct fwt_trace *trace);
void fwt_trace_release(struct fwt_trace *trace);
/* Adds an event; the attribute is copied if it has fields. */
void fwt_trace_add(struct fwt_trace *trace, struct fw_event event, struct fw_attr attr);
/*
 * Up to `names` random names in each space, and random events (not well-formed:
 * the decoder knows syntax only).
 */
void fwt_trace_random(struct fwt_trace *trace, uint64_t seed, uint32_t names, uint32_t events);

struct fwt_file {
    unsigned char *bytes;
    size_t size;
};

/* Writes the trace in blocks of at most `block` events. */
struct fwt_file fwt_file_write(const struct fwt_trace *trace, uint32_t block,
                               enum fw_fwt_codec codec);
struct fwt_file fwt_file_copy(const struct fwt_file *file, size_t size);
void fwt_file_release(struct fwt_file *file);

/* The offset of block `number` (counted from 1), or the size of the file. */
size_t fwt_file_block(const struct fwt_file *file, unsigned number);
/* The number of the nth (from 0) block of this type, or 0. */
unsigned fwt_file_find(const struct fwt_file *file, enum fw_fwt_type type, unsigned nth);
/* Makes all checksums of the block right again after its bytes were changed. */
void fwt_file_seal(struct fwt_file *file, unsigned number);
/* Puts a block in at an offset. */
void fwt_file_insert(struct fwt_file *file, size_t offset, const struct fw_fwt_head *head,
                     const void *payload);

/* What a decoder made of a file. */
struct fwt_result {
    struct fw_symbols *symbols;
    FW_VEC(struct fw_event) events; /* attr counts in attrs here */
    FW_VEC(struct fw_attr) attrs;
    int end; /* 0 or -1 */
    bool cut;
    char cut_reason[160], first_broken[256];
    struct fw_error error;
};

struct fwt_result fwt_file_read(const struct fwt_file *file, bool repair);
void fwt_result_release(struct fwt_result *result);
/* Adds everything the decoder has to give. */
void fwt_result_drain(struct fwt_result *result, struct fw_decoder *decoder);

/* Are the first `count` events, with their attributes, those of the trace? */
bool fwt_result_equals(const struct fwt_result *result, const struct fwt_trace *trace,
                       uint32_t count);

#endif
