/*
 * hooks_flow.c - calls and returns.
 *
 * Calls are kept on a stack of the thread's own and sent only when something happens in them
 * (sink.h).  A function that is left by longjmp has no exit hook: its frame is found to be dead
 * when the next function is entered at or above its place on the machine's stack.
 */
#include "runtime/thread.h"

#pragma GCC diagnostic ignored "-Wmissing-prototypes"

void (*fw_flow_follow)(enum fw_flow what);
void (*fw_flow_freed)(const void *memory, size_t bytes);
bool fw_flow_frees;

static inline void pop(void)
{
    struct fw_frame *frame = --fw_hot.top;

    if (frame < fw_hot.written) {
        fw_hot.written = frame;
        if (frame->function)
            fw_hot.returns++;
    }
}

FW_EXPORT void __tsan_func_entry(void *site)
{
    struct fw_frame *frame = fw_hot.top;
    uintptr_t stack = (uintptr_t)__builtin_frame_address(0);

    if (FW_UNLIKELY(frame == fw_hot.end)) {
        fw_hot.deep++; /* too deep, or not known to us */
        return;
    }
    while (FW_UNLIKELY(frame[-1].stack <= stack)) {
        pop();
        frame = fw_hot.top;
    }
    frame->function = FW_PC;
    frame->site = (uintptr_t)site;
    frame->stack = stack;
    fw_hot.top = frame + 1;
    if (FW_UNLIKELY(fw_hot.regions))
        fw_flow_follow(FW_FLOW_ENTRY);
}

FW_EXPORT void __tsan_func_exit(void)
{
    if (FW_UNLIKELY(fw_hot.top == fw_hot.end)) {
        if (fw_hot.deep) {
            fw_hot.deep--;
            return;
        }
        if (!fw_hot.top)
            return;
    }
    if (fw_hot.top[-1].function)
        pop();
    if (FW_UNLIKELY(fw_hot.regions))
        fw_flow_follow(FW_FLOW_EXIT);
}

/* A handler that jumps away leaves its base: it dies as frames do.  On a stack of its own that lies
 * above, places mean nothing. */
struct fw_frame *fw_stack_handler_begin(uintptr_t interrupted)
{
    struct fw_frame *mark = fw_hot.top;
    bool below = (uintptr_t)__builtin_frame_address(0) < interrupted;

    if (mark != fw_hot.end)
        *fw_hot.top++ = (struct fw_frame){ 0, 0, below ? interrupted : UINTPTR_MAX };
    return mark;
}

void fw_stack_handler_end(struct fw_frame *mark)
{
    while (fw_hot.top > mark)
        pop();
}
