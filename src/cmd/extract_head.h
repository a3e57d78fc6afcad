/*
 * extract_head.h - what an extract says of itself, in the comment that it begins with.
 */
#ifndef FW_CMD_EXTRACT_HEAD_H
#define FW_CMD_EXTRACT_HEAD_H

#include "tiddle/extract.h"

/* All borrowed. */
struct fw_extract_head {
    const struct fw_extract *extract;
    const struct fw_trace *trace; /* that it was taken from */
    const char *trace_name;
    const char *id, *kind;
    const char *options; /* of check, that finding it needs: "--final-reads " or "" */
    const char *output;  /* where the extract goes, or NULL */
    bool program;        /* it becomes C */
};

/* Lines, each with a newline behind it and nothing in front.  The caller frees them. */
char *fw_extract_head(const struct fw_extract_head *head);

#endif
