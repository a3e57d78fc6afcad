/*
 * heal.h - internal to foreweave heal: a program that is healed while it runs.
 *
 * The command starts the program, with the file of its sections (regions_wire.h) and one of its own
 * (heal_wire.h) mapped into both, and stays beside it: it passes signals on, looks for the two kill
 * switches (a signal, a file), and empties the log.  The program needs nothing of it: whatever
 * becomes of the command, the program goes on.
 */
#ifndef FW_CMD_HEAL_H
#define FW_CMD_HEAL_H

#include "atomrace/heal_wire.h"
#include "base/error.h"
#include "base/output.h"
#include "cmd/ring.h"

#include <stdbool.h>
#include <sys/types.h>

/* --- the log (heal_log.c) -------------------------------------------------------------------- */

struct fw_heal_names { /* of sections, by number */
    const char *const *at;
    size_t count;
};

struct fw_heal_log {
    struct fw_output out;
    bool open;
    struct fw_heal_names names;
    struct fw_ring_reader reader;
    uint64_t begun; /* ns of CLOCK_MONOTONIC */
};

/* path NULL: there is none. */
int fw_heal_log_open(struct fw_heal_log *log, const char *path, struct fw_heal_names names,
                     struct fw_error *err);
/* What is in the ring. */
void fw_heal_log_drain(struct fw_heal_log *log, struct fw_heal_wire *wire);
/* A line of the command's own. */
void fw_heal_log_say(struct fw_heal_log *log, const char *text);
/* -1: something could not be written. */
int fw_heal_log_close(struct fw_heal_log *log, struct fw_error *err);

/* --- the program (heal_watch.c) -------------------------------------------------------------- */

struct fw_heal_run {
    char *const *argv;
    const char *runtime;  /* the library */
    const char *options;  /* for FOREWEAVE_OPTIONS, what of them is not known here */
    const char *off_file; /* NULL: none */
    struct fw_heal_wire *wire;
    int wire_fd;
    struct fw_heal_log *log;
};

/* A new file for both sides; -1: err. */
int fw_heal_wire_make(struct fw_heal_run *run, struct fw_error *err);
void fw_heal_wire_release(struct fw_heal_run *run);

/* Runs it to its end; *status as waitpid gives it.  -1: it cannot be run. */
int fw_heal_run(struct fw_heal_run *run, int *status, struct fw_error *err);

#endif
