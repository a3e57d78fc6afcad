/* fwt_source.c - see fwt_source.h. */
#include "trace/fwt_source.h"

#include "base/alloc.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <zstd.h>

#define FIRST_BUFFER (64u * 1024u)

void fw_fwt_source_init(struct fw_fwt_source *source, struct fw_input *input)
{
    memset(source, 0, sizeof *source);
    source->input = input;
}

void fw_fwt_source_release(struct fw_fwt_source *source)
{
    free(source->buffer);
    free(source->raw);
    ZSTD_freeDCtx(source->zstd);
    memset(source, 0, sizeof *source);
}

/* Makes room behind `end`; the buffer doubles only when it is full of data. */
static void make_room(struct fw_fwt_source *source, size_t want)
{
    if (source->at && source->size - source->at < want) {
        source->end -= source->at;
        memmove(source->buffer, source->buffer + source->at, source->end);
        source->at = 0;
    }
    if (source->end == source->size) {
        source->size = source->size ? source->size * 2 : FIRST_BUFFER;
        source->buffer = fw_xrealloc(source->buffer, source->size, 1);
    }
}

/* Reads until `want` bytes are in the buffer or the input ends; returns how many are there. */
static ssize_t look(struct fw_fwt_source *source, size_t want, struct fw_error *err)
{
    while (source->end - source->at < want) {
        ssize_t got;

        make_room(source, want);
        got = fw_input_read(source->input, source->buffer + source->end, source->size - source->end,
                            err);
        if (got < 0)
            return -1;
        if (got == 0)
            break;
        source->end += (size_t)got;
    }
    return (ssize_t)(source->end - source->at);
}

static void take(struct fw_fwt_source *source, size_t size)
{
    source->at += size;
    source->offset += size;
}

static bool all_zero(const unsigned char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (bytes[i])
            return false;
    return true;
}

/*
 * Does anything but zeros come `skip` bytes from here?  Zeros up to the end
 * are what a file that was extended before it was written holds after a crash.
 * Zeros with data behind them cannot be stepped over, so nothing is lost by
 * dropping them while looking.  1, 0 or -1.
 */
static int data_follows(struct fw_fwt_source *source, size_t skip, struct fw_error *err)
{
    ssize_t have = look(source, skip + FW_FWT_BLOCK_HEAD, err);

    if (have < 0)
        return -1;
    if ((size_t)have <= skip)
        return 0;
    if (!all_zero(source->buffer + source->at + skip, (size_t)have - skip))
        return 1;
    source->finished = true;
    do {
        source->at = source->end = 0;
        have = look(source, 1, err);
        if (have > 0 && !all_zero(source->buffer, (size_t)have))
            return 1;
    } while (have > 0);
    return (int)have;
}

static enum fw_fwt_got cut(struct fw_fwt_source *source, const char *what)
{
    snprintf(source->cut, sizeof source->cut, "%s (block %" PRIu64 ", offset %" PRIu64 ")", what,
             source->blocks + 1, source->offset);
    return FW_FWT_GOT_END;
}

static enum fw_fwt_got at_end(struct fw_fwt_source *source, size_t left)
{
    if (left)
        return cut(source, "the file ends inside a block");
    if (!source->ended)
        return cut(source, "the file ends without an end mark");
    return FW_FWT_GOT_END;
}

static enum fw_fwt_got fail(const struct fw_fwt_source *source, const char *what,
                            struct fw_error *err)
{
    return fw_error_set(err, "%s: offset %" PRIu64 ": %s block %" PRIu64, source->input->name,
                        source->offset, what, source->blocks + 1);
}

enum fw_fwt_got fw_fwt_source_header(struct fw_fwt_source *source, unsigned *flags,
                                     struct fw_error *err)
{
    ssize_t have = look(source, FW_FWT_HEADER_SIZE, err);
    size_t magic = FW_FWT_MAGIC_SIZE;

    if (have < 0)
        return FW_FWT_GOT_ERROR;
    if ((size_t)have < magic)
        magic = (size_t)have;
    if (magic && memcmp(source->buffer, FW_FWT_MAGIC, magic) != 0)
        return fw_error_set(err, "%s: offset 0: not a .fwt trace", source->input->name);
    if ((size_t)have < FW_FWT_HEADER_SIZE) {
        snprintf(source->cut, sizeof source->cut, "the file ends inside its header");
        return FW_FWT_GOT_END;
    }
    if (fw_fwt_header_unpack(source->buffer + source->at, flags, err) < 0)
        return fw_error_context(err, "%s: offset 0", source->input->name);
    take(source, FW_FWT_HEADER_SIZE);
    return FW_FWT_GOT_BLOCK;
}

/* What must hold before the payload is read, whatever the type. */
static const char *wrong_head(const struct fw_fwt_head *head)
{
    bool known = head->type >= FW_FWT_STRINGS && head->type <= FW_FWT_END;

    if (!known && !(head->flags & FW_FWT_OPTIONAL))
        return "unknown type of";
    if (head->flags & ~FW_FWT_OPTIONAL)
        return "unknown flags of";
    if (head->codec > FW_FWT_ZSTD && known)
        return "unknown codec of";
    if (head->stored > FW_FWT_MAX_PAYLOAD || head->raw > FW_FWT_MAX_PAYLOAD)
        return "too large a size of";
    if (head->codec == FW_FWT_STORED && head->stored != head->raw)
        return "contradictory sizes of";
    return NULL;
}

/* Points block->payload at the raw bytes; `stored` are the bytes of the file. */
static enum fw_fwt_got unpack(struct fw_fwt_source *source, struct fw_fwt_block *block,
                              const unsigned char *stored)
{
    const struct fw_fwt_head *head = &block->head;

    if (head->codec != FW_FWT_ZSTD) {
        block->payload = stored;
        return FW_FWT_GOT_BLOCK;
    }
    if (ZSTD_getFrameContentSize(stored, head->stored) != head->raw)
        return FW_FWT_GOT_BROKEN;
    if (source->raw_size < head->raw || !source->raw) {
        free(source->raw);
        source->raw_size = head->raw;
        source->raw = fw_xmalloc(source->raw_size + 1);
    }
    if (!source->zstd)
        source->zstd = ZSTD_createDCtx();
    if (ZSTD_decompressDCtx(source->zstd, source->raw, head->raw, stored, head->stored) !=
        head->raw)
        return FW_FWT_GOT_BROKEN;
    block->payload = source->raw;
    return FW_FWT_GOT_BLOCK;
}

/* A whole block is in the buffer: takes it. */
static enum fw_fwt_got take_block(struct fw_fwt_source *source, struct fw_fwt_block *block,
                                  struct fw_error *err)
{
    size_t covered = FW_FWT_BLOCK_HEAD + block->head.stored;
    enum fw_fwt_got got = FW_FWT_GOT_BROKEN;

    if (!fw_fwt_sealed(source->buffer + source->at, covered)) {
        int follows = data_follows(source, covered + FW_FWT_BLOCK_TAIL, err);

        if (follows < 0)
            return FW_FWT_GOT_ERROR;
        if (!follows)
            return cut(source, "bad checksum in the last block");
        fail(source, "bad checksum in", err);
        if (source->finished)
            return FW_FWT_GOT_ERROR;
    } else {
        got = unpack(source, block, source->buffer + source->at + FW_FWT_BLOCK_HEAD);
        if (got == FW_FWT_GOT_BROKEN)
            fail(source, "bad zstd data in", err);
    }
    take(source, covered + FW_FWT_BLOCK_TAIL);
    source->blocks++;
    source->ended = block->head.type == FW_FWT_END;
    return got;
}

static enum fw_fwt_got bad_head(struct fw_fwt_source *source, struct fw_error *err)
{
    int follows = data_follows(source, 0, err);

    if (follows < 0)
        return FW_FWT_GOT_ERROR;
    if (!follows)
        return cut(source, "the file ends in zeros");
    return fail(source, "bad header of", err);
}

enum fw_fwt_got fw_fwt_source_next(struct fw_fwt_source *source, struct fw_fwt_block *block,
                                   struct fw_error *err)
{
    ssize_t have;
    size_t need;
    const char *wrong;

    if (source->finished)
        return FW_FWT_GOT_END;
    source->cut[0] = '\0';
    have = look(source, FW_FWT_BLOCK_HEAD, err);
    if (have < 0)
        return FW_FWT_GOT_ERROR;
    if ((size_t)have < FW_FWT_BLOCK_HEAD)
        return at_end(source, (size_t)have);
    block->offset = source->offset;
    block->number = source->blocks + 1;
    if (!fw_fwt_head_unpack(source->buffer + source->at, &block->head))
        return bad_head(source, err);
    wrong = wrong_head(&block->head);
    if (wrong)
        return fail(source, wrong, err);
    need = FW_FWT_BLOCK_HEAD + block->head.stored + FW_FWT_BLOCK_TAIL;
    have = look(source, need, err);
    if (have < 0)
        return FW_FWT_GOT_ERROR;
    if ((size_t)have < need)
        return at_end(source, (size_t)have);
    return take_block(source, block, err);
}
