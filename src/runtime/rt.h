/*
 * rt.h - the inside of the runtime: what hooks and interceptors are written with.
 *
 * The library lives in the program under test and uses libc alone.  It never ends the program,
 * never lets it wait for something that cannot come, and leaves errno as the real call left it.
 *
 * Serial mode: exactly one thread holds the *token* and runs; the others wait for it.  User code
 * runs only with the token (or, after the watchdog has taken it from a thread that sits in the
 * kernel, until that thread's next hook).  Hence everything here that is "the holder's" needs no
 * lock and no atomics.
 *
 * An interceptor:
 *
 *     FW_EXPORT int pthread_mutex_lock(pthread_mutex_t *mutex)
 *     {
 *         static __typeof__(&pthread_mutex_lock) real;
 *         struct fw_thread *t = fw_enter();
 *
 *         FW_REAL(real, "pthread_mutex_lock");
 *         if (!t)                       // not serial, too early, or called by ourselves
 *             return real(mutex);
 *         ... t holds the token here ...
 *         fw_sync(t, FW_WIRE_ACQUIRE, mutex, FW_PC);
 *         fw_leave(t);
 *         return 0;
 *     }
 *
 * Between fw_enter and fw_leave hooks and interceptors called by this thread do nothing of their
 * own.  So leave before calling anything that may call the program back (qsort, atexit handlers).
 * Signal handlers of the program that arrive in between are put off until fw_leave, or, while the
 * thread is blocked or outside, take the token for themselves first.
 *
 * Blocking is virtual: a lock that is taken is tried (the real trylock), and if it is busy the
 * thread is blocked *on its address* until somebody who changes the object calls fw_wake.  Real
 * objects stay in their real state (a mutex we say is locked is locked), so code that we do not see
 * still works.  If nothing else can run, blocked threads try again now and then by themselves
 * (fw_block returns FW_RETRY), because the one who changes the object may be out of our sight.
 */
#ifndef FW_RUNTIME_RT_H
#define FW_RUNTIME_RT_H

#include "runtime/wire.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#define FW_EXPORT  __attribute__((visibility("default")))
/* A function that compilers call, in a part of the library of their own (patch.h). */
#define FW_HOOK FW_EXPORT __attribute__((section("fw_hooks")))
#define FW_LIKELY(x)   __builtin_expect(!!(x), 1)
#define FW_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define FW_PC          ((uintptr_t)__builtin_return_address(0))

/*
 * The next definition of a symbol behind ours; never NULL for what libc has.
 *
 * Looking up takes the loader's lock.  Who holds that may wait for the token (a constructor in
 * dlopen), so nobody looks up who is inside with the token: all pointers are filled in by a
 * constructor (real.c), and only calls that come earlier still look for themselves.
 */
void *fw_real_symbol(const char *name);
struct fw_real_entry {
    const char *name;
    void **pointer;
};
#define FW_REAL_ENTRY(pointer, name)                                                               \
    static struct fw_real_entry entry_                                                             \
        __attribute__((section("fw_reals"), used)) = { name, (void **)&(pointer) }
#define FW_REAL(pointer, name)                                                                     \
    do {                                                                                           \
        FW_REAL_ENTRY(pointer, name);                                                              \
        if (FW_UNLIKELY(!(pointer)))                                                               \
            (pointer) = (__typeof__(pointer))fw_real_symbol(name);                                 \
    } while (0)

/* --- threads ------------------------------------------------------------------------------- */

struct fw_thread; /* thread.h; most interceptors need only the pointer */

/*
 * The calling thread, which has the token now and is inside the runtime; NULL if the caller should
 * just do the real thing: serial mode is off, the library is not ready, the thread is unknown or
 * is inside already.
 */
#define fw_enter() fw_enter_from(FW_PC)
/* The same in a function that interceptors share, which is given their callers. */
#define fw_enter_from(pc) fw_enter_at(pc, __func__, NULL)
/* The same for what synchronises through an object or may wait: a point of controlled runs. */
#define fw_enter_on(object) fw_enter_at(FW_PC, __func__, object)
struct fw_thread *fw_enter_at(uintptr_t pc, const char *name, const void *object);
/* The same for an atomic operation on so many bytes (0: it is none). */
struct fw_thread *fw_enter_atomic(uintptr_t pc, const char *name, const void *object,
                                  unsigned size);
/* The same for giving back a block, where steps may name every call (fw_control_every). */
#define fw_enter_freeing(block, bytes) fw_enter_freeing_at(FW_PC, __func__, block, bytes)
struct fw_thread *fw_enter_freeing_at(uintptr_t pc, const char *name, const void *block,
                                      size_t bytes);
/*
 * The same for functions that synchronise in no way and only tell: also where threads run in
 * parallel (src/atomrace).
 *   fw_tell        of memory (fw_access), before it is accessed
 *   fw_tell_after  of memory that was accessed just now, by a function that calls nobody back
 *   fw_say         what is no event (modules, names, expected races), until fw_said
 */
#define fw_tell() fw_tell_from(FW_PC)
#define fw_tell_from(pc) fw_tell_at(pc, __func__)
#define fw_tell_after() fw_tell_after_from(FW_PC)
#define fw_tell_after_from(pc) fw_tell_after_at(pc, __func__)
#define fw_say() fw_say_at(FW_PC, __func__, NULL)
struct fw_thread *fw_tell_at(uintptr_t pc, const char *name);
struct fw_thread *fw_tell_after_at(uintptr_t pc, const char *name);
struct fw_thread *fw_say_at(uintptr_t pc, const char *name, const void *object);
void fw_said(struct fw_thread *t);
/*
 * Where threads are kept out of others' atomic sections it is too late to tell when the access was
 * made.  If fw_tells_first, what a function is about to write is told before (fw_tell) where that
 * can be known.  Where it is known only how far it can go, fw_await_turn waits for who is inside,
 * at all of these places; the function tells afterwards what it wrote.
 */
extern bool fw_tells_first;
struct fw_extent {
    const void *address;
    size_t bytes;
};
#define FW_TURNS 16u /* extents at most */
void fw_await_turn(const struct fw_extent *extents, unsigned count, uintptr_t pc);
/* After fw_leave, in the same call. */
struct fw_thread *fw_enter_again(void);
void fw_leave(struct fw_thread *t);

/*
 * Where threads run in parallel: told while fw_hot.regions is not 0, by the thread itself, that it
 * enters or has left a function, is in an interceptor, is about to free memory.  errno is kept.
 */
enum fw_flow {
    FW_FLOW_ENTRY,
    FW_FLOW_EXIT,
    FW_FLOW_CALL,
};
extern void (*fw_flow_follow)(enum fw_flow what);
extern void (*fw_flow_freed)(const void *memory, size_t bytes);
/* Told of what is freed, whatever fw_hot.regions is. */
extern bool fw_flow_frees;
/* Told, if set, of memory at which a thread may be made to wait by an access (memory_map.c). */
extern void (*fw_map_withheld)(const void *memory, size_t bytes);
/* Told, if set, of memory that other processes may share, before the program has it; and asked, if
 * it is moved, whether it is such memory. */
extern void (*fw_map_shared)(const void *memory, size_t bytes);
extern bool (*fw_map_is_shared)(const void *memory);
/* Told, if set, of accesses that are no plain ones, right before and behind them: an atomic
 * operation on so many bytes, or a copy by libc, from there (NULL: none); `to` NULL: it is done. */
extern void (*fw_touch_follow)(const volatile void *to, const volatile void *from, size_t bytes);
static inline void fw_touch(const volatile void *to, const volatile void *from, size_t bytes)
{
    if (__builtin_expect(fw_touch_follow != NULL, 0))
        fw_touch_follow(to, from, bytes);
}
/* Told, if set, that the thread is about to leave its stack for that of another context. */
extern void (*fw_flow_switched)(void);
/* Told of every call of an interceptor, if set: its name, and what it synchronises through. */
extern void (*fw_calls_follow)(const char *name, const void *object);
/* Told, if set, of a mutex that the thread has locked by pthread_mutex_lock, or again behind a
 * condition, and of one that it is about to unlock; behind the call itself (FW_FLOW_CALL). */
extern void (*fw_mutex_follow)(const void *mutex, bool locked);
/* Told of every call of an interceptor, if set: where it returns to. */
extern void (*fw_calls_place)(uintptr_t pc);

/* --- the token ----------------------------------------------------------------------------- */

enum fw_woken {
    FW_WOKEN,       /* by fw_wake; fw_wake_word(t) is what it gave */
    FW_TIMED_OUT,   /* the deadline has passed */
    FW_INTERRUPTED, /* a signal handler without SA_RESTART has run (only with FW_BLOCK_SIGNALS) */
    FW_CANCELLED,   /* pthread_cancel, and cancelling is enabled (only with FW_BLOCK_CANCEL):
                       leave, then call pthread_testcancel() */
    FW_RETRY,       /* nothing else can run: look at the real object once more */
};

enum {
    FW_BLOCK_SIGNALS = 1,
    FW_BLOCK_CANCEL = 2,
    FW_BLOCK_RESTS = 4, /* on fw_resting: until somebody asks for the token (control_spin.c) */
    FW_BLOCK_TIMED = 8, /* the deadline, if there is one, is the program's (control_expire.c) */
};

#define FW_NO_DEADLINE UINT64_MAX

/* Gives the token away until the object is woken; the token is back on return. */
enum fw_woken fw_block(struct fw_thread *t, const void *object, uint64_t deadline, unsigned flags);

/* Lets up to `most` threads that are blocked on the object go on, longest waiting first; returns
 * how many.  Each gets `word`.  They run when they get the token. */
unsigned fw_wake(const void *object, unsigned most, uint64_t word);
uint64_t fw_wake_word(const struct fw_thread *t);
/* A thread that we do not know has changed an object: everybody who is blocked looks again, within
 * a quarter of a second (FW_RETRY).  Without effect in other threads. */
void fw_changed_unseen(void);
/* Would fw_wake do nothing?  False: perhaps. */
bool fw_nobody_waits(const void *object);
/* How many threads are blocked on the object. */
unsigned fw_waiters(const void *object);

/* A time of a clock (as for pthread_mutex_clocklock) as a deadline: ns of CLOCK_MONOTONIC. */
uint64_t fw_deadline(clockid_t clock, const struct timespec *when);

/*
 * Around a call that may block in the kernel: the token is given away between the two.  The thread
 * stays inside the runtime.  errno is kept by fw_outside_end.
 */
void fw_outside_begin(struct fw_thread *t);
void fw_outside_end(struct fw_thread *t);

/* A scheduling point: hands the token over if the quantum is used up. */
void fw_point(struct fw_thread *t);
/* Hands the token over if anybody else can run (sched_yield, a spinning trylock). */
void fw_yield(struct fw_thread *t);

/* --- events -------------------------------------------------------------------------------- */
/* All return the number of the record, 0 if nothing was recorded (recording is off or ignored). */

/* Synchronisation: ends the thread's segment, so that later accesses are not taken for repeats. */
uint64_t fw_sync(struct fw_thread *t, enum fw_wire_kind kind, const void *object, uintptr_t pc);
/* The same for what a call does after it has called the program back: it began long ago. */
uint64_t fw_sync_late(struct fw_thread *t, enum fw_wire_kind kind, const void *object,
                      uintptr_t pc);
uint64_t fw_sync_answer(struct fw_thread *t, enum fw_wire_kind kind, const void *object,
                        uint64_t answered, uintptr_t pc); /* WAKE, PEND */
/* Whatever else has an operand and perhaps an extra unit. */
uint64_t fw_record(struct fw_thread *t, enum fw_wire_kind kind, uint64_t operand, uintptr_t pc);
uint64_t fw_record_more(struct fw_thread *t, enum fw_wire_kind kind, uint64_t operand, uint64_t a1,
                        uint64_t b1, uintptr_t pc);
uint64_t fw_record_text(struct fw_thread *t, enum fw_wire_kind kind, uint64_t operand,
                        const char *text);
/* FREE of a block that holds so many bytes, or has: nobody looks into it. */
void fw_record_free(struct fw_thread *t, const void *block, size_t bytes, uintptr_t pc);
/* Memory that an uninstrumented function reads or writes; repeats are elided. */
void fw_access(struct fw_thread *t, const void *address, size_t bytes, bool write, uintptr_t pc);
/* Fresh memory: what was known of the addresses is forgotten. */
void fw_fresh(const void *address, size_t bytes);
/* "key=value" for the recorder; the same text is sent once. */
void fw_note(const char *key, const char *value);
/* Synchronisation that is not modelled, said once: fw_unmodelled("process-shared mutex"). */
void fw_unmodelled(const char *what);

/* --- ignoring (annotations) ---------------------------------------------------------------- */

enum {
    FW_IGNORE_READS = 1,
    FW_IGNORE_WRITES = 2,
    FW_IGNORE_SYNC = 4,
};
void fw_ignore(struct fw_thread *t, unsigned what, int by); /* counts up (1) and down (-1) */

/* --- threads: what pthread_create and its relatives need ----------------------------------- */

/* A new thread, known by its number before it runs; sends FW_WIRE_FORK.  NULL: no memory. */
struct fw_thread *fw_thread_create(struct fw_thread *parent, uintptr_t pc);
/* The real creation failed: takes it back. */
void fw_thread_cancel_create(struct fw_thread *t);
/* The real thread exists: t stands in line for the token from now on, whether it runs already or
 * not.  So who goes first does not depend on how long the kernel takes to start it. */
void fw_thread_ready(struct fw_thread *t);
/* First thing on the new thread: becomes t, waits for the token, sends FW_WIRE_START. */
void fw_thread_begin(struct fw_thread *t);
/* Last thing on it, after all destructors: sends FW_WIRE_FINISH, wakes joiners, drops the token for
 * good.  Arranged by fw_thread_begin (a key whose destructor comes last); idempotent. */
void fw_thread_finish(struct fw_thread *t);
/* The thread with this handle that was not joined yet; NULL: unknown. */
struct fw_thread *fw_thread_find(pthread_t handle);
void fw_thread_set_handle(struct fw_thread *t, pthread_t handle);
uint32_t fw_thread_number(const struct fw_thread *t);
bool fw_thread_finished(const struct fw_thread *t);
/* Blocks (virtually) until it has finished; joiners are blocked on the address of the struct. */
enum fw_woken fw_thread_await(struct fw_thread *t, struct fw_thread *other, uint64_t deadline);
/* It was joined or has been detached: its handle may be used again. */
void fw_thread_forget(struct fw_thread *t);
/* pthread_cancel was called for it: wakes it if it is blocked with FW_BLOCK_CANCEL. */
void fw_thread_cancelled(struct fw_thread *t);
/* For fw_thread_finish, first of all: what the thread leaves behind (threads_posix.c). */
void fw_threads_finish(struct fw_thread *t);
/* In the child of a fork: no lock is held, nobody waits, as its trace knows (sync_cells.c). */
void fw_sync_forked(void);
/* At a hook, after fw_leave: acts if cancellation is asynchronous and was asked for (cancel.c). */
void fw_cancel_at_hook(struct fw_thread *t);

/* --- processes and signals ----------------------------------------------------------------- */

/* In the child of a fork: one thread, a new trace, everything else as it was. */
void fw_runtime_forked(void);
/* The program is about to end; what is buffered is published.  kind: EXIT, SIGNAL, EXEC. */
void fw_runtime_ending(enum fw_wire_kind kind, uint64_t operand, const char *text);
/* Modules were loaded or unloaded: sends the changes.  Not between fw_enter and fw_leave. */
void fw_modules_changed(void);

/* The state a signal wrapper needs (signals.c): may the program's handler run now?  No: put it off;
 * fw_leave calls fw_signals_deliver. */
bool fw_may_interrupt(const struct fw_thread *t);
void fw_signals_deliver(struct fw_thread *t); /* defined in signals.c */
/* How many signals were put off on this thread.  fw_leave first makes the thread user code again,
 * then looks at this, and calls fw_signals_deliver if it is not 0 (signals.c). */
extern __thread volatile unsigned fw_signals_waiting;
/* Of the handlers that the last fw_signals_deliver ran, one was without SA_RESTART. */
extern __thread bool fw_signals_interrupt;
/* Called now and then by a thread that waits for the token while signals are put off: one that ends
 * the program does not wait for ever (signals.c). */
void fw_signals_late(void);
/*
 * Around a handler of the program that runs at once: the thread becomes user code with the token,
 * whatever it was (inside, outside, blocked); the other makes it what it was.  A handler that jumps
 * away (siglongjmp) never comes back: then it stays user code.  Without effect when serial mode is
 * off.
 */
unsigned fw_handler_begin(struct fw_thread *t);
void fw_handler_end(struct fw_thread *t, unsigned before);
/* Recording begins: from now on handlers are wrapped and deadly signals noticed (signals.c). */
void fw_signals_begin(void);
extern __thread struct fw_thread *fw_self;    /* NULL: unknown to us */

#endif
