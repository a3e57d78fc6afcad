/* ring.c - see ring.h. */
#include "cmd/ring.h"

#include <stdatomic.h>
#include <string.h>

bool fw_ring_next(struct fw_ring_reader *reader, const struct fw_ring *ring, uint64_t end,
                  void *entry)
{
    if (end - reader->read > ring->count) {
        reader->lost += end - ring->count - reader->read;
        reader->read = end - ring->count;
    }
    while (reader->read < end) {
        const char *from = (const char *)ring->at + reader->read % ring->count * ring->size;
        const _Atomic uint64_t *turn = (const _Atomic uint64_t *)(const void *)from;

        if (atomic_load(turn) < reader->read + 1)
            return false; /* it is being written */
        memcpy(entry, from, ring->size);
        atomic_thread_fence(memory_order_acquire); /* it was read before it is looked at again */
        if (atomic_load(turn) == ++reader->read)
            return true;
        reader->lost++;
    }
    return false;
}

enum fw_ring_line fw_ring_line(struct fw_ring_reader *reader)
{
    if (reader->lines > FW_RING_LINES)
        return FW_RING_FULL;
    return reader->lines++ < FW_RING_LINES ? FW_RING_LINE : FW_RING_LAST;
}
