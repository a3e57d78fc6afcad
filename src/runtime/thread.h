/*
 * thread.h - a thread as the runtime sees it, and the scheduler's words about it.
 *
 * `struct fw_hot` lies in the thread's own static TLS: hooks find it without a pointer.  The rest
 * is memory of the runtime's own (mmap), reused when its thread has finished and was joined.
 *
 * Fields of a group are touched by who is named there and by nobody else.
 */
#ifndef FW_RUNTIME_THREAD_H
#define FW_RUNTIME_THREAD_H

#include "runtime/effect.h"
#include "runtime/list.h"
#include "runtime/rt.h"
#include "runtime/stuck.h"

#define FW_MAX_AGAIN  16384u
#define FW_MAX_FRAMES 65536u /* deeper calls are not on the stack that reports show */

/* One call that has not returned.  A base (function 0) keeps what is below from being dropped. */
struct fw_frame {
    uintptr_t function; /* an address inside it */
    uintptr_t site;     /* the return address in its caller; the upper 16 bits are for marks */
    uintptr_t stack;    /* the stack pointer: frames of callers lie above */
};

/*
 * What hooks touch.  Its own thread's, but for `segment` and `ticks`, which the watchdog changes
 * while the thread sits in the kernel.  All zero (no segment, no frames): hooks do nothing.
 */
struct fw_hot {
    uint64_t segment; /* the current segment's number, shifted (shadow.h); 0: none, hooks take the
                         long way */
    uint64_t blocks;  /* basic blocks entered ... */
    uint64_t told;    /* ... as told last, plus 1; 0: never */
    int32_t ticks;    /* left of the quantum; below 0 hooks take the long way */
    bool branched;    /* since the last record */
    bool has_read;    /* since the last branch that was sent: read, joined or started */
    uint32_t returns; /* calls that were sent and have returned, which was not sent */
    uint32_t deep;    /* calls beyond the end of the frames */
    struct fw_frame *top, *end; /* frames: next free one, and the array's end */
    struct fw_frame *base;      /* frames[0], a base */
    struct fw_frame *written;   /* frames below were sent */
    int32_t read_ticks; /* src/atomrace: those of plain reads, unless it heals by locks alone */
    uint32_t regions; /* not 0: somebody wants to know what it does (fw_flow_follow) */
};

extern __thread struct fw_hot fw_hot;

enum fw_state {
    FW_STATE_NEW,     /* not begun */
    FW_STATE_RUNNING, /* has the token */
    FW_STATE_READY,   /* waits for the token */
    FW_STATE_BLOCKED, /* on an object */
    FW_STATE_OUTSIDE, /* in the kernel, without the token */
    FW_STATE_DEAD,
};

/* What control knows of a thread (control.h).  Its own while it has the token, else under the
 * scheduler's lock. */
struct fw_plan {
    uintptr_t pc;     /* of its latest point: what it is about to do */
    const char *name;
    uint64_t object;
    uint64_t block;
    uint32_t size, extent, block_bytes, site, class_; /* as in struct fw_op, and where */
    enum fw_reach reach;
    bool writes;
    bool pending;     /* it has not done it yet */
    uintptr_t call;   /* the latest of a library that used shared memory ... */
    uint64_t call_blocks; /* ... and where the thread was */
    bool yields;      /* it spins: others first */
    uint32_t parent, ordinal, children, path; /* as in struct fw_control_path */
    uint32_t *by_site, *by_class;             /* points so far */
    struct fw_control_thread *told;           /* what is told of it; NULL: there is no room */
    uint32_t held;    /* locks */
    int32_t quick_left; /* points that it may pass quickly until one is taken in full */
    uint64_t base;    /* blocks entered when its latest step was reached that says so */
    uint32_t points;  /* of its turn */
    uint64_t all_points;
    uint64_t priority, clock;                 /* strategies' */
    uint64_t picked, yielded; /* picks of all threads when it was picked, when it gave way */
    const void *in_vain; /* what it has tried, and ... */
    uint64_t in_vain_at; /* ... picks of all threads then ... */
    uint32_t tries;      /* ... times in a row */
    uint64_t retried; /* the progress it last looked after */
    uint64_t away_since; /* in the kernel, or waiting until some time */
    bool expires;     /* it waits, and the strategy may say that the time is over ... */
    bool due;         /* ... at this decision, too; it was not the last one ... */
    bool expired;     /* ... which it was when its turn began */
    uint64_t limit;   /* ns that it wanted to wait, at most */
    uint64_t over;    /* when that much has passed, by the real clock */
    uint64_t patience; /* it goes on by itself when the program has executed so long; 0: not over */
    uint64_t expired_at; /* picks of all threads when its time was last over */
    bool spins;       /* it gives way at a point, before it has looked once more */
    uint32_t spun, spin_rounds; /* control_spin.c */
    uint32_t spin_doubt;
    uint64_t spin_places, spin_values, spin_moves;
};

struct fw_thread {
    /* fixed */
    uint32_t number;
    int32_t tid;
    struct fw_hot *hot;
    struct fw_frame *frames;
    uintptr_t stack;
    size_t stack_bytes;
    uint32_t *again; /* cells whose writes are to be said again (shadow.h) ... */

    /* the holder's */
    uint32_t again_count; /* ... so many */
    struct fw_wait wait;  /* what it waits for */
    struct fw_open_words *open_words; /* values.c */

    /* its own thread's */
    volatile int inside;       /* depth of fw_enter; handlers wait while it is above 0 */
    volatile int outside;      /* in the kernel for the program: a handler takes the token itself */
    unsigned handling;         /* handlers of the program that it is in */
    uint32_t ignore[3];        /* depth by FW_IGNORE_* bit */
    unsigned ignored;          /* FW_IGNORE_* bits with a depth */
    unsigned finishing;        /* rounds of key destructors seen */
    const void *load_address;  /* the last atomic load: to know a loop that spins */
    uintptr_t load_pc;
    uint64_t load_record, load_value;
    unsigned spins;
    void *extra;               /* threads_posix.c: start routine and the like */
    bool told_after;           /* src/atomrace: what it tells of was accessed before */
    bool retell;               /* src/atomrace, under its lock: its calls are to be told again */
    _Atomic uint32_t passed;   /* src/atomrace: so many of its hooks have taken the long way */

    /* the scheduler's, under its lock */
    struct fw_list link;       /* in the ready queue or in a bucket of blocked threads */
    struct fw_list all;        /* in the list of threads that have not been forgotten */
    enum fw_state state;
    const void *object;
    unsigned flags;
    enum fw_woken woken;
    uint64_t wake_word;
    _Atomic uint32_t go;       /* futex word: 1: it has been given the token */
    uint32_t unseen;           /* changes by unknown threads that it has looked after */
    volatile int lost;         /* the watchdog has taken the token away from it ... */
    uint64_t segment_lost;     /* ... in this segment ... */
    bool far;                  /* ... because it ran for long without hooks */
    volatile int cancelled;    /* pthread_cancel was called */
    pthread_t handle;
    bool has_handle, forgotten, has_tid;
    uint64_t deadline;         /* of what it is blocked on */
    uint64_t asleep_until;     /* if it is outside; 0: not known */
    struct fw_plan plan;
};

#define FW_THREAD_OF(member, pointer)                                                              \
    ((struct fw_thread *)((char *)(pointer)-offsetof(struct fw_thread, member)))

/* --- registry (thread.c) ------------------------------------------------------------------- */

/* The first thread of the process; it has the token. */
void fw_thread_adopt_main(void);
/* After a fork: the caller is the only thread, number 0. */
void fw_thread_adopt_child(struct fw_thread *t);
/* The calling thread is t, and has this stack. */
void fw_thread_send_start(struct fw_thread *t);
/* For every thread that is not forgotten, with the scheduler's lock held. */
void fw_thread_each(void (*visit)(struct fw_thread *t, void *context), void *context);
/* The thread with this number that is not forgotten; NULL: there is none. */
struct fw_thread *fw_thread_numbered(uint32_t number);

/* --- scheduler (sched.c) ------------------------------------------------------------------- */

struct fw_sched_options {
    uint64_t seed;
    uint32_t quantum; /* ticks (hooks) that a thread runs on average */
};

#define FW_CONTROL_TICKS 1000000 /* hooks in a controlled run after which others go first */

extern bool fw_serial; /* serial mode is on, for the rest of the process's life */

void fw_sched_start(const struct fw_sched_options *options, struct fw_thread *first);
void fw_sched_forked(struct fw_thread *only);
void fw_sched_lock(void);
void fw_sched_unlock(void);
/* Becomes the holder, waiting as long as it takes. */
void fw_token_take(struct fw_thread *t);
/* Waits until it is the holder; fw_thread_ready has asked for it. */
void fw_token_await(struct fw_thread *t);
/* As fw_token_take, but gives up after ns; false: not the holder. */
bool fw_token_take_within(struct fw_thread *t, uint64_t ns);
/* Gives the token away; t is not waiting for it. */
void fw_token_pass(struct fw_thread *t, enum fw_state state);
/* The holder is about to end: looks whether that leaves anybody who can run. */
void fw_sched_ending(struct fw_thread *t);
bool fw_token_has(const struct fw_thread *t);
/* How often the token has changed hands.  The holder's. */
uint64_t fw_sched_turns(void);
/* Wakes t from a block for another reason than fw_wake.  With the lock held. */
void fw_unblock(struct fw_thread *t, enum fw_woken woken);
/* Is anybody blocked with FW_BLOCK_RESTS?  As long as somebody has the token, that one's. */
extern bool fw_resting;
/* Lets them go on.  With the lock held. */
void fw_rouse(void);
/* The program runs t without its having the token: takes it again.  Nothing if it has it. */
static inline void fw_token_regain(struct fw_thread *t);
void fw_token_regain_lost(struct fw_thread *t);
/* At a point of a controlled run: the strategy decides. */
void fw_sched_decide(struct fw_thread *t);

static inline void fw_token_regain(struct fw_thread *t)
{
    if (FW_UNLIKELY(t->lost))
        fw_token_regain_lost(t);
}

/* --- threads that leave (leaving.c), the holder's ------------------------------------------- */

/* The kernel's number of a thread that has ended, and may not be gone; 0: none. */
extern int32_t fw_leaving;
/* t is about to give the token away for the last time. */
void fw_leaving_begin(const struct fw_thread *t);
void fw_leaving_wait(void);
/* Before whoever has the token now goes on. */
static inline void fw_leaving_await(void)
{
    if (FW_UNLIKELY(fw_leaving))
        fw_leaving_wait();
}

/* --- handlers (handlers.c) ----------------------------------------------------------------- */

/* t was blocked and has the token: runs the handlers that have been put off. */
void fw_handlers_run(struct fw_thread *t);

/* --- watchdog (watchdog.c) ----------------------------------------------------------------- */

/* May the token be taken from t, the holder?  With the lock held; if so t is told. */
/* It sits in a system call.  Not: runs, or waits for a page. */
bool fw_watchdog_sits(struct fw_thread *t);
/* Does t sit in a system call?  Not if it was woken and is about to go on. */
bool fw_watchdog_in_kernel(const struct fw_thread *t);
/* The system call that t sits in: its number, and arguments in hexadecimal.  False: in none. */
bool fw_watchdog_call(const struct fw_thread *t, char *text, size_t size);
/* Writes the digits of the number, without an end; returns how many. */
unsigned fw_put_number(char *at, unsigned number);
/* It runs, and has not passed a hook for long.  Asked every now and then with the number of the
 * turn. */
bool fw_watchdog_is_far(struct fw_thread *t, uint64_t turn);

/* --- what a thread in the kernel waits for (awaits.c) --------------------------------------- */

/* t waits in the kernel, for ever or nearly so, until another thread of this process does
 * something: ns in which it would be back if that had been done.  UINT64_MAX: others may let it go
 * on. */
uint64_t fw_awaits_us(const struct fw_thread *t);

/* --- stacks (hooks_flow.c) ----------------------------------------------------------------- */

/* Around a signal handler: its frames stand on a base of their own.  `interrupted`: the stack
 * pointer of what it interrupts. */
struct fw_frame *fw_stack_handler_begin(uintptr_t interrupted);
void fw_stack_handler_end(struct fw_frame *mark);

/* --- segments (shadow.c) ------------------------------------------------------------------- */

/* The holder's next accesses repeat nothing. */
void fw_segment_next(struct fw_thread *t);

#endif
