/*
 * recorder.h - runs a program and records it: what `foreweave record` does, without the printing.
 *
 * The program is a child of ours and runs as if we were not there.  Every process of it that loads
 * the runtime connects (greet.h) and gets a ring (ring.h), which is drained into a spool; when the
 * program has ended, the spools become traces (final.h).  Memory is bounded by the rings and the
 * surveys; a program that is faster than the disk waits for it.
 *
 * Which process gets which file: the first one that connects the path itself, further ones, whether
 * forked or executed, PATH.1, PATH.2 ... in the order in which they connect.  A process that has
 * started no thread and is replaced by another program (`env`, a shell's child) hands its file on
 * to that program.  Of a further process that had one thread only and no instrumented code nothing
 * is kept.
 *
 * When the program itself has ended, processes of it that still run (daemons) get a moment to end
 * as well; then they go on unrecorded, and their traces are cut there: who calls ends them.
 */
#ifndef FW_RECORD_RECORDER_H
#define FW_RECORD_RECORDER_H

#include "base/vec.h"
#include "record/final.h"

#include <stdatomic.h>
#include <stdint.h>
#include <sys/types.h>

struct fw_record_setup {
    char *const *argv;   /* the program and its arguments, NULL behind them */
    const char *path;    /* of the trace */
    const char *runtime; /* the library that programs load */
    double limit;           /* seconds after which the program is killed; 0: never */
    bool hide;              /* the program has no input, and its output is not shown ... */
    const char *output;     /* ... but goes to this file, unless it is NULL */
    bool positions;         /* events tell where they were made (trace/positions.h) */
    uint64_t seed, quantum; /* quantum 0: the runtime's own */
    bool repeats;           /* also record accesses that repeat one (src/runtime/shadow.h) */
    bool values;            /* look for memory that was written unseen (values.h) */
    const char *control;    /* with `repeats`: who runs is decided by the order in this file
                               (explore/session.h); NULL: by the quantum */
    const char *noise;      /* record overlaps alone (src/atomrace), with this noise; NULL: all */
    uint64_t ring_bytes;    /* a power of two; 0: the default */
    /* Threads of the process that is recorded there cannot go on (standstill.h); may be NULL. */
    void (*stuck)(const char *path);
    /* The program has been started; may be NULL. */
    void (*began)(void *context, pid_t program);
    void *context;
    double end_stuck; /* and if nothing happens for so many seconds from then on, one at most if it
                         is a circle of locks, the program is killed; 0: never */
    /* When the caller's handler of INT and TERM sets it the program gets TERM, and is killed if it
     * goes on for long; NULL: these signals are for the program. */
    const atomic_int *stop;
};

struct fw_recorded_trace {
    char *path;
    struct fw_final_result result;
    char problem[256]; /* why recording stopped early, or empty */
    char failed[256];  /* why the spool could not be made a trace (it stays readable), or empty */
    bool connected;    /* false: the process never loaded the runtime */
};

struct fw_recorded {
    int status; /* of the program, as waitpid gives it */
    FW_VEC(struct fw_recorded_trace) traces; /* the first one is always there */
    char refused[256]; /* why some process could not be recorded, or empty */
};

enum fw_record_end {
    FW_RECORD_DONE = 0,
    FW_RECORD_FAILED = -1,  /* ours: a file that cannot be written, ... */
    FW_RECORD_NO_PROGRAM = -2, /* it cannot be executed */
};

/* The program is not started if anything that is needed is missing. */
enum fw_record_end fw_record(const struct fw_record_setup *setup, struct fw_recorded *recorded,
                             struct fw_error *err);
/* Why the first trace that is cut is, or NULL. */
const char *fw_recorded_cut(const struct fw_recorded *recorded, const char **path);
void fw_recorded_release(struct fw_recorded *recorded);

#endif
