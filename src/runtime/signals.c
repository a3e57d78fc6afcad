/*
 * signals.c - handlers of the program: which of them wait, and until when.
 */
#include "runtime/rt.h"

__thread volatile unsigned fw_signals_waiting;

void fw_signals_begin(void)
{
}

void fw_signals_deliver(struct fw_thread *t)
{
    (void)t;
}
