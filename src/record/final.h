/*
 * final.h - the second pass over a recording: raw records become the trace.
 *
 *     spool ─► accesses to shared variables only, split so that variables never overlap
 *           ─► branches and calls thinned ─► names ─► well-formedness ─► .fwt
 *
 * What is kept, and why the analyses lose nothing:
 *  - An access to memory that one thread alone touches in its life cannot conflict with anything,
 *    and what it reads is what its thread wrote; it is dropped, atomics, allocs and frees too.
 *  - A `br` says that what follows may depend on what its thread has read.  One is written before
 *    an event if the program branched since the thread's latest record, or if the event's object
 *    is not known to be independent of data (symbol/operand.h), or an indirect call lies between;
 *    and only if the thread has read (a kept variable), joined or started since its latest `br`:
 *    otherwise it would say what the latest one said.
 *  - A call is written when an event inside it is kept, so the stack of every event is exact.
 * The order is that of the records.  Events that would make the trace ill-formed (a lock released
 * that was taken before recording began) are dropped and counted.
 *
 * Memory is bounded by what is alive: names, shared words, threads, unanswered posts.
 */
#ifndef FW_RECORD_FINAL_H
#define FW_RECORD_FINAL_H

#include "base/input.h"
#include "base/output.h"
#include "record/spool.h"
#include "record/survey.h"

#include <stdbool.h>

struct fw_final_setup {
    struct fw_input *spool;          /* at its first byte, seekable; stays the caller's */
    const struct fw_kept_list *kept; /* of the survey; NULL: it is done here, first */
    struct fw_output *out;           /* taken over, also if it fails */
    uint64_t limit;                  /* memory of the survey */
    const struct fw_spool_pair_text *pairs; /* metadata besides the spool's */
    size_t pair_count;
};

struct fw_final_result {
    uint64_t events;
    uint32_t threads;
    uint64_t records;
    bool cut; /* the recording has no end mark, or is damaged: the trace gets none */
    uint64_t dropped;
    char first_drop[256];
    bool accesses;  /* at least one module was instrumented */
    bool inexact;   /* the runtime said so */
    char off[160];  /* why it stopped recording, or empty */
    char damage[256]; /* where the recording is damaged, or empty */
    uint64_t unseen; /* reads of memory that was written by code that is not seen */
    uint32_t unmodelled; /* kinds of synchronisation that mean nothing to the analyses */
    char first_unmodelled[160];
};

/* -1: nothing was written. */
int fw_finalise(const struct fw_final_setup *setup, struct fw_final_result *result,
                struct fw_error *err);

#endif
