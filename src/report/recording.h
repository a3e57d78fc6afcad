/*
 * recording.h - how a trace was recorded, for people and programs.
 */
#ifndef FW_REPORT_RECORDING_H
#define FW_REPORT_RECORDING_H

#include "base/json.h"
#include "record/recording.h"

/* places: what names stand for, or NULL. */
struct fw_places;

/* "recording":{...}; nothing if it is not known. */
void fw_report_recording_json(struct fw_json *json, const struct fw_recording *recording,
                              struct fw_places *places);

/* Rows "  label   value", the label as wide as told; only what there is to say. */
void fw_report_recording_rows(struct fw_output *out, const struct fw_recording *recording,
                              int width);

/* Why what is proved of the trace is not proved of the program, if there is something: "the order
 * of events is not exact in this recording". */
void fw_report_recording_doubt(struct fw_output *out, const struct fw_recording *recording);

/* What a reader of findings must know: sentences, a line each.  System libraries, which nobody
 * instruments, are left to the rows. */
void fw_report_recording_notes(struct fw_output *out, const struct fw_recording *recording,
                               struct fw_places *places);

#endif
