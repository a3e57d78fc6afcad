/*
 * heal_wire.h - what `foreweave heal` and the programs it heals share: a small file that both map.
 *
 * The command writes what is wanted and may switch healing off at any time; the processes of the
 * program count what they do, and log it in a ring that the command empties.  Counters are in the
 * file so that no crash loses them.  Threads that take part have a set of their own, as long as
 * there are any, all others share the first; what counts is the sum.
 */
#ifndef FW_ATOMRACE_HEAL_WIRE_H
#define FW_ATOMRACE_HEAL_WIRE_H

#include <stdatomic.h>
#include <stdint.h>

#define FW_HEAL_MAGIC 0x326c616568776621u
#define FW_HEAL_LOG   131072u /* entries of the ring, a power of two: more than lines are written */
#define FW_HEAL_WORDS 1024u
#define FW_HEAL_SETS  1024u /* of counters */

enum fw_heal_how {
    FW_HEAL_DRY, /* count only */
    FW_HEAL_LOCK,
    FW_HEAL_YIELD,
    FW_HEAL_SLEEP,
    FW_HEAL_PRIORITY,
};

/* Why it is off. */
enum fw_heal_off {
    FW_HEAL_ON,
    FW_HEAL_OFF_ASKED,
    FW_HEAL_OFF_BUDGET,
};

enum fw_heal_count {
    FW_HEAL_ENTERED,   /* sections */
    FW_HEAL_ENDED,     /* of them, at an end ... */
    FW_HEAL_LEFT,      /* ... in some other way */
    FW_HEAL_MET,       /* accesses that came while another thread was in a section of the word */
    FW_HEAL_WAITED,    /* of them: waited */
    FW_HEAL_NS,        /* ... for so long altogether */
    FW_HEAL_YIELDED,   /* before a section or because of one */
    FW_HEAL_SLEPT,
    FW_HEAL_RAISED,    /* priorities */
    FW_HEAL_FORBIDDEN, /* priorities that the system did not let us raise */
    FW_HEAL_LATE,      /* locks that were let go because somebody had waited for too long */
    FW_HEAL_CIRCLES,   /* ... because threads waited in a circle */
    FW_HEAL_LET_GO,    /* sections given up because the thread was about to synchronise */
    FW_HEAL_LONG,      /* ... because they did not end, or too many followed without a gap */
    FW_HEAL_NO_ROOM,   /* sections and accesses that were not healed: too many words or threads */
    FW_HEAL_COUNTS
};

/* Two lines of the cache. */
struct fw_heal_counts {
    _Alignas(128) _Atomic uint64_t at[FW_HEAL_COUNTS];
};

/* What the log says. */
enum fw_heal_what {
    FW_HEAL_LOG_WAITED, /* ns: for so long */
    FW_HEAL_LOG_MET,    /* nothing was done, or yielded, or slept */
    FW_HEAL_LOG_LATE,
    FW_HEAL_LOG_CIRCLE,
    FW_HEAL_LOG_OWN, /* the same, about to lock a mutex: its own section's lock was released */
    FW_HEAL_LOG_LET_GO,
    FW_HEAL_LOG_BUDGET,
};

struct fw_heal_entry {
    _Atomic uint64_t turn; /* its number + 1, written last; 0: never written */
    uint64_t time;         /* ns of CLOCK_MONOTONIC */
    uint64_t address, pc;  /* of the access */
    uint64_t ns;
    uint32_t what;
    int32_t process;
    uint32_t thread, other; /* numbers; other: who was in the section */
    uint32_t section;       /* number of the other's section, or of the thread's own (LET_GO) */
    uint32_t unused;
};

/* A word of a global variable that sections are over: it has a lock from the beginning. */
struct fw_heal_word {
    uint64_t device, inode, offset; /* of the file, and from where it is loaded */
    uint32_t reads_wait, unused;
};

struct fw_heal_wire {
    uint64_t magic;
    /* written by the command before the program starts */
    uint32_t how, unsafe;
    uint32_t watch, unused; /* with locks: also look for violations, as without healing */
    uint64_t bound;  /* ns that a thread waits at most */
    uint64_t sleep;  /* ns */
    uint32_t budget; /* percent of the threads' time; 100: all of it */
    uint32_t word_count;
    struct fw_heal_word words[FW_HEAL_WORDS];
    /* both */
    _Atomic uint32_t off; /* enum fw_heal_off */
    struct fw_heal_counts counts[FW_HEAL_SETS];
    _Atomic uint32_t sets;   /* given to threads, without the first, perhaps more than there are */
    _Atomic uint64_t logged; /* entries begun */
    struct fw_heal_entry log[FW_HEAL_LOG];
};

#endif
