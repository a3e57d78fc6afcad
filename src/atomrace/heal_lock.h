/*
 * heal_lock.h - the locks that healing puts around sections, and who waits for whom.
 *
 * A lock belongs to a word of memory.  It is made when a section over the word is entered first,
 * and stays.  From then on the word is watched (sections.h), so that every access to it comes by;
 * where sections are over very many words, while somebody has the lock only.
 * A lock that is free is taken, and one that nobody waits for is released, with one instruction.
 * All else happens under one lock of ours, the gate, with handlers kept out.
 *
 * Nobody waits for ever:
 *   - who has waited for as long as the bound says takes the lock from its owner.  Time is counted
 *     in naps, so that time in which the whole process was stopped does not count: the owner had
 *     none of it either.  An owner that lacks nothing but a processor has ten times as much;
 *   - whoever would close a circle of threads that wait for each other takes the lock at once. A
 *     thread waits for one thing at a time, a lock of ours or a mutex of the program, and each has
 *     one owner, so that a circle is found by following one chain.  Whoever begins to wait says so
 *     first and looks then: of those that close a circle together the last one sees it;
 *   - when healing is switched off all go on at once.
 * The former owner goes on, without the lock; it finds out when it looks.  Waiting is fair: who
 * releases a lock hands it to who waits for longest.
 *
 * A fork child starts with all locks free.
 */
#ifndef FW_ATOMRACE_HEAL_LOCK_H
#define FW_ATOMRACE_HEAL_LOCK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Of one word. */
struct fw_heal_lock {
    _Atomic uintptr_t word;  /* its address; 0: free */
    _Atomic uint32_t owner;  /* a healer's number, and whether somebody waits; 0: free */
    _Atomic uint16_t section;   /* that its owner is in ... */
    _Atomic uint8_t reads_wait; /* some section of the word does not allow reads */
    _Atomic uint8_t kept;       /* the word is watched all the time, else while it is locked */
};

/* A thread that takes part. */
struct fw_healer;

enum fw_heal_got {
    FW_HEAL_GOT,
    FW_HEAL_GOT_LATE,   /* the bound has passed: it was taken from its owner ... */
    FW_HEAL_GOT_CIRCLE, /* ... as a circle would have been closed */
    FW_HEAL_NOT,        /* healing was switched off meanwhile */
};

/* How long threads wait, and where to look whether to go on waiting (0: yes). */
void fw_heal_patience(uint64_t bound, const _Atomic uint32_t *off);

/* NULL: there is no room. */
struct fw_healer *fw_healer_take(uint32_t number, int32_t tid, uint64_t now);
/* It owns nothing. */
void fw_healer_give(struct fw_healer *healer, uint64_t now);
/* The thread's number; UINT32_MAX: none. */
uint32_t fw_healer_number(uint32_t owner);
/* ns that all healers have lived. */
uint64_t fw_healers_time(uint64_t now);

/* NULL: the word has none. */
struct fw_heal_lock *fw_heal_find(uintptr_t word);
/* NULL: there is no room. */
struct fw_heal_lock *fw_heal_make(uintptr_t word);

/* The number of its owner, as fw_healer_number wants it; 0: none. */
uint32_t fw_heal_owner(struct fw_heal_lock *lock);
bool fw_heal_is_waited_for(struct fw_heal_lock *lock);
bool fw_heal_owns(struct fw_heal_lock *lock, const struct fw_healer *me);
bool fw_heal_try(struct fw_heal_lock *lock, struct fw_healer *me);
enum fw_heal_got fw_heal_wait(struct fw_heal_lock *lock, struct fw_healer *me);
/* Without effect if it is another's by now. */
void fw_heal_release(struct fw_heal_lock *lock, struct fw_healer *me);

/* The thread is about to lock a mutex of the program; NULL: it is not any more.  The lock of ours
 * that had to be released for it, or NULL. */
struct fw_heal_lock *fw_heal_mutex(struct fw_healer *me, const void *mutex);

void fw_heal_locks_forked(void);

#endif
