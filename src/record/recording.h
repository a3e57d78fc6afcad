/*
 * recording.h - what a trace says about how it was recorded (its metadata; docs/formats.md).
 */
#ifndef FW_RECORD_RECORDING_H
#define FW_RECORD_RECORDING_H

#include "base/idrange.h"
#include "trace/reader.h"

/* Lines of a list; good while the recording lives. */
FW_VEC_TYPE(fw_lines, const char *);

struct fw_recording {
    bool known; /* false: the trace was not recorded, or does not say so */
    /* Texts are NULL if they are not told. */
    const char *command, *program, *process;
    const char *seed, *quantum;
    const char *exit, *signal, *exec;
    const char *dropped, *first_drop, *damage;
    bool accesses;           /* some module was instrumented */
    struct fw_lines plain;   /* modules that were not, but could be ... */
    struct fw_lines system;  /* ... and those of the system */
    struct fw_lines unmodelled, inexact, off, thread_names, notes;
    struct fw_lines unhooked; /* accesses without hooks; not told by the trace: added */
    struct fw_lines shared;  /* memory and code that threads shared: vOFFSET:PATH, cOFFSET:PATH */
    struct fw_lines partial; /* what alone is in the trace, if that is not all */
    struct fw_lines waiting; /* if all threads waited at the end: one line each */
    struct fw_id_ranges expected; /* variables on which races are expected */
    struct fw_id_ranges unseen;   /* ... and that were written by code that is not seen */
    uint64_t expected_count, unseen_count;
    FW_VEC(char *) texts;      /* owned; the lines above point into them */
};

/* Fills *recording from what the reader has met so far; texts of the reader must stay. */
void fw_recording_init(struct fw_recording *recording, const struct fw_reader *reader);
/* Adds a line to `unhooked`; takes it over. */
void fw_recording_add_unhooked(struct fw_recording *recording, char *text);
void fw_recording_release(struct fw_recording *recording);

#endif
