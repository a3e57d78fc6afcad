/*
 * traced.h - predecessor sets from recorded runs of a program: what `foreweave learn` does where
 * runs are under a strategy's control, and recorded.
 *
 * Accesses of a trace are taken in its order, which is exact, and judged by the code that judges
 * them in programs (guard/words.h): words of four bytes, the same threads, the same sites, the same
 * number of readers that are remembered.  A variable of a trace is a range of bytes of a module, a
 * stack or a block of the heap; blocks that lie in the same place one after the other are different
 * variables, as memory that was freed is forgotten there.  Accesses without a hook of the program's
 * sites (atomic ones, what libc does) are passed over.
 *
 * There is one at a time in a process, since words belong to the process.  Not thread-safe.
 */
#ifndef FW_LEARN_TRACED_H
#define FW_LEARN_TRACED_H

#include "learn/program.h"

struct fw_traced;

/* Adds to the constraints; both are borrowed and outlive it.  NULL: err. */
struct fw_traced *fw_traced_create(const struct fw_learn_program *program,
                                   struct fw_constraints *constraints, struct fw_error *err);
void fw_traced_destroy(struct fw_traced *traced);

/* The trace of a run that passed, recorded with repeats.  -1: err; what was learnt until then
 * counts. */
int fw_traced_learn(struct fw_traced *traced, const char *path, struct fw_learnt_news *news,
                    struct fw_error *err);

#endif
