/*
 * learner.h - constraints from runs of a program, one after the other.
 *
 * Every site of the program is watched.  A run that passed teaches: sites that it came by, which of
 * them met shared memory, and pairs.  A run that failed teaches nothing.
 *
 * Not thread-safe.
 */
#ifndef FW_LEARN_LEARNER_H
#define FW_LEARN_LEARNER_H

#include "learn/wire_file.h"

struct fw_learner;

/* Adds to the constraints; both are borrowed and outlive it.  The wish's mode and sites are the
 * learner's.  NULL: err. */
struct fw_learner *fw_learner_create(const struct fw_learn_program *program,
                                     struct fw_constraints *constraints,
                                     const struct fw_guard_wish *wish, struct fw_error *err);
void fw_learner_destroy(struct fw_learner *learner);

/* For the program: guard=PATH. */
struct fw_guard_file *fw_learner_file(struct fw_learner *learner);

/* A run has ended.  -1: err, the program has written over what it shares with us. */
int fw_learner_take(struct fw_learner *learner, bool passed, struct fw_learnt_news *news,
                    struct fw_error *err);

/* --- what was learnt ------------------------------------------------------------------------- */

#define FW_LEARN_SIZES 8u /* sets of 0, 1, 2, ... and of 7 and more sites */

struct fw_learnt_sizes {
    size_t sites;                  /* accesses that were passed */
    size_t shared;                 /* of them */
    size_t of_size[FW_LEARN_SIZES]; /* sites, those that are not shared counted as empty */
    size_t largest;
};

struct fw_learnt_sizes fw_learnt_sizes(const struct fw_constraints *constraints);

#endif
