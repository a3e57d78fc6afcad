/*
 * std_decoder.h - the two halves of the STD reader, which only know each other.
 *
 * std_line.c reads any line there is, with all checks and messages.
 * std_decoder.c reads the ordinary line whose names are known, fast, and hands
 * every other line over.
 */
#ifndef FW_TRACE_STD_DECODER_H
#define FW_TRACE_STD_DECODER_H

#include "trace/std_names.h"
#include "trace/std_ops.h"
#include "trace/text_decoder.h"

struct fw_std_decoder {
    struct fw_text_decoder text;
    struct fw_std_ops ops;
    struct fw_std_cache names[FW_SPACE_COUNT];
    struct fw_std_cache long_names[FW_SPACE_COUNT]; /* by hash */
    struct fw_std_numbers numbers[FW_SPACE_COUNT];  /* of targets, which are many */
};

/* Lets the fast half know a name, as a target or not, under the spelling that was met. */
void fw_std_teach(struct fw_std_decoder *std, enum fw_space space, bool target, const char *name,
                  size_t len, uint32_t id);

/* The parts of struct fw_text_syntax, in std_line.c and std_branch.c. */
int fw_std_read_line(struct fw_text_decoder *decoder, const char *line, size_t len,
                     struct fw_error *err);
bool fw_std_has_branch(const char *lines, size_t size);

#endif
