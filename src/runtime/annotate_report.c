/*
 * annotate_report.c - what ThreadSanitizer's runtime offers to who looks at its reports and to its
 * own tests.  There are no reports inside the program here: every question is answered with "none".
 */
#include "runtime/annotate.h"

#include <sched.h>

#pragma GCC diagnostic ignored "-Wmissing-prototypes"

/* Programs may define these themselves. */
FW_EXPORT __attribute__((weak)) const char *__tsan_default_options(void)
{
    return "";
}

FW_EXPORT __attribute__((weak)) const char *__tsan_default_suppressions(void)
{
    return "";
}

FW_EXPORT __attribute__((weak)) void __tsan_on_report(void *report)
{
    (void)report;
}

FW_EXPORT __attribute__((weak)) int __tsan_symbolize_external(uintptr_t pc, char *function,
                                                              int function_bytes, char *file,
                                                              int file_bytes, int *line,
                                                              int *column)
{
    (void)pc, (void)function, (void)function_bytes, (void)file, (void)file_bytes;
    (void)line, (void)column;
    return 0;
}

FW_EXPORT __attribute__((weak)) void __tsan_symbolize_external_ex(uintptr_t pc, void *add_frame,
                                                                  void *context)
{
    (void)pc, (void)add_frame, (void)context;
}

FW_EXPORT void __tsan_flush_memory(void)
{
}

FW_EXPORT void *__tsan_get_current_report(void)
{
    return NULL;
}

/* All of them tell by their result that nothing was filled in. */
#define NO_REPORT(name)                                                                            \
    FW_EXPORT int __tsan_##name(void)                                                              \
    {                                                                                              \
        return 0;                                                                                  \
    }
NO_REPORT(get_report_data)
NO_REPORT(get_report_tag)
NO_REPORT(get_report_stack)
NO_REPORT(get_report_mop)
NO_REPORT(get_report_loc)
NO_REPORT(get_report_loc_object_type)
NO_REPORT(get_report_mutex)
NO_REPORT(get_report_thread)
NO_REPORT(get_report_unique_tid)
NO_REPORT(get_alloc_stack)

FW_EXPORT const char *__tsan_locate_address(uintptr_t address, char *name, size_t bytes,
                                            uintptr_t *region, uintptr_t *region_bytes)
{
    (void)address;
    if (name && bytes)
        *name = '\0';
    if (region)
        *region = 0;
    if (region_bytes)
        *region_bytes = 0;
    return "";
}

FW_EXPORT uintptr_t __tsan_testonly_shadow_stack_current_size(void)
{
    return 0;
}

/* A barrier that no analysis sees: the number of threads in the low byte, above it the arrivals. */
FW_EXPORT void __tsan_testonly_barrier_init(uint64_t *barrier, unsigned count)
{
    __atomic_store_n(barrier, count & 0xff, __ATOMIC_SEQ_CST);
}

FW_EXPORT void __tsan_testonly_barrier_wait(uint64_t *barrier)
{
    uint64_t old = __atomic_fetch_add(barrier, 0x100, __ATOMIC_SEQ_CST);
    unsigned count = old & 0xff;
    uint64_t round = count ? (old >> 8) / count : 0;

    while (count && (__atomic_load_n(barrier, __ATOMIC_SEQ_CST) >> 8) / count == round)
        sched_yield();
}
