/*
 * rerun.h - stretches of a function that can be left in the middle and run again from their start.
 *
 * A stretch begins at a hook that is kept, or at a call of pthread_mutex_lock, and goes on to other
 * such places of the same activation as long as nothing is done between that cannot be undone by
 * who knows the hooks, the mutexes and the frame of the function: what it calls besides, what it
 * stores without a hook that is kept, instructions of the system.  A place *begins* a stretch if it
 * may be the first behind such a thing, on any way; else it *goes on*: on all ways to it, another
 * place of the same activation came before and nothing but what can be undone between.  So who
 * notes the state of the frame at every place that begins can go back to the latest of them from
 * every place that goes on.
 *
 * Stores.  Compilers put the hook of a store right before it: no other call comes between.  Behind
 * a hook that is kept so many bytes as it names may be stored.  What is stored to the function's
 * own frame by the stack pointer (or the frame pointer) needs no hook, if it is certain to lie in
 * the frame: an index may lead to what was passed by value, which the caller's frame holds.
 *
 * Frames.  Other threads write to locals whose address they know, so in a function that makes
 * addresses of its frame the frame cannot be restored; there stretches are *bare*: what is stored
 * to the frame, or moves the stack pointer, ends them, so that restoring registers is enough.  In
 * a function whose stack pointer cannot be followed nothing is found.
 *
 * x86-64.  Not thread-safe.
 */
#ifndef FW_SYMBOL_RERUN_H
#define FW_SYMBOL_RERUN_H

#include "base/vec.h"
#include "symbol/elf_file.h"

#define FW_RERUN_FRAME 2048u /* bytes of a frame; functions with larger ones have no stretches */

struct fw_rerun_place {
    uint64_t function; /* where it starts */
    uint64_t returns;  /* where the call returns to */
    uint32_t frame;    /* from the stack pointer before the call to the end of the frame */
    bool begins;       /* else it goes on */
    bool locks;        /* a call of pthread_mutex_lock; else of a hook */
    bool bare;         /* the frame is not changed in the stretch, and must not be restored */
};

FW_VEC_TYPE(fw_rerun_places, struct fw_rerun_place);

struct fw_rerun;

/* Of a file that stays open.  NULL: its code cannot be read. */
struct fw_rerun *fw_rerun_create(struct fw_elf *file);
void fw_rerun_destroy(struct fw_rerun *rerun);

/* Appends the places of the function that covers the address, by address.  `kept` tells of the call
 * of an access hook, by where it returns to, whether it will be there. */
void fw_rerun_find(struct fw_rerun *rerun, uint64_t address,
                   bool (*kept)(uint64_t returns, void *context), void *context,
                   struct fw_rerun_places *places);

#endif
