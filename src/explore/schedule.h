/*
 * schedule.h - a schedule: who runs, and until where, as a value and as a small text file.
 *
 *     foreweave schedule 1
 *     program "./lost" "3"
 *     build 5f0c1d...
 *     shows exit 1
 *     0 until it waits
 *     0.1 before write in deposit "balance = old + amount;" +3 #1 goal 1
 *     0.2 until it ends
 *
 * A step names a thread by how it was created (0: the main thread, 0.2: the second thread that
 * main created) and where its turn ends: before an operation, when it waits, when it ends, or one
 * point further on; or that the limit of its wait passes.  An operation is anchored so that it is
 * found again in another build: what it does, the function of the user's own code, the text of its
 * line (blanks squeezed), the line counted from the function's first one, and which one it is of
 * its thread (#1 is the first).
 * Steps that are goals matter: that they are reached is part of what the schedule shows.
 *
 * A `struct fw_script` is for the real program; that of predict/schedule.h is for a trace.  Texts
 * are owned by it.  Not thread-safe.
 */
#ifndef FW_EXPLORE_SCHEDULE_H
#define FW_EXPLORE_SCHEDULE_H

#include "base/error.h"
#include "base/output.h"
#include "base/vec.h"
#include "runtime/control_wire.h"

#include <stdbool.h>
#include <stdint.h>

#define FW_SCRIPT_STEPS 65536u /* at most */
#define FW_SCRIPT_PATHS 4096u
#define FW_NO_GOAL        UINT16_MAX

enum fw_script_end {
    FW_UNTIL_BEFORE, /* an operation: `anchor` */
    FW_UNTIL_WAITS,  /* or spins, or has ended */
    FW_UNTIL_ENDS,
    FW_UNTIL_NEXT, /* one point further */
    FW_UNTIL_EXPIRES, /* it waits with a limit, which passes; `anchor`, if known, tells where */
};

/* What a point is known by in any build.  NULL: not known, or not of the user's own code. */
struct fw_anchor {
    char *operation;
    char *function, *text;
    bool has_line;
    int32_t line; /* from the function's first one, which is 0 */
};

struct fw_script_step {
    uint32_t path; /* index into the schedule's paths */
    enum fw_script_end end;
    struct fw_anchor anchor;
    uint64_t ordinal;
    uint64_t limit;      /* FW_UNTIL_EXPIRES: how long it would have waited, ns */
    uint16_t goal;       /* its number, below FW_CONTROL_GOALS, or FW_NO_GOAL */
    unsigned file_line;  /* where it stands in the file; 0: it was not read from one */
};

struct fw_script {
    FW_VEC(char *) program; /* and its arguments; may be empty */
    char *build;            /* build id, or hash, in hexadecimal digits; may be NULL */
    char *shows;            /* "exit 1", "signal 6", "deadlock", "race ..."; may be NULL */
    char *judge;            /* a command that says whether a run was right; may be NULL */
    char *setup, *drive, *teardown; /* commands that go with the run (escort.h), or NULL */
    bool virtual_time;      /* sleeping takes no time */
    uint64_t timeouts;      /* ns: waits of at most so long are over when a step says so */
    FW_VEC(struct fw_control_path) paths; /* [0] is the main thread's */
    FW_VEC(struct fw_script_step) steps;
};

void fw_script_init(struct fw_script *schedule);
void fw_script_release(struct fw_script *schedule);

/* The index of a thread's path, made if it is new; parent is an index. */
uint32_t fw_script_path(struct fw_script *schedule, uint32_t parent, uint32_t ordinal);
/* "0.2.1" */
#define FW_PATH_TEXT 256u
const char *fw_script_path_text(const struct fw_script *schedule, uint32_t path,
                                  char text[FW_PATH_TEXT]);

/* Adds a step and returns it, for filling in. */
struct fw_script_step *fw_script_add(struct fw_script *schedule, uint32_t path,
                                         enum fw_script_end end);
/* What it shows; replaces what was there. */
void fw_script_set_shows(struct fw_script *schedule, const char *shows);
/* Its program and arguments, and the program's build id (without one: the file's hash). */
void fw_script_set_program(struct fw_script *schedule, char *const *argv);

/* -1: err names the line. */
int fw_script_read(struct fw_script *schedule, const char *path, struct fw_error *err);
int fw_script_read_memory(struct fw_script *schedule, const char *text, size_t bytes,
                            const char *name, struct fw_error *err);

void fw_script_print(const struct fw_script *schedule, struct fw_output *out);
/* One step without the line's end. */
void fw_script_print_step(const struct fw_script *schedule, uint32_t step,
                            struct fw_output *out);
int fw_script_write(const struct fw_script *schedule, const char *path, struct fw_error *err);

#endif
