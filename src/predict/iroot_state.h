/*
 * iroot_state.h - what the predictor of iRoots keeps; for iroot*.c of this folder only.
 *
 *     iroot_facts.c   accesses: what they do, where, next to which; what the trace exposes
 *     iroot_roots.c   candidates, sorted by iRoot
 *     iroot_pairs.c   pairs of accesses within a thread, and what idioms they make
 *     iroot.c         idiom 1, the predictor, the forecast
 */
#ifndef FW_PREDICT_IROOT_STATE_H
#define FW_PREDICT_IROOT_STATE_H

#include "base/vec.h"
#include "iroot/naming.h"
#include "predict/core.h"
#include "predict/iroot.h"
#include "predict/lanes.h"

/* A variable or a lock: its id times 2, plus 1 for locks. */
static inline uint32_t fw_iroot_object(const struct fw_event *event)
{
    return event->target * 2 + (fw_kind_info[event->kind].space == FW_SPACE_LOCK);
}

static inline bool fw_iroot_is_access(unsigned kind)
{
    return fw_is_class(kind, FW_CLASS_CONFLICT | FW_CLASS_ACQUIRE | FW_CLASS_RELEASE);
}

/* May an access of kind b depend on one of kind a, of the same object?  Threads aside. */
static inline bool fw_iroot_kinds_depend(unsigned a, unsigned b)
{
    if (!fw_iroot_writes(a) && !fw_iroot_writes(b))
        return false;
    if (fw_kind_info[a].space != FW_SPACE_LOCK)
        return true;
    return fw_is_class(a, FW_CLASS_RELEASE) && fw_is_class(b, FW_CLASS_ACQUIRE);
}

/* --- iroot_facts.c --------------------------------------------------------------------------- */

struct fw_iroot_facts {
    const struct fw_core *core;
    const struct fw_index *index;
    const struct fw_trace *trace;
    struct fw_strtab *names;    /* the static accesses ... */
    struct fw_strtab own_names; /* ... if nobody else gave a table */
    uint32_t *accesses;         /* by position: their numbers, or FW_ACCESS_NONE */
    uint32_t *before, *behind;  /* by position: its thread's access of the object next to it */
    uint32_t *ordinal;          /* by position: how many accesses its thread made before */
    uint64_t *shared;           /* bit by object: two threads access it, one writes */
    const struct fw_iroot_set *known;
    struct fw_iroot_set *exposed; /* the same if nobody else gave it */
};

void fw_iroot_facts_init(struct fw_iroot_facts *facts, const struct fw_core *core,
                         const struct fw_predict_options *options);
void fw_iroot_facts_release(struct fw_iroot_facts *facts);

static inline bool fw_iroot_shared(const struct fw_iroot_facts *facts, uint32_t object)
{
    return facts->shared[object / 64] >> (object % 64) & 1;
}

/* May b depend immediately on a?  False only if no correct reordering has it so. */
bool fw_iroot_open(const struct fw_iroot_facts *facts, uint32_t a, uint32_t b);
/* The part of it that locks decide. */
bool fw_iroot_locks_let(const struct fw_iroot_facts *facts, uint32_t a, uint32_t b);

/* --- iroot_roots.c --------------------------------------------------------------------------- */

struct fw_iroot_root {
    struct fw_iroot iroot;
    const char *label;
    struct fw_iroot_candidate {
        uint64_t cost; /* of its witness, about: where it ends, and how much is turned round */
        uint32_t events[FW_IROOT_MOST];
    } * candidates;
    uint32_t len, size;
    uint64_t left; /* others that were not kept */
};

struct fw_iroot_roots {
    const struct fw_iroot_facts *facts;
    uint32_t cap;
    struct fw_strtab numbers; /* normal iRoot → root */
    FW_VEC(struct fw_iroot_root) at;
    bool cut;  /* there were too many roots */
    bool lost; /* there were too many pairs: of compound idioms there may be more candidates */
};

void fw_iroot_roots_init(struct fw_iroot_roots *roots, const struct fw_iroot_facts *facts,
                         uint32_t cap);
void fw_iroot_roots_release(struct fw_iroot_roots *roots);

/* An instance with these events, A to D, of an iRoot that is not known. */
void fw_iroot_add(struct fw_iroot_roots *roots, const struct fw_iroot *iroot,
                  const uint32_t *events);
/* Has it as many candidates as are kept? */
bool fw_iroot_is_full(const struct fw_iroot_roots *roots, const struct fw_iroot *iroot);
/* So many others of it were not looked at. */
void fw_iroot_leave(struct fw_iroot_roots *roots, const struct fw_iroot *iroot, uint64_t count);
/* When all are there: sorts roots by idiom, and the candidates of each by cost. */
void fw_iroot_roots_sort(struct fw_iroot_roots *roots);

/* --- iroot_pairs.c --------------------------------------------------------------------------- */

struct fw_iroot_pairs;

struct fw_iroot_pairs *fw_iroot_pairs_create(const struct fw_iroot_facts *facts,
                                             struct fw_iroot_roots *roots,
                                             const struct fw_predict_options *options);
void fw_iroot_pairs_destroy(struct fw_iroot_pairs *pairs);
/* Does some of the work; false: there is no more. */
bool fw_iroot_pairs_work(struct fw_iroot_pairs *pairs);

static inline bool fw_iroot_wanted(const struct fw_predict_options *options, unsigned idiom)
{
    return !options->idioms || options->idioms >> idiom & 1;
}

#endif
