/* ring.c - see ring.h. */
#include "record/ring.h"

#include "record/units.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

int fw_ring_create(struct fw_ring *ring, uint64_t bytes, int *fd, struct fw_error *err)
{
    size_t size = FW_WIRE_PAGE + bytes;
    void *memory = MAP_FAILED;

    memset(ring, 0, sizeof *ring);
    *fd = memfd_create("foreweave", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    /* Its size is fixed: a program that cuts it short would kill us with SIGBUS. */
    if (*fd >= 0 && ftruncate(*fd, (off_t)size) == 0 &&
        fcntl(*fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0)
        memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0);
    if (memory == MAP_FAILED) {
        fw_error_errno(err, "cannot make shared memory of %zu bytes%s", size,
                       errno == EFBIG ? ", which is more than 'ulimit -f' allows" : "");
        if (*fd >= 0)
            close(*fd);
        return -1;
    }
    ring->shared = memory;
    ring->units = (const unsigned char *)memory + FW_WIRE_PAGE;
    ring->bytes = bytes;
    return 0;
}

void fw_ring_destroy(struct fw_ring *ring)
{
    if (ring->shared)
        munmap(ring->shared, FW_WIRE_PAGE + ring->bytes);
    memset(ring, 0, sizeof *ring);
}

static void wake_writer(struct fw_ring *ring)
{
    /* seq_cst: pairs with the writer, which sets `waiting` and then looks at `tail` again */
    if (!atomic_load(&ring->shared->waiting))
        return;
    atomic_fetch_add(&ring->shared->space, 1);
    syscall(SYS_futex, &ring->shared->space, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/* Copies `count` units from the tail on. */
static void copy_out(const struct fw_ring *ring, struct fw_wire_unit *to, size_t count)
{
    uint64_t from = ring->tail & (ring->bytes - 1), bytes = count * sizeof *to;
    uint64_t first = ring->bytes - from < bytes ? ring->bytes - from : bytes;

    memcpy(to, ring->units + from, first);
    memcpy((unsigned char *)to + first, ring->units, bytes - first);
}

size_t fw_ring_take(struct fw_ring *ring, struct fw_wire_unit *to)
{
    /* acquire: pairs with the writer's release, the units before it are written */
    uint64_t head = atomic_load_explicit(&ring->shared->head, memory_order_acquire);
    uint64_t there = head - ring->tail;
    size_t count = (size_t)(there / sizeof *to), whole, records;

    if (!there || ring->damaged)
        return 0;
    if (there > ring->bytes || there % sizeof *to) {
        ring->damaged = true;
        return 0;
    }
    count = count < FW_PACK_UNITS ? count : FW_PACK_UNITS;
    copy_out(ring, to, count);
    whole = fw_units_whole(to, count, &records);
    /* Records are published whole: only our own limit may cut one. */
    if (whole == 0 || (whole < count && count < FW_PACK_UNITS))
        ring->damaged = true;
    ring->tail += whole * sizeof *to;
    atomic_store(&ring->shared->tail, ring->tail);
    wake_writer(ring);
    return whole;
}

bool fw_ring_busy(const struct fw_ring *ring)
{
    uint64_t head = atomic_load_explicit(&ring->shared->head, memory_order_relaxed);

    return head - ring->tail > ring->bytes / 4;
}

void fw_ring_leave(struct fw_ring *ring)
{
    atomic_store(&ring->shared->gone, 1);
    atomic_fetch_add(&ring->shared->space, 1);
    syscall(SYS_futex, &ring->shared->space, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}
