/*
 * region_jump.h - a thread's registers and a part of its stack, to return to; for region.c.
 */
#ifndef FW_GUARD_REGION_JUMP_H
#define FW_GUARD_REGION_JUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FW_JUMP_ROOM 4096u /* bytes of the stack */

struct fw_jump {
    uintptr_t saved[6]; /* rbx, rbp, r12 to r15 */
    uintptr_t stack, code; /* as they are behind the call of fw_jump_save */
    uintptr_t end; /* of the part of the stack, which begins at `stack` */
    unsigned char copy[FW_JUMP_ROOM];
};

/* Can it be done on this machine? */
bool fw_jump_works(void);

/* 0: everything was noted, with the stack up to `end`, at most FW_JUMP_ROOM bytes.  1: the thread
 * has come back.  -1: there is no room. */
int fw_jump_save(struct fw_jump *jump, uintptr_t end) __attribute__((returns_twice));

/* Back to where it was noted; what lies above `end` stays as it is. */
_Noreturn void fw_jump_back(const struct fw_jump *jump);

#endif
