/*
 * hooks.h - the calls of access hooks in the code of a program or library.
 *
 * The wrapper has compilers put a call before every plain access.  An access is known by where that
 * call returns to, here and at run time.  Hooks of atomic operations, of functions and of branches
 * are not among them.
 */
#ifndef FW_SYMBOL_HOOKS_H
#define FW_SYMBOL_HOOKS_H

#include "base/error.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

struct fw_hook {
    uint64_t returns;  /* to this address of the file */
    bool write;        /* the access writes */
    uint64_t address;  /* of the file: what is accessed there is always this; 0: not known */
    uint32_t size;     /* so many bytes from there; 0: not known */
    uint32_t branches; /* conditional jumps of its function that lie before it */
};

FW_VEC_TYPE(fw_hooks, struct fw_hook);

/* Appends all of the file, by address.  -1: it cannot be read, or is not for x86-64. */
int fw_hooks_find(const char *path, struct fw_hooks *hooks, struct fw_error *err);

FW_VEC_TYPE(fw_call_returns, uint64_t);

/* Appends where the calls of the file return to that are not of hooks of any kind, ascending. */
int fw_hooks_other_calls(const char *path, struct fw_call_returns *calls, struct fw_error *err);

/* A call of a hook that only tells: not of atomic operations and their like, which do something. */
struct fw_hook_call {
    uint64_t start, returns; /* its instruction, and where it returns to: addresses of the file */
    bool access;             /* else of a function's entry or exit, or of a basic block */
    bool write;
    bool jumps; /* at the end of a function: it does not come back */
};

FW_VEC_TYPE(fw_hook_calls, struct fw_hook_call);

/* Appends all of the file, by address. */
int fw_hooks_calls(const char *path, struct fw_hook_calls *calls, struct fw_error *err);

/* Does this name an access hook?  *write: of one that writes. */
bool fw_hook_is_access(const char *name, bool *write);

#endif
