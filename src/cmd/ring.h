/*
 * ring.h - reading a ring of log entries that a running program writes.
 *
 * Each entry is written by one of the program's threads and begins with its turn, an atomic number
 * of 64 bits: the entry's number + 1, written last.  An entry whose turn is lower is not ready yet;
 * one whose turn is higher was overwritten before it was read, and is counted as lost.
 */
#ifndef FW_CMD_RING_H
#define FW_CMD_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fw_ring_reader {
    uint64_t read;  /* entries that were passed */
    uint64_t lost;  /* ... that were overwritten before */
    uint64_t lines; /* for fw_ring_line */
};

struct fw_ring {
    const void *at;
    size_t size;  /* of an entry */
    size_t count; /* of entries */
};

/* Copies the next entry before number `end` to `entry`; false: there is none that is ready. */
bool fw_ring_next(struct fw_ring_reader *reader, const struct fw_ring *ring, uint64_t end,
                  void *entry);

/* May one more line be written?  A log is kept from growing for ever. */
enum fw_ring_line { FW_RING_LINE, FW_RING_LAST /* it says that there are no more */, FW_RING_FULL };
#define FW_RING_LINES 100000u
enum fw_ring_line fw_ring_line(struct fw_ring_reader *reader);

#endif
