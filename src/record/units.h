/*
 * units.h - raw records as they come over the wire, told apart safely.
 *
 * The program under test may write anything into the memory it shares with us, and a spool file
 * may hold anything.  So nobody steps through units but by these functions: they never look
 * beyond the units given, and say so if there is no record where one should be.
 */
#ifndef FW_RECORD_UNITS_H
#define FW_RECORD_UNITS_H

#include "runtime/wire.h"

#include <stdbool.h>
#include <stddef.h>

#define FW_ADDRESS_END (UINT64_C(1) << 48) /* addresses have 48 bits */

static inline bool fw_unit_has_text(unsigned kind)
{
    return kind == FW_WIRE_NAME || kind == FW_WIRE_TEXT || kind == FW_WIRE_NOTE ||
           kind == FW_WIRE_EXEC || kind == FW_WIRE_MODULE;
}

/* Units of the record that begins here, 0 if there is no whole and possible one. */
static inline size_t fw_units_record(const struct fw_wire_unit *unit, size_t left)
{
    unsigned kind = left ? fw_wire_kind(unit) : FW_WIRE_NONE;
    size_t size;

    if (kind == FW_WIRE_NONE || kind >= FW_WIRE_KIND_COUNT)
        return 0;
    if (kind <= FW_WIRE_WRITE)
        return 1;
    if (fw_unit_has_text(kind) && fw_wire_aux(unit) > FW_WIRE_MAX_TEXT)
        return 0;
    size = 1 + (size_t)fw_wire_more(unit);
    return size <= left ? size : 0;
}

/* How many of the units are whole records, from the first one on; *records: how many those are. */
static inline size_t fw_units_whole(const struct fw_wire_unit *units, size_t count,
                                    size_t *records)
{
    size_t at = 0, size;

    *records = 0;
    while (at < count && (size = fw_units_record(units + at, count - at)) > 0) {
        at += size;
        ++*records;
    }
    return at;
}

/* The text of a record that has one: *len bytes, not terminated. */
static inline const char *fw_unit_text(const struct fw_wire_unit *unit, size_t *len)
{
    *len = fw_wire_aux(unit);
    return (const char *)(unit + (fw_wire_kind(unit) == FW_WIRE_MODULE ? 2 : 1));
}

/* The end of a range that begins at `start`, never beyond the last address. */
static inline uint64_t fw_range_end(uint64_t start, uint64_t bytes)
{
    return bytes < FW_ADDRESS_END - start ? start + bytes : FW_ADDRESS_END;
}

#endif
