/*
 * options.h - FOREWEAVE_OPTIONS=key=value:key=value, as the runtime reads it.
 */
#ifndef FW_RUNTIME_OPTIONS_H
#define FW_RUNTIME_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fw_runtime_options {
    bool record;    /* mode=record */
    bool control;   /* mode=control */
    bool atomrace;  /* mode=atomrace */
    bool guarded;   /* mode=guard */
    bool values;    /* values=yes */
    bool repeats;   /* repeats=1: accesses that repeat one are recorded, too ... */
    uint64_t whole; /* whole=N: ... as long as there are fewer records than that */
    char wire[108]; /* name of the recorder's socket; empty: none */
    char file[128]; /* control=FILE: control_wire.h; with mode=record and repeats=1 as well */
    bool positions; /* positions=1: records tell where they were made */
    uint64_t seed;
    uint32_t quantum;
    uint32_t strength, micros; /* noise=PER_MILLE,MICROSECONDS */
    bool learn, prefer;        /* learn=1, prefer=1: src/atomrace/sharing.h */
    char sections[128];        /* sections=FILE: src/atomrace/regions_wire.h */
    char heal[128];            /* heal=FILE: src/atomrace/heal_wire.h */
    char guard[512];           /* guard=FILE: src/guard/guard_wire.h */
    bool strict;               /* strict=1: the program must not run unguarded */
    const char *targets;       /* targets=...: src/atomrace/targets.h; in the environment's text */
    size_t targets_length;
};

#define FW_EXIT_REFUSED 3 /* of a program that must not run so: as the command's, for bad files */

/* Fills in defaults and what the text says; unknown keys and bad values are told on stderr. */
void fw_runtime_options_parse(struct fw_runtime_options *options, const char *text);

#endif
