/*
 * naive_sidetrack.h - SideTrack twice, for small traces: by the rules of its
 * figure 20.3 with whole vector clocks, and by its definition of concurrent
 * operations (chapter 19) with matrices.
 *
 * Both are read as docs/analyses/sidetrack.md says: for every block at every
 * level, and for the culprits of either lock mode.
 */
#ifndef FW_TESTS_NAIVE_SIDETRACK_H
#define FW_TESTS_NAIVE_SIDETRACK_H

#include "base/vec.h"
#include "trace/index.h"

enum fw_sidetrack_error {
    FW_SIDETRACK_BEFORE,
    FW_SIDETRACK_IN,
    FW_SIDETRACK_AFTER,
};

/* Positions of the two acquires and of the culprit. */
struct fw_sidetrack_report {
    enum fw_sidetrack_error error;
    uint32_t first, second, culprit;
};

FW_VEC_TYPE(fw_sidetrack_reports, struct fw_sidetrack_report);

/* Sorted, each once; the caller releases the vector. */
struct fw_sidetrack_reports fw_naive_sidetrack_rules(const struct fw_index *index, bool functions);
struct fw_sidetrack_reports fw_naive_sidetrack_definition(const struct fw_index *index,
                                                          bool functions);

/*
 * Windows with a culprit in them, whatever else the thread has learnt: what
 * the words of the source call an IN-error.  More than the rule reports.
 */
struct fw_sidetrack_reports fw_naive_sidetrack_observed(const struct fw_index *index,
                                                        bool functions);

void fw_sidetrack_reports_sort(struct fw_sidetrack_reports *reports);

#endif
