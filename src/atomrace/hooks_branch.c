/*
 * hooks_branch.c - hooks of basic blocks: nothing is to be known of them here.  (Programs built
 * with --no-branches do not call them at all.)
 */
#include "runtime/rt.h"

#pragma GCC diagnostic ignored "-Wmissing-prototypes"

FW_EXPORT void __sanitizer_cov_trace_pc(void)
{
}

FW_EXPORT void __sanitizer_cov_trace_pc_guard(uint32_t *guard)
{
    (void)guard;
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
