/*
 * names.h - the variables of a finding by name, for the reports.
 */
#ifndef FW_REPORT_NAMES_H
#define FW_REPORT_NAMES_H

#include "analysis/findings.h"

FW_VEC_TYPE(fw_names, const char *);

/*
 * Distinct names in order of first appearance in the trace, borrowed from the
 * symbols; *names may hold earlier ones.  A name that was allocated again
 * stands for several variables, but is named once.
 */
void fw_names_of_variables(struct fw_names *names, const struct fw_symbols *symbols,
                           const struct fw_finding *finding);

#endif
