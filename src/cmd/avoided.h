/*
 * avoided.h - interleavings that guarded programs have avoided (learn/violations.h), as questions
 * about a trace: can they happen there?
 *
 * A line of the log names an access and the one that it would have come right behind, or says that
 * it came too early: then it is asked whether an access of another thread that the trace has before
 * it can come right behind it, or behind another one of its line (what is read there is often
 * written there), which it does not in the trace.  Both are instances of
 * idiom 1 (iroot/iroot.h), which the predictor of iRoots decides.
 *
 * Accesses of the log and of the trace are the same if they do the same in the same line.
 */
#ifndef FW_CMD_AVOIDED_H
#define FW_CMD_AVOIDED_H

#include "base/error.h"
#include "predict/iroot.h"

struct fw_avoided;

/* NULL: err. */
struct fw_avoided *fw_avoided_read(const char *path, struct fw_error *err);
void fw_avoided_destroy(struct fw_avoided *avoided);

/* For the predictor; borrowed. */
const struct fw_iroot_source *fw_avoided_source(const struct fw_avoided *avoided);

/* Of the interleavings of the log, once the trace was analysed. */
struct fw_avoided_counts {
    size_t all;
    size_t happened; /* in the trace itself */
    size_t possible; /* proved: there is a witness */
    uint64_t transactions; /* beside all: violations that name no such interleaving */
};

struct fw_avoided_counts fw_avoided_count(const struct fw_avoided *avoided);

#endif
