/*
 * fwt_source.h - blocks out of an input, in order.
 *
 * Tells the three ways apart in which a file can end or be wrong: it stops
 * early (cut: the end, with a reason), a block is damaged although data comes
 * after it (broken), or it cannot be a .fwt file at all (error).  Memory grows
 * only with bytes that were really read, and with sizes that were bounded.
 *
 * A source at a cut end may be asked again: a file that is being written may
 * have grown in between.
 */
#ifndef FW_TRACE_FWT_SOURCE_H
#define FW_TRACE_FWT_SOURCE_H

#include "base/input.h"
#include "trace/fwt_block.h"

struct fw_fwt_source {
    struct fw_input *input;
    unsigned char *buffer; /* bytes at..end are read and not taken yet */
    size_t at, end, size;
    uint64_t offset;    /* in the file, of buffer[at] */
    uint64_t blocks;    /* taken */
    bool ended;         /* the latest block was an end mark */
    bool finished;      /* nothing can come any more */
    char cut[160];      /* after FW_FWT_GOT_END: why the file is cut, or empty */
    unsigned char *raw; /* the decompressed payload */
    size_t raw_size;
    struct ZSTD_DCtx_s *zstd;
};

struct fw_fwt_block {
    struct fw_fwt_head head;
    uint64_t offset;
    uint64_t number;              /* counted from 1 */
    const unsigned char *payload; /* head.raw bytes, good until the next block is taken */
};

enum fw_fwt_got {
    FW_FWT_GOT_ERROR = -1,
    FW_FWT_GOT_END = 0,
    FW_FWT_GOT_BLOCK = 1,
    FW_FWT_GOT_BROKEN = 2, /* described like an error, but the block can be stepped over */
};

void fw_fwt_source_init(struct fw_fwt_source *source, struct fw_input *input);
void fw_fwt_source_release(struct fw_fwt_source *source);

/* The file header: GOT_BLOCK if it is there. */
enum fw_fwt_got fw_fwt_source_header(struct fw_fwt_source *source, unsigned *flags,
                                     struct fw_error *err);
/* The next block, its checksum verified and its payload decompressed. */
enum fw_fwt_got fw_fwt_source_next(struct fw_fwt_source *source, struct fw_fwt_block *block,
                                   struct fw_error *err);

#endif
