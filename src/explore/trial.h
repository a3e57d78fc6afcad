/*
 * trial.h - one run of a campaign: its number, how it ended, and what it has shown for the first
 * time.
 *
 * A trial is a plain value: made from a session that has just run (fw_trial_read), or read from a
 * journal.  What a campaign knows depends on its trials in the order of their numbers and on
 * nothing else.
 */
#ifndef FW_EXPLORE_TRIAL_H
#define FW_EXPLORE_TRIAL_H

#include "explore/coverage.h"
#include "explore/session.h"

/* A place in the code whose number is not known. */
struct fw_spot {
    char *module, *operation;
    uint64_t offset;
};

FW_VEC_TYPE(fw_spot_vec, struct fw_spot);
FW_VEC_TYPE(fw_pair_vec, uint64_t);

struct fw_capture; /* keep.h */

struct fw_trial {
    uint64_t number; /* from 1 */
    bool done;       /* false: there was no time for it */
    uint32_t astray; /* 1 + the first of its steps that went otherwise; 0: none */
    bool redundant;  /* it was the same as another one and ended before its end */
    bool diverged;   /* it did not follow its choices */
    bool partly;     /* it had more decisions than could be told */
    bool limits;     /* that limits of waits pass was a choice */
    bool longer;     /* it had waits whose limits were too long to be a choice */
    bool fair;       /* a thread that went round in circles had to let others go first */
    bool clock;      /* it read a clock */
    bool random;     /* it read random numbers */
    uint32_t chances; /* what else no schedule decides, of enum fw_control_chance */
    bool several;    /* who of several threads was woken was no choice */
    bool at_once;    /* calls of libraries used shared memory in one step */
    bool beyond;     /* it used more memory than it is noted of who shares it */
    bool returned;   /* not the schedule alone has decided when its threads went on */
    double cut;      /* it was on its way after so many seconds, and ended; 0: it came to an end */
    struct fw_run_result result;
    uint64_t points;
    uint32_t threads;
    double away;               /* undisturbed: the longest that a thread was away, in seconds */
    bool blind;                /* its accesses to memory were not seen */
    char *failure;             /* NULL: it passed.  Equal for failures that count as one */
    char *message;             /* what users are told about it, or NULL */
    struct fw_spot_vec found; /* sites that were seen to be shared */
    struct fw_pair_vec pairs;  /* sites that have met */
    struct fw_iroot_vec exposed; /* iRoots, each once */
    bool thin;  /* only the places that it was about were seen: what it has exposed is not known */
    bool again; /* ... so it was made once more, and this is that run, unless it is thin */
    uint64_t blocks; /* that its threads have entered, as far as they came to their ends */
    bool unseen;                 /* it was not observed to its end: there was too much */
    char *decisions;           /* as in control_wire.h, if the campaign searches; or NULL */
    size_t decision_bytes;
    unsigned char *packed; /* the same, as a journal has them (journal.h); or NULL */
    size_t packed_bytes;
    struct fw_capture *capture; /* if it shows something that is not known yet, or NULL */
};

/* What is new in the session's latest run; the session remembers that it has been told. */
void fw_trial_read(struct fw_trial *trial, struct fw_session *session);
void fw_trial_release(struct fw_trial *trial);

void fw_place_release(struct fw_spot *place);

/* Tells the session that these places share memory: those from number *told on. */
void fw_spots_share(const struct fw_spot_vec *spots, size_t *told, struct fw_session *session);

#endif
