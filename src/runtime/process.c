/*
 * process.c - processes begin, are replaced, and end.
 *
 * fork: the handlers of pthread_atfork are the program's code, on both sides.  Ours are registered
 * before all others, so that the token is taken last before the fork, and the child gets its own
 * trace before anything of the program runs in it.
 *
 * exit: a handler that is registered before all others runs after them, after the destructors as
 * well; it tells the status and keeps the token, so that nothing is recorded behind it.  _exit,
 * quick_exit and abort tell it themselves.
 *
 * Who shares our memory but is another process (clone with CLONE_VM, as spawning libraries do)
 * tells nothing.
 */
#include "runtime/process.h"

#include "runtime/channel.h"
#include "runtime/control.h"
#include "runtime/effect.h"
#include "runtime/intercept.h"
#include "runtime/patch.h"
#include "runtime/processor.h"
#include "runtime/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static long process; /* its id: that of the one whose trace this is */
static int quick_status;

static long current_process(void)
{
    return fw_syscall(SYS_getpid, 0, 0, 0, 0, 0, 0);
}

/* --- fork ------------------------------------------------------------------------------------- */

/* Who learns of the child's end, by waiting or by its signal, comes after this. */
void fw_process_forks(struct fw_thread *t, uintptr_t pc)
{
    fw_processor_leave();
    if (!t)
        return;
    if (fw_control_on)
        fw_control->chances |= FW_CHANCE_PROCESSES;
    fw_channel_forks(t, pc);
    fw_signals_sent(t, SIGCHLD, pc);
}

static __thread struct fw_thread *forking;

static void before_fork(void)
{
    forking = fw_enter();
    fw_process_forks(forking, 0);
}

static void after_fork_in_parent(void)
{
    fw_done(forking);
    forking = NULL;
}

void fw_process_begins(void)
{
    process = current_process();
    fw_signals_forked();
    fw_patch_forked();
    fw_runtime_forked();
}

static void after_fork_in_child(void)
{
    fw_process_begins();
    fw_done(forking);
    forking = NULL;
}

/* The child has what others hold at this moment, and nobody there to give it back. */
FW_EXPORT pid_t fork(void)
{
    fw_effect(FW_ON_ALL);
    return REAL(fork)();
}

/* As fork, but nobody's handlers run. */
FW_EXPORT pid_t _Fork(void)
{
    struct fw_thread *t = fw_enter_effect(FW_ON_ALL);
    pid_t child;

    fw_process_forks(t, FW_PC);
    child = REAL(_Fork)();
    if (child == 0)
        fw_process_begins();
    fw_done(t);
    return child;
}

static void close_raw(int fd)
{
    fw_syscall(SYS_close, fd, 0, 0, 0, 0, 0);
}

/* Until the child has closed its end: by exec, or because it is gone. */
static void await_child(struct fw_thread *t, int fd)
{
    char byte;

    if (t)
        fw_outside_begin(t);
    while (fw_syscall(SYS_read, fd, (long)&byte, 1, 0, 0, 0) == -EINTR)
        ;
    if (t)
        fw_outside_end(t);
}

/* The child must not use our stack and our state: it gets a copy, and the parent waits as long as
 * it would have. */
FW_EXPORT pid_t vfork(void)
{
    struct fw_thread *t = fw_enter_effect(FW_ON_ALL);
    int ends[2] = { -1, -1 };
    pid_t child;

    fw_process_forks(t, FW_PC);
    fw_syscall(SYS_pipe2, (long)ends, O_CLOEXEC, 0, 0, 0, 0);
    child = REAL(_Fork)();
    if (child == 0) {
        fw_process_begins();
        if (ends[0] >= 0)
            close_raw(ends[0]);
    } else if (ends[0] >= 0) {
        int saved = errno;

        close_raw(ends[1]);
        if (child > 0)
            await_child(t, ends[0]);
        close_raw(ends[0]);
        errno = saved;
    }
    fw_done(t);
    return child;
}

/* What clone starts in a process of its own. */
struct start {
    int (*function)(void *);
    void *argument;
};

static int start_in_child(void *context)
{
    struct start *start = context;

    fw_process_begins();
    return start->function(start->argument);
}

static void tell_clone(uintptr_t pc)
{
    struct fw_thread *t = fw_enter_effect_at(pc, "clone", FW_ON_ALL);

    fw_process_forks(t, pc);
    fw_done(t);
}

FW_EXPORT int clone(int (*function)(void *), void *stack, int flags, void *argument, ...)
{
    struct start start = { function, argument };
    pid_t *parent_id, *child_id;
    void *storage;
    va_list rest;

    va_start(rest, argument);
    parent_id = va_arg(rest, pid_t *);
    storage = va_arg(rest, void *);
    child_id = va_arg(rest, pid_t *);
    va_end(rest);
    tell_clone(FW_PC);
    if (flags & CLONE_VM || !fw_self)
        return REAL(clone)(function, stack, flags, argument, parent_id, storage, child_id);
    return REAL(clone)(start_in_child, stack, flags, &start, parent_id, storage, child_id);
}

/* --- exec ------------------------------------------------------------------------------------- */

static void before_exec(const char *path, uintptr_t pc)
{
    int saved = errno;

    fw_processor_leave();
    fw_chance(FW_CHANCE_PROCESSES);
    fw_effect_at(pc, "exec", FW_ON_ALL);
    if (fw_self && process == current_process())
        fw_runtime_ending(FW_WIRE_EXEC, 0, path);
    errno = saved;
}

FW_EXPORT int execve(const char *path, char *const arguments[], char *const environment[])
{
    before_exec(path, FW_PC);
    return REAL(execve)(path, arguments, environment);
}

FW_EXPORT int execv(const char *path, char *const arguments[])
{
    before_exec(path, FW_PC);
    return REAL(execv)(path, arguments);
}

FW_EXPORT int execvp(const char *file, char *const arguments[])
{
    before_exec(file, FW_PC);
    return REAL(execvp)(file, arguments);
}

FW_EXPORT int execvpe(const char *file, char *const arguments[], char *const environment[])
{
    before_exec(file, FW_PC);
    return REAL(execvpe)(file, arguments, environment);
}

FW_EXPORT int fexecve(int fd, char *const arguments[], char *const environment[])
{
    before_exec("fexecve", FW_PC);
    return REAL(fexecve)(fd, arguments, environment);
}

FW_EXPORT int execveat(int folder, const char *path, char *const arguments[],
                       char *const environment[], int flags)
{
    before_exec(path, FW_PC);
    return REAL(execveat)(folder, path, arguments, environment, flags);
}

/* The arguments up to NULL, the first one included. */
static size_t count_arguments(va_list rest)
{
    size_t count = 1;

    while (va_arg(rest, char *))
        count++;
    return count;
}

/* (libc's header says that the first is never NULL; programs do not know.) */
#define COLLECT(first)                                                                             \
    const char *volatile head = first;                                                             \
    size_t count;                                                                                  \
    va_list rest;                                                                                  \
                                                                                                   \
    va_start(rest, first);                                                                         \
    count = head ? count_arguments(rest) : 0;                                                      \
    va_end(rest);                                                                                  \
    char *arguments[count + 1];                                                                    \
    va_start(rest, first);                                                                         \
    arguments[0] = (char *)first;                                                                  \
    for (size_t i = 1; i <= count; i++)                                                            \
        arguments[i] = va_arg(rest, char *)

FW_EXPORT int execl(const char *path, const char *first, ...)
{
    COLLECT(first);
    va_end(rest);
    before_exec(path, FW_PC);
    return REAL(execv)(path, arguments);
}

FW_EXPORT int execlp(const char *file, const char *first, ...)
{
    COLLECT(first);
    va_end(rest);
    before_exec(file, FW_PC);
    return REAL(execvp)(file, arguments);
}

FW_EXPORT int execle(const char *path, const char *first, ...)
{
    char **environment;

    COLLECT(first);
    environment = va_arg(rest, char **);
    va_end(rest);
    before_exec(path, FW_PC);
    return REAL(execve)(path, arguments, environment);
}

/* --- exit ------------------------------------------------------------------------------------- */

void fw_process_exits(int status, const char *name, uintptr_t pc)
{
    if (process != current_process())
        return;
    fw_enter_effect_at(pc, name, FW_ON_ALL); /* never left: the token stays here */
    fw_runtime_ending(FW_WIRE_EXIT, (uint64_t)(status & 0xff), NULL);
}

static void at_exit(int status, void *unused)
{
    (void)unused;
    fw_process_exits(status, "exit", FW_PC);
}

static void at_quick_exit_last(void)
{
    fw_process_exits(quick_status, "quick_exit", FW_PC);
}

FW_EXPORT void quick_exit(int status)
{
    quick_status = status;
    REAL(quick_exit)(status);
    __builtin_unreachable();
}

FW_EXPORT void _exit(int status)
{
    fw_process_exits(status, __func__, FW_PC);
    REAL(_exit)(status);
    __builtin_unreachable();
}

FW_EXPORT void _Exit(int status)
{
    fw_process_exits(status, __func__, FW_PC);
    REAL(_Exit)(status);
    __builtin_unreachable();
}

/* A handler that comes back does not save the program: then the default is certain. */
FW_EXPORT void abort(void)
{
    struct sigaction action = { .sa_handler = SIG_DFL };
    sigset_t one;

    if (fw_self) {
        sigemptyset(&one);
        sigaddset(&one, SIGABRT);
        pthread_sigmask(SIG_UNBLOCK, &one, NULL);
        raise(SIGABRT);
        if (process == current_process())
            fw_runtime_ending(FW_WIRE_SIGNAL, SIGABRT, NULL);
        REAL(sigaction)(SIGABRT, &action, NULL);
    }
    REAL(abort)();
    __builtin_unreachable();
}

__attribute__((constructor(101))) static void register_handlers(void)
{
    process = current_process();
    pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
    on_exit(at_exit, NULL);
    at_quick_exit(at_quick_exit_last);
}
