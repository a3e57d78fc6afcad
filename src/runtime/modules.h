/*
 * modules.h - what of modules.c only parts of the runtime need; see rt.h for the rest.
 */
#ifndef FW_RUNTIME_MODULES_H
#define FW_RUNTIME_MODULES_H

#include "runtime/rt.h"

/* One of the modules has hooks.  Else interceptors tell of synchronisation alone: what is done with
 * memory under synchronisation that nobody saw (atomics) would be taken for races. */
extern bool fw_modules_instrumented;

/* Told of every module that comes, before anybody runs in it; NULL: nobody wants to know. */
extern void (*fw_modules_follow)(const char *path, uintptr_t base);
/* Followed also where nothing is recorded. */
extern bool fw_modules_always;

/* Was the program itself built with hooks?  Known from the beginning: it needs our library. */
bool fw_modules_main_has_hooks(void);

/* Sends all modules, whatever was sent before: a new trace begins. */
void fw_modules_begin(struct fw_thread *t);

/* The path of the module that has the address, and its place there; "" and 0: none that is known.
 * The path is good as long as the module is.  The holder's. */
const char *fw_modules_locate(uintptr_t pc, uintptr_t *offset);

#endif
