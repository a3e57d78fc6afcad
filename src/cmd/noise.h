/*
 * noise.h - internal to foreweave atomrace: what --noise says.
 *
 *     random:STRENGTH[:USEC]                     everywhere
 *     var:NAME[,NAME...]:STRENGTH[:USEC]         at global variables, or parts of them
 *     site:FILE:LINE[,FILE:LINE...]:STRENGTH[:USEC]
 *     finding:RESULT.json:ID[:STRENGTH[:USEC]]   at the variables of a finding, else at its places
 *
 * Numbers stand at the end, so that names may have colons (bank::total).  Names and lines are
 * looked for in the program's file and in others that are named; what is found goes to the runtime
 * as parts of files (src/atomrace/targets.h).
 */
#ifndef FW_CMD_NOISE_H
#define FW_CMD_NOISE_H

#include "base/output.h"
#include "base/vec.h"

#include <stdint.h>

#define FW_NOISE_MICROS   100u /* unless it is said */
#define FW_NOISE_STRENGTH 500u /* of a finding's noise, unless it is said */

enum fw_noise_kind {
    FW_NOISE_NONE,
    FW_NOISE_RANDOM,
    FW_NOISE_VARIABLE,
    FW_NOISE_SITE,
    FW_NOISE_FINDING,
};

FW_VEC_TYPE(fw_noise_names, char *);

struct fw_noise_wish {
    enum fw_noise_kind kind;
    struct fw_noise_names names; /* of variables, FILE:LINE, or the result and the id */
    uint64_t strength, micros;
};

/* NULL: none.  -1 and err: it is not understood.  Release it in either case. */
int fw_noise_wish(struct fw_noise_wish *wish, const char *text, struct fw_error *err);
void fw_noise_release(struct fw_noise_wish *wish);

/* "STRENGTH,MICROSECONDS[:targets=...]" for FOREWEAVE_OPTIONS, with what is wanted found in the
 * files; the caller's.  NULL after printing an error; *status is the command's then. */
char *fw_noise_options(const struct fw_noise_wish *wish, const char *const *files, size_t count,
                       int *status);

/* What is learnt from runs with random noise, for the next ones. */
struct fw_noise_learnt {
    struct fw_noise_names lines;         /* known, as recordings have them */
    struct fw_noise_names targets, less; /* the same for the runtime; those that count less */
};

void fw_noise_learnt_release(struct fw_noise_learnt *learnt);
/* A line of a recording's `shared`. */
void fw_noise_learn(struct fw_noise_learnt *learnt, const char *line);
/* The options of the nth run (from 1), with what is learnt so far; the caller's. */
char *fw_noise_with_learnt(const char *options, const struct fw_noise_learnt *learnt, uint64_t run);

#endif
