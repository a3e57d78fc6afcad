/*
 * coverage.h - what a memo database knows of one program, for people and programs: tables, lists,
 * data and a picture.
 *
 * A coverage is loaded once, and is a value of its own then: no report asks the database.  Strings
 * belong to it.
 */
#ifndef FW_REPORT_COVERAGE_H
#define FW_REPORT_COVERAGE_H

#include "base/json.h"
#include "base/output.h"
#include "base/strtab.h"
#include "base/vec.h"
#include "memo/memo.h"

/*
 * How much there is still to be exposed, by Chao's estimator for samples that are sets ("Chao2",
 * bias-corrected): of iRoots that are rarely seen there are probably more that were never seen.
 *
 *     all = seen + (m - 1) / m * q1 (q1 - 1) / (2 (q2 + 1))      next = q1 / m
 *
 * where q1, q2 iRoots were seen in one, two of the m runs; `next` (Good and Turing) is how many new
 * ones the next run will expose.  It is a lower bound, for more runs of the same kind: not for
 * other inputs, and not for what only a directed run exposes.
 */
struct fw_saturation {
    bool known; /* there are two runs at least */
    uint64_t seen, once, twice;
    double all, next;
};

struct fw_coverage {
    struct fw_memo_program program;
    size_t builds;     /* that are known */
    uint64_t failures; /* runs that failed */
    uint64_t all_runs; /* plain ones too */
    const char *build; /* all is about this one alone; NULL: about all; "": it is not known */
    unsigned idiom; /* all is about this one alone; 0: about all */
    struct fw_memo_counts counts[FW_IDIOMS + 1];
    FW_VEC(struct fw_memo_row) iroots;
    FW_VEC(struct fw_memo_past) runs; /* in the order of time, without plain ones */
    struct fw_saturation saturation;
    struct fw_strtab texts;
};

/* The build: the beginning of its name, "all", or "latest" or NULL for the one that was used last.
 * -1: err.  Release it in either case. */
int fw_coverage_load(struct fw_coverage *coverage, struct fw_memo *memo,
                     const struct fw_memo_program *program, const char *build, unsigned idiom,
                     struct fw_error *err);
void fw_coverage_release(struct fw_coverage *coverage);

/* iRoots of the run that were new, as far as the coverage is about them. */
uint64_t fw_coverage_fresh(const struct fw_coverage *coverage, const struct fw_memo_past *run);

/* For people: the table, growth, saturation, failures; or what is untested, by source line. */
void fw_coverage_show(struct fw_output *out, const struct fw_coverage *coverage);
void fw_coverage_untested(struct fw_output *out, const struct fw_coverage *coverage);

/* The same as JSON; with `everything` all iRoots and runs. */
void fw_coverage_json(struct fw_json *json, const struct fw_coverage *coverage, bool untested,
                      bool everything);

/* Rows of data, for both kinds in CSV and in plain text; the head comes first, once. */
void fw_coverage_iroots_csv(struct fw_output *out, const struct fw_coverage *coverage, bool head);
void fw_coverage_growth_csv(struct fw_output *out, const struct fw_coverage *coverage, bool head);
void fw_coverage_iroots_text(struct fw_output *out, const struct fw_coverage *coverage);
void fw_coverage_growth_text(struct fw_output *out, const struct fw_coverage *coverage);

/* How the number of exposed iRoots has grown, as a picture. */
void fw_coverage_svg(struct fw_output *out, const struct fw_coverage *coverage);

/* "3 runs", "1 run". */
void fw_coverage_many(struct fw_output *out, uint64_t count, const char *what);
/* Of a time in milliseconds since 1970: "2026-03-01T12:00:00Z". */
void fw_coverage_time(char text[32], int64_t ms);

#endif
