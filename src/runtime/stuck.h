/*
 * stuck.h - what threads wait for, and whether anybody can still wake them.
 *
 * A thread that waits without a time limit for something that another thread must do says so: from
 * fw_wait_begin to fw_wait_end its `wait` tells what it is.  (Who waits for the kernel, or for a
 * while only, says nothing: it comes back by itself.)  From this follow two states that no thread
 * of the program ends:
 *
 *   a cycle   threads, each waiting for a lock that the next one holds; a lock that its own thread
 *             holds is a cycle of one.  Others may go on.  Looked for when a thread begins to wait
 *             for a lock, so found when it closes
 *   all       every thread waits.  Looked for when a thread blocks or ends and nobody is ready.
 *             A signal handler or another process may still wake one: nobody can know
 *
 * Both are only described (struct fw_stuck) and told to the recorder.  The program stays as it is.
 *
 * All functions are called by the holder of the token, without the scheduler's lock; `wait` of all
 * threads is the holder's.
 */
#ifndef FW_RUNTIME_STUCK_H
#define FW_RUNTIME_STUCK_H

#include "runtime/wire.h"

#include <stdbool.h>

struct fw_thread;

struct fw_wait {
    enum fw_wire_wait kind; /* FW_WIRE_WAIT_NONE: it does not wait, or for a while only */
    bool told;              /* that it is in a cycle */
    const void *object;     /* of a join: the struct fw_thread of the other one */
    uintptr_t pc;
    uint64_t seen;          /* by which search; for stuck.c alone, like ... */
    struct fw_thread *from; /* ... who was found to wait for it */
    struct fw_thread *next; /* in a struct fw_stuck */
};

/* Sends the request of a lock, and looks for a cycle. */
void fw_wait_begin(struct fw_thread *t, enum fw_wire_wait kind, const void *object, uintptr_t pc);
void fw_wait_end(struct fw_thread *t);
/* Around handlers that run while t waits: takes its wait off and puts it on again. */
struct fw_wait fw_wait_suspend(struct fw_thread *t);
void fw_wait_resume(struct fw_thread *t, const struct fw_wait *wait);

/* Threads that cannot go on: linked by wait.next, each of a cycle waiting for the next one. */
struct fw_stuck {
    enum fw_wire_stuck kind; /* FW_WIRE_STUCK_NOT: somebody can go on */
    unsigned count;
    struct fw_thread *first;
};

/* The cycle that the wait of t closes. */
struct fw_stuck fw_stuck_cycle(struct fw_thread *t);
/* Do all threads wait, once t, which is about to block or (ends) to end, has given the token away?
 * Only if nobody is ready. */
struct fw_stuck fw_stuck_all(struct fw_thread *t, bool ends);

/* The scheduler: nobody is ready, and t is about to block or to end.  Tells once if all wait. */
void fw_stuck_nobody_ready(struct fw_thread *t, bool ends);

#endif
