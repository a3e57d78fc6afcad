/*
 * result_read.h - reads the findings of a result file (JSON) back in.
 *
 * Only what is needed to check findings is kept: the trace, what was found, the events
 * and the witness, by index.  The file may come from anywhere: whatever is in
 * it, the answer is a result or one error that names the file and the finding.
 * Keys that are not known are skipped; a known key given twice is an error,
 * since others might read the other one.
 *
 *     { "schema": 1,
 *       "findings": [ { "id": "3f2a9c", "kind": "race",
 *                       "events": [ { "index": 4, "thread": "T1", "op": "w", "target": "x" },
 *                                   { "index": 9 } ],
 *                       "witness": [ 0, 1, 7, 8, 4, 9 ] } ] }
 *
 * Of a nondeterministic read `saw` is the write that it saw in the trace, an event.
 * A finding without witness (or with null) has nothing to check.  `thread`,
 * `op`, `target` and `site` of an event are optional.  What a witness has to show
 * follows from the kind, unless `claim` names another kind's: a pattern over
 * two variables is of kind atomicity, and its witness shows an order.
 */
#ifndef FW_REPORT_RESULT_READ_H
#define FW_REPORT_RESULT_READ_H

#include "base/error.h"
#include "trace/verify.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fw_result_event {
    uint64_t index;
    char *thread, *op, *target; /* what the file says that the event is; NULL: does not say */
    char *site;
};

struct fw_result_finding {
    char *id;   /* "#3" for the third one if the file gives none */
    char *kind; /* as in the file */
    char *trace; /* that it is of, if the result is of several; NULL: does not say */
    char *status; /* "confirmed", as in the file; NULL: does not say */
    struct fw_result_event *events;
    size_t event_count;
    struct fw_result_event *saw; /* of a read: the write that it saw in the trace; NULL: not said */
    bool has_witness;
    enum fw_claim claim; /* what the witness is to show; only with a witness */
    uint32_t window;     /* of an instance of an idiom; FW_VERIFY_WINDOW unless it says so */
    uint64_t *witness;   /* indices, in the reordered order */
    size_t witness_count;
};

struct fw_result {
    bool values;   /* "values": true at the top: equal values counted as unchanged */
    char *trace;   /* "name" of the "trace": the path that was analysed; NULL: not said */
    bool repaired; /* its "dropped" is not 0: it was read with repair */
    struct fw_result_finding *findings;
    size_t count;
};

/* Reads the file ("-": standard input); the caller owns *result.  0 or -1. */
int fw_result_read(struct fw_result **result, const char *path, struct fw_error *err);

/* The same over memory; `name` is for messages. */
int fw_result_read_memory(struct fw_result **result, const char *text, size_t size,
                          const char *name, struct fw_error *err);

void fw_result_destroy(struct fw_result *result);

#endif
