/*
 * pack.h - raw records as few bytes, before they are compressed.
 *
 * Most records repeat an earlier one in everything but the operand (the same hook in a loop), and
 * the operand is often a small step from the earlier one.  So a block has a dictionary of what
 * repeats (kind, size, place in the code, upper half of the operand), and a record is an index
 * into it and the difference to the lower half of the latest record with that index.  This leaves
 * six bytes of sixteen, of which a compressor leaves one, and takes no decisions: whether a step is
 * small is hard to foresee for the processor.
 *
 * The payload of a block, all numbers little-endian:
 *
 *     4  D: entries of the dictionary        4  R: records
 *     4  U: units behind first ones
 *     D times 4 bytes: a >> 32, then D times 8 bytes: b     (of the first unit)
 *     R times 2 bytes: indices, R times 4 bytes: differences
 *     U times 16 bytes: further units, in order
 */
#ifndef FW_RECORD_PACK_H
#define FW_RECORD_PACK_H

#include "base/error.h"
#include "base/vec.h"
#include "runtime/wire.h"

#include <stdint.h>

#define FW_PACK_UNITS 65536u /* of a block, at most */

FW_VEC_TYPE(fw_packed, unsigned char);
FW_VEC_TYPE(fw_units, struct fw_wire_unit);

struct fw_packer;
struct fw_packer *fw_packer_create(void);
void fw_packer_destroy(struct fw_packer *packer);

/* Packs whole records (units.h), at most FW_PACK_UNITS units, and returns how many they are; *to is
 * overwritten. */
size_t fw_pack(struct fw_packer *packer, const struct fw_wire_unit *units, size_t count,
             struct fw_packed *to);

/* The reverse: exactly `count` units into *to (overwritten), whole records, or -1. */
int fw_unpack(const unsigned char *bytes, size_t size, size_t count, struct fw_units *to,
              struct fw_error *err);

#endif
