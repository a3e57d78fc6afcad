/*
 * guard.h - internal to foreweave guard: what is watched, and what was done.
 *
 * The command writes a file (guard/guard_wire.h), which the program maps; it stays beside the
 * program only to empty the log and to look for the switches.  The program needs nothing of it.
 */
#ifndef FW_CMD_GUARD_H
#define FW_CMD_GUARD_H

#include "base/output.h"
#include "cmd/ring.h"
#include "learn/wire_file.h"

/* --- what is watched (guard_plan.c) ---------------------------------------------------------- */

struct fw_guard_plan {
    struct fw_learn_program *program;
    struct fw_guard_wish wish;
    bool *watched;  /* by site of the program */
    uint8_t *also;  /* the same: what else they may come behind, FW_AFTER_* */
    FW_VEC(uint64_t) pairs; /* site << 32 | before */
    FW_VEC(uint64_t) needs; /* site << 32 | the one that must come first */
    bool lifetx; /* keeps transactions apart; else predecessor sets are kept to */
    struct fw_guard_points points;
    struct fw_guard_stretches stretches;
    bool *claims, *ends; /* by site of the program */
    bool uncut;  /* nothing about cutpoints was learnt */
    size_t lost; /* cutpoints that this build lacks */
    size_t sites, missing; /* shared sites of the constraints, and those that this build lacks */
};

/* The wish is set but for mode and sites.  -1: err, also if the constraints are of another program
 * or nothing of them is found.  Release it in either case. */
int fw_guard_plan_constraints(struct fw_guard_plan *plan, const char *path, bool watch_unseen,
                              struct fw_error *err);
/* Forbids the orders of the confirmed findings of a result.  *skipped: confirmed ones that are no
 * orders of two accesses that this build has. */
int fw_guard_plan_result(struct fw_guard_plan *plan, const char *path, size_t *skipped,
                         struct fw_error *err);
void fw_guard_plan_release(struct fw_guard_plan *plan);

/* -1: err. */
int fw_guard_plan_write(struct fw_guard_plan *plan, struct fw_guard_file *file,
                        const char *path, struct fw_error *err);

/* --- cutpoints (guard_cuts.c) ---------------------------------------------------------------- */

/* Adds where they are, in order, and which sites of the program are claims and ends; returns how
 * many have no place in this build. */
size_t fw_guard_cuts_place(const struct fw_learn_program *program,
                           const struct fw_constraints *constraints,
                           struct fw_guard_points *points, bool *claims, bool *ends);

/* --- regions (guard_stretches.c) -------------------------------------------------------------- */

/* Adds where regions begin and go on, in order, with these sites watched; returns how many
 * functions have them. */
uint32_t fw_guard_stretches_find(const struct fw_learn_program *program, const bool *watched,
                                 struct fw_guard_stretches *stretches);

/* --- what is not watched any more (guard_bare.c) ---------------------------------------------- */

/* Writes the functions all of whose watched places were retired, as a list of clang's for builds
 * without their hooks; others with retired places in comments.  -1: err. */
int fw_guard_bare_write(const struct fw_learn_program *program, const struct fw_guard_head *head,
                       const char *path, struct fw_error *err);

/* --- the log (guard_log.c) ------------------------------------------------------------------- */

struct fw_guard_log {
    struct fw_output out;
    bool open;
    bool transactions; /* it is what violations are of */
    const struct fw_learn_program *program;
    struct fw_symbolizer *symbolizer;
    FW_VEC(uint32_t) modules; /* numbers in the symbolizer */
    struct fw_cut_places *places; /* where transactions may be split; NULL: not asked yet */
    struct fw_ring_reader reader;
    uint64_t said; /* lines that are no violations */
};

/* Appends to the file; path NULL: there is none.  -1: err. */
int fw_guard_log_open(struct fw_guard_log *log, const char *path,
                      const struct fw_learn_program *program, struct fw_error *err);
/* What is in the ring. */
void fw_guard_log_drain(struct fw_guard_log *log, const struct fw_guard_file *file);
/* A line of the command's own. */
void fw_guard_log_say(struct fw_guard_log *log, const char *text);
/* -1: something could not be written. */
int fw_guard_log_close(struct fw_guard_log *log, struct fw_error *err);

#endif
