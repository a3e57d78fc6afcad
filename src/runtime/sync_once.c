/*
 * sync_once.c - pthread_once.
 *
 * The real pthread_once runs the routine; who comes while it runs is blocked here.  When it has
 * run, a happens-before mark says so, and everybody who finds it done is after that mark (said once
 * a thread: the routine runs only once).
 *
 * The routine may throw, or its thread may be cancelled in it: then it has not run, and the next
 * one tries.  To be told, the call stands in a frame of its own whose personality routine, which
 * the unwinder calls on its way, does what is to be done; there is nothing to land at.
 */
#include "runtime/sync.h"

#include <stdatomic.h>

#define DONE           2 /* bits of a control, as the C library has it */
#define CLEANUP_PHASE  2 /* _UA_CLEANUP_PHASE */
#define KEEP_UNWINDING 8 /* _URC_CONTINUE_UNWIND */

static __typeof__(&pthread_once) real_once;

static struct fw_cell *cell_of(const void *control)
{
    return fw_cell_get(FW_CELL_ONCE, control, 0);
}

/* Controls lie in memory that is used again: a thread has seen one round of a control. */
static void note_seen(struct fw_thread *t, const void *control, const struct fw_cell *cell)
{
    struct fw_cell *note = cell ? fw_cell_get(FW_CELL_SEEN, control, fw_thread_number(t)) : NULL;

    if (note)
        note->of.seen = cell->of.once.round + 1;
}

static bool has_seen(struct fw_thread *t, const void *control, const struct fw_cell *cell)
{
    struct fw_cell *note = fw_cell_find(FW_CELL_SEEN, control, fw_thread_number(t));

    return note && cell && note->of.seen == cell->of.once.round + 1;
}

/* The routine's thread is t; has it run, or was it left? */
static void over(struct fw_thread *t, bool failed)
{
    struct fw_thread_extra *extra = fw_extra(t);
    struct fw_once_frame *frame = extra->once;
    struct fw_cell *cell;

    if (!frame)
        return;
    extra->once = frame->below;
    fw_sync_late(t, FW_WIRE_BEFORE, frame->control, frame->pc);
    cell = cell_of(frame->control);
    if (cell) {
        cell->of.once.runner = 0;
        cell->of.once.failed = failed;
        cell->of.once.round++;
    }
    if (!failed)
        note_seen(t, frame->control, cell);
    fw_wake(frame->control, FW_WAKE_ALL, 0);
}

int fw_once_personality(int version, int actions, uint64_t class, void *exception, void *context);
__attribute__((used)) int fw_once_personality(int version, int actions, uint64_t class,
                                              void *exception, void *context)
{
    struct fw_thread *t;

    (void)version, (void)class, (void)exception, (void)context;
    if (!(actions & CLEANUP_PHASE))
        return KEEP_UNWINDING;
    t = fw_enter();
    if (t) {
        over(t, true);
        fw_leave(t);
    }
    return KEEP_UNWINDING;
}

/* real(control, routine) */
int fw_once_call(pthread_once_t *control, void (*routine)(void), __typeof__(&pthread_once) real);

#if defined __x86_64__
__asm__(".section .data.rel.ro,\"aw\",@progbits\n"
        ".balign 8\n"
        "fw_once_personality_pointer: .quad fw_once_personality\n"
        ".text\n"
        ".type fw_once_call, @function\n"
        "fw_once_call:\n"
        ".cfi_startproc\n"
        ".cfi_personality 0x9b, fw_once_personality_pointer\n" /* by a pointer, relative */
        "push %rbp\n"
        ".cfi_def_cfa_offset 16\n"
        ".cfi_offset %rbp, -16\n"
        "mov %rsp, %rbp\n"
        ".cfi_def_cfa_register %rbp\n"
        "call *%rdx\n"
        "pop %rbp\n"
        ".cfi_def_cfa %rsp, 8\n"
        "ret\n"
        ".cfi_endproc\n"
        ".size fw_once_call, . - fw_once_call\n");
#else
int fw_once_call(pthread_once_t *control, void (*routine)(void), __typeof__(&pthread_once) real)
{
    return real(control, routine);
}
#endif

static int run(struct fw_thread *t, struct fw_cell *cell, pthread_once_t *control,
               void (*routine)(void), uintptr_t pc)
{
    struct fw_thread_extra *extra = fw_extra(t);
    struct fw_once_frame frame = { extra->once, control, pc };
    int status;

    if (cell) {
        if (cell->of.once.failed)
            fw_sync(t, FW_WIRE_AFTER, control, pc);
        cell->of.once.runner = fw_thread_number(t) + 1;
    }
    extra->once = &frame;
    fw_leave(t);
    status = fw_once_call(control, routine, real_once);
    t = fw_enter_again();
    if (t) {
        over(t, false);
        fw_leave(t);
    }
    return status;
}

int fw_once(pthread_once_t *control, void (*routine)(void), uintptr_t pc)
{
    struct fw_thread *t = fw_enter_at(pc, "pthread_once", control);
    struct fw_cell *cell;
    int state;

    FW_REAL(real_once, "pthread_once");
    if (!t)
        return real_once(control, routine);
    for (;;) {
        /* acquire: pairs with the C library's release when the routine has run */
        state = __atomic_load_n((int *)control, __ATOMIC_ACQUIRE);
        cell = cell_of(control);
        if (state & DONE || !cell || !cell->of.once.runner || state == 0)
            break;
        if (t->wait.kind == FW_WIRE_WAIT_NONE)
            fw_wait_begin(t, FW_WIRE_WAIT_ONCE, control, pc);
        fw_block(t, control, FW_NO_DEADLINE, 0); /* the runner is one of ours */
    }
    fw_wait_end(t);
    if (!(state & DONE))
        return run(t, cell, control, routine, pc);
    if (!has_seen(t, control, cell) && fw_sync(t, FW_WIRE_AFTER, control, pc))
        note_seen(t, control, cell);
    fw_leave(t);
    return 0;
}

FW_EXPORT int pthread_once(pthread_once_t *control, void (*routine)(void))
{
    return fw_once(control, routine, FW_PC);
}

FW_EXPORT void call_once(pthread_once_t *control, void (*routine)(void));
FW_EXPORT void call_once(pthread_once_t *control, void (*routine)(void))
{
    fw_once(control, routine, FW_PC);
}
