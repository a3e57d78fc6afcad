/*
 * event.h - the one list of event kinds, and the event itself.
 *
 * Everything that speaks of kinds is generated from FW_EVENT_KINDS: the enum,
 * the names that parsers and printers use, what a kind's target is, and the
 * classes below.  Adding a kind is one row here (and its meaning in
 * wellformed.c and verify.c).
 *
 * A row: enum name, STD name, Tiddle name, what the target names, class flags.
 */
#ifndef FW_TRACE_EVENT_H
#define FW_TRACE_EVENT_H

#include <stdbool.h>
#include <stdint.h>

/* What a target names.  Each has a table of its own in struct fw_symbols. */
enum fw_space {
    FW_SPACE_THREAD,
    FW_SPACE_VARIABLE,
    FW_SPACE_LOCK,
    FW_SPACE_CONDITION,
    FW_SPACE_SEMAPHORE,
    FW_SPACE_BARRIER,
    FW_SPACE_BLOCK,    /* labels of atomic blocks; id 0 is the unnamed block */
    FW_SPACE_FUNCTION, /* of call and ret */
    FW_SPACE_SITE,     /* id 0 is "no site" */
    FW_SPACE_COUNT,
    FW_SPACE_NONE = FW_SPACE_COUNT, /* the kind takes no target */
};

/* Classes a kind may belong to. */
enum {
    FW_CLASS_READ = 1,      /* sees a value: r, ald, armw */
    FW_CLASS_WRITE = 2,     /* leaves a value: w, ast, armw */
    FW_CLASS_ATOMIC = 4,    /* takes a memory order: ald, ast, armw, fence */
    FW_CLASS_CONFLICT = 8,  /* can take part in a race: accesses and free */
    FW_CLASS_ACQUIRE = 16,  /* gets a lock: acq, tryacq, racq, tryracq */
    FW_CLASS_RELEASE = 32,  /* gives a lock back: rel, rrel */
    FW_CLASS_SHARED = 64,   /* the lock operation is in shared (read) mode */
    FW_CLASS_BLOCKING = 128, /* waits without a time limit until the lock is free: acq, racq, and
                                those that never got it: req, rreq, relock */
    FW_CLASS_REQUEST = 256   /* only that: changes nothing */
};

#define FW_EVENT_KINDS(X)                                                                          \
    X(READ, "r", "rd", VARIABLE, FW_CLASS_READ | FW_CLASS_CONFLICT)                                \
    X(WRITE, "w", "wr", VARIABLE, FW_CLASS_WRITE | FW_CLASS_CONFLICT)                              \
    X(ATOMIC_LOAD, "ald", "ald", VARIABLE, FW_CLASS_READ | FW_CLASS_ATOMIC | FW_CLASS_CONFLICT)    \
    X(ATOMIC_STORE, "ast", "ast", VARIABLE, FW_CLASS_WRITE | FW_CLASS_ATOMIC | FW_CLASS_CONFLICT)  \
    X(ATOMIC_RMW, "armw", "armw", VARIABLE,                                                        \
      FW_CLASS_READ | FW_CLASS_WRITE | FW_CLASS_ATOMIC | FW_CLASS_CONFLICT)                        \
    X(FENCE, "fence", "fence", NONE, FW_CLASS_ATOMIC)                                              \
    X(ACQUIRE, "acq", "acq", LOCK, FW_CLASS_ACQUIRE | FW_CLASS_BLOCKING)                           \
    X(RELEASE, "rel", "rel", LOCK, FW_CLASS_RELEASE)                                               \
    X(TRY_ACQUIRE, "tryacq", "tryacq", LOCK, FW_CLASS_ACQUIRE)                                     \
    X(TRY_FAIL, "tryfail", "tryfail", LOCK, 0)                                                     \
    X(SHARED_ACQUIRE, "racq", "racq", LOCK,                                                        \
      FW_CLASS_ACQUIRE | FW_CLASS_SHARED | FW_CLASS_BLOCKING)                                      \
    X(SHARED_RELEASE, "rrel", "rrel", LOCK, FW_CLASS_RELEASE | FW_CLASS_SHARED)                    \
    X(TRY_SHARED_ACQUIRE, "tryracq", "tryracq", LOCK, FW_CLASS_ACQUIRE | FW_CLASS_SHARED)          \
    X(NOTIFY, "notify", "notify", CONDITION, 0)                                                    \
    X(NOTIFY_ALL, "notifyall", "notifyall", CONDITION, 0)                                          \
    X(WAKE, "wake", "wake", CONDITION, 0)                                                          \
    X(POST, "post", "post", SEMAPHORE, 0)                                                          \
    X(PEND, "pend", "pend", SEMAPHORE, 0)                                                          \
    X(BARRIER_IN, "barin", "barin", BARRIER, 0)                                                    \
    X(BARRIER_OUT, "barout", "barout", BARRIER, 0)                                                 \
    X(FORK, "fork", "fork", THREAD, 0)                                                             \
    X(JOIN, "join", "join", THREAD, 0)                                                             \
    X(BRANCH, "br", "br", NONE, 0)                                                                 \
    X(BEGIN, "begin", "beg", BLOCK, 0)                                                             \
    X(END, "end", "end", BLOCK, 0)                                                                 \
    X(CALL, "call", "call", FUNCTION, 0)                                                           \
    X(RETURN, "ret", "ret", FUNCTION, 0)                                                           \
    X(ALLOC, "alloc", "alloc", VARIABLE, 0)                                                        \
    X(FREE, "free", "free", VARIABLE, FW_CLASS_CONFLICT)                                           \
    X(REQUEST, "req", "req", LOCK, FW_CLASS_BLOCKING | FW_CLASS_REQUEST)                           \
    X(SHARED_REQUEST, "rreq", "rreq", LOCK,                                                        \
      FW_CLASS_SHARED | FW_CLASS_BLOCKING | FW_CLASS_REQUEST)                                      \
    X(RELOCK, "relock", "relock", LOCK, FW_CLASS_BLOCKING | FW_CLASS_REQUEST)

enum fw_kind {
#define X(name, std, tid, space, classes) FW_##name,
    FW_EVENT_KINDS(X)
#undef X
        FW_KIND_COUNT,
    /* Dialect lines that only a decoder produces and only wellformed.c consumes. */
    FW_RAW_WAIT = FW_KIND_COUNT, /* wait(l): a whole condition wait on one line */
    FW_RAW_BROKEN,               /* under repair: a line that could not be read */
    FW_RAW_KIND_COUNT,
};

struct fw_kind_info {
    const char *std_name;
    const char *tiddle_name;
    enum fw_space space;
    unsigned classes;
};

extern const struct fw_kind_info fw_kind_info[FW_RAW_KIND_COUNT];

/* Memory orders.  The default, seq_cst, is 0 so that a plain event is all zero. */
enum fw_order {
    FW_ORDER_SEQ_CST,
    FW_ORDER_RELAXED,
    FW_ORDER_CONSUME,
    FW_ORDER_ACQUIRE,
    FW_ORDER_RELEASE,
    FW_ORDER_ACQ_REL,
    FW_ORDER_COUNT,
};

extern const char *const fw_order_names[FW_ORDER_COUNT];

#define FW_MAX_THREADS (1u << 20)

/* One event in 16 bytes.  `attr` counts in the batch's or trace's attrs; 0: none. */
struct fw_event {
    uint32_t target; /* id in the table of the kind's space; 0 where there is none */
    uint32_t site;   /* id in FW_SPACE_SITE; 0: no site */
    uint32_t thread : 20;
    uint32_t kind : 8; /* enum fw_kind */
    uint32_t order : 4; /* enum fw_order; 0 for kinds that take none */
    uint32_t attr;
};

_Static_assert(sizeof(struct fw_event) == 16, "an event is 16 bytes");

/* What few events carry.  attrs[0] of every batch and trace has no field set. */
enum {
    FW_ATTR_RF = 1,
    FW_ATTR_SIZE = 2,
    FW_ATTR_VALUE = 4,
};

struct fw_attr {
    uint64_t rf;   /* index of the write, notify or post that this event answers */
    int64_t value; /* value read or written */
    uint32_t size; /* bytes accessed or allocated */
    uint32_t has;  /* FW_ATTR_* */
};

static inline bool fw_is_class(unsigned kind, unsigned classes)
{
    return (fw_kind_info[kind].classes & classes) != 0;
}

static inline bool fw_is_read(unsigned kind)
{
    return fw_is_class(kind, FW_CLASS_READ);
}

static inline bool fw_is_write(unsigned kind)
{
    return fw_is_class(kind, FW_CLASS_WRITE);
}

/* May the two kinds race on one variable?  One writes (or frees), not both are atomic. */
static inline bool fw_kinds_conflict(unsigned a, unsigned b)
{
    unsigned ca = fw_kind_info[a].classes, cb = fw_kind_info[b].classes;
    bool writes = (ca | cb) & FW_CLASS_WRITE || a == FW_FREE || b == FW_FREE;

    return ca & cb & FW_CLASS_CONFLICT && writes && !(ca & cb & FW_CLASS_ATOMIC);
}

static inline bool fw_order_acquires(unsigned order)
{
    return order != FW_ORDER_RELAXED && order != FW_ORDER_RELEASE;
}

static inline bool fw_order_releases(unsigned order)
{
    return order == FW_ORDER_SEQ_CST || order == FW_ORDER_RELEASE || order == FW_ORDER_ACQ_REL;
}

#endif
