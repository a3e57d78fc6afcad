/*
 * profile_meet.h - do instances of two couples go together?  For profile_meet.c and
 * profile_group.c.
 *
 * What is found is added to the guess; a couple's instances are worked out when they are first
 * asked for, and belong to the meetings, as the timelines of entries do.
 */
#ifndef FW_IROOT_PROFILE_MEET_H
#define FW_IROOT_PROFILE_MEET_H

#include "iroot/profile_state.h"

FW_VEC_TYPE(occurrences, struct occurrence);

/* When an entry occurred: the first and the last one in each of its versions, ascending. */
struct timeline {
    uint32_t entry;
    struct occurrences firsts, lasts;
};

/* A couple, and what it is sorted by. */
struct paired {
    uint64_t object, second_object;
    uint32_t thread;
    uint32_t run; /* of the first one with its first entry: how many there are */
    const struct kind *kind; /* of the first entry */
    struct couple *couple;
    bool known; /* its instances */
    struct instances at;
};

struct meetings {
    const struct guess *g;
    FW_VEC(struct paired) couples;
    FW_VEC(struct timeline) timelines;
    struct fw_idmap by_entry;
    uint64_t looks; /* at two couples at once; so many are left for the objects at hand */
    bool cut;       /* they did not suffice */
};

/* Both couples have the same objects, in the same order: idioms 3, 4 and 6.  One object: both of
 * their objects are the same one. */
void fw_meet_alike(struct meetings *all, struct paired *p, struct paired *q, bool one_object);
/* ... in the opposite order: idiom 5. */
void fw_meet_opposite(struct meetings *all, struct paired *p, struct paired *q);
/* The couple's objects are one, of which b is an entry as well: idiom 2. */
void fw_meet_between(struct meetings *all, struct paired *p, uint32_t b);

#endif
