/*
 * record_coverage.h - which iRoots a recorded run has exposed, into the memo database.
 */
#ifndef FW_CMD_RECORD_COVERAGE_H
#define FW_CMD_RECORD_COVERAGE_H

#include "cmd/entered.h"
#include "record/recorder.h"

/* Of every process that was recorded; unless quiet, says how many were new.  -1: err. */
int fw_record_coverage(struct fw_entered *entered, const struct fw_recorded *recorded, bool quiet,
                       struct fw_error *err);

#endif
