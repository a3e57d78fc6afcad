/*
 * guard_wire.h - what `foreweave learn` and `foreweave guard` share with the programs they run: a
 * file that both map, or that a service maps by itself.
 *
 * The command writes where the hooks of the program's modules are, which site each belongs to, and
 * the pairs of sites that are known.  The program notes pairs that are new (learning), or treats
 * them as violations (guarding), and logs those in a ring.  A pair is (site, site it depends on);
 * pairs are in an open hash table, which either side adds to.
 *
 * Numbers of sites go from 1 to site_count.  All parts lie behind the head, at the offsets that it
 * has.  A program that finds anything wrong with the file says so and runs without it.
 */
#ifndef FW_GUARD_WIRE_H
#define FW_GUARD_WIRE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FW_GUARD_MAGIC   0x3164726175677721u
#define FW_GUARD_VERSION 3u
#define FW_GUARD_LOG     1024u /* entries of the ring; a power of two */
#define FW_GUARD_FRAMES  12u
#define FW_GUARD_SITES   ((1u << 20) - 4) /* with two that are no accesses; one more is words.h's */
#define FW_GUARD_MODULES 64u

enum fw_guard_mode {
    FW_GUARD_LEARN,  /* notes pairs that are not known */
    FW_GUARD_ALLOW,  /* known pairs are allowed, others are violations */
    FW_GUARD_FORBID, /* known pairs are violations, others are allowed */
    FW_GUARD_LIFETX, /* transactions are kept apart: lifetx.h */
};

enum fw_guard_off {
    FW_GUARD_ON,
    FW_GUARD_OFF_ASKED,
    FW_GUARD_OFF_BUDGET,
};

/* Of a site, set by the command ... */
#define FW_GUARD_HAS_PAIRS 1u /* its set is not empty */
#define FW_GUARD_CLAIM 1u  /* FW_GUARD_LIFETX: reads as if it wrote */
#define FW_GUARD_END  2u   /* FW_GUARD_LIFETX: a transaction ends behind it */
#define FW_GUARD_PRIVATE 64u /* FW_GUARD_LEARN: earlier runs came by, and it was not shared */
#define FW_GUARD_CUT  64u  /* FW_GUARD_LIFETX: a transaction ends before it ... */
#define FW_GUARD_PLACE 128u /* ... and it is no access that is watched */
/* ... and by the program. */
#define FW_GUARD_SEEN   2u /* was passed */
#define FW_GUARD_NOBODY 8u  /* depended on no access at all, ... */
#define FW_GUARD_SELF   16u /* ... on its own thread's, ... */
#define FW_GUARD_READ   32u /* ... came behind another thread's read; these by either side */
#define FW_GUARD_HOT   128u /* was retired; not FW_GUARD_LIFETX, which retires none */
#define FW_GUARD_ALSO   3u  /* what FW_WORD_* and FW_AFTER_* are shifted by for these */
#define FW_GUARD_SHARED 4u /* met memory that another thread had accessed, one of the two writing */

/* A pair in the table: site << 32 | before << 8 | flags; 0: free. */
#define FW_GUARD_PAIR(site, before) ((uint64_t)(site) << 32 | (uint64_t)(before) << 8)
#define FW_GUARD_PAIR_KEY  (~UINT64_C(0xff))
#define FW_GUARD_PAIR_NEW  UINT64_C(1) /* by the program, in this run */
#define FW_GUARD_PAIR_GONE UINT64_C(2) /* it could not be avoided, and is allowed */

struct fw_guard_hook {
    uint32_t returns; /* from the module's load base */
    uint32_t site;    /* 0: its call is to be made nothing */
    uint8_t length;   /* of the call's instruction; 0: it cannot be changed */
    uint8_t jumps;    /* it is a jump that does not come back */
    uint16_t frame;   /* FW_GUARD_BEGINS or FW_GUARD_GOES_ON, perhaps FW_GUARD_BARE, and the bytes
                         from the stack pointer before the call to the end of its function's
                         frame; 0: neither */
    uint32_t function; /* that it is in, from 1; 0: it has no regions */
};

/* Regions that can be run again (symbol/rerun.h): a place begins one, or one goes on there. */
#define FW_GUARD_BEGINS  0x8000u
#define FW_GUARD_GOES_ON 0x4000u
#define FW_GUARD_BARE    0x2000u /* its frame must not be restored */
#define FW_GUARD_FRAME   0x1fffu

struct fw_guard_module {
    uint64_t device, inode; /* of the file */
    uint32_t first_hook, hook_count; /* by address */
};

enum fw_guard_count {
    FW_GUARD_DEPENDS,    /* accesses that depended on another thread's */
    FW_GUARD_VIOLATIONS,
    FW_GUARD_STALLED,    /* of them: avoided by waiting */
    FW_GUARD_PASSED,     /* not avoided */
    FW_GUARD_NS,         /* waited altogether */
    FW_GUARD_PATCHED,    /* calls of hooks made nothing */
    FW_GUARD_KEPT,       /* ... that could not be */
    FW_GUARD_PLACED,     /* hooks that are watched */
    FW_GUARD_LOST,       /* pairs that found no room */
    FW_GUARD_RETIRED,    /* sites that were passed too often */
    FW_GUARD_AGAIN,      /* violations that were avoided by running a region again */
    FW_GUARD_FORCED,     /* regions that were run again for no reason (head.force) */
    FW_GUARD_COUNTS
};

enum fw_guard_done {
    FW_GUARD_DID_NOTHING, /* dry run, or nothing could help: went on */
    FW_GUARD_DID_STALL,
    FW_GUARD_DID_PASS, /* waited in vain */
    FW_GUARD_DID_STOP, /* not a violation: the budget is spent */
    FW_GUARD_DID_AGAIN, /* ran a region again */
};

struct fw_guard_entry {
    _Atomic uint64_t turn; /* its number + 1, written last; 0: never written */
    uint64_t time;         /* ns of CLOCK_REALTIME */
    uint64_t address;
    uint64_t ns; /* that it took */
    uint32_t site, before;
    uint32_t thread, other;
    uint32_t also;   /* before 0: what it came behind, one of FW_WORD_* */
    uint16_t window; /* FW_GUARD_DID_AGAIN: places of the region that were passed, at most, ... */
    uint16_t undone; /* ... and writes that were undone */
    int32_t process;
    uint32_t done;
    uint32_t tries; /* roll-backs */
    uint32_t frame_count;
    uint64_t frames[FW_GUARD_FRAMES]; /* (module + 1) << 48 | offset; the innermost is the hook's */
    uint64_t rests; /* FW_GUARD_LIFETX, waited in vain: the call that the other thread is blocked
                       in, or gave something back by in its transaction, as a frame; 0: none */
};

struct fw_guard_head {
    uint64_t magic;
    uint32_t version, mode;
    uint64_t bytes; /* of the file */
    /* what is wanted */
    uint32_t also;  /* FW_GUARD_NOBODY and its like are kept, too */
    uint32_t every; /* all accesses take the long way */
    uint32_t dry, keep_calls; /* keep_calls: no call is changed */
    uint64_t stall;  /* ns */
    uint32_t budget; /* percent of the time; 100: all of it */
    uint32_t hot, unused; /* a site that is passed so often in a second is retired; 0: none is */
    uint32_t noise;       /* of so many in a thousand accesses the thread dwells first ... */
    uint64_t noise_most;  /* ... for so many ns at most */
    uint64_t seed;
    uint32_t rollback; /* so often a region is run again at most; 0: never */
    uint32_t force;    /* of so many in a thousand places a region is run again for no reason */
    uint32_t module_count, hook_count, site_count;
    uint32_t function_count; /* with regions */
    uint64_t pair_room; /* a power of two */
    uint64_t modules_at, hooks_at, sites_at, needs_at, pairs_at, log_at; /* offsets */
    /* both */
    _Atomic uint32_t off;        /* enum fw_guard_off */
    _Atomic uint32_t generation; /* counts how often it was switched on */
    _Atomic uint32_t started;    /* processes that took part */
    _Atomic uint32_t reserved;
    _Atomic uint64_t pair_count;
    _Atomic uint64_t logged; /* entries begun */
    _Atomic uint64_t counts[FW_GUARD_COUNTS];
};

static inline struct fw_guard_module *fw_guard_modules(const struct fw_guard_head *head)
{
    return (struct fw_guard_module *)((char *)head + head->modules_at);
}

static inline struct fw_guard_hook *fw_guard_hooks(const struct fw_guard_head *head)
{
    return (struct fw_guard_hook *)((char *)head + head->hooks_at);
}

/* By number of the site. */
static inline _Atomic uint8_t *fw_guard_sites(const struct fw_guard_head *head)
{
    return (_Atomic uint8_t *)((char *)head + head->sites_at);
}

/* The same; FW_GUARD_FORBID: the site that must have been passed before, 0: none. */
static inline uint32_t *fw_guard_needs(const struct fw_guard_head *head)
{
    return (uint32_t *)((char *)head + head->needs_at);
}

static inline _Atomic uint64_t *fw_guard_pairs(const struct fw_guard_head *head)
{
    return (_Atomic uint64_t *)((char *)head + head->pairs_at);
}

static inline struct fw_guard_entry *fw_guard_log(const struct fw_guard_head *head)
{
    return (struct fw_guard_entry *)((char *)head + head->log_at);
}

/* Do all its parts lie in a file of so many bytes?  (wire_check.c) */
bool fw_guard_is_whole(const struct fw_guard_head *head, uint64_t bytes);
/* The same: of a whole one, do its numbers name what is there, in order? */
bool fw_guard_is_sound(const struct fw_guard_head *head);

/* The pair's place in the table, or the free one where it would be; NULL: the table is full. */
static inline _Atomic uint64_t *fw_guard_pair_at(const struct fw_guard_head *head, uint64_t pair)
{
    _Atomic uint64_t *pairs = fw_guard_pairs(head);
    uint64_t mask = head->pair_room - 1, at = (pair >> 8) * 0x9e3779b97f4a7c15u >> 20;

    for (uint64_t i = 0; i <= mask; i++, at++) {
        /* relaxed: a pair is one word, which says all */
        uint64_t there = atomic_load_explicit(&pairs[at & mask], memory_order_relaxed);

        if (!there || (there & FW_GUARD_PAIR_KEY) == pair)
            return &pairs[at & mask];
    }
    return NULL;
}

/* Adds it with these flags; an older one stays as it is.  False: there is no room. */
static inline bool fw_guard_pair_add(struct fw_guard_head *head, uint64_t pair, uint64_t flags)
{
    for (;;) {
        _Atomic uint64_t *at = fw_guard_pair_at(head, pair);
        uint64_t none = 0;

        /* Three quarters full is full: looking for what is not there must end soon. */
        if (!at || atomic_load(&head->pair_count) * 4 > head->pair_room * 3)
            return at && (atomic_load(at) & FW_GUARD_PAIR_KEY) == pair;
        if (atomic_compare_exchange_strong(at, &none, pair | flags)) {
            atomic_fetch_add(&head->pair_count, 1);
            return true;
        }
        if ((none & FW_GUARD_PAIR_KEY) == pair)
            return true;
    }
}

#endif
