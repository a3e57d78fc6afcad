/*
 * spot_text.h - spots as they stand in text files: FILE:LINE#ORDINAL +OFFSET "TEXT" (sections.h).
 */
#ifndef FW_SECTIONS_SPOT_TEXT_H
#define FW_SECTIONS_SPOT_TEXT_H

#include "base/words.h"
#include "sections/sections.h"

/* The next word as it is; NULL: there is none, and the line's err says `missing`. */
const char *fw_line_any(struct fw_line *line, const char *missing);

/* FILE:LINE, and #ORDINAL if ordinals may be there.  -1: err. */
int fw_spot_read_where(struct fw_line *line, struct fw_spot *spot, bool ordinals);
/* The rest of the line: +2 "balance = balance + amount;", both optional, nothing behind it. */
int fw_spot_read_hints(struct fw_line *line, struct fw_spot *spot);

/* A text as a word if it can be one, else in quotes. */
void fw_output_as_word(struct fw_output *out, const char *text);
void fw_spot_print_where(const struct fw_spot *spot, struct fw_output *out);
/* With the end of the line. */
void fw_spot_print_hints(const struct fw_spot *spot, struct fw_output *out);

#endif
