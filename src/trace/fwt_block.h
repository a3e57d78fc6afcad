/*
 * fwt_block.h - one block of a .fwt file as bytes.
 *
 *     offset  size
 *     0       4     marker "FWBK"
 *     4       1     type            5  1  codec
 *     6       1     flags           7  1  detail (strings: the space)
 *     8       4     stored size: payload bytes in the file
 *     12      4     raw size: payload bytes after decompression
 *     16      8     sequence: events in all blocks before this one
 *     24      4     count: of events, names, modules or pairs
 *     28      4     low half of XXH3-64 of the 28 bytes before
 *     32      ...   payload
 *     then    8     XXH3-64 of everything before in this block
 *
 * The head has a check of its own so that a damaged size is told apart from a
 * file that ends early.  All numbers are little-endian.
 */
#ifndef FW_TRACE_FWT_BLOCK_H
#define FW_TRACE_FWT_BLOCK_H

#include "trace/fwt.h"

#include <endian.h>
#include <stdbool.h>
#include <string.h>

struct fw_fwt_head {
    uint8_t type, codec, flags, detail;
    uint32_t stored, raw;
    uint64_t sequence;
    uint32_t count;
};

/* The file header. */
void fw_fwt_header_pack(unsigned char *to, unsigned flags);
/* Checks all but the magic; -1: damaged or of another version, and why. */
int fw_fwt_header_unpack(const unsigned char *from, unsigned *flags, struct fw_error *err);

void fw_fwt_head_pack(unsigned char *to, const struct fw_fwt_head *head);
/* False: marker or check is wrong. */
bool fw_fwt_head_unpack(const unsigned char *from, struct fw_fwt_head *head);

/* Is the checksum behind `size` bytes (head and payload) the right one? */
bool fw_fwt_sealed(const unsigned char *block, size_t size);
/* Writes the checksum behind `size` bytes (head and payload). */
void fw_fwt_seal(unsigned char *block, size_t size);

static inline uint16_t fw_get16(const unsigned char *p)
{
    uint16_t x;

    memcpy(&x, p, sizeof x);
    return le16toh(x);
}

static inline uint32_t fw_get32(const unsigned char *p)
{
    uint32_t x;

    memcpy(&x, p, sizeof x);
    return le32toh(x);
}

static inline uint64_t fw_get64(const unsigned char *p)
{
    uint64_t x;

    memcpy(&x, p, sizeof x);
    return le64toh(x);
}

static inline void fw_put16(unsigned char *p, uint16_t x)
{
    x = htole16(x);
    memcpy(p, &x, sizeof x);
}

static inline void fw_put32(unsigned char *p, uint32_t x)
{
    x = htole32(x);
    memcpy(p, &x, sizeof x);
}

static inline void fw_put64(unsigned char *p, uint64_t x)
{
    x = htole64(x);
    memcpy(p, &x, sizeof x);
}

/* Signed numbers with small magnitude as small unsigned ones: 0, -1, 1, -2, ... */
static inline uint64_t fw_zigzag(int64_t x)
{
    return ((uint64_t)x << 1) ^ (uint64_t)(x >> 63);
}

static inline int64_t fw_unzigzag(uint64_t x)
{
    return (int64_t)(x >> 1 ^ (0 - (x & 1)));
}

#define FW_VARINT_MAX 10u

/* Seven bits a byte, lowest first, the high bit says that more follow.  Returns the size. */
static inline size_t fw_varint_put(unsigned char *to, uint64_t x)
{
    size_t n = 0;

    for (; x >= 0x80; x >>= 7)
        to[n++] = (unsigned char)(x | 0x80);
    to[n++] = (unsigned char)x;
    return n;
}

/* Bytes of a payload that are left to parse; `bad` is set by reading past the end. */
struct fw_cursor {
    const unsigned char *at, *end;
    bool bad;
};

static inline uint64_t fw_cursor_varint(struct fw_cursor *c)
{
    uint64_t x = 0;

    for (unsigned shift = 0; shift < 64; shift += 7) {
        unsigned char byte;

        if (c->at == c->end)
            break;
        byte = *c->at++;
        if (shift == 63 && byte > 1)
            break;
        x |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return x;
    }
    c->bad = true;
    return 0;
}

/* The next `size` bytes, or NULL if there are fewer. */
static inline const unsigned char *fw_cursor_bytes(struct fw_cursor *c, uint64_t size)
{
    const unsigned char *bytes = c->at;

    if (size > (uint64_t)(c->end - c->at)) {
        c->bad = true;
        return NULL;
    }
    c->at += size;
    return bytes;
}

#endif
