/*
 * ring.h - the recorder's end of the memory that it shares with a program (runtime/wire.h).
 *
 * The program may write anything into it at any time.  Units are copied out first and checked
 * then; a ring whose numbers or records are impossible is damaged and is not read any more.
 */
#ifndef FW_RECORD_RING_H
#define FW_RECORD_RING_H

#include "base/error.h"
#include "record/pack.h"
#include "runtime/wire.h"

#include <stdbool.h>

struct fw_ring {
    struct fw_wire_ring *shared;
    const unsigned char *units;
    uint64_t bytes; /* a power of two */
    uint64_t tail;  /* ours: what the program does to the shared one means nothing */
    bool damaged;
};

/* Makes one; *fd is the descriptor for the program, the caller's to close. */
int fw_ring_create(struct fw_ring *ring, uint64_t bytes, int *fd, struct fw_error *err);
void fw_ring_destroy(struct fw_ring *ring);

/* Takes whole records, FW_PACK_UNITS units at most; returns how many units (0: none now). */
size_t fw_ring_take(struct fw_ring *ring, struct fw_wire_unit *to);
/* Is a good part of it filled? */
bool fw_ring_busy(const struct fw_ring *ring);
/* The program may go on without us. */
void fw_ring_leave(struct fw_ring *ring);

#endif
