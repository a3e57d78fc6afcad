/*
 * places.h - where the cutpoints of a build are in its source, and back.
 *
 * Traces name places PATH+0xOFFSET: a site by the last byte of its call, a function by where its
 * entry hook returns to; a loop is named by the first byte of its header.  Constraints name them by
 * sites that survive a rebuild.  Sites of access hooks are those of sections/sites.h.  Calls of
 * anything else, functions and loops are places: function, line, and which one of its kind it is in
 * this line of this copy of the function, by address; a loop is where its header's code is.  One
 * site may stand for several places, in inlined copies and instances of templates; a cutpoint at
 * one of them is one at all.  Modules without hooks have no places: what code without hooks calls
 * is cut at its entry.
 *
 * A module is looked into when one of its places is asked for first.  Also knows the loops
 * (fw_cut_places_code).  Not thread-safe.
 */
#ifndef FW_LIFETX_PLACES_H
#define FW_LIFETX_PLACES_H

#include "lifetx/cuts.h"
#include "lifetx/lifetx.h"

struct fw_cut_places;

struct fw_cut_places *fw_cut_places_create(void);
void fw_cut_places_destroy(struct fw_cut_places *places);

/* The loops of the programs' code, for learning; borrowed. */
struct fw_lifetx_code fw_cut_places_code(struct fw_cut_places *places);

/* "PATH+0xOFFSET": the path's length and the offset; false: it is none. */
bool fw_cut_place_parse(const char *name, size_t *path_len, uint64_t *offset);

/* The site that the cutpoint's place is; NULL: it is not known in the source.  Borrowed. */
const struct fw_learnt_site *fw_cut_places_site(struct fw_cut_places *places,
                                                const struct fw_cut *cut);

/*
 * Adds the cutpoint to the constraints.  False: its place is not known in the source, so that it
 * holds for this build alone.  *is_new: it was not there.
 */
bool fw_cut_places_store(struct fw_cut_places *places, const struct fw_cut *cut,
                         struct fw_constraints *constraints, bool *is_new);

/* Adds the cutpoints of the constraints that are in this module to the cuts; returns how many are
 * not found though they name the module. */
size_t fw_cut_places_load(struct fw_cut_places *places, const struct fw_constraints *constraints,
                          const char *path, struct fw_cuts *cuts);

#endif
