/*
 * report.h - what analyses have found, written for people or for programs.
 *
 * Reports decide nothing: they say what is in the sinks, in that order.  Equal
 * traces give equal bytes; times and memory appear only if they are asked for.
 */
#ifndef FW_REPORT_REPORT_H
#define FW_REPORT_REPORT_H

#include "analysis/engine.h"
#include "base/json.h"
#include "base/output.h"
#include "record/recording.h"
#include "report/replays.h"
#include "trace/reader.h"

struct fw_report_stats {
    double seconds;
    uint64_t peak_kilobytes;
};

/* All borrowed. */
struct fw_report {
    const char *name;            /* of the trace, for people */
    const char *path;            /* for commands; NULL: it cannot be read again */
    const char *format;          /* "std", "tid", "fwt" */
    const char *reading_options; /* that reading it again needs: "--repair " or "" */
    const struct fw_read_status *status;
    const struct fw_symbols *symbols;
    bool has_branches;
    const struct fw_engine *engine;      /* finished */
    const struct fw_index *index;        /* for witnesses; NULL: no finding has one */
    const uint64_t *order;               /* the question of --order, by index ... */
    size_t order_count;                  /* ... 0: there is none */
    bool values;                         /* equal values count as no change */
    uint32_t window;                     /* of iroots; 0: FW_IROOT_WINDOW */
    const struct fw_recording *recording; /* how it was recorded; NULL: not known */
    const struct fw_replays *replays;    /* NULL: nothing was replayed */
    bool one_of_several;                 /* findings say which trace they are of */
    const char *cut;                     /* why only the beginning was analysed, or empty */
    uint64_t steps;                      /* of a witness that text shows at most; 0: all */
    const struct fw_report_stats *stats; /* NULL: leave them out */
};

/* TSan's skeleton, which people and their scripts know, with what it lacks. */
void fw_report_text(const struct fw_report *report, bool colour, struct fw_output *out);

/* One object; docs/commands.md has an example. */
void fw_report_json(const struct fw_report *report, struct fw_output *out);

/* Parts of both, for commands that put reports about several traces together: the "trace", a
 * finding, and what a reader of findings must know. */
void fw_report_json_trace(struct fw_json *json, const struct fw_report *report);
void fw_report_json_finding(struct fw_json *json, const struct fw_report *report,
                            const struct fw_analysis *analysis, const struct fw_finding *finding);
void fw_report_text_finding(const struct fw_report *report, const struct fw_analysis *analysis,
                            const struct fw_finding *finding, bool colour, struct fw_output *out);
void fw_report_text_notes(const struct fw_report *report, struct fw_output *out);

/* The fields that every report about a trace has: counts of what was set aside, cut. */
void fw_report_json_status(struct fw_json *json, const struct fw_read_status *status);

/* The table of the source of nondet, for any predictive analysis. */
struct fw_report_table {
    uint64_t possible;            /* suspects: with what cheap filters refute */
    uint64_t infeasible_by_cycle; /* without a choice */
    uint64_t feasible_without_choice;
    uint64_t with_choice;   /* choices had to be explored ... */
    uint64_t choice_graphs; /* ... so many ... */
    double per_witness;     /* ... on average */
};

struct fw_report_table fw_report_table(const struct fw_predict_counts *counts);

/* Is a proof about the trace none about the program (fw_report_recording_doubt)?  Then no finding
 * is proven. */
bool fw_report_doubted(const struct fw_report *report, const struct fw_analysis *analysis);

/* Over all analyses. */
uint64_t fw_report_findings(const struct fw_report *report);

/* Was a budget spent before one of them was through? */
bool fw_report_spent(const struct fw_report *report);

/* "feasible", "infeasible" or "undecided": the answer to --order. */
const char *fw_report_order_answer(const struct fw_report *report);

#endif
