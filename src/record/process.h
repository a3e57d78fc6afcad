/*
 * process.h - one process that is being recorded: its ring, its spool, its survey.
 */
#ifndef FW_RECORD_PROCESS_H
#define FW_RECORD_PROCESS_H

#include "record/final.h"
#include "record/ring.h"
#include "record/spool.h"

#include <sys/types.h>

enum fw_process_state {
    FW_PROCESS_AWAITED, /* its file is there; it has not connected yet */
    FW_PROCESS_RUNNING,
    FW_PROCESS_ENDED, /* everything it said is in the spool, which has its end mark */
    FW_PROCESS_CUT,   /* it went on without us: the disk is full, ... */
};

struct fw_process {
    enum fw_process_state state;
    pid_t pid;
    int pidfd; /* -1: look for the process now and then */
    char *path;
    struct fw_ring ring;
    struct fw_spool *spool;
    int lock; /* keeps other recordings off its file until the trace is there; -1: none */
    struct fw_survey *survey;
    struct fw_kept_list kept; /* once it is over */
    uint64_t flushed;         /* ms: when the spool was last flushed */
    uint32_t threads;         /* it started */
    uint32_t cycles, idle, still; /* how often it has said that threads cannot go on */
    uint64_t heard;        /* ms: when something last came */
    bool instrumented;
    bool replaced; /* another program runs in it now, and has its trace */
    bool main;     /* the program that we started */
    FW_VEC(struct fw_spool_pair_text) late; /* what was told after the spool had ended */
    char problem[256]; /* why it was cut, or empty */
};

/* Opens its file; `pairs` are written at its beginning. */
struct fw_process *fw_process_create(const char *path,
                                     const struct fw_spool_pair_text *pairs, size_t pair_count,
                                     struct fw_error *err);
void fw_process_destroy(struct fw_process *process);

/* It has connected: makes its ring, of which *fd is for it. */
int fw_process_connect(struct fw_process *process, pid_t pid, uint64_t ring_bytes, int *fd,
                       struct fw_error *err);
/* Another program runs in it from now on, under the same file; nothing of the former counts. */
int fw_process_restart(struct fw_process *process, const struct fw_spool_pair_text *pairs,
                       size_t pair_count, struct fw_error *err);

/* Takes what is in the ring, a block at most; returns the units taken.  `scratch` has room for
 * FW_PACK_UNITS. */
size_t fw_process_drain(struct fw_process *process, struct fw_wire_unit *scratch);
/* Writes what has been waiting for so many ms. */
void fw_process_flush(struct fw_process *process, uint64_t now, uint64_t patience);
/* Do all its threads wait since the last call, some in a circle that was told, and nothing came for
 * so long? */
bool fw_process_still(struct fw_process *process, uint64_t now, uint64_t patience);
/*
 * Has it said since the last call that threads cannot go on?  Then that is in the spool now.  That
 * all wait counts after so many ms without a word: a signal handler may come soon.
 */
bool fw_process_stuck(struct fw_process *process, struct fw_wire_unit *scratch, uint64_t now,
                      uint64_t patience);
/* Does it still run? */
bool fw_process_alive(const struct fw_process *process);
/* It has ended: takes the rest and ends the spool. */
void fw_process_end(struct fw_process *process, struct fw_wire_unit *scratch);
/* It goes on unrecorded. */
void fw_process_cut(struct fw_process *process, const char *why);
/* A fact about how it ended, for the trace. */
void fw_process_tell(struct fw_process *process, const char *key, const char *value);

/* Turns the spool into the trace. */
int fw_process_finalise(struct fw_process *process, struct fw_final_result *result,
                        struct fw_error *err);

#endif
