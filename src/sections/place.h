/*
 * place.h - where the sections of a repository are in the code of a program or library.
 *
 * Each spot becomes the return addresses of its hook, one for each copy of the function (inlined
 * ones, instances of templates).  The rule, for a function that the section names (scopes may be
 * left out) with FILE's name:
 *
 *   1. The spot has a text, and the source can be read and is not newer than the module: the line
 *      of the function with an access of its kind and this text; of several the nearest to where it
 *      was.  If there is none the line has changed, and the spot is not placed.
 *   2. Else the line as far from the function's first one as it was.
 *   3. Else, if one of these is not known, FILE:LINE.
 *   Then the hook of its ordinal among those of its kind in the line.  If the section names a
 *   global variable, hooks are left out whose code always accesses another one, and if that of the
 *   ordinal is not known to be the variable's, one that is counts: the first of an entry, the last
 *   of an end.
 *
 * Of several functions of this name (overloads, static ones) that with most of FILE's folders is
 * meant, then the one that is nearest to where the entry was.
 *
 * A copy counts if it has the entry and an end; spots that are missing there are told.  One that is
 * inlined counts only if its calls can be told apart (inlined.h).  What is in no copy is not
 * placed, and told with the reason.
 */
#ifndef FW_SECTIONS_PLACE_H
#define FW_SECTIONS_PLACE_H

#include "sections/sites.h"

enum fw_place_role {
    FW_PLACE_ENTRY,
    FW_PLACE_END,
    FW_PLACE_EXIT,
};

/* One hook. */
struct fw_placed {
    uint32_t section; /* index in the repository */
    enum fw_place_role role;
    uint32_t which; /* index of the end, or of the exit */
    uint32_t copy;  /* of the function: struct fw_site */
    bool write;
    uint64_t returns; /* where it returns to, from the module's load base */
    uint64_t address; /* of the module: what is accessed there is always this; 0: not known */
    bool anew; /* an entry that was passed before is passed in another call (inlined.h) */
};

/* What could not be placed. */
struct fw_unplaced {
    uint32_t section;
    bool whole;   /* nothing of the section is placed; else only one of its ends or exits is not */
    bool foreign; /* whole: the module has no such function at all */
    char *reason;
};

struct fw_placement {
    char *path; /* the module */
    uint64_t device, inode;
    FW_VEC(struct fw_placed) placed;     /* by section, copy, role, address */
    FW_VEC(struct fw_unplaced) unplaced; /* by section */
};

/* -1: the module cannot be read, or has neither hooks nor lines.  Otherwise fw_placement_release
 * ends it. */
int fw_sections_place(const struct fw_sections *sections, const char *path,
                      struct fw_placement *placement, struct fw_error *err);
/* The same in a module that is open; there are always its results. */
void fw_sections_place_in(const struct fw_sections *sections, struct fw_sites *sites,
                          struct fw_placement *placement);
void fw_placement_release(struct fw_placement *placement);

/* Is anything of the section placed? */
bool fw_placement_has(const struct fw_placement *placement, uint32_t section);

#endif
