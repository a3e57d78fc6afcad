/*
 * hooks_flow.c - hooks of functions and blocks, where threads are guarded.  Only those that stand
 * at cutpoints are still called; there are no stacks of calls here.
 */
#include "guard/lifetx.h"
#include "guard/region.h"
#include "runtime/thread.h"

#pragma GCC diagnostic ignored "-Wmissing-prototypes"

void (*fw_flow_follow)(enum fw_flow what);
void (*fw_flow_freed)(const void *memory, size_t bytes);
bool fw_flow_frees;

FW_EXPORT void __tsan_func_entry(void *call)
{
    if (fw_guard_tx)
        fw_guard_tx_entry((uintptr_t)call, FW_PC);
}

FW_EXPORT void __tsan_func_exit(void)
{
}

struct fw_frame *fw_stack_handler_begin(uintptr_t interrupted)
{
    (void)interrupted;
    fw_region_end();
    return fw_hot.top;
}

void fw_stack_handler_end(struct fw_frame *mark)
{
    (void)mark;
}

FW_EXPORT void __sanitizer_cov_trace_pc(void)
{
    if (fw_guard_tx)
        fw_guard_tx_place(FW_PC);
}

FW_EXPORT void __sanitizer_cov_trace_pc_guard(uint32_t *guard)
{
    (void)guard;
    if (fw_guard_tx)
        fw_guard_tx_place(FW_PC);
}

FW_EXPORT void __sanitizer_cov_trace_pc_guard_init(uint32_t *start, uint32_t *stop)
{
    (void)start;
    (void)stop;
}

FW_EXPORT void __sanitizer_cov_trace_pc_indir(uintptr_t callee)
{
    (void)callee;
}

FW_EXPORT void __foreweave_no_branches(void)
{
}
