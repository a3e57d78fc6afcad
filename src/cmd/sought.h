/*
 * sought.h - the iRoot that a failing run was to expose, as reports of campaigns have it.
 */
#ifndef FW_CMD_SOUGHT_H
#define FW_CMD_SOUGHT_H

#include "base/json.h"
#include "base/output.h"
#include "explore/campaign.h"
#include "memo/memo.h"

/* A line, or the field "sought" of the object at hand; nothing if no run sought anything. */
void fw_sought_text(struct fw_output *out, const struct fw_failure *failure,
                    struct fw_coverage *coverage);
void fw_sought_json(struct fw_json *json, const struct fw_failure *failure,
                    struct fw_coverage *coverage);

/* The same for failures of earlier campaigns, of which it is not known whether it was exposed. */
void fw_sought_known_text(struct fw_output *out, const struct fw_memo_iroot *iroot);
void fw_sought_known_json(struct fw_json *json, const struct fw_memo_iroot *iroot);

/* A copy of its own, and what frees that. */
struct fw_memo_iroot fw_sought_copy(const struct fw_memo_iroot *iroot);
void fw_sought_release(struct fw_memo_iroot *copy);

#endif
