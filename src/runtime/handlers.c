/*
 * handlers.c - the program's signal handlers and the token.
 */
#include "runtime/thread.h"

#define WAS_OUTSIDE 0x80000000u

unsigned fw_handler_begin(struct fw_thread *t)
{
    unsigned before;

    if (!t) /* a thread that we do not know */
        return 0;
    before = (unsigned)t->inside | (t->outside ? WAS_OUTSIDE : 0);
    if (t->outside)
        fw_outside_end(t);
    fw_token_regain(t);
    t->inside = 0;
    return before;
}

void fw_handler_end(struct fw_thread *t, unsigned before)
{
    if (!t)
        return;
    t->inside = (int)(before & ~WAS_OUTSIDE);
    if (before & WAS_OUTSIDE) {
        fw_token_pass(t, FW_STATE_OUTSIDE);
        t->outside = 1;
    }
}

void fw_handlers_run(struct fw_thread *t)
{
    struct fw_wait wait = fw_wait_suspend(t);

    t->inside--;
    fw_signals_deliver(t);
    t->inside++;
    if (wait.kind != FW_WIRE_WAIT_NONE)
        fw_wait_resume(t, &wait);
}
