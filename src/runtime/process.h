/*
 * process.h - how processes end (process.c).
 */
#ifndef FW_RUNTIME_PROCESS_H
#define FW_RUNTIME_PROCESS_H

#include "runtime/rt.h"

/* A child is about to be made. */
void fw_process_forks(struct fw_thread *t, uintptr_t pc);
/* In the child of a fork by whatever means. */
void fw_process_begins(void);
/* Nothing of the program comes after this, which is a point of the name: tells the status and keeps
 * the token. */
void fw_process_exits(int status, const char *name, uintptr_t pc);

#endif
