/*
 * fwt_write.c - the encoder of the binary format: fw_encoder_fwt.
 *
 * Events are collected into blocks of FW_FWT_MAX_EVENTS.  Before a block of
 * events come the names that were added since the last one, so that a reader
 * never meets an id it does not know.
 */
#include "base/alloc.h"
#include "trace/fwt_columns.h"
#include "trace/writer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <zstd.h>

/* Fast to write and to read; higher levels save little on columns of bytes. */
#define ZSTD_LEVEL 1

/* Blocks of names stay small: a reader holds one of them in memory twice. */
#define STRINGS_BYTES (256u * 1024u)

struct fwt_encoder {
    struct fw_encoder_setup setup;
    enum fw_fwt_codec codec;
    uint32_t names[FW_SPACE_COUNT]; /* written so far */
    struct fw_fwt_columns columns;
    struct fw_bytes payload, block;
    struct fw_fwt_seams seams; /* of the payload */
    ZSTD_CCtx *zstd;
};

void *fw_fwt_continue(const struct fw_encoder_setup *setup, const struct fw_fwt_extent *extent)
{
    struct fwt_encoder *e = fw_xcalloc(1, sizeof *e);

    e->setup = *setup;
    e->codec = FW_FWT_ZSTD;
    memcpy(e->names, extent->names, sizeof e->names);
    fw_fwt_columns_init(&e->columns, setup->branches);
    e->columns.first = extent->events;
    e->zstd = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(e->zstd, ZSTD_c_compressionLevel, ZSTD_LEVEL);
    return e;
}

static void *fwt_create(const struct fw_encoder_setup *setup)
{
    /* The empty block and the empty site are in every table and are not stored. */
    static const struct fw_fwt_extent start = {
        .bytes = FW_FWT_HEADER_SIZE,
        .names = { [FW_SPACE_BLOCK] = 1, [FW_SPACE_SITE] = 1 },
    };
    unsigned char header[FW_FWT_HEADER_SIZE];

    fw_fwt_header_pack(header, setup->branches ? FW_FWT_BRANCHES : 0);
    fw_output_bytes(setup->out, header, sizeof header);
    return fw_fwt_continue(setup, &start);
}

static void fwt_destroy(void *encoder)
{
    struct fwt_encoder *e = encoder;

    if (!e)
        return;
    fw_fwt_columns_release(&e->columns);
    fw_vec_release(&e->payload);
    fw_vec_release(&e->block);
    ZSTD_freeCCtx(e->zstd);
    free(e);
}

void fw_fwt_set_codec(void *encoder, enum fw_fwt_codec codec)
{
    ((struct fwt_encoder *)encoder)->codec = codec;
}

/*
 * Compresses the payload as one frame, but begins a new zstd block at each
 * seam: a zstd block has one set of symbol statistics, and columns have
 * nothing in common.  Returns the size, or 0 if it does not fit.
 */
static size_t compress_columns(struct fwt_encoder *e, unsigned char *to, size_t size)
{
    ZSTD_outBuffer out = { to, size, 0 };
    size_t from = 0, left = 0;

    ZSTD_CCtx_reset(e->zstd, ZSTD_reset_session_only);
    ZSTD_CCtx_setPledgedSrcSize(e->zstd, e->payload.len);
    for (unsigned i = 0; i <= e->seams.count && !left; i++) {
        bool last = i == e->seams.count;
        size_t until = last ? e->payload.len : e->seams.at[i];
        ZSTD_inBuffer in = { e->payload.at + from, until - from, 0 };

        left = ZSTD_compressStream2(e->zstd, &out, &in, last ? ZSTD_e_end : ZSTD_e_flush);
        from = until;
    }
    return left ? 0 : out.pos; /* an error code, too, is not zero */
}

/* Puts the payload behind the block's head, compressed if that helps; returns the stored size. */
static size_t compress(struct fwt_encoder *e, struct fw_fwt_head *head)
{
    size_t raw = e->payload.len, stored = 0;

    fw_vec_reserve(&e->block, FW_FWT_BLOCK_HEAD + raw + FW_FWT_BLOCK_TAIL);
    head->codec = FW_FWT_ZSTD;
    if (e->codec == FW_FWT_ZSTD)
        stored = compress_columns(e, e->block.at + FW_FWT_BLOCK_HEAD, raw);
    if (stored && (head->type == FW_FWT_EVENTS || raw / FW_FWT_MAX_RATIO <= stored))
        return stored;
    head->codec = FW_FWT_STORED;
    if (raw)
        memcpy(e->block.at + FW_FWT_BLOCK_HEAD, e->payload.at, raw);
    return raw;
}

/* Writes the payload as a block and empties it. */
static int write_block(struct fwt_encoder *e, struct fw_fwt_head head, struct fw_error *err)
{
    if (e->payload.len > FW_FWT_MAX_PAYLOAD)
        return fw_error_set(err, "cannot write a block of %zu bytes", e->payload.len);
    head.raw = (uint32_t)e->payload.len;
    head.stored = (uint32_t)compress(e, &head);
    fw_fwt_head_pack(e->block.at, &head);
    fw_fwt_seal(e->block.at, FW_FWT_BLOCK_HEAD + head.stored);
    fw_output_bytes(e->setup.out, e->block.at, FW_FWT_BLOCK_HEAD + head.stored + FW_FWT_BLOCK_TAIL);
    fw_vec_clear(&e->payload);
    e->seams.count = 0;
    return 0;
}

static void put_number(struct fwt_encoder *e, uint64_t x)
{
    fw_vec_reserve(&e->payload, e->payload.len + FW_VARINT_MAX);
    e->payload.len += fw_varint_put(e->payload.at + e->payload.len, x);
}

static void put_text(struct fwt_encoder *e, const void *text, size_t len)
{
    put_number(e, len);
    fw_vec_reserve(&e->payload, e->payload.len + len);
    if (len)
        memcpy(e->payload.at + e->payload.len, text, len);
    e->payload.len += len;
}

/* Writes one block of the names of a space that are not written yet. */
static int write_names(struct fwt_encoder *e, enum fw_space space, struct fw_error *err)
{
    const struct fw_strtab *table = &e->setup.symbols->table[space];
    struct fw_fwt_head head = { .type = FW_FWT_STRINGS,
                                .detail = (uint8_t)space,
                                .sequence = e->columns.first };

    put_number(e, e->names[space]);
    while (e->names[space] < table->count && e->payload.len < STRINGS_BYTES) {
        const struct fw_strtab_entry *name = &table->entries[e->names[space]];

        if (name->len > FW_FWT_MAX_PAYLOAD / 2)
            return fw_error_set(err, "cannot write a name of %" PRIu32 " bytes", name->len);
        put_text(e, name->text, name->len);
        e->names[space]++;
        head.count++;
    }
    return write_block(e, head, err);
}

static int write_all_names(struct fwt_encoder *e, struct fw_error *err)
{
    for (int space = 0; space < FW_SPACE_COUNT; space++)
        while (e->names[space] < e->setup.symbols->table[space].count)
            if (write_names(e, (enum fw_space)space, err) < 0)
                return -1;
    return 0;
}

struct fw_fwt_columns *fw_fwt_columns_of(void *encoder)
{
    return &((struct fwt_encoder *)encoder)->columns;
}

int fw_fwt_flush(void *encoder, struct fw_error *err)
{
    struct fwt_encoder *e = encoder;
    struct fw_fwt_head head = { .type = FW_FWT_EVENTS,
                                .sequence = e->columns.first,
                                .count = e->columns.count };

    if (write_all_names(e, err) < 0)
        return -1;
    if (!head.count)
        return 0;
    fw_fwt_columns_pack(&e->columns, &e->payload, &e->seams);
    return write_block(e, head, err);
}

static int fwt_events(void *encoder, const struct fw_event *events, uint32_t count,
                      const struct fw_attr *attrs, struct fw_error *err)
{
    struct fwt_encoder *e = encoder;

    while (count) {
        uint32_t n = fw_fwt_columns_add(&e->columns, events, count, attrs, err);
        bool full = e->columns.count == FW_FWT_MAX_EVENTS;

        if (n < count && !full)
            return -1;
        if (full && fw_fwt_flush(e, err) < 0)
            return -1;
        events += n;
        count -= n;
    }
    return 0;
}

static int fwt_finish(void *encoder, struct fw_error *err)
{
    struct fwt_encoder *e = encoder;
    struct fw_fwt_head head = { .type = FW_FWT_END };

    if (fw_fwt_flush(e, err) < 0)
        return -1;
    head.sequence = e->columns.first;
    return write_block(e, head, err);
}

int fw_fwt_write_modules(void *encoder, const struct fw_fwt_module *modules, size_t count,
                         struct fw_error *err)
{
    struct fwt_encoder *e = encoder;
    struct fw_fwt_head head = { .type = FW_FWT_MODULES, .count = (uint32_t)count };

    if (fw_fwt_flush(e, err) < 0)
        return -1;
    head.sequence = e->columns.first;
    for (size_t i = 0; i < count; i++) {
        put_text(e, modules[i].path, strlen(modules[i].path));
        put_number(e, modules[i].base);
        put_number(e, modules[i].size);
        put_text(e, modules[i].build_id, modules[i].build_id_size);
    }
    return write_block(e, head, err);
}

int fw_fwt_write_metadata(void *encoder, const char *key, const char *value, struct fw_error *err)
{
    struct fwt_encoder *e = encoder;
    struct fw_fwt_head head = { .type = FW_FWT_METADATA, .count = 1 };

    if (fw_fwt_flush(e, err) < 0)
        return -1;
    head.sequence = e->columns.first;
    put_text(e, key, strlen(key));
    put_text(e, value, strlen(value));
    return write_block(e, head, err);
}

int fw_fwt_write_positions(void *encoder, const struct fw_fwt_mark *marks, size_t count,
                           struct fw_error *err)
{
    struct fwt_encoder *e = encoder;
    struct fw_fwt_head head = { .type = FW_FWT_POSITIONS,
                                .flags = FW_FWT_OPTIONAL,
                                .count = (uint32_t)count };
    uint64_t event = 0;

    if (fw_fwt_flush(e, err) < 0)
        return -1;
    head.sequence = e->columns.first;
    for (size_t i = 0; i < count; i++) {
        put_number(e, marks[i].event - event);
        put_number(e, marks[i].thread);
        put_number(e, marks[i].blocks);
        event = marks[i].event;
    }
    return write_block(e, head, err);
}

const struct fw_encoder_class fw_encoder_fwt = {
    .format = "fwt",
    .create = fwt_create,
    .events = fwt_events,
    .finish = fwt_finish,
    .destroy = fwt_destroy,
};
