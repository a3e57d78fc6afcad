/*
 * heal_circle.c - see heal_lock.h: threads that wait for each other.  All under the gate.
 */
#include "atomrace/heal_state.h"

#include <pthread.h>
#include <stddef.h>
#include <sys/uio.h>

/* Its memory may be gone. */
static int32_t owner_of_mutex(const void *mutex)
{
    int32_t tid = 0;
    struct iovec to = { &tid, sizeof tid };
    struct iovec from = { (char *)(uintptr_t)mutex + offsetof(pthread_mutex_t, __data.__owner),
                          sizeof tid };
    long self = fw_call(SYS_getpid, 0, 0, 0, 0);
    long got = fw_syscall(SYS_process_vm_readv, self, (long)&to, 1, (long)&from, 1, 0);

    return got == (long)sizeof tid ? tid : 0;
}

static struct fw_healer *healer_with(int32_t tid)
{
    for (unsigned i = 0; tid && i < fw_healer_room; i++)
        if (fw_healers[i].taken && fw_healers[i].tid == tid)
            return &fw_healers[i];
    return NULL;
}

/* Whom it waits for, and through which lock of ours, if it is one; NULL: nobody. */
static struct fw_healer *waits_for(const struct fw_healer *healer, struct fw_heal_lock **through)
{
    const void *mutex = atomic_load(&healer->mutex);
    struct fw_healer *owner;

    if (healer->waits) {
        *through = healer->waits;
        return fw_healer_of(atomic_load(&healer->waits->owner));
    }
    owner = mutex ? healer_with(owner_of_mutex(mutex)) : NULL;
    return owner != healer ? owner : NULL; /* it has got it meanwhile */
}

struct fw_heal_lock *fw_heal_circle_of(const struct fw_healer *me)
{
    struct fw_heal_lock *through = NULL;
    const struct fw_healer *at = me;

    for (unsigned i = 0; i <= fw_healer_room; i++) {
        at = waits_for(at, &through);
        if (!at)
            return NULL;
        if (at == me)
            return through;
    }
    return NULL;
}

struct fw_heal_lock *fw_heal_mutex(struct fw_healer *me, const void *mutex)
{
    struct fw_heal_lock *lock;

    /* seq_cst: who begins to wait for a lock counts itself and looks at this then */
    atomic_store(&me->mutex, mutex);
    if (!mutex || !atomic_load(&fw_heal_waiting))
        return NULL;
    fw_heal_gate_enter();
    lock = fw_heal_circle_of(me);
    if (lock)
        fw_heal_hand_over(lock);
    fw_heal_gate_leave();
    return lock;
}
