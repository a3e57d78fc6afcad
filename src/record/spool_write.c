/* spool_write.c - see spool.h: the writing side. */
#include "record/spool.h"
#include "record/units.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>
#include <zstd.h>

/* Speed counts: the final trace replaces the spool.  Up to so many bytes it is not even compressed:
 * they go through memory only, as a rule. */
#define LEVEL  1
#define STORED (UINT64_C(512) << 20)

struct fw_spool {
    int fd;
    char *name;
    struct fw_packer *packer;
    struct fw_wire_unit *units; /* room for FW_PACK_UNITS */
    size_t count;
    uint64_t records; /* in blocks that are written */
    struct fw_packed payload, block;
    uint64_t size; /* of the file up to its last whole block */
    ZSTD_CCtx *zstd;
    struct fw_error error;
};

/* Writes everything or nothing: of a block that does not fit nothing stays behind. */
static int write_all(struct fw_spool *s, const unsigned char *bytes, size_t len)
{
    size_t done = 0;

    while (done < len) {
        ssize_t n = write(s->fd, bytes + done, len - done);

        if (n > 0) {
            done += (size_t)n;
        } else if (n == 0 || errno != EINTR) {
            fw_error_errno(&s->error, "cannot write '%s'", s->name);
            if (ftruncate(s->fd, (off_t)s->size) < 0)
                errno = 0; /* a cut block is read as one */
            return -1;
        }
    }
    s->size += len;
    return 0;
}

struct fw_spool *fw_spool_create(int fd, const char *name)
{
    struct fw_spool *s = fw_xcalloc(1, sizeof *s);
    unsigned char header[FW_SPOOL_HEADER];

    s->fd = fd;
    s->name = fw_xstrdup(name);
    s->packer = fw_packer_create();
    s->units = fw_xmalloc(FW_PACK_UNITS * sizeof *s->units);
    s->zstd = ZSTD_createCCtx();
    memcpy(header, FW_SPOOL_MAGIC, 8);
    fw_put16(header + 8, FW_SPOOL_VERSION);
    fw_put16(header + 10, 0);
    fw_put32(header + 12, (uint32_t)XXH3_64bits(header, 12));
    write_all(s, header, sizeof header);
    return s;
}

void fw_spool_destroy(struct fw_spool *s)
{
    if (!s)
        return;
    close(s->fd);
    fw_packer_destroy(s->packer);
    fw_vec_release(&s->payload);
    fw_vec_release(&s->block);
    ZSTD_freeCCtx(s->zstd);
    free(s->units);
    free(s->name);
    free(s);
}

const char *fw_spool_error(const struct fw_spool *s)
{
    return s->error.message[0] ? s->error.message : NULL;
}

bool fw_spool_pending(const struct fw_spool *s)
{
    return s->count > 0;
}

/* Writes the payload as one block. */
static int write_block(struct fw_spool *s, struct fw_fwt_head head)
{
    size_t raw = s->payload.len, stored = raw;

    fw_vec_reserve(&s->block, FW_FWT_BLOCK_HEAD + ZSTD_compressBound(raw) + FW_FWT_BLOCK_TAIL);
    if (s->size >= STORED)
        stored = ZSTD_compressCCtx(s->zstd, s->block.at + FW_FWT_BLOCK_HEAD,
                                   ZSTD_compressBound(raw), s->payload.at, raw, LEVEL);
    head.codec = FW_FWT_ZSTD;
    head.raw = (uint32_t)raw;
    if (ZSTD_isError(stored) || stored >= raw) {
        if (raw)
            memcpy(s->block.at + FW_FWT_BLOCK_HEAD, s->payload.at, raw);
        head.codec = FW_FWT_STORED;
        stored = raw;
    }
    head.stored = (uint32_t)stored;
    fw_fwt_head_pack(s->block.at, &head);
    fw_fwt_seal(s->block.at, FW_FWT_BLOCK_HEAD + stored);
    return write_all(s, s->block.at, FW_FWT_BLOCK_HEAD + stored + FW_FWT_BLOCK_TAIL);
}

/* Writes whole records, at most FW_PACK_UNITS units, as one block. */
static int write_records(struct fw_spool *s, const struct fw_wire_unit *units, size_t count)
{
    struct fw_fwt_head head = { .type = FW_FWT_EVENTS,
                                .sequence = s->records,
                                .count = (uint32_t)count };

    s->records += fw_pack(s->packer, units, count, &s->payload);
    return write_block(s, head);
}

int fw_spool_flush(struct fw_spool *s)
{
    size_t count = s->count;

    if (s->error.message[0])
        return -1;
    s->count = 0;
    return count ? write_records(s, s->units, count) : 0;
}

/* As many units as a block may have, and whole records. */
static size_t first_part(const struct fw_wire_unit *units, size_t count)
{
    size_t at = 0, size;

    if (count <= FW_PACK_UNITS)
        return count;
    while (at + (size = 1 + (size_t)fw_wire_more(&units[at])) <= FW_PACK_UNITS)
        at += size;
    return at;
}

/* Large parts are not copied. */
int fw_spool_add(struct fw_spool *s, const struct fw_wire_unit *units, size_t count)
{
    int status = s->error.message[0] ? -1 : 0;

    while (status == 0 && count) {
        size_t part = first_part(units, count);

        if (s->count + part > FW_PACK_UNITS)
            status = fw_spool_flush(s);
        if (status == 0 && !s->count && part >= FW_PACK_UNITS / 2) {
            status = write_records(s, units, part);
        } else if (status == 0) {
            memcpy(&s->units[s->count], units, part * sizeof *units);
            s->count += part;
        }
        units += part;
        count -= part;
    }
    return status;
}

static void put_text(struct fw_packed *to, const char *text)
{
    size_t len = strlen(text);

    fw_vec_reserve(to, to->len + FW_VARINT_MAX + len);
    to->len += fw_varint_put(to->at + to->len, len);
    memcpy(to->at + to->len, text, len);
    to->len += len;
}

int fw_spool_pair(struct fw_spool *s, const char *key, const char *value)
{
    struct fw_fwt_head head = { .type = FW_FWT_METADATA, .count = 1 };

    if (fw_spool_flush(s) < 0)
        return -1;
    head.sequence = s->records;
    s->payload.len = 0;
    put_text(&s->payload, key);
    put_text(&s->payload, value);
    return write_block(s, head);
}

int fw_spool_end(struct fw_spool *s)
{
    struct fw_fwt_head head = { .type = FW_FWT_END };

    if (fw_spool_flush(s) < 0)
        return -1;
    head.sequence = s->records;
    s->payload.len = 0;
    return write_block(s, head);
}
