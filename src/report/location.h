/*
 * location.h - what kind of memory a variable is, for the reports.
 */
#ifndef FW_REPORT_LOCATION_H
#define FW_REPORT_LOCATION_H

#include "analysis/findings.h"
#include "symbol/symbolizer.h"
#include "trace/symbols.h"

enum fw_location_kind {
    FW_LOCATION_VARIABLE, /* all that is known is its name */
    FW_LOCATION_GLOBAL,
    FW_LOCATION_HEAP,
    FW_LOCATION_STACK,
    FW_LOCATION_KIND_COUNT,
};

extern const char *const fw_location_kind_names[FW_LOCATION_KIND_COUNT];

struct fw_location {
    enum fw_location_kind kind;
    const char *name;                 /* of the variable */
    struct fw_source_variable global; /* of a global variable */
    uint64_t block, offset;           /* heap: which allocation it was, and where in the block */
    const struct fw_origin *origin;   /* heap: the allocation; NULL: unknown */
    char thread[32];                  /* stack: whose */
};

/* The variable that all accesses of the finding are on, or FW_NO_VARIABLE. */
uint32_t fw_finding_variable(const struct fw_finding *finding);

struct fw_location fw_report_location(const struct fw_symbols *symbols,
                                      const struct fw_contexts *contexts, uint32_t variable);

#endif
