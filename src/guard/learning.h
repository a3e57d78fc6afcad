/*
 * learning.h - what accesses teach.
 *
 * A hook comes before its access.  Where nothing keeps other threads from accessing the word in
 * between, what the hook saw need not be what the access did, and a passing run would teach what it
 * has not done.  So what is new is kept back until the thread is seen next, at a hook or in an
 * interceptor, and forgotten if the word was written meanwhile.  Under a lock that never happens:
 * the lock's release is seen first.
 */
#ifndef FW_GUARD_LEARNING_H
#define FW_GUARD_LEARNING_H

#include "guard/guard.h"

/* The access is noted, and what it teaches kept back; `seen` is of this cell. */
void fw_guard_learn(uintptr_t word, uint64_t cell, uint32_t who, bool write,
                    const struct fw_word_seen *seen);

/* The thread is seen again, or ends. */
void fw_guard_learnt(void);

/* Noise: makes interleavings likely that are rare, in learning and in tests. */
void fw_guard_dwell(void);

/* What a site finds besides where only shared ones are watched, as marks of a site.  Which are
 * is what earlier runs have shown: in this one, it may turn out later. */
static inline unsigned fw_guard_unseen(uint64_t cell, uint32_t who, bool write)
{
    const _Atomic uint8_t *marks = fw_guard_sites(fw_guard);

    return fw_word_unseen(cell, who, write,
                          !(marks[fw_word_site((uint32_t)(cell >> 32))] & FW_GUARD_PRIVATE),
                          !(marks[fw_word_site((uint32_t)cell)] & FW_GUARD_PRIVATE))
           << FW_GUARD_ALSO;
}

/* Is some of that not known of the site yet? */
static inline bool fw_guard_has_unseen(uint64_t cell, uint32_t site, uint32_t who, bool write)
{
    unsigned marks = fw_guard_sites(fw_guard)[site], most = FW_GUARD_SELF | FW_GUARD_NOBODY;

    return (marks & most) != most && fw_guard_unseen(cell, who, write) & ~marks;
}

#endif
