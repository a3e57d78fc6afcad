/*
 * heal_handler.c - see heal_hold.h: handlers of the program.
 *
 * A handler may come between any two instructions of the program, of the quick way and of the long
 * one.  None of these would be right if the handler's own hooks took, ended or settled holds: the
 * interrupted code would go on with a lock that has gone.  So a handler is not healed.  While one
 * runs, the holds, the seats and the locks of its thread are frozen: hooks and interceptors change
 * nothing of them, the quick way is closed, and what hooks cannot help changing, the ticks and the
 * frames of calls, is put back when the handler returns.  The interrupted code then finds all that
 * it had as it was, but for two words that say where the quick way is open: without them it takes
 * the long one.
 *
 * Others see a seat whose thread is in a handler.  That thread has not passed a hook of its own,
 * though its ticks change: `handlers` of its healer is odd before the first change, and even again
 * after the ticks are what they were.  Who looks at them looks at it before and after.
 *
 * A handler that waits for another thread, while its own was interrupted in a section, is waited
 * for until patience ends.
 *
 * A handler may leave by a jump, and then does not come back here.  A hook or an interceptor finds
 * that the stack is not the handler's any more.  Wherever the interrupted code was, it will not go
 * on: all that its seats say is let go.  A lock without a seat is free for whoever asks.
 */
#include "atomrace/heal_hold_state.h"
#include "atomrace/heal_log.h"
#include "atomrace/mask.h"
#include "runtime/signals.h"

#include <string.h>

static unsigned min(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* On the alternative stack, or else below where the thread was. */
static struct fw_handler_place place_of(const ucontext_t *context, uintptr_t frame)
{
    uintptr_t low = (uintptr_t)context->uc_stack.ss_sp;
    bool is_there = frame - low < context->uc_stack.ss_size;

    return (struct fw_handler_place){ is_there ? low : 0, frame,
                                      fw_hot.top != fw_hot.end ? fw_hot.top : NULL };
}

static bool is_at(const struct fw_handler_place *place, uintptr_t here)
{
    return here >= place->low && here <= place->high &&
           (!place->base || fw_hot.top > place->base);
}

static void let_go_of_all(void)
{
    for (unsigned i = 0; i < fw_holds.end; i++)
        if (fw_holds.at[i].lock && !fw_holds.at[i].over)
            fw_heal_count(FW_HEAL_LEFT, 1);
    memset(fw_holds.at, 0, sizeof fw_holds.at);
    fw_holds.count = fw_holds.end = 0;
    fw_hot.regions &= ~FW_HOLDING;
    for (unsigned i = 0; fw_holds.me && i < FW_HEAL_SEATS; i++) {
        /* relaxed: our own */
        struct fw_heal_lock *lock =
            atomic_load_explicit(&fw_holds.seats[i].lock, memory_order_relaxed);

        if (!lock)
            continue;
        fw_heal_stand(&fw_holds.seats[i]);
        fw_heal_release(lock, fw_holds.me);
    }
}

static __attribute__((noinline)) bool is_in_handler(uintptr_t here)
{
    uint64_t mask;

    while (fw_holds.handlers) {
        unsigned last = min(fw_holds.handlers, FW_HANDLERS) - 1;

        if (is_at(&fw_holds.handler_at[last], here))
            return true;
        fw_holds.handlers = last;
    }
    mask = fw_mask_set(FW_MASK_ALL);
    let_go_of_all();
    fw_holds.ticks = 0;
    if (fw_holds.me)
        fw_healer_resumed(fw_holds.me);
    fw_mask_set(mask);
    return false;
}

bool fw_holds_are_frozen(void)
{
    return FW_UNLIKELY(fw_holds.handlers) && is_in_handler((uintptr_t)__builtin_frame_address(0));
}

/* What the handler may not change. */
struct before {
    unsigned handlers;
    int32_t ticks, read_ticks;
    struct fw_frame *top, at_top; /* it may be half written */
};

/* Other handlers are kept out, here and in thaw. */
static void freeze(struct before *before, const ucontext_t *context, uintptr_t frame)
{
    uint64_t mask = fw_mask_set(FW_MASK_ALL);

    before->handlers = fw_holds.handlers;
    before->ticks = fw_hot.ticks;
    before->read_ticks = fw_hot.read_ticks;
    before->top = fw_hot.top;
    if (fw_hot.top != fw_hot.end)
        before->at_top = *fw_hot.top;
    if (!fw_holds.handlers && fw_holds.me)
        fw_healer_interrupted(fw_holds.me);
    if (fw_holds.handlers < FW_HANDLERS)
        fw_holds.handler_at[fw_holds.handlers] = place_of(context, frame);
    fw_holds.handlers++;
    fw_holds_forget();
    fw_hot.ticks = fw_hot.read_ticks = INT32_MAX;
    fw_stack_handler_begin((uintptr_t)context->uc_mcontext.gregs[REG_RSP]);
    fw_mask_set(mask);
}

/* In a fork child nothing is held any more. */
static void thaw(const struct before *before)
{
    uint64_t mask = fw_mask_set(FW_MASK_ALL);

    fw_stack_handler_end(before->top);
    if (before->top != fw_hot.end)
        *before->top = before->at_top;
    fw_hot.ticks = before->ticks;
    fw_hot.read_ticks = before->read_ticks;
    if (fw_holds.handlers > before->handlers) {
        fw_holds.handlers = before->handlers;
        if (!fw_holds.handlers && fw_holds.me)
            fw_healer_resumed(fw_holds.me);
    }
    fw_mask_set(mask);
}

static void around(void (*call)(void *what), void *what, const ucontext_t *context)
{
    struct before before;

    if (!fw_self) {
        call(what);
        return;
    }
    freeze(&before, context, (uintptr_t)__builtin_frame_address(0));
    call(what);
    thaw(&before);
}

void fw_holds_follow_handlers(void)
{
    fw_signals_around = around;
    fw_signals_begin();
}
