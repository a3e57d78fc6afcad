/*
 * annotate_tsan.c - the annotation interface of ThreadSanitizer (sanitizer/tsan_interface.h), and
 * the rest of what its runtime exports, so that programs written for it link and run.
 *
 * Between "pre" and "post" of a mutex operation, what the lock's own code does is ignored.
 */
#include "runtime/annotate.h"

#pragma GCC diagnostic ignored "-Wmissing-prototypes"

enum { /* flags of mutexes */
    READ_LOCK = 1 << 3,
    TRY_LOCK = 1 << 4,
    TRY_LOCK_FAILED = 1 << 5,
    RECURSIVE_LOCK = 1 << 6,
    RECURSIVE_UNLOCK = 1 << 7,
};

FW_EXPORT void __tsan_acquire(void *object)
{
    fw_annotate_sync(FW_WIRE_AFTER, object, FW_PC);
}

FW_EXPORT void __tsan_release(void *object)
{
    fw_annotate_sync(FW_WIRE_BEFORE, object, FW_PC);
}

FW_EXPORT void __tsan_ignore_thread_begin(void)
{
    fw_annotate_ignore(FW_IGNORE_ALL, 1);
}

FW_EXPORT void __tsan_ignore_thread_end(void)
{
    fw_annotate_ignore(FW_IGNORE_ALL, -1);
}

/* --- mutexes ------------------------------------------------------------------------------- */

FW_EXPORT void __tsan_mutex_create(void *mutex, unsigned flags)
{
    (void)flags;
    fw_annotate_lock_gone(mutex, FW_PC);
}

FW_EXPORT void __tsan_mutex_destroy(void *mutex, unsigned flags)
{
    (void)flags;
    fw_annotate_lock_gone(mutex, FW_PC);
}

FW_EXPORT void __tsan_mutex_pre_lock(void *mutex, unsigned flags)
{
    (void)mutex, (void)flags;
    fw_annotate_ignore(FW_IGNORE_ALL, 1);
}

FW_EXPORT void __tsan_mutex_post_lock(void *mutex, unsigned flags, int recursion)
{
    bool read = flags & READ_LOCK, attempt = flags & TRY_LOCK;
    enum fw_wire_kind kind = FW_WIRE_ACQUIRE;
    unsigned levels = 1; /* locking once more counts, whether the lock allows it or not */

    fw_annotate_ignore(FW_IGNORE_ALL, -1);
    if (flags & RECURSIVE_LOCK && recursion > 0)
        levels = (unsigned)recursion;
    if (flags & TRY_LOCK_FAILED)
        kind = FW_WIRE_TRY_FAIL;
    else if (read)
        kind = attempt ? FW_WIRE_TRY_SHARED_ACQUIRE : FW_WIRE_SHARED_ACQUIRE;
    else if (attempt)
        kind = FW_WIRE_TRY_ACQUIRE;
    fw_annotate_lock_got(mutex, kind, levels, FW_PC);
}

FW_EXPORT int __tsan_mutex_pre_unlock(void *mutex, unsigned flags)
{
    unsigned levels = fw_annotate_lock_released(mutex, flags & RECURSIVE_UNLOCK, FW_PC);

    fw_annotate_ignore(FW_IGNORE_ALL, 1);
    return flags & RECURSIVE_UNLOCK ? (int)levels : 0;
}

FW_EXPORT void __tsan_mutex_post_unlock(void *mutex, unsigned flags)
{
    (void)mutex, (void)flags;
    fw_annotate_ignore(FW_IGNORE_ALL, -1);
}

FW_EXPORT void __tsan_mutex_pre_signal(void *mutex, unsigned flags)
{
    (void)mutex, (void)flags;
    fw_annotate_ignore(FW_IGNORE_ALL, 1);
}

FW_EXPORT void __tsan_mutex_post_signal(void *mutex, unsigned flags)
{
    (void)mutex, (void)flags;
    fw_annotate_ignore(FW_IGNORE_ALL, -1);
}

/* The lock's code calls the program for a while. */
FW_EXPORT void __tsan_mutex_pre_divert(void *mutex, unsigned flags)
{
    (void)mutex, (void)flags;
    fw_annotate_ignore(FW_IGNORE_ALL, -1);
}

FW_EXPORT void __tsan_mutex_post_divert(void *mutex, unsigned flags)
{
    (void)mutex, (void)flags;
    fw_annotate_ignore(FW_IGNORE_ALL, 1);
}

/* --- objects of libraries ------------------------------------------------------------------ */

FW_EXPORT void *__tsan_external_register_tag(const char *type)
{
    return (void *)(uintptr_t)type;
}

FW_EXPORT void __tsan_external_register_header(void *tag, const char *header)
{
    (void)tag, (void)header;
}

FW_EXPORT void __tsan_external_assign_tag(void *object, void *tag)
{
    (void)object, (void)tag;
}

FW_EXPORT void __tsan_external_read(void *object, void *caller, void *tag)
{
    (void)tag;
    fw_annotate_access(object, 1, false, caller ? (uintptr_t)caller : FW_PC);
}

FW_EXPORT void __tsan_external_write(void *object, void *caller, void *tag)
{
    (void)tag;
    fw_annotate_access(object, 1, true, caller ? (uintptr_t)caller : FW_PC);
}

/* --- fibers -------------------------------------------------------------------------------- */

static void fibers_are_not_modelled(void)
{
    struct fw_thread *t = fw_enter();

    if (!t)
        return;
    fw_unmodelled("fibers");
    fw_leave(t);
}

FW_EXPORT void *__tsan_get_current_fiber(void)
{
    static char fiber;

    return &fiber;
}

FW_EXPORT void *__tsan_create_fiber(unsigned flags)
{
    static char fiber;

    (void)flags;
    fibers_are_not_modelled();
    return &fiber;
}

FW_EXPORT void __tsan_destroy_fiber(void *fiber)
{
    (void)fiber;
}

FW_EXPORT void __tsan_switch_to_fiber(void *fiber, unsigned flags)
{
    (void)fiber, (void)flags;
    fibers_are_not_modelled();
}

FW_EXPORT void __tsan_set_fiber_name(void *fiber, const char *name)
{
    (void)fiber, (void)name;
}

/* --- Java machines ------------------------------------------------------------------------- */

FW_EXPORT void __tsan_java_init(uintptr_t heap, uintptr_t bytes)
{
    (void)heap, (void)bytes;
}

FW_EXPORT int __tsan_java_fini(void)
{
    return 0;
}

FW_EXPORT void __tsan_java_alloc(uintptr_t object, uintptr_t bytes)
{
    fw_annotate_fresh((const void *)object, bytes);
}

FW_EXPORT void __tsan_java_free(uintptr_t object, uintptr_t bytes)
{
    (void)object, (void)bytes;
}

FW_EXPORT void __tsan_java_move(uintptr_t from, uintptr_t to, uintptr_t bytes)
{
    (void)from;
    fw_annotate_fresh((const void *)to, bytes);
}

FW_EXPORT uintptr_t __tsan_java_find(uintptr_t *from, uintptr_t to)
{
    (void)from, (void)to;
    return 0;
}

FW_EXPORT void __tsan_java_finalize(void)
{
}

FW_EXPORT void __tsan_java_mutex_lock(uintptr_t mutex)
{
    fw_annotate_lock_got((const void *)mutex, FW_WIRE_ACQUIRE, 1, FW_PC);
}

FW_EXPORT void __tsan_java_mutex_unlock(uintptr_t mutex)
{
    fw_annotate_lock_released((const void *)mutex, false, FW_PC);
}

FW_EXPORT void __tsan_java_mutex_read_lock(uintptr_t mutex)
{
    fw_annotate_lock_got((const void *)mutex, FW_WIRE_SHARED_ACQUIRE, 0, FW_PC);
}

FW_EXPORT void __tsan_java_mutex_read_unlock(uintptr_t mutex)
{
    fw_annotate_lock_released((const void *)mutex, false, FW_PC);
}

FW_EXPORT void __tsan_java_mutex_lock_rec(uintptr_t mutex, int levels)
{
    fw_annotate_lock_got((const void *)mutex, FW_WIRE_ACQUIRE, levels > 0 ? (unsigned)levels : 1,
                         FW_PC);
}

FW_EXPORT int __tsan_java_mutex_unlock_rec(uintptr_t mutex)
{
    return (int)fw_annotate_lock_released((const void *)mutex, true, FW_PC);
}

FW_EXPORT void __tsan_java_acquire(uintptr_t object)
{
    fw_annotate_sync(FW_WIRE_AFTER, (const void *)object, FW_PC);
}

FW_EXPORT void __tsan_java_release(uintptr_t object)
{
    fw_annotate_sync(FW_WIRE_BEFORE, (const void *)object, FW_PC);
}

FW_EXPORT void __tsan_java_release_store(uintptr_t object)
{
    fw_annotate_sync(FW_WIRE_BEFORE, (const void *)object, FW_PC);
}
