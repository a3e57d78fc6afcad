/*
 * told.h - functions of libc that store something for the program and do nothing else of interest.
 *
 *     TOLD(int, getrlimit, (int what, struct rlimit *limit), (what, limit), result == 0, W(limit))
 *
 * calls the real one as the program's own code, and if the condition holds tells what it wrote (W:
 * an object, WS: bytes, WT: text with its end) and read (R, RS, RT).  Null pointers are skipped.
 *
 * Where threads run in parallel, what is told here counts as not yet given away (see "after it has
 * run" in atomrace/sections.h).  So a function must be one of these kinds:
 *   TOLD         after its accesses it does nothing that another thread could wait for or see;
 *   TOLD_GIVEN   what it reads takes effect for all to see: it is told before the call, what it
 *                stores in the end is told after it;
 *   TOLD_SERIAL  anything else: it is told only where one thread runs at a time.
 */
#ifndef FW_RUNTIME_TOLD_H
#define FW_RUNTIME_TOLD_H

/* libc's headers would define some of the functions themselves. */
#ifndef __NO_INLINE__
#define __NO_INLINE__ 1
#endif

#include "runtime/effect.h"
#include "runtime/intercept.h"

static inline void fw_told_write(struct fw_thread *t, const void *address, size_t bytes,
                                 uintptr_t pc)
{
    if (address)
        fw_writes(t, address, bytes, pc);
}

static inline void fw_told_read(struct fw_thread *t, const void *address, size_t bytes,
                                uintptr_t pc)
{
    if (address)
        fw_reads(t, address, bytes, pc);
}

#define WS(address, bytes) fw_told_write(t, address, bytes, FW_PC)
#define RS(address, bytes) fw_told_read(t, address, bytes, FW_PC)
#define W(pointer) WS(pointer, sizeof *(pointer))
#define R(pointer) RS(pointer, sizeof *(pointer))
#define WT(text)   fw_told_write(t, text, fw_text_length(text) + 1, FW_PC)
#define RT(text)   fw_reads_text(t, text, FW_PC)

#define TOLD(...) TOLD_HOW((void)0, fw_tell_after(), __VA_ARGS__)
#define TOLD_SERIAL(...) TOLD_HOW((void)0, fw_enter(), __VA_ARGS__)
/* The same two for what others change, or see changed (effect.h). */
#define TOLD_EFFECT(what, ...) TOLD_HOW(fw_effect(what), fw_tell_after(), __VA_ARGS__)
#define TOLD_EFFECT_SERIAL(what, ...) TOLD_HOW(fw_effect(what), fw_enter(), __VA_ARGS__)

#define TOLD_GIVEN(...) TOLD_GIVEN_HOW((void)0, __VA_ARGS__)
#define TOLD_EFFECT_GIVEN(what, ...) TOLD_GIVEN_HOW(fw_effect(what), __VA_ARGS__)

#define TOLD_GIVEN_HOW(before, type, name, parameters, call, given, condition, ...)                \
    FW_EXPORT type name parameters                                                                 \
    {                                                                                              \
        struct fw_thread *t;                                                                       \
        type result;                                                                               \
                                                                                                   \
        before;                                                                                    \
        t = fw_tell();                                                                             \
        if (t) {                                                                                   \
            given;                                                                                 \
            fw_leave(t);                                                                           \
        }                                                                                          \
        result = REAL(name) call;                                                                  \
        t = (condition) ? fw_tell_after() : NULL;                                                  \
        if (!t)                                                                                    \
            return result;                                                                         \
        __VA_ARGS__;                                                                               \
        fw_leave(t);                                                                               \
        return result;                                                                             \
    }

#define TOLD_HOW(before, enter, type, name, parameters, call, condition, ...)                      \
    FW_EXPORT type name parameters                                                                 \
    {                                                                                              \
        struct fw_thread *t;                                                                       \
        type result;                                                                               \
                                                                                                   \
        before;                                                                                    \
        result = FW_FIRST(name) call;                                                              \
        t = (condition) ? enter : NULL;                                                            \
        if (!t)                                                                                    \
            return result;                                                                         \
        __VA_ARGS__;                                                                               \
        fw_leave(t);                                                                               \
        return result;                                                                             \
    }

#endif
