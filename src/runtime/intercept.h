/*
 * intercept.h - what the interceptors of libc's functions have in common.
 *
 * Three ways to call the real function:
 *   inside     - between fw_enter and fw_leave: short functions that call nobody back, do not wait
 *                and are no cancellation points (memcpy);
 *   FW_PLAINLY - as the program's own code, with the token: everything that may allocate, call the
 *                program back or be cancelled, but surely or very likely does not wait.  If it
 *                waits all the same, the watchdog finds out;
 *   FW_AWAY    - without the token: what waits in the kernel.
 * After the last two t may be NULL: what follows asks.
 */
#ifndef FW_RUNTIME_INTERCEPT_H
#define FW_RUNTIME_INTERCEPT_H

#include "runtime/local.h"
#include "runtime/modules.h"
#include "runtime/rt.h"

#include <sys/types.h>

/* The values that FW_AWAY's jump buffer guards are read by nobody after a jump. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wclobbered"
#endif

#define REAL(name)                                                                                 \
    (__extension__({                                                                               \
        static __typeof__(&name) real_;                                                            \
        FW_REAL(real_, #name);                                                                     \
        real_;                                                                                     \
    }))

/*
 * The same, for a function that tells of memory when it has accessed it: in a controlled run, where
 * that memory is known to be shared, the call itself is a point too, and others can come before.
 * In the interceptor itself, and not inside the runtime.
 */
#define FW_FIRST(name) (fw_call_begins(FW_PC, #name "()"), REAL(name))
extern bool fw_control_on;
void fw_call_shares(uintptr_t pc, const char *name); /* control_effect.c; "strcmp()" */
static inline void fw_call_begins(uintptr_t pc, const char *name)
{
    if (FW_UNLIKELY(fw_control_on))
        fw_call_shares(pc, name);
}

/* A real function that must work before anything can be looked up: until then it is `local`. */
#define FW_REAL_OR(name, local)                                                                    \
    static __typeof__(&name) real_##name = local;                                                  \
    static struct fw_real_entry entry_##name                                                       \
        __attribute__((section("fw_reals"), used)) = { #name, (void **)&real_##name }

/* Cancelled in a call without the token: the cleanup handlers of the program need it. */
void fw_away_cancelled(void *thread);
/* What libc allocates for the program while the thread is away is told when it is back
 * (memory_heap.c). */
extern __thread bool fw_heap_away;
void fw_heap_catch_up(struct fw_thread *t);

#define FW_AWAY(t, call)                                                                           \
    do {                                                                                           \
        pthread_cleanup_push(fw_away_cancelled, t);                                                \
        fw_heap_away = true;                                                                       \
        fw_outside_begin(t);                                                                       \
        call;                                                                                      \
        fw_outside_end(t);                                                                         \
        pthread_cleanup_pop(0);                                                                    \
        fw_heap_catch_up(t);                                                                       \
    } while (0)

#define FW_PLAINLY(t, call)                                                                        \
    do {                                                                                           \
        fw_leave(t);                                                                               \
        call;                                                                                      \
        (t) = fw_enter_again();                                                                    \
    } while (0)

#define FW_PASS(t, waits, call)                                                                    \
    do {                                                                                           \
        if (waits)                                                                                 \
            FW_AWAY(t, call);                                                                      \
        else                                                                                       \
            FW_PLAINLY(t, call);                                                                   \
    } while (0)

static inline void fw_reads(struct fw_thread *t, const void *address, size_t bytes, uintptr_t pc)
{
    if (t && bytes && fw_modules_instrumented)
        fw_access(t, address, bytes, false, pc);
}

static inline void fw_writes(struct fw_thread *t, const void *address, size_t bytes, uintptr_t pc)
{
    if (t && bytes && fw_modules_instrumented)
        fw_access(t, address, bytes, true, pc);
}

/* strlen, the fast one (text_string.c). */
size_t fw_text_length(const char *text);

/* A string with its end. */
static inline void fw_reads_text(struct fw_thread *t, const char *text, uintptr_t pc)
{
    if (t && text)
        fw_reads(t, text, fw_text_length(text) + 1, pc);
}

static inline void fw_done(struct fw_thread *t)
{
    if (t)
        fw_leave(t);
}

/* An input call on a stream, without the token if it would wait (io_stream.c). */
#define FW_STREAM_INPUT(stream, call)                                                              \
    do {                                                                                           \
        struct fw_thread *waiting = fw_stream_begin(stream, FW_PC);                                \
                                                                                                   \
        if (waiting) {                                                                             \
            FW_AWAY(waiting, call);                                                                \
            fw_stream_waited(waiting, stream);                                                     \
        } else {                                                                                   \
            call;                                                                                  \
        }                                                                                          \
        fw_stream_end(stream, FW_PC);                                                              \
    } while (0)
struct _IO_FILE;
struct fw_thread *fw_stream_begin(struct _IO_FILE *stream, uintptr_t pc); /* NULL: no waiting */
void fw_stream_waited(struct fw_thread *t, struct _IO_FILE *stream);
void fw_stream_end(struct _IO_FILE *stream, uintptr_t pc);

/*
 * Can so many bytes be read there?  For what the program gives to the kernel, which says EFAULT
 * where we would end the program.  Asks the kernel, a page at a time (io_wait.c).
 */
bool fw_readable(const void *address, size_t bytes);
/* A text, if it can be read; NULL: not. */
const char *fw_readable_text(const char *text);

/* Bytes that the kernel is told to read, which says how many it did, or that there are none. */
static inline void fw_reads_given(struct fw_thread *t, const void *address, size_t bytes,
                                  uintptr_t pc)
{
    if (bytes <= 1u << 20 || fw_readable(address, bytes))
        fw_reads(t, address, bytes, pc);
}

/* --- descriptors (io_wait.c) ----------------------------------------------------------------- */

/* Would an operation that needs `events` (of poll) wait?  Leaves errno alone. */
bool fw_fd_waits(int fd, short events);
/* The same for a write of so many bytes, for which "ready" may not be enough. */
bool fw_fd_waits_write(int fd, size_t bytes);
/* How many descriptors the kernel's table has room for; 0: it does not say. */
int fw_fd_table_size(void);

#endif
