/*
 * wire.h - what the runtime inside a program and the recorder outside say to each other.
 *
 * The recorder listens on a Unix stream socket whose name (in the abstract namespace) is the
 * option `wire` of FOREWEAVE_OPTIONS.  Every process that runs our library, also a fork child and
 * whatever is executed, connects once, sends a struct fw_wire_hello, and gets a
 * struct fw_wire_welcome with the descriptor of a shared memory file.  Both close the socket: no
 * descriptor stays open in the program.  The recorder watches the process (pidfd), so that its
 * death, by whatever cause, is noticed.
 *
 * The shared memory is a page with struct fw_wire_ring and, behind it, `bytes` bytes of units: a
 * ring with one writer at a time (whoever holds the token) and one reader.  What stands before
 * `head` is published; each record is published by itself, so nothing is lost when the program is
 * killed.  A full ring makes the writer wait (`tail` is the futex word's partner); if the recorder
 * is gone (its pid does not exist, or `gone` is set) the runtime stops recording and goes on.
 *
 * A record is one unit of 16 bytes; kinds marked "+1" have one more unit, kinds marked "+text" have
 * as many as their text (at most 4096 bytes) needs, zero-filled at the end.  Records are numbered
 * from 1 in the order of the ring; that number is what a wake or pend names.  Every record belongs
 * to the thread that the latest FW_WIRE_SWITCH named (thread 0, the main one, at the beginning).
 *
 * This header is shared by both sides and includes nothing of either.
 */
#ifndef FW_RUNTIME_WIRE_H
#define FW_RUNTIME_WIRE_H

#include <stdatomic.h>
#include <stdint.h>

#define FW_WIRE_MAGIC   0x65726977u /* "wire" */
#define FW_WIRE_VERSION 1u
#define FW_WIRE_PAGE    4096u

struct fw_wire_hello {
    uint32_t magic, version;
    int32_t pid, parent;
    uint32_t how; /* enum fw_wire_how */
    uint32_t reserved;
    char program[256]; /* path of the executable, cut if longer */
};

enum fw_wire_how {
    FW_WIRE_STARTED, /* began to run: the first program, or executed by one */
    FW_WIRE_FORKED,  /* the child of a fork; it has one thread */
};

struct fw_wire_welcome {
    uint32_t magic, version;
    int32_t recorder; /* its process id */
    uint32_t accepted; /* 0: do not record */
    uint64_t bytes;    /* of units, a power of two */
};

struct fw_wire_ring {
    _Atomic uint64_t head; /* bytes published since the beginning; the writer's */
    char pad_head[56];
    _Atomic uint64_t tail; /* bytes consumed since the beginning; the reader's */
    _Atomic uint32_t space; /* futex word: the reader adds 1 and wakes when `waiting` is set */
    _Atomic uint32_t waiting; /* the writer waits for space */
    char pad_tail[48];
    _Atomic uint32_t gone; /* the recorder has gone: write no more */
    _Atomic uint32_t done; /* the program's last record is published (exit or crash) */
    _Atomic uint32_t cycles; /* how many FW_WIRE_STUCK_CYCLE have been published, ... */
    _Atomic uint32_t idle;   /* ... and FW_WIRE_STUCK_ALL */
    _Atomic uint32_t still;  /* how often all threads waited and a cycle had told why */
    _Atomic uint32_t elides; /* accesses that repeat one are left out, from some record on */
};

struct fw_wire_unit {
    uint64_t a, b;
};

/* First unit: a = operand | kind << 48 | n << 56;  b = pc | aux << 48.  Addresses have 48 bits. */
#define FW_WIRE_BRANCH   0x8000u /* aux: after a read of its thread, a branch came before */
#define FW_WIRE_AGAIN    0x4000u /* aux of a write: it stands for some that were left out */
#define FW_WIRE_ORDER    0x000fu /* aux of atomics: memory order, as numbered in <stdatomic.h> */
#define FW_WIRE_MAX_TEXT 4096u   /* aux of kinds with text: its bytes */

static inline uint64_t fw_wire_operand(const struct fw_wire_unit *unit)
{
    return unit->a & 0xffffffffffffu;
}

static inline unsigned fw_wire_kind(const struct fw_wire_unit *unit)
{
    return unit->a >> 48 & 0xff;
}

static inline unsigned fw_wire_n(const struct fw_wire_unit *unit)
{
    return unit->a >> 56;
}

static inline uint64_t fw_wire_pc(const struct fw_wire_unit *unit)
{
    return unit->b & 0xffffffffffffu;
}

static inline unsigned fw_wire_aux(const struct fw_wire_unit *unit)
{
    return unit->b >> 48;
}

/*
 * Kinds.  "pc" is the return address of the hook or intercepted call: the site is the instruction
 * before it.  An extra unit's fields are called a1 and b1.
 */
enum fw_wire_kind {
    FW_WIRE_NONE,
    /* Accesses: operand = address, n = size in bytes (1 to 16; any alignment). */
    FW_WIRE_READ,
    FW_WIRE_WRITE,
    FW_WIRE_READ_RANGE,  /* +1: a1 = bytes */
    FW_WIRE_WRITE_RANGE, /* +1: a1 = bytes */
    FW_WIRE_ATOMIC_LOAD, /* aux: memory order */
    FW_WIRE_ATOMIC_STORE,
    FW_WIRE_ATOMIC_RMW,
    FW_WIRE_FENCE,       /* no operand */
    /* Locks: operand = address of the lock.  Recursive inner operations are not sent. */
    FW_WIRE_ACQUIRE,
    FW_WIRE_RELEASE,
    FW_WIRE_TRY_ACQUIRE,
    FW_WIRE_TRY_FAIL,
    FW_WIRE_SHARED_ACQUIRE,
    FW_WIRE_SHARED_RELEASE,
    FW_WIRE_TRY_SHARED_ACQUIRE,
    /* Conditions, semaphores, barriers: operand = address of the object. */
    FW_WIRE_NOTIFY,
    FW_WIRE_NOTIFY_ALL,
    FW_WIRE_WAKE,        /* +1: a1 = number of the notify's record it answers */
    FW_WIRE_POST,
    FW_WIRE_PEND,        /* +1: a1 = number of the post's record, 0: an initial token */
    FW_WIRE_BARRIER_IN,
    FW_WIRE_BARRIER_OUT,
    FW_WIRE_DESTROY,     /* of any such object: from now on there is another one here */
    /* Threads: operand = number of the thread, from 0. */
    FW_WIRE_FORK,
    FW_WIRE_JOIN,
    FW_WIRE_START,       /* the current thread begins; +1: a1 = lowest address of its stack,
                            b1 = bytes of it */
    FW_WIRE_FINISH,      /* of the current thread */
    FW_WIRE_SWITCH,
    FW_WIRE_BLOCKS,      /* operand = basic blocks that the current thread has entered, or
                            FW_WIRE_NOWHERE: what it tells next happened before */
    FW_WIRE_NAME,        /* +text: the name given to thread `operand`; aux = bytes */
    /* Calls: operand = an address inside the called function, pc = return address in the caller. */
    FW_WIRE_CALL,
    FW_WIRE_RETURN,      /* operand = how many of the current thread's calls return */
    /* Memory: operand = address. */
    FW_WIRE_ALLOC,       /* +1: a1 = bytes.  Blocks it overlaps that still live have ended unseen */
    FW_WIRE_FREE,        /* means nothing where no block begins (it was made out of our sight) */
    FW_WIRE_RESIZE,      /* +1: a1 = bytes: realloc left the block where it is.  It keeps its name
                            and what is in it; what lies behind its new end is gone.  A block that
                            realloc moves is read, freed, allocated and written */
    FW_WIRE_MAP,         /* +1: a1 = bytes: fresh memory that is not from malloc */
    FW_WIRE_UNMAP,       /* +1: a1 = bytes */
    /* Annotations. */
    FW_WIRE_BEGIN,       /* operand = address of its label (see TEXT), or 0 */
    FW_WIRE_END,
    FW_WIRE_BEFORE,      /* happens-before: operand = address; like a release on an object there */
    FW_WIRE_AFTER,
    FW_WIRE_EXPECT,      /* +1: a1 = bytes: races on this memory are expected */
    /* The world. */
    FW_WIRE_TEXT,        /* +text: the string at address `operand` (labels); aux = bytes */
    FW_WIRE_MODULE,      /* operand = load base (the address of the ELF file's address 0);
                            +1: a1 = bytes, b1 = FW_WIRE_MODULE_*; then +text: path; aux = bytes.
                            Sent again when something about it changes. */
    FW_WIRE_UNLOAD,      /* operand = base */
    FW_WIRE_NOTE,        /* +text "key=value": aux = bytes (see below) */
    FW_WIRE_EXIT,        /* operand = exit status: exit, _exit, quick_exit or return from main */
    FW_WIRE_SIGNAL,      /* operand = number of the signal that is about to end the program */
    FW_WIRE_EXEC,        /* +text: path, aux = bytes: the program is about to be replaced */
    /* Waiting without a time limit.  Means something if nothing of its thread follows. */
    FW_WIRE_REQUEST,     /* operand = lock: it is held, and the current thread begins to wait */
    FW_WIRE_SHARED_REQUEST,
    FW_WIRE_RELOCK,      /* the same, and the current thread itself holds it */
    FW_WIRE_STUCK,       /* operand = how many threads cannot go on; +1: a1 = enum fw_wire_stuck.
                            So many of these follow: */
    FW_WIRE_STUCK_AT,    /* operand = what it waits for (join: the thread's number), pc; +1:
                            a1 = thread | enum fw_wire_wait << 32, b1 = a thread that holds the
                            lock, + 1, or 0 */
    FW_WIRE_UNSEEN,      /* operand = address, n = bytes (1 to 8): what the current thread's last
                            record reads was written by code that is not seen (values.h) */
    FW_WIRE_KIND_COUNT,
};

#define FW_WIRE_NOWHERE 0xffffffffffffu

enum fw_wire_stuck {
    FW_WIRE_STUCK_NOT,
    FW_WIRE_STUCK_CYCLE, /* each waits for a lock that the next one holds, the last for the first */
    FW_WIRE_STUCK_ALL,   /* every thread of the process waits for another one */
};

enum fw_wire_wait {
    FW_WIRE_WAIT_NONE,
    FW_WIRE_WAIT_LOCK,
    FW_WIRE_WAIT_SHARED, /* for a lock, to read */
    FW_WIRE_WAIT_CONDITION,
    FW_WIRE_WAIT_SEMAPHORE,
    FW_WIRE_WAIT_BARRIER,
    FW_WIRE_WAIT_JOIN,
    FW_WIRE_WAIT_ONCE, /* until a routine that must run once has ended */
    FW_WIRE_WAIT_COUNT,
};

/* b1 of a module */
#define FW_WIRE_MODULE_INSTRUMENTED 1u
#define FW_WIRE_MODULE_MAIN         2u

/*
 * Notes that the recorder understands; a key may come several times.
 *   unmodelled=WHAT   synchronisation that was used but means nothing to the analyses
 *   off=WHY           recording stopped here; the program went on
 *   inexact=WHY       from here on the order of events is not exact
 *   partial=WHAT      nothing else of the run is told
 *   shared=WHERE      memory or code that threads shared (src/atomrace/sharing.h)
 *   anything else     kept as metadata
 */

static inline unsigned fw_wire_text_units(unsigned bytes)
{
    return (bytes + 15) / 16;
}

/* Units of a record behind the first one. */
static inline unsigned fw_wire_more(const struct fw_wire_unit *unit)
{
    unsigned kind = fw_wire_kind(unit);

    if (__builtin_expect(kind <= FW_WIRE_WRITE, 1))
        return 0;
    switch (kind) {
    case FW_WIRE_READ_RANGE:
    case FW_WIRE_WRITE_RANGE:
    case FW_WIRE_WAKE:
    case FW_WIRE_PEND:
    case FW_WIRE_START:
    case FW_WIRE_ALLOC:
    case FW_WIRE_RESIZE:
    case FW_WIRE_MAP:
    case FW_WIRE_UNMAP:
    case FW_WIRE_EXPECT:
    case FW_WIRE_STUCK:
    case FW_WIRE_STUCK_AT:
        return 1;
    case FW_WIRE_MODULE:
        return 1 + fw_wire_text_units(fw_wire_aux(unit));
    case FW_WIRE_NAME:
    case FW_WIRE_TEXT:
    case FW_WIRE_NOTE:
    case FW_WIRE_EXEC:
        return fw_wire_text_units(fw_wire_aux(unit));
    default:
        return 0;
    }
}

#endif
