/*
 * positions.h - where in its thread each event of a recorded trace was made.
 *
 * A recording that was asked for positions tells for every event how many basic blocks its thread
 * had entered.  Together with the place in the code that is the very moment in any run of the same
 * program in which the thread sees the same values: what a schedule needs to stop a thread there.
 * Stored as marks in optional blocks of the .fwt (docs/formats.md).
 */
#ifndef FW_TRACE_POSITIONS_H
#define FW_TRACE_POSITIONS_H

#include "base/error.h"

#include <stdint.h>

struct fw_positions;

#define FW_NO_POSITION UINT64_MAX

/* Reads them from a .fwt; NULL: it cannot be read, or has none (and *err says so). */
struct fw_positions *fw_positions_load(const char *path, struct fw_error *err);
void fw_positions_destroy(struct fw_positions *positions);

/* Basic blocks that the thread (an id) had entered at its event; FW_NO_POSITION: not known, or the
 * event tells of something that happened before. */
uint64_t fw_positions_at(const struct fw_positions *positions, uint32_t thread, uint64_t event);

#endif
