/*
 * hooks_branch.c - the calls that the compiler puts at the beginning of every basic block.
 */
#include "runtime/control.h"
#include "runtime/patch.h"
#include "runtime/rt.h"
#include "runtime/thread.h"

#pragma GCC diagnostic ignored "-Wmissing-prototypes"

static __attribute__((noinline)) void out_of_ticks(void)
{
    struct fw_thread *t = fw_enter_again();

    if (!t) {
        fw_hot.ticks = fw_self ? 1000 : INT32_MAX; /* not now, or never */
        return;
    }
    fw_point(t);
    fw_leave(t);
    if (FW_UNLIKELY(t->cancelled))
        fw_cancel_at_hook(t);
}

static inline void on_branch(uintptr_t pc)
{
    if (FW_UNLIKELY(fw_control_thin)) {
        fw_patch_call(pc);
        return;
    }
    fw_hot.branched = true;
    fw_hot.blocks++;
    if (FW_UNLIKELY(--fw_hot.ticks < 0))
        out_of_ticks();
}

FW_HOOK void __sanitizer_cov_trace_pc(void)
{
    on_branch(FW_PC);
}

FW_HOOK void __sanitizer_cov_trace_pc_guard(uint32_t *guard)
{
    (void)guard;
    on_branch(FW_PC);
}

FW_EXPORT void __sanitizer_cov_trace_pc_guard_init(uint32_t *start, uint32_t *stop)
{
    (void)start;
    (void)stop;
}

FW_HOOK void __sanitizer_cov_trace_pc_indir(uintptr_t callee)
{
    (void)callee;
    on_branch(FW_PC);
}

/* Code that was built without these hooks says so (foreweave_no_branches.h). */
FW_EXPORT void __foreweave_no_branches(void)
{
    struct fw_thread *t = fw_enter();

    if (!t)
        return;
    fw_unmodelled("branches of code built with --no-branches");
    fw_leave(t);
}
