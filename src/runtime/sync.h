/*
 * sync.h - what the interceptors of synchronisation share.
 *
 * A *cell* is what we know of an object of the program beyond its real state: who holds a lock as
 * the trace tells it, who waits at a condition, which posts no pend has answered yet.  Cells live
 * in memory of the runtime's own and stay where they are until they are dropped; they are the token
 * holder's, like everything here, and need no lock.
 *
 * Every blocking operation is a loop around the real object's "try", so a wake that comes too often
 * or too early does no harm.
 */
#ifndef FW_RUNTIME_SYNC_H
#define FW_RUNTIME_SYNC_H

#include "runtime/rt.h"
#include "runtime/thread.h"

#include <semaphore.h>

#define FW_WAKE_ALL UINT32_MAX
#define FW_POLL     1000000u /* ns between looks at an object that changes out of our sight */

/* --- cells (sync_cells.c) ------------------------------------------------------------------ */

enum fw_cell_kind {
    FW_CELL_LOCK,
    FW_CELL_CONDITION,
    FW_CELL_SEMAPHORE,
    FW_CELL_BARRIER,
    FW_CELL_ONCE,
    FW_CELL_SEEN,  /* a thread has seen that a once is done; number: the thread's */
    FW_CELL_LABEL, /* the name of a block was sent */
};

struct fw_reader { /* a thread that holds a lock shared */
    struct fw_reader *next;
    uint32_t thread;
    uint32_t depth;
};

struct fw_waiter { /* a thread at a condition; on its stack */
    struct fw_waiter *next;
    bool notified;
    uint64_t notify; /* number of the notify's record */
};

struct fw_post { /* a token of a semaphore that nobody has taken */
    struct fw_post *next;
    uint64_t record; /* 0: the post was not recorded */
};

struct fw_cell {
    struct fw_cell *next;
    const void *object;
    uint32_t number;
    enum fw_cell_kind kind;
    union {
        struct {
            uint32_t holder;  /* number of the thread that holds it exclusively, + 1 */
            uint32_t depth;   /* annotated locks: how often */
            uint32_t writers; /* that wait: a read-write lock may prefer them */
            bool robust;
            bool passed; /* was released by another thread than its holder */
            struct fw_reader *readers;
        } lock;
        struct {
            struct fw_waiter *first, *last;
            uint32_t leaving; /* were notified and have not run since */
            uint64_t notify;  /* the latest one's record */
        } condition;
        struct {
            struct fw_post *first, *last;
            uint32_t initial; /* tokens that it had from the beginning, taken first */
            uint32_t posted;  /* tokens in the list */
        } semaphore;
        struct {
            uint32_t arrived, leaving;
            uint64_t round;
        } barrier;
        struct {
            uint32_t runner; /* number of the thread that runs the routine, + 1 */
            bool failed;     /* it was left by an exception before */
            uint64_t round;  /* how often one has run */
        } once;
        uint64_t seen; /* round of the once, + 1 */
        uint64_t hash; /* of the label */
    } of;
};

/* NULL: there is none. */
struct fw_cell *fw_cell_find(enum fw_cell_kind kind, const void *object, uint32_t number);
/* All zero if new.  NULL: no memory (said in the trace). */
struct fw_cell *fw_cell_get(enum fw_cell_kind kind, const void *object, uint32_t number);
void fw_cell_drop(struct fw_cell *cell);
void fw_cell_each(enum fw_cell_kind kind, void (*visit)(struct fw_cell *cell, void *context),
                  void *context);
/* Small zeroed pieces of the same memory, up to 64 bytes.  NULL: no memory. */
void *fw_piece_get(void);
void fw_piece_drop(void *piece);

/* --- who holds what, as recorded (sync_locks.c) -------------------------------------------- */

/* t has the lock now: kind is ACQUIRE, TRY_ACQUIRE, SHARED_ACQUIRE or TRY_SHARED_ACQUIRE. */
void fw_lock_got(struct fw_thread *t, const void *lock, enum fw_wire_kind kind, uintptr_t pc);
/* t has it exclusively since some time, which counts as held and was told by nobody. */
void fw_lock_taken(struct fw_thread *t, const void *lock);
/* t has given it up, in whichever mode. */
void fw_lock_released(struct fw_thread *t, const void *lock, uintptr_t pc);
/* A try of t has failed. */
void fw_lock_failed(struct fw_thread *t, const void *lock, uintptr_t pc);
/* Is it held as recorded?  If it is not and is busy, it will be released out of our sight. */
bool fw_lock_is_held(const void *lock);
/* The i-th thread, by its number, whose hold keeps a request in this mode waiting. */
#define FW_NO_KEEPER UINT32_MAX /* there are no more */
uint32_t fw_lock_keeper(const void *lock, bool shared, unsigned i);
/* There is another one here, or none. */
void fw_lock_gone(struct fw_thread *t, const void *lock, uintptr_t pc);
/* The thread is about to end: what robust locks it holds are released. */
void fw_sync_finish(struct fw_thread *t);

/* --- mutexes, for conditions and C11 (sync_mutex.c) ---------------------------------------- */

/* How long a timed call waits.  clock < 0: without an end. */
struct fw_limit {
    clockid_t clock;
    const struct timespec *when;
};
#define FW_UNLIMITED ((struct fw_limit) { -1, NULL })

bool fw_clock_is_valid(clockid_t clock);
bool fw_time_is_valid(const struct timespec *when);
/* The deadline of a limit, FW_NO_DEADLINE if it has no end. */
uint64_t fw_limit_deadline(struct fw_limit limit);
/* min(deadline, now + FW_POLL) */
uint64_t fw_poll_deadline(uint64_t deadline);

int fw_mutex_lock(struct fw_thread *t, pthread_mutex_t *mutex, enum fw_wire_kind kind,
                  struct fw_limit limit, uintptr_t pc);
int fw_mutex_try(struct fw_thread *t, pthread_mutex_t *mutex, uintptr_t pc);
int fw_mutex_unlock(struct fw_thread *t, pthread_mutex_t *mutex, uintptr_t pc);

/* --- conditions, for C11 (sync_cond.c) ----------------------------------------------------- */

int fw_cond_wait(struct fw_thread *t, pthread_cond_t *cond, pthread_mutex_t *mutex,
                 struct fw_limit limit, bool *cancelled, uintptr_t pc);
void fw_cond_notify(struct fw_thread *t, pthread_cond_t *cond, bool all, uintptr_t pc);
void fw_cond_destroy(struct fw_thread *t, pthread_cond_t *cond, uintptr_t pc);
/* A thread that we do not know notifies. */
void fw_cond_notify_unseen(void);

/* --- threads (threads_posix.c), cancellation (cancel.c) ------------------------------------ */

struct fw_once_frame { /* a routine of pthread_once that runs */
    struct fw_once_frame *below;
    const void *control;
    uintptr_t pc;
};

/* What belongs to a thread; fw_thread.extra points to it. */
struct fw_thread_extra {
    void *(*start)(void *argument);
    int (*start_c11)(void *argument);
    void *argument;
    uint64_t signals;           /* the mask it starts with, unless ... */
    struct fw_thread *joiner;   /* who waits for it in pthread_join */
    struct fw_once_frame *once; /* innermost */
    bool own_signals;           /* ... it has one in its attributes */
    bool detached;
    bool exiting; /* cancellation has no effect any more */
    bool async;   /* its type of cancellation, as the program set it */
};

/* Never NULL: without memory one that all share, which has everything off. */
struct fw_thread_extra *fw_extra(struct fw_thread *t);
/* A piece of the program is about to block: FW_BLOCK_CANCEL if a cancellation may end it. */
unsigned fw_cancel_flag(struct fw_thread *t);
/* After fw_block has said FW_CANCELLED and after fw_leave: acts, or returns if it has no effect. */
void fw_cancel_act(struct fw_thread *t);
/* The same inside, if there is one: cleanup handlers are the program's code. */
void fw_cancel_let(struct fw_thread *t);
/* The thread is being cancelled: what follows comes after pthread_cancel.  With the token. */
void fw_cancel_reached(struct fw_thread *t);
/* A cancellation point, outside of fw_enter and fw_leave. */
void fw_cancel_test(void);
/* Its cancellation is asynchronous, enabled and asked for: the next hook should act. */
bool fw_cancel_is_due(struct fw_thread *t);

/* A call of pthread_create or thrd_create. */
struct fw_creation {
    __typeof__(&pthread_create) real;
    pthread_t *handle;
    const pthread_attr_t *attributes;
    void *(*start)(void *argument); /* or ... */
    int (*start_c11)(void *argument);
    void *argument;
};
/* How threads are created where there is no token; NULL: by the real functions. */
#define FW_CREATE_PLAINLY (-1) /* by them this time as well */
extern int (*fw_create_otherwise)(const struct fw_creation *creation, uintptr_t pc);
/* Does it, or says FW_CREATE_PLAINLY. */
int fw_threads_create_otherwise(pthread_t *handle, const pthread_attr_t *attributes,
                                const struct fw_thread_extra *what, uintptr_t pc);

int fw_threads_create(struct fw_thread *t, pthread_t *handle, const pthread_attr_t *attributes,
                      const struct fw_thread_extra *what, uintptr_t pc);
/* cancelled: leave, fw_cancel_act and call again. */
int fw_threads_join(struct fw_thread *t, pthread_t handle, void **result, struct fw_limit limit,
                    bool *cancelled, uintptr_t pc);
int fw_threads_detach(struct fw_thread *t, pthread_t handle);

/* --- once (sync_once.c) -------------------------------------------------------------------- */

int fw_once(pthread_once_t *control, void (*routine)(void), uintptr_t pc);

static inline bool fw_sync_is_ignored(const struct fw_thread *t)
{
    return t->ignored & FW_IGNORE_SYNC;
}

#endif
