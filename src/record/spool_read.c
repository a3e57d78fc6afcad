/* spool_read.c - see spool.h: the reading side.  Nothing in the file is trusted. */
#include "record/spool.h"
#include "record/units.h"

#include <inttypes.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#define MOST_PAIRS 4096u /* we write a dozen */

int fw_spool_open(struct fw_spool_reader *reader, struct fw_input *input, struct fw_error *err)
{
    unsigned char header[FW_SPOOL_HEADER];
    ssize_t got = fw_input_read_full(input, header, sizeof header, err);

    memset(reader, 0, sizeof *reader);
    reader->input = input;
    fw_fwt_source_init(&reader->source, input);
    if (got < 0)
        return -1;
    reader->source.offset = (uint64_t)got;
    if (got < (ssize_t)sizeof header) /* cut: there is nothing in it */
        return 0;
    if (memcmp(header, FW_SPOOL_MAGIC, 8) != 0)
        return fw_error_set(err, "%s: offset 0: not a recording", input->name);
    if (fw_get32(header + 12) != (uint32_t)XXH3_64bits(header, 12))
        return fw_error_set(err, "%s: offset 0: bad checksum of the header", input->name);
    if (fw_get16(header + 8) != FW_SPOOL_VERSION || fw_get16(header + 10))
        return fw_error_set(err, "%s: offset 0: a recording of version %u, which is unknown",
                            input->name, fw_get16(header + 8));
    return 0;
}

void fw_spool_close(struct fw_spool_reader *reader)
{
    fw_fwt_source_release(&reader->source);
    fw_vec_release(&reader->units);
    for (size_t i = 0; i < reader->pairs.len; i++) {
        free(reader->pairs.at[i].key);
        free(reader->pairs.at[i].value);
    }
    fw_vec_release(&reader->pairs);
}

static char *take_text(struct fw_cursor *c)
{
    uint64_t len = fw_cursor_varint(c);
    const unsigned char *bytes = c->bad ? NULL : fw_cursor_bytes(c, len);

    return bytes ? fw_xstrndup((const char *)bytes, len) : NULL;
}

static int take_pair(struct fw_spool_reader *reader, struct fw_cursor c, struct fw_error *err)
{
    struct fw_spool_pair_text pair = { .key = take_text(&c) };

    pair.value = pair.key ? take_text(&c) : NULL;
    if (!pair.value || reader->pairs.len >= MOST_PAIRS) {
        free(pair.key);
        free(pair.value);
        return fw_error_set(err, "damaged pair of texts");
    }
    fw_vec_push(&reader->pairs, pair);
    return 0;
}

/* 1: records, 0: something else, -1: damaged. */
static int use_block(struct fw_spool_reader *reader, const struct fw_fwt_block *block,
                     struct fw_error *err)
{
    const struct fw_fwt_head *head = &block->head;
    struct fw_cursor c = { block->payload, block->payload + head->raw, false };
    size_t records;

    reader->ended = head->type == FW_FWT_END;
    if (head->sequence != reader->records)
        return fw_error_set(err, "begins at record %" PRIu64 " instead of %" PRIu64,
                            head->sequence, reader->records);
    if (head->type == FW_FWT_METADATA)
        return take_pair(reader, c, err);
    if (head->type == FW_FWT_END)
        return 0;
    if (head->type != FW_FWT_EVENTS)
        return fw_error_set(err, "has type %u", head->type);
    if (fw_unpack(block->payload, head->raw, head->count, &reader->units, err) < 0)
        return -1;
    fw_units_whole(reader->units.at, reader->units.len, &records);
    reader->records += records;
    return records > 0;
}

int fw_spool_next(struct fw_spool_reader *reader, struct fw_error *err)
{
    int used = 0;

    while (used == 0) {
        struct fw_fwt_block block;
        enum fw_fwt_got got = fw_fwt_source_next(&reader->source, &block, err);

        if (got == FW_FWT_GOT_END)
            return 0;
        if (got != FW_FWT_GOT_BLOCK)
            return -1;
        used = use_block(reader, &block, err);
        if (used < 0)
            return fw_error_context(err, "%s: offset %" PRIu64 ": block %" PRIu64,
                                    reader->input->name, block.offset, block.number);
    }
    return used;
}

const char *fw_spool_value(const struct fw_spool_reader *reader, const char *key)
{
    for (size_t i = reader->pairs.len; i-- > 0;)
        if (strcmp(reader->pairs.at[i].key, key) == 0)
            return reader->pairs.at[i].value;
    return NULL;
}
