/*
 * reading.h - what commands that read traces have in common.
 */
#ifndef FW_CMD_READING_H
#define FW_CMD_READING_H

#include "cmd/cmd.h"
#include "trace/reader.h"

/* Values of --from: -1 means "find out". */
#define FW_FROM_UNKNOWN (-1)

#define FW_FROM_OPTION(type, field)                                                                \
    {                                                                                              \
        "from", 0, "FORMAT", "the input is std, tid or fwt", FW_OPTION(CHOICE, type, field),       \
            .choices = fw_trace_formats,                                                           \
            .detail = "By default .fwt is known by its first bytes, Tiddle by the extension "      \
                      ".tid, and everything else is read as STD."                                  \
    }

#define FW_SYMBOLS_OPTION(type, field)                                                             \
    {                                                                                              \
        "no-symbols", 0, NULL, "show names as they were recorded", FW_OPTION(FLAG, type, field),   \
            .detail = "A recorded trace names code and data by module and offset. By default "     \
                      "they are shown as file and line, functions and variables, which needs the " \
                      "program that was recorded (the same build) and its debug information."      \
    }

/* "std" for --from=std, NULL for FW_FROM_UNKNOWN. */
static inline const char *fw_format_name(int format)
{
    return format < 0 ? NULL : fw_trace_formats[format];
}

/* Warns of what the reader found at the end: the file is cut, or events were dropped. */
void fw_cmd_read_warnings(const struct fw_reader *reader, const char *consequence);

/* Opens the trace; 0, or the exit status after printing the error. */
int fw_cmd_open_trace(struct fw_reader **reader, const char *path,
                      const struct fw_read_options *options);

#endif
