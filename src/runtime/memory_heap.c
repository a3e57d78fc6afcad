/*
 * memory_heap.c - malloc and its relatives.
 *
 * A block is told (ALLOC) before the program has its address, and its end (FREE) before it can be
 * given to somebody else: the thread has the token and is inside the runtime all the time.  libc's
 * own calls of malloc (strdup, getline, fopen, operator new) come here as well, since they go
 * through the same symbols.
 *
 * What is told is what a block holds, which may be more than was asked for: realloc copies that
 * much, programs may use it (malloc_usable_size), and none of it is what it was in a former block.
 *
 * realloc: a block that moves is read as far as it is copied, freed, allocated and written: values
 * flow through it, and predictions must see that.  A block that stays is told as RESIZE: copying is
 * what natural growth avoids, and so do we.
 *
 * What is allocated while the thread is inside the runtime is not told, unless it is away in a call
 * of the program's (getaddrinfo, getline): see fw_heap_catch_up.  A FREE of what was never told
 * means nothing to the recorder.
 *
 * Looking up the real functions may allocate: that comes from a small arena, which is never given
 * back.  No locks here: a fork child and a signal handler can allocate as far as libc lets them.
 */
#include "runtime/control.h"
#include "runtime/intercept.h"
#include "runtime/thread.h"
#include "runtime/values.h"

#include <dlfcn.h>
#include <errno.h>
#include <gnu/libc-version.h>
#include <malloc.h>
#include <stdlib.h>

/* --- before the real functions are known ---------------------------------------------------- */

#define ARENA_BYTES 65536u
#define ARENA_ALIGN 16u

static char arena[ARENA_BYTES] __attribute__((aligned(16)));
static _Atomic size_t arena_used;

/* Each block stands behind its size. */
static void *arena_take(size_t bytes)
{
    size_t whole = (bytes + 2 * ARENA_ALIGN - 1) & ~(size_t)(ARENA_ALIGN - 1), at;

    if (bytes > ARENA_BYTES)
        return NULL;
    at = atomic_fetch_add_explicit(&arena_used, whole, memory_order_relaxed); /* a mere counter */
    if (at + whole > ARENA_BYTES)
        return NULL;
    *(size_t *)(arena + at) = bytes;
    return arena + at + ARENA_ALIGN;
}

static bool in_arena(const void *block)
{
    return (const char *)block >= arena && (const char *)block < arena + ARENA_BYTES;
}

static size_t arena_size(const void *block)
{
    return *(const size_t *)((const char *)block - ARENA_ALIGN);
}

static struct {
    __typeof__(&malloc) malloc;
    __typeof__(&free) free;
    __typeof__(&calloc) calloc;
    __typeof__(&realloc) realloc;
    __typeof__(&malloc_usable_size) usable;
    bool known;
    bool of_libc; /* they are libc's own, and not of a library that stands before it */
    bool sized;   /* `usable` is about the blocks of `malloc` */
} heap;

static bool of_one_module(void *a, void *b)
{
    Dl_info about_a, about_b;

    return dladdr(a, &about_a) && dladdr(b, &about_b) && about_a.dli_fbase == about_b.dli_fbase;
}

/* False: called by the look-up itself. */
static bool heap_known(void)
{
    static __thread bool looking;

    if (FW_LIKELY(heap.known))
        return true;
    if (looking)
        return false;
    looking = true;
    FW_REAL(heap.malloc, "malloc");
    FW_REAL(heap.free, "free");
    FW_REAL(heap.calloc, "calloc");
    FW_REAL(heap.realloc, "realloc");
    FW_REAL(heap.usable, "malloc_usable_size");
    heap.of_libc = of_one_module((void *)heap.free, (void *)gnu_get_libc_version);
    heap.sized = of_one_module((void *)heap.malloc, (void *)heap.usable);
    heap.known = true;
    looking = false;
    return true;
}

/* At the beginning in any case: it takes the loader's lock. */
__attribute__((constructor(101))) static void know_heap(void)
{
    heap_known();
}

/* How much a block holds; 0: not known.  Unlike malloc_usable_size looks nowhere but into its
 * header, so that a block may have been freed already: that is for libc to find out. */
static size_t size_of(void *block)
{
    enum { MAPPED = 2, FLAGS = 7, WORD = sizeof(size_t) };
    size_t header;

    if (in_arena(block))
        return arena_size(block);
    if (!heap.of_libc)
        return heap.sized ? heap.usable(block) : 0;
    header = ((const size_t *)block)[-1];
    return (header & ~(size_t)FLAGS) - (header & MAPPED ? 2 * WORD : WORD);
}

/* --- telling -------------------------------------------------------------------------------- */

#define MISSED 16u

__thread bool fw_heap_away;
static __thread unsigned missed_count;
static __thread struct missed {
    void *block;
    size_t bytes;
    uintptr_t pc;
} missed[MISSED];

static void tell(struct fw_thread *t, void *block, size_t bytes, uintptr_t pc)
{
    size_t holds;

    if (!fw_modules_instrumented)
        return;
    holds = size_of(block);
    bytes = holds > bytes ? holds : bytes;
    fw_fresh(block, bytes);
    if (fw_values_on)
        fw_values_take((uintptr_t)block, bytes);
    fw_record_more(t, FW_WIRE_ALLOC, (uintptr_t)block, bytes, 0, pc);
}

static void miss(void *block, size_t bytes, uintptr_t pc)
{
    if (missed_count < MISSED)
        missed[missed_count++] = (struct missed){ block, bytes, pc };
}

static void miss_free(const void *block)
{
    for (unsigned i = 0; i < missed_count; i++)
        if (missed[i].block == block)
            missed[i] = missed[--missed_count];
}

void fw_heap_catch_up(struct fw_thread *t)
{
    fw_heap_away = false;
    for (unsigned i = 0; i < missed_count; i++)
        tell(t, missed[i].block, missed[i].bytes, missed[i].pc);
    missed_count = 0;
}

/* Ends what an allocation has begun with fw_enter. */
static void *allocated(struct fw_thread *t, void *block, size_t bytes, uintptr_t pc)
{
    if (!t) {
        if (FW_UNLIKELY(fw_heap_away) && block)
            miss(block, bytes, pc);
        return block;
    }
    if (FW_UNLIKELY(fw_heap_away)) { /* a handler has jumped out of the call */
        fw_heap_away = false;
        missed_count = 0;
    }
    fw_chance_heap(t);
    if (block)
        tell(t, block, bytes, pc);
    fw_leave(t);
    return block;
}

/* --- the family ----------------------------------------------------------------------------- */

FW_EXPORT void *malloc(size_t bytes)
{
    struct fw_thread *t;

    if (FW_UNLIKELY(!heap_known()))
        return arena_take(bytes);
    t = fw_enter();
    return allocated(t, heap.malloc(bytes), bytes, FW_PC);
}

FW_EXPORT void *calloc(size_t count, size_t bytes)
{
    struct fw_thread *t;
    size_t all;

    if (__builtin_mul_overflow(count, bytes, &all))
        all = SIZE_MAX;
    if (FW_UNLIKELY(!heap_known()))
        return arena_take(all);
    t = fw_enter();
    return allocated(t, heap.calloc(count, bytes), all, FW_PC);
}

FW_EXPORT void free(void *block)
{
    struct fw_thread *t;

    if (!block || FW_UNLIKELY(in_arena(block)) || FW_UNLIKELY(!heap_known()))
        return;
    t = FW_UNLIKELY(fw_control_every) ? fw_enter_freeing(block, size_of(block)) : fw_enter();
    if (t && fw_modules_instrumented)
        fw_record_free(t, block, size_of(block), FW_PC);
    else if (FW_UNLIKELY(fw_heap_away))
        miss_free(block);
    if (FW_UNLIKELY(fw_hot.regions || fw_flow_frees))
        fw_flow_freed(block, size_of(block));
    fw_chance_heap(t);
    heap.free(block);
    fw_done(t);
}

/* Tells how `old` became `block`.  `had`: bytes that could have been in use; 0: unknown. */
static void tell_moved(struct fw_thread *t, void *old, size_t had, void *block, size_t bytes,
                       uintptr_t pc)
{
    size_t copied = had < bytes ? had : bytes;

    if (block == old) {
        size_t holds = size_of(block);

        holds = holds > bytes ? holds : bytes;
        if (had && holds > had)
            fw_fresh((char *)block + had, holds - had);
        fw_record_more(t, FW_WIRE_RESIZE, (uintptr_t)block, holds, 0, pc);
        return;
    }
    fw_reads(t, old, copied, pc);
    fw_record_free(t, old, had, pc);
    tell(t, block, bytes, pc);
    fw_writes(t, block, copied, pc);
}

static void *reallocate(void *old, size_t bytes, uintptr_t pc)
{
    struct fw_thread *t = fw_enter_from(pc);
    size_t had;
    void *block;

    if (!t) {
        if (FW_UNLIKELY(fw_hot.regions || fw_flow_frees))
            fw_flow_freed(old, size_of(old));
        block = heap.realloc(old, bytes);
        if (FW_UNLIKELY(fw_heap_away) && (block || !bytes)) {
            miss_free(old);
            if (block)
                miss(block, bytes, pc);
        }
        return block;
    }
    had = size_of(old);
    fw_chance_heap(t);
    if (!bytes && fw_modules_instrumented)
        fw_record_free(t, old, had, pc);
    block = heap.realloc(old, bytes);
    if (block && fw_modules_instrumented)
        tell_moved(t, old, had, block, bytes, pc);
    fw_leave(t);
    return block;
}

/* A block of the arena becomes a real one as soon as there are real ones. */
static void *leave_arena(void *old, size_t bytes)
{
    size_t had = arena_size(old);
    void *block = malloc(bytes);

    if (block)
        fw_copy(block, old, had < bytes ? had : bytes);
    return block;
}

FW_EXPORT void *realloc(void *old, size_t bytes)
{
    if (FW_UNLIKELY(in_arena(old)) || FW_UNLIKELY(!heap_known()))
        return old ? leave_arena(old, bytes) : arena_take(bytes);
    if (!old) {
        struct fw_thread *t = fw_enter();

        return allocated(t, heap.malloc(bytes), bytes, FW_PC);
    }
    return reallocate(old, bytes, FW_PC);
}

FW_EXPORT void *reallocarray(void *old, size_t count, size_t bytes)
{
    size_t all;

    if (__builtin_mul_overflow(count, bytes, &all)) {
        errno = ENOMEM;
        return NULL;
    }
    if (!old || FW_UNLIKELY(in_arena(old)) || FW_UNLIKELY(!heap_known()))
        return realloc(old, all);
    return reallocate(old, all, FW_PC);
}

FW_EXPORT int posix_memalign(void **block, size_t alignment, size_t bytes)
{
    struct fw_thread *t = fw_enter();
    int result = REAL(posix_memalign)(block, alignment, bytes);

    if (!result)
        fw_writes(t, block, sizeof *block, FW_PC);
    allocated(t, result ? NULL : *block, bytes, FW_PC);
    return result;
}

FW_EXPORT void *aligned_alloc(size_t alignment, size_t bytes)
{
    struct fw_thread *t = fw_enter();

    return allocated(t, REAL(aligned_alloc)(alignment, bytes), bytes, FW_PC);
}

FW_EXPORT void *memalign(size_t alignment, size_t bytes)
{
    struct fw_thread *t = fw_enter();

    return allocated(t, REAL(memalign)(alignment, bytes), bytes, FW_PC);
}

FW_EXPORT void *valloc(size_t bytes)
{
    struct fw_thread *t = fw_enter();

    return allocated(t, REAL(valloc)(bytes), bytes, FW_PC);
}

FW_EXPORT void *pvalloc(size_t bytes)
{
    struct fw_thread *t = fw_enter();

    return allocated(t, REAL(pvalloc)(bytes), (bytes + 4095) & ~(size_t)4095, FW_PC);
}
