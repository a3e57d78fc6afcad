/*
 * memory_map.c - memory that comes from the kernel: mmap, munmap, mremap, shmat; and memory whose
 * accesses are the program's to grant, which is told to who wants to know (fw_map_withheld).
 *
 * Fresh pages are told (MAP) before the program has them, and their end (UNMAP) before they go.
 * Pages that mremap moves are read where they were and written where they are, as realloc's blocks.
 */
#include "runtime/control.h"
#include "runtime/effect.h"
#include "runtime/intercept.h"
#include "runtime/thread.h"

#include <stdarg.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/syscall.h>

#define GIVEN_OUT FW_ON_LIBC(FW_LIBC_ADDRESSES) /* what comes next lies beside it */

static size_t whole_pages(size_t bytes)
{
    return (bytes + 4095) & ~(size_t)4095;
}

static void tell_map(struct fw_thread *t, const void *start, size_t bytes, uintptr_t pc)
{
    fw_fresh(start, bytes);
    fw_record_more(t, FW_WIRE_MAP, (uintptr_t)start, bytes, 0, pc);
}

static void tell_unmap(struct fw_thread *t, const void *start, size_t bytes, uintptr_t pc)
{
    fw_record_more(t, FW_WIRE_UNMAP, (uintptr_t)start, bytes, 0, pc);
}

void (*fw_map_shared)(const void *memory, size_t bytes);
bool (*fw_map_is_shared)(const void *memory);

static void *mapped(struct fw_thread *t, void *start, size_t bytes, int flags, uintptr_t pc)
{
    if (fw_control_on && t && flags & MAP_SHARED && !(flags & MAP_ANONYMOUS))
        fw_control->chances |= FW_CHANCE_MAPPINGS;
    if (fw_map_shared && flags & MAP_SHARED && start != MAP_FAILED)
        fw_map_shared(start, whole_pages(bytes));
    if (t && start != MAP_FAILED)
        tell_map(t, start, whole_pages(bytes), pc);
    fw_done(t);
    return start;
}

FW_EXPORT void *mmap(void *where, size_t bytes, int protection, int flags, int fd, off_t offset)
{
    struct fw_thread *t = fw_enter_effect(GIVEN_OUT);

    return mapped(t, REAL(mmap)(where, bytes, protection, flags, fd, offset), bytes, flags,
                  FW_PC);
}

FW_EXPORT void *mmap64(void *where, size_t bytes, int protection, int flags, int fd, off64_t offset)
{
    struct fw_thread *t = fw_enter_effect(GIVEN_OUT);

    return mapped(t, REAL(mmap64)(where, bytes, protection, flags, fd, offset), bytes, flags,
                  FW_PC);
}

FW_EXPORT int munmap(void *start, size_t bytes)
{
    struct fw_thread *t = fw_enter_effect(GIVEN_OUT);
    int result;

    if (FW_UNLIKELY(fw_hot.regions || fw_flow_frees))
        fw_flow_freed(start, whole_pages(bytes));
    result = REAL(munmap)(start, bytes);
    if (t && result == 0)
        tell_unmap(t, start, whole_pages(bytes), FW_PC);
    fw_done(t);
    return result;
}

static void tell_remap(struct fw_thread *t, void *old, size_t had, void *start, size_t bytes,
                       uintptr_t pc)
{
    size_t copied = had < bytes ? had : bytes;

    if (start == old) {
        if (bytes > had)
            tell_map(t, (char *)old + had, bytes - had, pc);
        else if (bytes < had)
            tell_unmap(t, (char *)old + bytes, had - bytes, pc);
        return;
    }
    fw_reads(t, old, copied, pc);
    if (had)
        tell_unmap(t, old, had, pc);
    tell_map(t, start, bytes, pc);
    fw_writes(t, start, copied, pc);
}

FW_EXPORT void *mremap(void *old, size_t had, size_t bytes, int flags, ...)
{
    struct fw_thread *t = fw_enter_effect(GIVEN_OUT);
    bool shared = fw_map_shared && fw_map_is_shared(old);
    void *where, *start;
    va_list rest;

    va_start(rest, flags);
    where = flags & MREMAP_FIXED ? va_arg(rest, void *) : NULL;
    va_end(rest);
    if (FW_UNLIKELY(fw_flow_frees))
        fw_flow_freed(old, whole_pages(had));
    start = REAL(mremap)(old, had, bytes, flags, where);
    if (shared && start != MAP_FAILED)
        fw_map_shared(start, whole_pages(bytes));
    else if (shared)
        fw_map_shared(old, whole_pages(had));
    if (t && start != MAP_FAILED)
        tell_remap(t, old, whole_pages(had), start, whole_pages(bytes), FW_PC);
    fw_done(t);
    return start;
}

void (*fw_map_withheld)(const void *memory, size_t bytes);

/* Before the call: from then on threads may come to the program's handlers there. */
FW_EXPORT int pkey_mprotect(void *start, size_t bytes, int protection, int key)
{
    if (fw_map_withheld && key >= 0)
        fw_map_withheld(start, whole_pages(bytes));
    return REAL(pkey_mprotect)(start, bytes, protection, key);
}

FW_EXPORT void *shmat(int id, const void *where, int flags)
{
    struct fw_thread *t = fw_enter_effect(GIVEN_OUT);
    struct shmid_ds about;
    void *start = REAL(shmat)(id, where, flags);

    if (fw_control_on && t)
        fw_control->chances |= FW_CHANCE_MAPPINGS;
    if ((t || fw_map_shared) && start != (void *)-1 &&
        fw_syscall(SYS_shmctl, id, IPC_STAT, (long)&about, 0, 0, 0) == 0) {
        if (t)
            tell_map(t, start, whole_pages(about.shm_segsz), FW_PC);
        else
            fw_map_shared(start, whole_pages(about.shm_segsz));
    }
    fw_done(t);
    return start;
}
