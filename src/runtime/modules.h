/*
 * modules.h - what of modules.c only init.c needs; see rt.h for the rest.
 */
#ifndef FW_RUNTIME_MODULES_H
#define FW_RUNTIME_MODULES_H

#include "runtime/rt.h"

/* Sends all modules, whatever was sent before: a new trace begins. */
void fw_modules_resend(struct fw_thread *t);

#endif
