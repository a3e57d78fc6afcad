/*
 * signals.c - handlers of the program, and signals that end it.
 *
 * The kernel calls our wrapper in place of every handler of the program, with the program's own
 * mask and flags, so that masks, SA_RESTART, SA_NODEFER and alternative stacks work by themselves;
 * who asks sees the program's values.  The wrapper runs the handler
 *   - at once, if the thread runs the program's code, or waits outside (the handler takes the token
 *     first), or has made a mistake that the signal tells of (SIGSEGV and the like);
 *   - when the thread leaves the runtime, if it is inside: the signal is put off, with the mask
 *     that its handler would have had.  There is room for a few; the last one that fits closes the
 *     door (all signals are blocked until the queue is empty).
 * A handler's events are its thread's.
 *
 * A signal whose default is to end the program gets the wrapper as well, only to tell the recorder;
 * then the default is put back and the signal sent again, so that the status and the core file are
 * what they would be.  Signals that are ignored are left alone.
 *
 * Where threads run in parallel handlers run at once, and only they are wrapped, if at all
 * (fw_signals_around).
 *
 * A signal that another thread sends orders the sender before the handler (BEFORE, AFTER).
 */
#include "runtime/signals.h"

#include "runtime/intercept.h"
#include "runtime/thread.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SIGNALS 65
#define QUEUE   7u /* our TLS must fit into the 1664 bytes that the loader has for dlopen */
#define SPARE   4u /* places for wrappers that interrupt each other while the door is closed */
#define RESTORER 0x04000000 /* a flag that libc adds, and who asks sees */
#define LATE    30u /* times that fw_signals_late waits for the token */

/* The kernel's set of signals. */
typedef uint64_t mask_t;

/* What the program wants; `version` is odd while it is changed. */
static struct {
    _Atomic uint32_t version;
    struct sigaction own;
} actions[SIGNALS];

bool fw_signals_started, fw_signals_handled;
void (*fw_signals_around)(void (*call)(void *what), void *what, const ucontext_t *context);
static char objects[SIGNALS]; /* only their addresses matter */

struct put_off {
    int number;
    int flags;
    void (*handler)(int, siginfo_t *, void *); /* NULL: the default */
    mask_t mask;
    siginfo_t info;
};

__thread volatile unsigned fw_signals_waiting;
__thread bool fw_signals_interrupt;
static __thread struct put_off queue[QUEUE];
static __thread bool closed;      /* all signals are blocked, because the queue was full */
static __thread mask_t open_mask; /* what the mask was before */

/* --- masks ------------------------------------------------------------------------------------ */

static mask_t set_mask(mask_t mask)
{
    mask_t before = 0;

    fw_syscall(SYS_rt_sigprocmask, SIG_SETMASK, (long)&mask, (long)&before, sizeof mask, 0, 0);
    return before;
}

static mask_t current_mask(void)
{
    mask_t mask = 0;

    fw_syscall(SYS_rt_sigprocmask, SIG_BLOCK, 0, (long)&mask, sizeof mask, 0, 0);
    return mask;
}

static mask_t bit(int number)
{
    return (mask_t)1 << (number - 1);
}

/* Mistakes of the thread itself: blocking them would end the program. */
#define MISTAKES                                                                                   \
    (bit(SIGSEGV) | bit(SIGBUS) | bit(SIGFPE) | bit(SIGILL) | bit(SIGTRAP) | bit(SIGSYS))

/* --- what the program wants ------------------------------------------------------------------- */

static struct sigaction get_action(int number)
{
    struct sigaction own;
    uint32_t before;

    do {
        /* acquire and the fence: pair with set_action's release stores */
        before = atomic_load_explicit(&actions[number].version, memory_order_acquire);
        own = actions[number].own;
        atomic_thread_fence(memory_order_acquire);
    } while (before & 1 || before != atomic_load(&actions[number].version));
    return own;
}

/* With all signals blocked, so that no handler of this thread meets an odd version. */
static void set_action(int number, const struct sigaction *own)
{
    uint32_t version = atomic_load(&actions[number].version);

    while (version & 1 ||
           !atomic_compare_exchange_weak(&actions[number].version, &version, version + 1))
        version = atomic_load(&actions[number].version);
    actions[number].own = *own;
    /* release: pairs with get_action's acquire */
    atomic_store_explicit(&actions[number].version, version + 2, memory_order_release);
}

/* Does the default end the program? */
static bool is_deadly(int number)
{
    switch (number) {
    case SIGCHLD:
    case SIGCONT:
    case SIGURG:
    case SIGWINCH:
    case SIGSTOP:
    case SIGTSTP:
    case SIGTTIN:
    case SIGTTOU:
    case SIGKILL:
        return false;
    default:
        return number < 32 || number >= SIGRTMIN;
    }
}

static void wrapper(int number, siginfo_t *info, void *context);

/* What the kernel is told for what the program wants. */
static struct sigaction kernel_action(int number, const struct sigaction *own)
{
    struct sigaction action = *own;

    if (own->sa_handler == SIG_IGN ||
        (own->sa_handler == SIG_DFL && (!is_deadly(number) || fw_signals_around)))
        return action;
    action.sa_sigaction = wrapper;
    if (own->sa_handler == SIG_DFL) {
        action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
        REAL(sigfillset)(&action.sa_mask);
        return action;
    }
    action.sa_flags = (own->sa_flags & ~SA_RESETHAND) | SA_SIGINFO;
    return action;
}

/* With all signals blocked. */
static int install(int number, const struct sigaction *own)
{
    struct sigaction action = kernel_action(number, own);
    struct sigaction before = get_action(number);

    set_action(number, own);
    if (REAL(sigaction)(number, &action, NULL) == 0)
        return 0;
    set_action(number, &before);
    return -1;
}

static bool is_ours(int number)
{
    return fw_signals_started && number > 0 && number < SIGNALS && number != SIGKILL &&
           number != SIGSTOP && (number < 32 || number >= SIGRTMIN);
}

int fw_signals_action(int number, const struct sigaction *wanted, struct sigaction *old)
{
    struct sigaction own, kernel, next;
    mask_t before;
    int result;

    if (wanted && wanted->sa_handler != SIG_DFL && wanted->sa_handler != SIG_IGN)
        fw_signals_handled = true;
    if (!is_ours(number))
        return REAL(sigaction)(number, wanted, old);
    if (wanted) {
        next = *wanted;
        next.sa_flags |= RESTORER;
    }
    before = set_mask(~MISTAKES);
    own = get_action(number);
    result = REAL(sigaction)(number, NULL, &kernel);
    if (result == 0 && wanted)
        result = install(number, &next);
    set_mask(before);
    if (result == 0 && old) {
        *old = own;
        old->sa_restorer = kernel.sa_restorer;
    }
    return result;
}

void fw_signals_begin(void)
{
    mask_t before = set_mask(~MISTAKES);

    fw_signals_started = true;
    for (int number = 1; number < SIGNALS; number++) {
        struct sigaction now;

        if (!is_ours(number) || REAL(sigaction)(number, NULL, &now) != 0)
            continue;
        if (now.sa_handler == SIG_IGN)
            set_action(number, &now);
        else
            install(number, &now);
    }
    set_mask(before);
}

/* --- the end ---------------------------------------------------------------------------------- */

static void put_default_back(int number)
{
    struct sigaction action = { .sa_handler = SIG_DFL };

    REAL(sigaction)(number, &action, NULL);
}

static bool repeats_itself(int number, const siginfo_t *info)
{
    return info->si_code > 0 &&
           (number == SIGSEGV || number == SIGBUS || number == SIGFPE || number == SIGILL);
}

static void send_again(int number, const siginfo_t *info)
{
    fw_syscall(SYS_rt_tgsigqueueinfo, fw_syscall(SYS_getpid, 0, 0, 0, 0, 0, 0),
               fw_syscall(SYS_gettid, 0, 0, 0, 0, 0, 0), number, (long)info, 0, 0);
}

/* The program ends by the signal as soon as it is let in. */
static void end_by(int number, siginfo_t *info)
{
    fw_runtime_ending(FW_WIRE_SIGNAL, (uint64_t)number, NULL);
    put_default_back(number);
    if (!repeats_itself(number, info))
        send_again(number, info);
}

void fw_signals_late(void)
{
    static __thread unsigned times;

    if (++times < LATE)
        return;
    times = 0;
    for (unsigned i = 0; i < fw_signals_waiting; i++) {
        if (queue[i].handler)
            continue;
        put_default_back(queue[i].number);
        send_again(queue[i].number, &queue[i].info);
        set_mask(current_mask() & ~bit(queue[i].number));
    }
}

/* --- running handlers ------------------------------------------------------------------------- */

static void tell_arrival(int number)
{
    struct fw_thread *t = fw_enter();

    if (!t)
        return;
    fw_sync(t, FW_WIRE_AFTER, &objects[number], 0);
    fw_leave(t);
}

static void call_handler(const struct put_off *one, siginfo_t *info, void *context)
{
    if (one->flags & SA_SIGINFO)
        one->handler(one->number, info, context);
    else
        ((void (*)(int))(void *)one->handler)(one->number);
}

struct call {
    const struct put_off *one;
    siginfo_t *info;
    void *context;
};

static void call_what(void *what)
{
    const struct call *call = what;

    call_handler(call->one, call->info, call->context);
}

/* errno is the handler's to change.  A thread that has not begun, or has finished, is nobody's. */
static void run(struct fw_thread *t, const struct put_off *one, siginfo_t *info, void *context)
{
    int saved = errno;
    struct fw_frame *mark;
    unsigned before;

    if (!fw_serial && fw_signals_around) {
        fw_signals_around(call_what, &(struct call){ one, info, context }, context);
        return;
    }
    if (!t || !fw_serial) {
        call_handler(one, info, context);
        return;
    }
    before = fw_handler_begin(t);
    mark = fw_stack_handler_begin((uintptr_t)((ucontext_t *)context)->uc_mcontext.gregs[REG_RSP]);
    tell_arrival(one->number);
    t->handling++;
    errno = saved;
    call_handler(one, info, context);
    saved = errno;
    t->handling--;
    fw_stack_handler_end(mark);
    fw_handler_end(t, before);
    errno = saved;
}

/* In the wrapper: the door is closed by what the interrupted code will have as its mask. */
static void put_off(const struct put_off *one, const siginfo_t *info, ucontext_t *context)
{
    /* One instruction: another wrapper may interrupt this one. */
    unsigned place = __atomic_fetch_add(&fw_signals_waiting, 1, __ATOMIC_RELAXED);

    if (place >= QUEUE) {
        __atomic_fetch_sub(&fw_signals_waiting, 1, __ATOMIC_RELAXED);
        return;
    }
    queue[place] = *one;
    queue[place].info = *info;
    queue[place].mask = current_mask();
    if (place + SPARE < QUEUE)
        return;
    if (!closed)
        fw_copy(&open_mask, &context->uc_sigmask, sizeof open_mask);
    closed = true;
    REAL(sigfillset)(&context->uc_sigmask);
}

/* The first that the mask lets in, taken out of the queue.  With all signals blocked. */
static bool take_first(mask_t mask, struct put_off *one)
{
    unsigned i;

    for (i = 0; i < fw_signals_waiting; i++)
        if (!queue[i].handler || !(mask & bit(queue[i].number)))
            break;
    if (i == fw_signals_waiting)
        return false;
    *one = queue[i];
    fw_signals_waiting--;
    fw_move(queue + i, queue + i + 1, (fw_signals_waiting - i) * sizeof *queue);
    return true;
}

/*
 * A handler that runs here may come here again, at its own end of a call: it delivers what its mask
 * lets in, and the rest waits for us.  The door is open from the first one on.
 */
void fw_signals_deliver(struct fw_thread *t)
{
    bool interrupt = false;
    int saved = errno;

    while (fw_signals_waiting) {
        mask_t before = set_mask(~MISTAKES);
        struct put_off one;
        ucontext_t context;
        bool found;

        if (closed)
            before = open_mask;
        closed = false;
        found = take_first(before, &one);
        if (!found) {
            set_mask(before);
            break;
        }
        if (!one.handler) {
            end_by(one.number, &one.info);
            set_mask(before & ~bit(one.number));
            continue;
        }
        getcontext(&context);
        set_mask(one.mask | before);
        errno = saved;
        run(t, &one, &one.info, &context);
        saved = errno;
        interrupt |= !(one.flags & SA_RESTART);
        set_mask(before);
    }
    fw_signals_interrupt = interrupt;
    errno = saved;
}

static bool is_mistake(int number, const siginfo_t *info)
{
    if (number == SIGABRT) /* abort, perhaps by libc's own checks in the middle of our call */
        return info->si_code == SI_TKILL && info->si_pid == getpid();
    return MISTAKES & bit(number) && info->si_code > 0;
}

/* May a handler run on this thread now? */
static bool is_open(const struct fw_thread *t, int number, const siginfo_t *info)
{
    return !t || !fw_serial || t->outside || fw_may_interrupt(t) || is_mistake(number, info);
}

static void wrapper(int number, siginfo_t *info, void *context)
{
    struct fw_thread *t = fw_self;
    struct sigaction own = get_action(number);
    struct put_off one = { .number = number, .flags = own.sa_flags };
    int saved = errno;

    if (own.sa_handler == SIG_IGN)
        return; /* changed just now */
    if (own.sa_handler != SIG_DFL)
        one.handler = own.sa_sigaction;
    if (own.sa_flags & SA_RESETHAND && one.handler) {
        mask_t before = set_mask(~MISTAKES);

        own.sa_handler = SIG_DFL;
        install(number, &own);
        set_mask(before);
    }
    if (!is_open(t, number, info)) {
        put_off(&one, info, context);
    } else if (!one.handler) {
        end_by(number, info);
        sigdelset(&((ucontext_t *)context)->uc_sigmask, number);
    } else {
        errno = saved;
        run(t, &one, info, context);
        return;
    }
    errno = saved;
}

/* --- for others ------------------------------------------------------------------------------- */

void fw_signals_forked(void)
{
    fw_signals_waiting = 0;
    if (closed)
        set_mask(open_mask);
    closed = false;
}

void fw_signals_sent(struct fw_thread *t, int number, uintptr_t pc)
{
    if (t && number > 0 && number < SIGNALS)
        fw_sync(t, FW_WIRE_BEFORE, &objects[number], pc);
}

void fw_signals_taken(struct fw_thread *t, int number, uintptr_t pc)
{
    if (t && number > 0 && number < SIGNALS)
        fw_sync(t, FW_WIRE_AFTER, &objects[number], pc);
}
