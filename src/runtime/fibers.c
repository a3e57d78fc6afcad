/*
 * fibers.c - contexts that a program switches between by itself.
 *
 * What a fiber does is taken for something that its thread does at that moment.  Fibers that go
 * from thread to thread are ordered by who resumes them, which nobody sees; so it is told.
 * (Libraries that switch stacks by code of their own are not noticed.)
 */
#include "runtime/intercept.h"

#include <ucontext.h>

void (*fw_flow_switched)(void);

static void are_not_modelled(void)
{
    struct fw_thread *t = fw_enter();

    if (fw_flow_switched)
        fw_flow_switched();
    if (!t)
        return;
    fw_unmodelled("fibers");
    fw_leave(t);
}

FW_EXPORT int swapcontext(ucontext_t *from, const ucontext_t *to)
{
    are_not_modelled();
    return REAL(swapcontext)(from, to);
}

FW_EXPORT int setcontext(const ucontext_t *to)
{
    are_not_modelled();
    return REAL(setcontext)(to);
}
