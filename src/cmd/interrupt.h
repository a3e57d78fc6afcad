/*
 * interrupt.h - INT and TERM for commands that run programs: the first one asks for the end, and
 * the command tells what it has; one that comes later than half a second ends the process at once.
 */
#ifndef FW_CMD_INTERRUPT_H
#define FW_CMD_INTERRUPT_H

#include <stdatomic.h>

/* From now on they are noted here: the signal that came, 0: none. */
const atomic_int *fw_interrupt_watch(void);

/* 128 + the signal that came, as a shell has it; 0: none came. */
int fw_interrupt_status(void);

#endif
