/*
 * coverage.h - what the commands of `foreweave coverage` share.
 */
#ifndef FW_CMD_COVERAGE_H
#define FW_CMD_COVERAGE_H

#include "cmd/cmd.h"
#include "report/coverage.h"

#define FW_DB_OPTION(type, field)                                                                  \
    {                                                                                              \
        "db", 0, "DATABASE", "the memo database (" FW_MEMO_DEFAULT ")",                            \
            FW_OPTION(FILE, type, field),                                                          \
            .detail = "A file of SQLite, or the URL of a PostgreSQL database: "                    \
                      "postgresql://[USER[:PASSWORD]@]HOST[:PORT]/NAME. A password is better "     \
                      "kept in ~/.pgpass, since others may see command lines."                     \
    }

#define FW_PROGRAM_OPTION(type, field)                                                             \
    {                                                                                              \
        "program", 0, "NAME", "only this program", FW_OPTION(TEXT, type, field)                    \
    }

#define FW_IDIOM_OPTION(type, field)                                                               \
    {                                                                                              \
        "idiom", 0, "N", "only this idiom, 1 to 6", FW_OPTION(COUNT, type, field)                  \
    }

#define FW_BUILD_OPTION(type, field)                                                               \
    {                                                                                              \
        "build", 0, "ID", "this build, latest (default) or all", FW_OPTION(TEXT, type, field),     \
            .detail = "What one build has exposed has to be exposed again by the next one. Of a "  \
                      "build's id the first digits are enough."                                    \
    }

/* As the command line has it. */
struct fw_chosen {
    const char *db, *program, *build;
    uint64_t idiom;
};

struct fw_chosen_coverage {
    struct fw_memo *memo;
    FW_VEC(struct fw_coverage) programs;
};

/*
 * Loads what the database knows of all programs, or of the one that is wanted.  0, or the exit
 * status after printing the error.  Release it in either case.
 */
int fw_chosen_coverage_load(struct fw_chosen_coverage *chosen, const struct fw_chosen *wanted);
void fw_chosen_coverage_release(struct fw_chosen_coverage *chosen);

#endif
