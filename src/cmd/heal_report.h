/*
 * heal_report.h - internal to foreweave heal: what is said before and after.
 */
#ifndef FW_CMD_HEAL_REPORT_H
#define FW_CMD_HEAL_REPORT_H

#include "cmd/heal.h"
#include "cmd/regions.h"

/* Sections that are not locked, and why; reasons[section] NULL: it is. */
void fw_heal_tell_refused(const struct fw_sections *sections, char *const *reasons);
/* What was done, on standard error; refused: so many sections are not locked. */
void fw_heal_tell_counts(const struct fw_heal_wire *wire, const struct fw_regions_file *regions,
                         unsigned refused);

#endif
