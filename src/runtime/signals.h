/*
 * signals.h - what the interceptors around signals need of signals.c.
 */
#ifndef FW_RUNTIME_SIGNALS_H
#define FW_RUNTIME_SIGNALS_H

#include "runtime/rt.h"

#include <signal.h>
#include <ucontext.h>

extern bool fw_signals_started; /* handlers are wrapped */
extern bool fw_signals_handled; /* the program has set a handler */
/* Timers of timer_create may expire until then; UINT64_MAX: again and again; 0: there are none. */
extern _Atomic uint64_t fw_timers_until;

/* Where threads run in parallel: calls every handler of the program, by call(what), on whichever
 * thread, and knows what has to be done around it; NULL: nothing. */
extern void (*fw_signals_around)(void (*call)(void *what), void *what, const ucontext_t *context);

/* sigaction, as the program sees it. */
int fw_signals_action(int number, const struct sigaction *wanted, struct sigaction *old);
/* In a fork child: what was put off was the parent's. */
void fw_signals_forked(void);
/* A signal is sent to a thread of this process, or was waited for and has come. */
void fw_signals_sent(struct fw_thread *t, int number, uintptr_t pc);
void fw_signals_taken(struct fw_thread *t, int number, uintptr_t pc);

#endif
