/* table.c - the analyses there are: one row each. */
#include "analysis/analysis.h"

#include <string.h>

const struct fw_analysis *const fw_analyses[] = {
    &fw_analysis_race,
    &fw_analysis_deadlock,
    &fw_analysis_atomicity,
    &fw_analysis_nondet,
    &fw_analysis_iroot,
    &fw_analysis_hb,
    &fw_analysis_lockset,
    &fw_analysis_cp,
    &fw_analysis_mb,
    &fw_analysis_sidetrack,
    &fw_analysis_velodrome,
    &fw_analysis_overlap,
    &fw_analysis_between,
    &fw_analysis_null,
    NULL,
};

const char *const fw_guarantee_names[FW_GUARANTEE_COUNT] = {
    [FW_SOUND] = "sound",         [FW_FIRST] = "first",   [FW_OBSERVED] = "observed",
    [FW_HEURISTIC] = "heuristic", [FW_NO_CLAIM] = "none",
};

const struct fw_analysis *fw_analysis_find(const char *name)
{
    for (size_t i = 0; fw_analyses[i]; i++)
        if (strcmp(fw_analyses[i]->name, name) == 0)
            return fw_analyses[i];
    return NULL;
}
