/*
 * cmd.h - what a command is, and what commands share.
 *
 * One const descriptor per command, in a file of its own; main.c has the table and dispatches.
 * Everything users are told about a command (-h, --help, man page, completion) is in it.
 *
 * To add the command `foreweave NAME`:
 *   1. src/cmd/cmd_NAME.c: the struct of its options, its option table, its run function, and
 *      `const struct fw_command fw_cmd_NAME = { .name = "NAME", ... };`
 *   2. below: `extern const struct fw_command fw_cmd_NAME;`
 *   3. main.c: a row in commands[], in the order of the help.
 * A subcommand `foreweave GROUP NAME` is the same with src/cmd/cmd_GROUP_NAME.c,
 * fw_cmd_GROUP_NAME and a row in the children[] of cmd_GROUP.c; a group is a command with
 * .children in place of .run (see cmd_trace.c).
 *
 * The frame parses options into a zeroed (or .defaults) struct before it calls run, checks the
 * number of operands, and answers -h and --help.  run gets that struct and the operands
 * (argv[argc] is NULL) and returns an exit status.  It prints results through a
 * struct fw_output (fw_cmd_output below), errors and warnings only through the functions here.
 */
#ifndef FW_CMD_CMD_H
#define FW_CMD_CMD_H

#include "base/error.h"
#include "base/options.h"
#include "base/output.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

enum fw_exit {
    FW_EXIT_OK = 0,        /* nothing found */
    FW_EXIT_USAGE = 2,     /* the command line is wrong */
    FW_EXIT_INPUT = 3,     /* an input is missing or malformed */
    FW_EXIT_FINDINGS = 66, /* something was found */
    FW_EXIT_BUDGET = 124,  /* budget spent, nothing found */
    FW_EXIT_FAILURE = 125, /* Foreweave could not do its work */
};

struct fw_exit_note {
    int status; /* negative: all others; comes last */
    const char *meaning; /* NULL ends the table */
};

struct fw_example {
    const char *command; /* "foreweave trace show a.std"; NULL ends the table */
    const char *says;    /* what it does: lower case, no full stop */
};

struct fw_command {
    const char *name;
    const char *summary;               /* what it does, in one line: lower case, no full stop */
    const char *operands;              /* "TRACE..." as in the synopsis; NULL: none */
    const char *description;           /* paragraphs; "\n\n" between them, no other newlines */
    const struct fw_option *options;   /* ends with an empty row; NULL: none */
    size_t options_size;               /* sizeof the struct that the table fills */
    const void *defaults;              /* initial values; NULL: all zero */
    int min_operands, max_operands;    /* max INT_MAX: any number */
    const struct fw_example *examples; /* or NULL */
    const struct fw_exit_note *exits;  /* NULL: 0, 2, 3 and 125 */
    int (*run)(const void *options, int argc, char **argv);
    const struct fw_command *const *children; /* ends with NULL; then run is NULL */
    bool rare;                                /* the group's -h only names it */
    bool stop_at_operand;                     /* options end at the first operand */
    bool foreign; /* the arguments are another program's; only options in front are ours */
};

extern const struct fw_command fw_cmd_root; /* foreweave itself: its children are the commands */
extern const struct fw_command fw_cmd_cc;
extern const struct fw_command fw_cmd_atomrace;
extern const struct fw_command fw_cmd_check;
extern const struct fw_command fw_cmd_coverage;
extern const struct fw_command fw_cmd_coverage_show;
extern const struct fw_command fw_cmd_coverage_merge;
extern const struct fw_command fw_cmd_coverage_export;
extern const struct fw_command fw_cmd_cxx;
extern const struct fw_command fw_cmd_doctor;
extern const struct fw_command fw_cmd_explore;
extern const struct fw_command fw_cmd_guard;
extern const struct fw_command fw_cmd_heal;
extern const struct fw_command fw_cmd_learn;
extern const struct fw_command fw_cmd_help;
extern const struct fw_command fw_cmd_list;
extern const struct fw_command fw_cmd_record;
extern const struct fw_command fw_cmd_run;
extern const struct fw_command fw_cmd_replay;
extern const struct fw_command fw_cmd_sections;
extern const struct fw_command fw_cmd_sections_find;
extern const struct fw_command fw_cmd_sections_show;
extern const struct fw_command fw_cmd_sections_refine;
extern const struct fw_command fw_cmd_tiddle;
extern const struct fw_command fw_cmd_tiddle_compile;
extern const struct fw_command fw_cmd_tiddle_enumerate;
extern const struct fw_command fw_cmd_tiddle_extract;
extern const struct fw_command fw_cmd_trace;
extern const struct fw_command fw_cmd_trace_convert;
extern const struct fw_command fw_cmd_trace_info;
extern const struct fw_command fw_cmd_trace_show;
extern const struct fw_command fw_cmd_trace_verify;
extern const struct fw_command fw_cmd_version;

/* Words of --format. */
enum fw_report_format {
    FW_FORMAT_TEXT,
    FW_FORMAT_JSON,
};

extern const char *const fw_report_formats[]; /* "text", "json", NULL */
extern const char *const fw_trace_formats[];  /* "std", "tid", "fwt", NULL */

/* Rows that several commands have. */
#define FW_FORMAT_OPTION(type, field)                                                              \
    {                                                                                              \
        "format", 0, "FORMAT", "text (default) or json", FW_OPTION(CHOICE, type, field),           \
            .choices = fw_report_formats                                                           \
    }

#define FW_OUTPUT_OPTION(type, field)                                                              \
    {                                                                                              \
        "output", 'o', "FILE", "write the result to FILE", FW_OPTION(FILE, type, field)            \
    }

#define FW_REPAIR_OPTION(type, field)                                                              \
    {                                                                                              \
        "repair", 0, NULL, "drop ill-formed events and go on", FW_OPTION(FLAG, type, field),       \
            .detail = "Real logs are often slightly wrong. Without this option the first "         \
                      "ill-formed event ends the command with status 3; with it such events are "  \
                      "dropped, counted, and the first reason is printed."                         \
    }

/* Errors and warnings: "foreweave: MESSAGE" on standard error. */
void fw_cmd_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void fw_cmd_warning(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* So many processes (none: says nothing) outlived a run of the program and were ended. */
void fw_cmd_warn_left(unsigned processes);

/* Prints err and returns status: `return fw_cmd_fail(FW_EXIT_INPUT, &err);` */
int fw_cmd_fail(int status, const struct fw_error *err);

/* Prints the message and where to find help on this command; returns FW_EXIT_USAGE. */
int fw_cmd_usage(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * Opens the file for the result, or standard output if path is NULL or "-".
 * 0, or the exit status after printing the error.
 */
int fw_cmd_output(struct fw_output *out, const char *path);

/* The same, before long work: can it be opened?  Nothing is left behind. */
int fw_cmd_try_output(const char *path);

/* Is `out` one of the operands that are read?  Then a usage error: it would be overwritten. */
int fw_cmd_check_output(const char *out, int argc, char **argv);
bool fw_cmd_same_file(const char *in, const char *out);

/*
 * Closes it.  Returns status, or FW_EXIT_FAILURE (and prints why) if writing failed.  If the status
 * says that the work failed, a file is not made, and an older one of that name stays.
 */
int fw_cmd_output_close(struct fw_output *out, int status);

/* Colour is wanted: a terminal, not dumb, and NO_COLOR not set. */
bool fw_cmd_colour(int fd);

/* Columns of the terminal behind fd, or `otherwise`. */
unsigned fw_cmd_width(int fd, unsigned otherwise);

#endif
