/*
 * constraints.h - what passing runs of a program taught: a value, and a small text file.
 *
 *     foreweave constraints 2
 *     program bank 8a5c01f2
 *     runs 12 3
 *     site 1 r bank deposit bank.c:14 +2 "balance = balance + amount;"
 *     site 2 w bank deposit bank.c:14 +2 "balance = balance + amount;"
 *     site 3 w bank open bank.c:9 +3 "balance = 0;"
 *     site 4 - bank report bank.c:31#2 +4 "print(balance);"
 *     pset 1 none read 2
 *     pset 2 self
 *     own 3 none
 *     cut call 4
 *     end
 *
 * A *site* is a place in the source that survives a rebuild: what happens there (r, w, or - where
 * it is no access), the module (a file's name without its folder), the function, and the spot in
 * it (sections.h has what a spot is).  A site that is named was passed in learning.
 *
 * `pset` has the sites that the first may immediately depend on in another thread; there may be
 * none of them.  `self`: it may also depend on an access of its own thread; `none`: on none, where
 * nobody has accessed the memory before; `read`: a read may come behind another thread's read.
 * A site with a pset is *shared*: it accessed memory that threads shared.  Others accessed only
 * memory of their own thread, or are there for a cutpoint; `own` has what they came behind, for the
 * day when another run shows that they are shared.
 *
 * `cut` is a place where a transaction may be split: at the entry of a function, at a call, where
 * a loop begins, where an iteration begins, or just before an access.  `cut claim`, `cut last` and
 * `cut more` are no such places.  claim: a transaction that reads there mostly writes the word
 * later, and keeps others away from then on.  last: a transaction made its last access there; more:
 * one made another behind it.  Where it was always the last it may end a little sooner.
 *
 * `program` names what was run, with the build id of the module as a hint: files of other builds
 * fit as far as their places are found.  `runs` counts passing and failing runs, which are dropped.
 *
 * `end` is the last line, so that a file that was cut is known as such.  Files of version 1 have
 * none; they are read, and written as version 2.
 *
 * Equal constraints are written as equal files: everything is sorted.  Texts are owned by the
 * constraints.  Not thread-safe.
 */
#ifndef FW_LEARN_CONSTRAINTS_H
#define FW_LEARN_CONSTRAINTS_H

#include "base/error.h"
#include "base/output.h"
#include "sections/sections.h"

#include <stdbool.h>
#include <stdint.h>

#define FW_LEARNT_SITES_MOST (1u << 20)

enum fw_learnt_does {
    FW_LEARNT_READ,
    FW_LEARNT_WRITE,
    FW_LEARNT_PLACE, /* no access */
};

enum fw_cut_kind {
    FW_CUT_ENTRY,
    FW_CUT_CALL,
    FW_CUT_LOOP,
    FW_CUT_ITERATION,
    FW_CUT_ACCESS,
    FW_CUT_CLAIM, /* no cutpoint: a read of what its transaction writes later, mostly */
    FW_CUT_LAST,  /* nor these: the last access of a transaction ... */
    FW_CUT_MORE,  /* ... and one behind which there was another */
    FW_CUT_KINDS,
};

extern const char *const fw_cut_kinds[FW_CUT_KINDS + 1]; /* as in the file; ends with NULL */

/* at.write is what `does` says. */
struct fw_learnt_site {
    enum fw_learnt_does does;
    char *module;
    char *function;
    struct fw_spot at;
};

struct fw_learnt_cut {
    enum fw_cut_kind kind;
    uint32_t site;
};

struct fw_learnt_module {
    char *name;     /* a file's, without its folder */
    char *build_id; /* in hexadecimal digits, or "-" */
};

struct fw_constraints;

struct fw_constraints *fw_constraints_create(void);
void fw_constraints_destroy(struct fw_constraints *constraints);

/* NULL: err names file and line.  Only regular files: nobody waits for what a pipe may bring. */
struct fw_constraints *fw_constraints_read(const char *path, struct fw_error *err);
struct fw_constraints *fw_constraints_read_memory(const char *text, size_t bytes, const char *name,
                                                  struct fw_error *err);
void fw_constraints_print(const struct fw_constraints *constraints, struct fw_output *out);
int fw_constraints_write(const struct fw_constraints *constraints, const char *path,
                         struct fw_error *err);
/* The same, of what began as the file there, which had so many runs: adds what others have added to
 * it meanwhile, if it is of the same program.  Of two at once one waits, for some seconds. */
int fw_constraints_update(struct fw_constraints *constraints, const char *path,
                          uint64_t passed_before, uint64_t failed_before, struct fw_error *err);

/* --- the program ----------------------------------------------------------------------------- */

/* Of one name the last build id counts. */
void fw_constraints_add_module(struct fw_constraints *constraints, const char *name,
                               const char *build_id);
size_t fw_constraints_module_count(const struct fw_constraints *constraints);
const struct fw_learnt_module *fw_constraints_module(const struct fw_constraints *constraints,
                                                     size_t i);

/* -1: none of the modules is the program, and err says so of the file. */
int fw_constraints_are_of(const struct fw_constraints *constraints, const char *program,
                          const char *path, struct fw_error *err);

void fw_constraints_add_runs(struct fw_constraints *constraints, uint64_t passed, uint64_t failed);
uint64_t fw_constraints_passed(const struct fw_constraints *constraints);
uint64_t fw_constraints_failed(const struct fw_constraints *constraints);

/* --- sites ----------------------------------------------------------------------------------- */

#define FW_LEARNT_NONE UINT32_MAX

/* The site's number from 0 on, which never changes while the constraints live; its texts are
 * copied.  The same place of another build is the same site: what it does, module, function, the
 * file's own name, the line within the function (or the line, where that is not known), ordinal
 * and text of the line make it. */
uint32_t fw_constraints_site(struct fw_constraints *constraints, const struct fw_learnt_site *site);
/* FW_LEARNT_NONE: it is not there. */
uint32_t fw_constraints_find(const struct fw_constraints *constraints,
                             const struct fw_learnt_site *site);
uint32_t fw_constraints_site_count(const struct fw_constraints *constraints);
/* Good until a site is added. */
const struct fw_learnt_site *fw_constraints_get(const struct fw_constraints *constraints,
                                                uint32_t site);

void fw_learnt_site_release(struct fw_learnt_site *site);
/* "write at bank.c:14 in deposit".  The caller frees it. */
char *fw_learnt_site_text(const struct fw_learnt_site *site);

/* --- predecessor sets ------------------------------------------------------------------------ */

/* The site has a pset, perhaps an empty one.  It is an access.  True: that is new. */
bool fw_constraints_share(struct fw_constraints *constraints, uint32_t site);
bool fw_constraints_is_shared(const struct fw_constraints *constraints, uint32_t site);
/* `site` may immediately depend on `before`; one of them writes, both become shared.  True: new. */
bool fw_constraints_add_pair(struct fw_constraints *constraints, uint32_t site, uint32_t before);
bool fw_constraints_has_pair(const struct fw_constraints *constraints, uint32_t site,
                             uint32_t before);
size_t fw_constraints_pair_count(const struct fw_constraints *constraints);
/* The sites of its pset, in no certain order. */
size_t fw_constraints_pset(const struct fw_constraints *constraints, uint32_t site,
                           const uint32_t **before);

/* What else it may depend on. */
enum {
    FW_AFTER_NOBODY = 1,
    FW_AFTER_SELF = 2,
    FW_AFTER_READ = 4,
};

/* True: some of it is new. */
bool fw_constraints_allow(struct fw_constraints *constraints, uint32_t site, unsigned also);
unsigned fw_constraints_allowed(const struct fw_constraints *constraints, uint32_t site);

/* --- cutpoints ------------------------------------------------------------------------------- */

/* True: new. */
bool fw_constraints_add_cut(struct fw_constraints *constraints, enum fw_cut_kind kind,
                            uint32_t site);
bool fw_constraints_has_cut(const struct fw_constraints *constraints, enum fw_cut_kind kind,
                            uint32_t site);
size_t fw_constraints_cut_count(const struct fw_constraints *constraints);
const struct fw_learnt_cut *fw_constraints_cut(const struct fw_constraints *constraints, size_t i);

/* --- merging --------------------------------------------------------------------------------- */

/* What a merge brought. */
struct fw_learnt_news {
    size_t sites, shared, pairs, also, cuts;
};

/* Adds everything of `from`, which is left as it is. */
struct fw_learnt_news fw_constraints_merge(struct fw_constraints *into,
                                           const struct fw_constraints *from);

#endif
