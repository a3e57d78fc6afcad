/*
 * reproducer.h - what is left behind when the verifier rejects a witness of ours.
 *
 * Two files in the current directory (or, if that cannot be written, in
 * TMPDIR): the trace, and a result that claims the finding.  `foreweave trace
 * verify` shows the mistake with them.
 */
#ifndef FW_REPORT_REPRODUCER_H
#define FW_REPORT_REPRODUCER_H

#include "base/error.h"
#include "predict/predict.h"

#include <limits.h>

struct fw_reproducer {
    char trace[PATH_MAX], result[PATH_MAX];
};

/* 0 or -1. */
int fw_reproducer_write(struct fw_reproducer *files, const struct fw_trace *trace,
                        const struct fw_rejection *rejection, struct fw_error *err);

#endif
