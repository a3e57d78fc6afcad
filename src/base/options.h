/*
 * options.h - options from one table: parsed, and described to users.
 *
 * A command keeps its options in a struct of its own and describes them in one
 * const table, which ends with an empty row:
 *
 *     struct show { bool plain; const char *output; uint64_t limit; };
 *
 *     static const struct fw_option options[] = {
 *         { "plain", 0, NULL, "one event a line, no columns",
 *           FW_OPTION(FLAG, struct show, plain) },
 *         { "output", 'o', "FILE", "write to FILE", FW_OPTION(FILE, struct show, output) },
 *         { 0 },
 *     };
 *
 * The parser here, -h, --help, man pages and completion (src/cmd) all read it.
 *
 * Syntax as in git: `--name=value`, `--name value`, `-n value`, `-nvalue`, `-ab` for
 * `-a -b`, `--no-flag`; options and operands may be mixed; `--` ends options; "-" is an
 * operand.  The last of repeated options wins; lists grow.  No abbreviations: a script must
 * not change its meaning when an option is added.  Every command has -h and --help.
 *
 * Options not given on the command line may come from a text `key=value:key=value` (the
 * environment).  Values may be quoted: `key="a:b"`.
 */
#ifndef FW_BASE_OPTIONS_H
#define FW_BASE_OPTIONS_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum fw_option_type { /* the field at `offset` */
    FW_OPTION_FLAG,   /* bool; also --no-NAME */
    FW_OPTION_TEXT,   /* const char *; NULL if not given */
    FW_OPTION_FILE,   /* the same; completed as a path */
    FW_OPTION_DIR,    /* the same; completed as a directory */
    FW_OPTION_COUNT,  /* uint64_t, decimal */
    FW_OPTION_SIZE,   /* uint64_t bytes; K, M, G, T are powers of 1024 */
    FW_OPTION_CHOICE, /* int, the place of the word in `choices` */
    FW_OPTION_LIST,   /* struct fw_words; commas separate, repeats add */
};

struct fw_option {
    const char *name;     /* long name without dashes; NULL ends the table */
    char letter;          /* short name or 0 */
    const char *argument; /* "FILE"; NULL for flags */
    const char *help;     /* one line: lower case, no full stop, at most ~50 letters */
    enum fw_option_type type;
    size_t offset;              /* of the field in the command's struct */
    const char *group;          /* heading within the options of the manual, or NULL */
    const char *detail;         /* further sentences for the manual, or NULL */
    const char *const *choices; /* NULL-terminated; required for CHOICE, may be set for LIST */
    bool rare;                  /* -h only names it, so that it fits one screen */
};

/* The type and place of an option's field, in a row of the table. */
#define FW_OPTION(type_, struct_, field_)                                                          \
    .type = FW_OPTION_##type_, .offset = offsetof(struct_, field_)

struct fw_words {
    const char **at;
    size_t len, cap;
};

enum fw_help_wish {
    FW_HELP_NONE,
    FW_HELP_SHORT,  /* -h */
    FW_HELP_MANUAL, /* --help */
};

/* What parsing leaves besides the values. */
struct fw_parsed {
    char **operands; /* count entries and a NULL behind them */
    int count;
    enum fw_help_wish help; /* if set, parsing stopped there */
    bool ended;             /* operands[dashes] and all later ones stood behind "--" */
    int dashes;
    uint64_t seen; /* bit i: row i of the table was given */
    char **owned;  /* memory behind values that do not point into argv */
    size_t owned_len;
};

#define FW_OPTIONS_MAX 64 /* rows in a table */

/* Options end at the first operand, for commands that start a program. */
#define FW_PARSE_STOP_AT_OPERAND 1u

/*
 * Fills *values (defaults already in it) from argv[0..argc-1], which excludes the command's
 * name.  Returns 0, or -1 with err for a usage error.  Release *parsed in either case.
 */
int fw_options_parse(const struct fw_option *table, void *values, int argc, char **argv,
                     unsigned flags, struct fw_parsed *parsed, struct fw_error *err);

/* One `key=value` of the environment at a time: `unknown` is told about keys not in the table. */
int fw_options_environment(const struct fw_option *table, void *values, const char *text,
                           void (*unknown)(const char *key), struct fw_parsed *parsed,
                           struct fw_error *err);

void fw_options_release(const struct fw_option *table, void *values, struct fw_parsed *parsed);

/* Was the option of this name given (anywhere)?  The name must be in the table. */
bool fw_options_seen(const struct fw_option *table, const struct fw_parsed *parsed,
                     const char *name);

/* Parsers of single values, for operands and lists: 0 or -1 (not a number, out of range). */
int fw_parse_count(const char *text, uint64_t *value);
int fw_parse_size(const char *text, uint64_t *value);

#endif
