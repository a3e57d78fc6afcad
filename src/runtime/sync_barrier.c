/*
 * sync_barrier.c - barriers.
 *
 * A real barrier cannot be tried, so rounds are counted here: who comes last lets the others go and
 * is the serial thread, as with the C library.  It leaves the round before anybody else can run, so
 * that a round's ins and the next one's are told apart in the trace.
 *
 * The number of threads and whether processes share the barrier are read from the C library's own
 * structure (struct pthread_barrier), whose layout is part of its binary interface.  Barriers that
 * processes share are waited at in the kernel.
 */
#include "runtime/sync.h"

#include <errno.h>

struct layout {
    unsigned in, current_round, count;
    int shared;
    unsigned out;
};

static struct {
    __typeof__(&pthread_barrier_init) init;
    __typeof__(&pthread_barrier_wait) wait;
    __typeof__(&pthread_barrier_destroy) destroy;
} real;

static int wait_in_kernel(struct fw_thread *t, pthread_barrier_t *barrier)
{
    int status;

    fw_unmodelled("process-shared barrier");
    fw_outside_begin(t);
    status = real.wait(barrier);
    fw_outside_end(t);
    return status;
}

static int wait_virtually(struct fw_thread *t, struct fw_cell *cell, unsigned count, uintptr_t pc)
{
    uint64_t round = cell->of.barrier.round;

    if (++cell->of.barrier.arrived >= count) {
        cell->of.barrier.leaving += cell->of.barrier.arrived - 1;
        cell->of.barrier.arrived = 0;
        cell->of.barrier.round++;
        fw_wake(cell->object, FW_WAKE_ALL, 0);
        return PTHREAD_BARRIER_SERIAL_THREAD;
    }
    fw_wait_begin(t, FW_WIRE_WAIT_BARRIER, cell->object, pc);
    while (cell->of.barrier.round == round)
        fw_block(t, cell->object, FW_NO_DEADLINE, 0);
    fw_wait_end(t);
    if (--cell->of.barrier.leaving == 0)
        fw_wake(&cell->of.barrier.leaving, FW_WAKE_ALL, 0); /* who destroys it */
    return 0;
}

FW_EXPORT int pthread_barrier_wait(pthread_barrier_t *barrier)
{
    struct fw_thread *t = fw_enter_on(barrier);
    const struct layout *layout = (const void *)barrier;
    struct fw_cell *cell;
    int status;

    FW_REAL(real.wait, "pthread_barrier_wait");
    if (!t)
        return real.wait(barrier);
    fw_point(t);
    cell = layout->shared ? NULL : fw_cell_get(FW_CELL_BARRIER, barrier, 0);
    fw_sync(t, FW_WIRE_BARRIER_IN, barrier, FW_PC);
    status = cell ? wait_virtually(t, cell, layout->count, FW_PC) : wait_in_kernel(t, barrier);
    fw_sync(t, FW_WIRE_BARRIER_OUT, barrier, FW_PC);
    fw_point(t);
    fw_leave(t);
    return status;
}

FW_EXPORT int pthread_barrier_init(pthread_barrier_t *barrier,
                                   const pthread_barrierattr_t *attributes, unsigned count)
{
    struct fw_thread *t = fw_enter();
    struct fw_cell *cell;
    int status;

    FW_REAL(real.init, "pthread_barrier_init");
    status = real.init(barrier, attributes, count);
    if (!t)
        return status;
    cell = status == 0 ? fw_cell_find(FW_CELL_BARRIER, barrier, 0) : NULL;
    if (cell) {
        fw_sync(t, FW_WIRE_DESTROY, barrier, FW_PC);
        fw_cell_drop(cell);
    }
    fw_leave(t);
    return status;
}

/* Waits, as the real one does, until all have left the last round. */
FW_EXPORT int pthread_barrier_destroy(pthread_barrier_t *barrier)
{
    struct fw_thread *t = fw_enter();
    struct fw_cell *cell;
    int status;

    FW_REAL(real.destroy, "pthread_barrier_destroy");
    if (!t)
        return real.destroy(barrier);
    cell = fw_cell_find(FW_CELL_BARRIER, barrier, 0);
    while (cell && cell->of.barrier.leaving)
        fw_block(t, &cell->of.barrier.leaving, FW_NO_DEADLINE, 0);
    status = real.destroy(barrier);
    if (cell && status == 0) {
        fw_sync(t, FW_WIRE_DESTROY, barrier, FW_PC);
        fw_cell_drop(cell);
    }
    fw_leave(t);
    return status;
}
