/*
 * heal_state.h - internal to healing's locks: who takes part (heal_healer.c), locks
 * (heal_lock.c), what keeps their owners (heal_owner.c), and circles (heal_circle.c).
 */
#ifndef FW_ATOMRACE_HEAL_STATE_H
#define FW_ATOMRACE_HEAL_STATE_H

#include "atomrace/heal_lock.h"
#include "atomrace/heal_log.h"
#include "atomrace/mask.h"

#define FW_HEALERS (1u << FW_HEAL_ID_BITS)

struct fw_healer {
    /* its thread's to write, again and again */
    _Alignas(128) struct fw_heal_seat seats[FW_HEAL_SEATS];
    struct fw_heal_mutexes mutexes;
    _Atomic uint32_t go;         /* futex: 1: it has got what it waited for */
    const void *_Atomic mutex;   /* that it is about to lock, or has locked since */
    _Atomic uint64_t dwelt, dwells; /* ns altogether; since when, 0: it does not */
    /* under the gate */
    bool taken;
    uint32_t number;
    int32_t tid;
    const int32_t *_Atomic ticks; /* NULL: not known */
    _Atomic uint32_t handlers; /* begun and ended; odd: ticks are those of a handler */
    struct fw_heal_counts *counts;
    uint64_t mark;    /* while it waits: what the lock's owner had dwelt when it became that */
    uint64_t excused; /* what former owners have since */
    _Atomic uint32_t passed; /* how often what it waits for has gone to another thread */
    struct fw_heal_lock *waits;
    uint64_t arrived; /* in the order of arrival */
    uint64_t begun;   /* ns */
};

extern struct fw_healer fw_healers[FW_HEALERS];
extern _Atomic unsigned fw_healer_room;  /* those behind were never taken */
extern _Atomic uint32_t fw_heal_waiting; /* healers that wait for a lock */

static inline struct fw_healer *fw_healer_of(uint32_t owner)
{
    owner &= ~(FW_HEAL_QUEUED | FW_HEAL_MUTEXS);
    return owner ? &fw_healers[owner - 1] : NULL;
}

/* Everything but taking and releasing what nobody waits for happens inside.  Handlers are kept
 * out. */
void fw_heal_gate_enter(void);
void fw_heal_gate_leave(void);
/* Is it the word that others wait for who want to enter? */
bool fw_heal_gate_is(uint64_t address);

/* Nobody takes part any more, and nobody is inside. */
void fw_healers_forked(void);

/* Under the gate: whoever waits longest has it now. */
void fw_heal_hand_over(struct fw_heal_lock *lock);
/* Under the gate: the lock of ours in the circle that this thread is in; NULL: it is in none, or
 * the program has made it alone. */
struct fw_heal_lock *fw_heal_circle_of(const struct fw_healer *me);

/* Does the thread that has the lock run, or would if there were a processor or a disk for it, or
 * for who keeps it at the gate? */
bool fw_heal_owner_can_run(struct fw_heal_lock *lock);
/* For how long it has executed, in ns; 0: not known. */
uint64_t fw_heal_owner_executed(struct fw_heal_lock *lock);

#endif
