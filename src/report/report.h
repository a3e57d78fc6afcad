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
    const struct fw_report_stats *stats; /* NULL: leave them out */
};

/* TSan's skeleton, which people and their scripts know, with what it lacks. */
void fw_report_text(const struct fw_report *report, bool colour, struct fw_output *out);

/* One object; docs/commands.md has an example. */
void fw_report_json(const struct fw_report *report, struct fw_output *out);

/* The fields that every report about a trace has: counts of what was set aside, cut. */
void fw_report_json_status(struct fw_json *json, const struct fw_read_status *status);

/* Over all analyses. */
uint64_t fw_report_findings(const struct fw_report *report);

#endif
