/*
 * coverage.h - the iRoots that the runs of a campaign have exposed, and their static accesses.
 *
 * Workers number accesses (fw_coverage_number, any thread).  Everything else is for one thread,
 * while no worker runs: what runs have exposed is added run by run.
 */
#ifndef FW_EXPLORE_COVERAGE_H
#define FW_EXPLORE_COVERAGE_H

#include "base/vec.h"
#include "iroot/iroot.h"
#include "memo/memo.h"

#include <stddef.h>

FW_VEC_TYPE(fw_iroot_vec, struct fw_iroot);

struct fw_coverage;
struct fw_trace; /* trace/trace.h */

struct fw_coverage *fw_coverage_create(void);
void fw_coverage_destroy(struct fw_coverage *coverage);

/* fw_number_access of watcher.h; the context is the coverage.  Thread-safe. */
uint32_t fw_coverage_number(void *coverage, const char *module, uint64_t offset,
                            enum fw_iroot_does does);

/* Numbers the accesses of a recorded run, so that their places are known: its names tell them. */
void fw_coverage_locate(struct fw_coverage *coverage, const struct fw_trace *trace);

/* A run has exposed these, each once; returns how many of them no run before it has. */
uint32_t fw_coverage_add(struct fw_coverage *coverage, const struct fw_iroot_vec *exposed);

/* Those of a run that was recorded, not controlled. */
uint32_t fw_coverage_add_recorded(struct fw_coverage *coverage,
                                  const struct fw_iroot_vec *exposed);
/* How many by idiom: of all runs, and of those under control. */
void fw_coverage_count(const struct fw_coverage *coverage, uint32_t all[FW_IDIOMS + 1],
                       uint32_t controlled[FW_IDIOMS + 1]);

/* All so far, and those that runs under control have exposed. */
struct fw_iroot_set *fw_coverage_set(struct fw_coverage *coverage);
const struct fw_iroot_set *fw_coverage_controlled(const struct fw_coverage *coverage);
struct fw_strtab *fw_coverage_accesses(struct fw_coverage *coverage);
/* For the memo database; good until an access is numbered. */
struct fw_memo_names fw_coverage_names(struct fw_coverage *coverage);

#endif
