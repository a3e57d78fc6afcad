/* fwt_block.c - see fwt_block.h. */
#include "trace/fwt_block.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

static uint32_t short_check(const unsigned char *bytes, size_t size)
{
    return (uint32_t)XXH3_64bits(bytes, size);
}

void fw_fwt_header_pack(unsigned char *to, unsigned flags)
{
    memcpy(to, FW_FWT_MAGIC, FW_FWT_MAGIC_SIZE);
    fw_put16(to + 8, FW_FWT_VERSION);
    fw_put16(to + 10, (uint16_t)flags);
    fw_put32(to + 12, short_check(to, 12));
}

int fw_fwt_header_unpack(const unsigned char *from, unsigned *flags, struct fw_error *err)
{
    unsigned version = fw_get16(from + 8);

    *flags = fw_get16(from + 10);
    if (fw_get32(from + 12) != short_check(from, 12))
        return fw_error_set(err, "bad checksum in the file header");
    if (version != FW_FWT_VERSION)
        return fw_error_set(err, "format version %u is not supported (this program reads %u)",
                            version, FW_FWT_VERSION);
    if (*flags & ~FW_FWT_BRANCHES)
        return fw_error_set(err, "unknown flags 0x%x in the file header", *flags);
    return 0;
}

void fw_fwt_head_pack(unsigned char *to, const struct fw_fwt_head *head)
{
    fw_put32(to, FW_FWT_MARKER);
    to[4] = head->type;
    to[5] = head->codec;
    to[6] = head->flags;
    to[7] = head->detail;
    fw_put32(to + 8, head->stored);
    fw_put32(to + 12, head->raw);
    fw_put64(to + 16, head->sequence);
    fw_put32(to + 24, head->count);
    fw_put32(to + 28, short_check(to, 28));
}

bool fw_fwt_head_unpack(const unsigned char *from, struct fw_fwt_head *head)
{
    head->type = from[4];
    head->codec = from[5];
    head->flags = from[6];
    head->detail = from[7];
    head->stored = fw_get32(from + 8);
    head->raw = fw_get32(from + 12);
    head->sequence = fw_get64(from + 16);
    head->count = fw_get32(from + 24);
    return fw_get32(from) == FW_FWT_MARKER && fw_get32(from + 28) == short_check(from, 28);
}

bool fw_fwt_sealed(const unsigned char *block, size_t size)
{
    return fw_get64(block + size) == XXH3_64bits(block, size);
}

void fw_fwt_seal(unsigned char *block, size_t size)
{
    fw_put64(block + size, XXH3_64bits(block, size));
}
