/*
 * io_sysv.c - semaphores and message queues of System V.
 *
 * They belong to no process, and what semctl and other processes do to them is not followed: the
 * trace is told that they are not modelled.  Between threads of this process every operation on one
 * comes after all earlier ones, which is more than they promise.
 */
#include "runtime/effect.h"
#include "runtime/intercept.h"

#include <limits.h>
#include <sys/msg.h>
#include <sys/sem.h>

#define OBJECTS 64u /* ids that share one are ordered with each other too */

static char semaphores[OBJECTS], queues[OBJECTS];

static void begin(struct fw_thread *t, const char *object, uintptr_t pc)
{
    fw_sync(t, FW_WIRE_AFTER, object, pc);
    fw_sync(t, FW_WIRE_BEFORE, object, pc);
}

static void end(struct fw_thread *t, const char *object, uintptr_t pc)
{
    if (t)
        fw_sync(t, FW_WIRE_AFTER, object, pc);
}

/* --- queues --------------------------------------------------------------------------------- */

static const char *queue_of(int id)
{
    fw_unmodelled("System V message queue");
    return &queues[(unsigned)id % OBJECTS];
}

FW_EXPORT int msgsnd(int queue, const void *message, size_t bytes, int flags)
{
    struct fw_thread *t = fw_enter_effect(FW_ON_FILES);
    const char *object;
    int result;

    if (!t)
        return REAL(msgsnd)(queue, message, bytes, flags);
    if (bytes <= SSIZE_MAX - sizeof(long))
        fw_reads_given(t, message, bytes + sizeof(long), FW_PC);
    object = queue_of(queue);
    begin(t, object, FW_PC);
    FW_PASS(t, !(flags & IPC_NOWAIT), result = REAL(msgsnd)(queue, message, bytes, flags));
    end(t, object, FW_PC);
    fw_done(t);
    return result;
}

FW_EXPORT ssize_t msgrcv(int queue, void *message, size_t bytes, long type, int flags)
{
    struct fw_thread *t = fw_enter_effect(FW_ON_FILES);
    const char *object;
    ssize_t got;

    if (!t)
        return REAL(msgrcv)(queue, message, bytes, type, flags);
    object = queue_of(queue);
    begin(t, object, FW_PC);
    FW_PASS(t, !(flags & IPC_NOWAIT), got = REAL(msgrcv)(queue, message, bytes, type, flags));
    end(t, object, FW_PC);
    if (got >= 0)
        fw_writes(t, message, (size_t)got + sizeof(long), FW_PC);
    fw_done(t);
    return got;
}

/* --- semaphores ----------------------------------------------------------------------------- */

static const char *semaphores_of(int id)
{
    fw_unmodelled("System V semaphore");
    return &semaphores[(unsigned)id % OBJECTS];
}

static bool semop_waits(const struct sembuf *operations, size_t count)
{
    if (count > UINT16_MAX || !fw_readable(operations, count * sizeof *operations))
        return false; /* E2BIG, EFAULT */
    for (size_t i = 0; i < count; i++)
        if (operations[i].sem_op <= 0 && !(operations[i].sem_flg & IPC_NOWAIT))
            return true;
    return false;
}

FW_EXPORT int semop(int set, struct sembuf *operations, size_t count)
{
    struct fw_thread *t = fw_enter_effect(FW_ON_FILES);
    const char *object;
    int result;

    if (!t)
        return REAL(semop)(set, operations, count);
    object = semaphores_of(set);
    begin(t, object, FW_PC);
    FW_PASS(t, semop_waits(operations, count), result = REAL(semop)(set, operations, count));
    end(t, object, FW_PC);
    fw_done(t);
    return result;
}

FW_EXPORT int semtimedop(int set, struct sembuf *operations, size_t count,
                         const struct timespec *timeout)
{
    struct fw_thread *t = fw_enter_effect(FW_ON_FILES);
    const char *object;
    int result;

    if (!t)
        return REAL(semtimedop)(set, operations, count, timeout);
    object = semaphores_of(set);
    begin(t, object, FW_PC);
    FW_PASS(t, semop_waits(operations, count),
            result = REAL(semtimedop)(set, operations, count, timeout));
    end(t, object, FW_PC);
    fw_done(t);
    return result;
}
