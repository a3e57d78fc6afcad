/*
 * memo.h - what is known of the interleavings of programs: the memo database.
 *
 * It keeps, between runs, inputs, campaigns and machines, which iRoots (iroot/iroot.h) were
 * exposed, which are predicted and whether they can happen at all, which were tried and how often,
 * and how every run ended.  So that nothing is tested twice, and everybody sees what is left.
 *
 * Two kinds of database behind one interface: a file of SQLite (many processes of one machine), or
 * PostgreSQL by its URL (many machines).  Tables and meaning: docs/coverage.md.
 *
 * Invariants:
 *   - Every call that writes is one transaction: after kill -9 all of it is there, or nothing.
 *   - A run is known by its campaign and number; recording it again changes nothing.
 *   - What a process has counted is kept by *session*, one life of one process on one database.
 *     Nobody else ever changes it.  So of two copies of a session the one with more writes holds
 *     the other, and merging databases, in any order and as often as one likes, counts nothing
 *     twice and loses nothing.
 *   - A candidate is claimed by one session at a time.  A claim ends when its attempt is recorded,
 *     when it is given back, when its time is over, or when its process is seen to be gone, which
 *     is possible on the same machine only.
 *
 * Texts are UTF-8; bytes that are not are replaced (U+FFFD), in names too.
 *
 * Ownership: the memo copies what it is given.  What it hands out is borrowed for the length of a
 * callback, or belongs to the caller where it says so.  One thread at a time, one process; a child
 * of fork opens its own.
 *
 * Functions return -1 with err if the database fails them; then nothing of the call is in it.
 */
#ifndef FW_MEMO_MEMO_H
#define FW_MEMO_MEMO_H

#include "base/error.h"
#include "base/strtab.h"
#include "base/vec.h"
#include "iroot/iroot.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FW_MEMO_DEFAULT ".foreweave/memo.db"

struct fw_memo;

/* --- life ------------------------------------------------------------------------------------ */

enum fw_memo_mode {
    FW_MEMO_READ,  /* it must be there, and is not changed */
    FW_MEMO_WRITE, /* it is made if it is not there, and brought to our version */
};

/* `where`: a path, or postgresql://...  `patience`: seconds to wait for others who write; 0: 60. */
int fw_memo_open(struct fw_memo **memo, const char *where, enum fw_memo_mode mode,
                 unsigned patience, struct fw_error *err);
void fw_memo_close(struct fw_memo *memo); /* NULL is fine; claims of this session are given back */

bool fw_memo_is_url(const char *where);
/* For messages: the path, or the URL without its password. */
const char *fw_memo_name(const struct fw_memo *memo);

/* --- filling --------------------------------------------------------------------------------- */

struct fw_memo_who {
    const char *program;  /* its name, the same for all builds */
    const char *build;    /* build id, or NULL: not known, and the same as all that are not */
    const char *input;    /* a name for the input; "" if there is but one */
    const char *command;  /* the command line, for people; or NULL */
    const char *campaign; /* runs are numbered within it; who goes on with it gives the same */
    const char *judge;    /* what runs are judged by; NULL or "": by how they end */
};

/*
 * All calls of this part, and counts, are about this program, build and input from now on.  It may
 * be called again with another input of the same program, build, judge and campaign.
 *
 * What is a candidate, and which failures are known, is of the judge, too: what one lets pass may
 * be a failure for another one, so all is to be tried again.
 */
int fw_memo_enter(struct fw_memo *memo, const struct fw_memo_who *who, struct fw_error *err);

/* The static accesses that iRoots speak of. */
struct fw_memo_names {
    const struct fw_strtab *accesses;
    const char *const *places; /* FILE:LINE as of now, by number of the access; NULL: unknown */
    const bool *own;           /* in the program's own code; NULL: all are */
};

struct fw_memo_failure {
    const char *kind;     /* "deadlock", "signal 11", ... */
    const char *message;  /* or NULL */
    const char *schedule; /* path of its file, or NULL */
    const char *way;      /* how it failed: what tells failures apart; NULL: kind and message do */
};

struct fw_memo_claim; /* below */

/* Runs of another kind than a campaign's own are numbered from here on; they are told from 0 on. */
#define FW_MEMO_APART (UINT64_C(1) << 40)

struct fw_memo_run {
    uint64_t number; /* in its campaign */
    const char *strategy;
    const char *outcome; /* "exit 0", "timeout", ... */
    int64_t began;       /* milliseconds since 1970; 0: now */
    uint64_t took;       /* milliseconds */
    const struct fw_iroot *exposed; /* each once */
    size_t exposed_count;
    const struct fw_memo_failure *failure; /* NULL: it passed */
    const struct fw_memo_claim *claim;     /* what it tried to expose; NULL: nothing */
    bool unjudged; /* nobody says that it was right: what it has exposed is still to be tried */

    /* Of a batch alone, in which `exposed` is what no run of the session had exposed before. */
    size_t exposed_all;    /* how many in all */
    bool reached;          /* the claim's among them */
    uint64_t plain_before; /* plain runs of the session before it */
};

/*
 * Records a run, and with it the attempt.  *fresh, if it is not NULL: how many of its iRoots the
 * database did not know as exposed.  1: the run was recorded before, and nothing has changed.  An
 * attempt whose claim is not ours any more is not counted.
 */
int fw_memo_record(struct fw_memo *memo, const struct fw_memo_names *names,
                   const struct fw_memo_run *run, uint64_t *fresh, struct fw_error *err);

/*
 * Many runs at once, for the time of one.  Those that are worth a row are told one by one; *plain*
 * are those that have passed and shown only what other runs of this session had shown: they are
 * counted.
 */
struct fw_memo_batch {
    const struct fw_memo_run *rows;
    size_t row_count;
    uint64_t plain; /* of this session so far, with those of the batch */
    const struct fw_iroot *exposed; /* by whatever run of it */
    const uint64_t *times; /* by iRoot: in how many of its runs */
    size_t count;
};

/* What was recorded before is not counted again. */
int fw_memo_record_batch(struct fw_memo *memo, const struct fw_memo_names *names,
                         const struct fw_memo_batch *batch, struct fw_error *err);

/* Runs of this session that have failed this way without a schedule have this one. */
int fw_memo_keep(struct fw_memo *memo, const struct fw_memo_failure *failure,
                 struct fw_error *err);

enum fw_memo_predictor {
    FW_MEMO_PROFILE, /* (a): from a profile, may be wrong; what the proof's filters say of it */
    FW_MEMO_PROOF,   /* (b): decided for a trace, when asked */
    FW_MEMO_PREDICTORS,
};

extern const char *const fw_memo_predictors[FW_MEMO_PREDICTORS]; /* "profile", "proof" */

/*
 * Whether it can happen, with this input.  Of several answers the greatest holds, since what cannot
 * happen in a reordering of one trace may in one of another.
 */
enum fw_memo_verdict {
    FW_MEMO_UNKNOWN,    /* nobody has asked */
    FW_MEMO_INFEASIBLE, /* in no correct reordering */
    FW_MEMO_UNDECIDED,  /* within the budget */
    FW_MEMO_WITNESS,    /* there is a schedule */
    FW_MEMO_VERDICTS,
};

extern const char *const fw_memo_verdicts[FW_MEMO_VERDICTS];

struct fw_memo_prediction {
    struct fw_iroot iroot;
    enum fw_memo_predictor by;
    enum fw_memo_verdict verdict;
    const char *schedule; /* of a witness, as text; or NULL */
};

/* *fresh, if it is not NULL: how many were predicted for this input for the first time. */
int fw_memo_predict(struct fw_memo *memo, const struct fw_memo_names *names,
                    const struct fw_memo_prediction *predictions, size_t count, uint64_t *fresh,
                    struct fw_error *err);

/* --- candidates ------------------------------------------------------------------------------ */

/* What is wanted of the next candidates: predicted for this input and this build, which has exposed
 * them with no input in a run that this judge has judged. */
struct fw_memo_wish {
    size_t count;
    unsigned idioms;     /* bit i: idiom i; 0: all */
    uint64_t most;       /* attempts of build and judge with all inputs together; 0: no limit */
    uint64_t most_here;  /* attempts with this one; 0: no limit */
    bool infeasible;     /* also what the proof was asked about, and has infeasible */
    bool own_only;       /* the program's own code alone */
    bool proved;         /* only what has a witness */
    uint64_t lease;      /* seconds until others may have it */
};

/* Release it with fw_memo_claim_release. */
struct fw_memo_claim {
    uint64_t id; /* of the iRoot in the database */
    uint64_t token;
    struct fw_iroot iroot;
    enum fw_memo_verdict verdict;
    char *schedule; /* a witness's, or NULL */
    uint64_t tried; /* attempts of this build and judge so far, with all inputs */
    bool own;
};

FW_VEC_TYPE(fw_memo_claims, struct fw_memo_claim);

/*
 * Adds up to wish->count candidates to `claims`: what is infeasible last, by idiom, the program's
 * own code first, fewer attempts first, greater verdicts first.  Accesses are added to `accesses`.
 * *busy: how many more there would be if nobody were at them now.  Ten at once cost hardly more
 * than one.
 */
int fw_memo_claim(struct fw_memo *memo, const struct fw_memo_wish *wish,
                  struct fw_strtab *accesses, struct fw_memo_claims *claims, uint64_t *busy,
                  struct fw_error *err);
/* Gives it back untried; NULL: all of this session. */
int fw_memo_unclaim(struct fw_memo *memo, const struct fw_memo_claim *claim, struct fw_error *err);
void fw_memo_claim_release(struct fw_memo_claim *claim);

/* --- looking --------------------------------------------------------------------------------- */

/*
 * What one build has exposed says nothing of another one, which may do something else at the same
 * places.  So counts, iRoots and runs are those of one build, or the sum of all: after entering, of
 * the build that was entered, before it of all.
 */
#define FW_MEMO_ALL_BUILDS (-1)

struct fw_memo_build {
    int64_t number;   /* for fw_memo_look_at */
    const char *name; /* "": not known */
    int64_t last;     /* when somebody last entered with it, in milliseconds since 1970 */
};

/* The one that was used last comes first. */
int fw_memo_each_build(struct fw_memo *memo, const char *program,
                       int (*take)(void *context, const struct fw_memo_build *build),
                       void *context, struct fw_error *err);
void fw_memo_look_at(struct fw_memo *memo, int64_t build);

/* What became of an iRoot, with all inputs and the builds that are looked at. */
enum fw_memo_state {
    FW_MEMO_EXPOSED,
    FW_MEMO_IMPOSSIBLE, /* infeasible with every input that predicts it */
    FW_MEMO_FAILED,     /* tried, and not exposed */
    FW_MEMO_LEFT,       /* never tried */
    FW_MEMO_STATES,
};

extern const char *const fw_memo_states[FW_MEMO_STATES];

struct fw_memo_counts {
    uint64_t state[FW_MEMO_STATES]; /* each known iRoot is in one */
    uint64_t predicted;             /* those in states other than exposed, and some exposed ones */
    uint64_t by[FW_MEMO_PREDICTORS];
    uint64_t witness; /* predicted with a witness */
    uint64_t claimed; /* being tried just now */
};

/* By idiom; [0] is the sum.  program NULL: the one that was entered. */
int fw_memo_count(struct fw_memo *memo, const char *program,
                  struct fw_memo_counts counts[FW_IDIOMS + 1], struct fw_error *err);

/* Callbacks return -1 (and describe why) to end it. */

struct fw_memo_program {
    const char *name;
    uint64_t iroots, runs, inputs, builds, failures;
};

int fw_memo_each_program(struct fw_memo *memo,
                         int (*take)(void *context, const struct fw_memo_program *program),
                         void *context, struct fw_error *err);

/* An iRoot in words. */
struct fw_memo_iroot {
    unsigned idiom; /* 0: there is none */
    bool waits;
    unsigned count; /* of accesses */
    const char *access[FW_IROOT_MOST], *place[FW_IROOT_MOST]; /* a place may be "" */
};

struct fw_memo_row {
    struct fw_memo_iroot iroot;
    bool own;
    enum fw_memo_state state;
    uint64_t seen;           /* runs that exposed it */
    bool judged;             /* one of them was judged as those of who has entered are */
    bool by[FW_MEMO_PREDICTORS];
    enum fw_memo_verdict verdict; /* the greatest of all inputs */
    uint64_t tried, failed;  /* attempts; those in which the program failed */
    /* The first run that exposed it; NULL and 0 if none has. */
    const char *campaign, *input, *strategy;
    uint64_t number;
    int64_t when;
};

/* By idiom, then by accesses' texts. */
int fw_memo_each_iroot(struct fw_memo *memo, const char *program,
                       int (*take)(void *context, const struct fw_memo_row *row), void *context,
                       struct fw_error *err);

struct fw_memo_past {
    const char *campaign, *input, *strategy, *outcome;
    uint64_t number, took, exposed;
    uint64_t before; /* plain runs of its session since the last one that is told */
    int64_t began;
    uint64_t fresh[FW_IDIOMS + 1]; /* iRoots that no earlier run has exposed; [0] is the sum */
    const char *failure, *message, *schedule; /* "" : it passed, nothing is known */
    const char *way; /* runs that failed alike have the same; "": not known */
    struct fw_memo_iroot sought; /* if it failed: what it was to expose */
};

/* How many there are, plain ones too. */
int fw_memo_count_runs(struct fw_memo *memo, const char *program, uint64_t *runs,
                       struct fw_error *err);

/* A way in which the program has failed. */
struct fw_memo_known_failure {
    const char *way; /* "": not known */
    const char *kind, *message, *input; /* of the first run */
    const char *schedule; /* the latest that is known, or "" */
    uint64_t runs;
    struct fw_memo_iroot sought; /* what the first run that sought something was to expose */
};

/* Those of the program, of the judge that was entered, in the order of their first runs. */
int fw_memo_each_failure(struct fw_memo *memo, const char *program,
                         int (*take)(void *context, const struct fw_memo_known_failure *failure),
                         void *context, struct fw_error *err);

/* Runs in the order of time, without plain ones. */
int fw_memo_each_run(struct fw_memo *memo, const char *program,
                     int (*take)(void *context, const struct fw_memo_past *run), void *context,
                     struct fw_error *err);

/* --- whole databases ------------------------------------------------------------------------- */

struct fw_memo_merged {
    uint64_t iroots, runs, predictions; /* that were new */
    bool unread; /* after -1: it was `from` that could not be read */
};

/* Adds everything that `from` knows, claims excepted. */
int fw_memo_merge(struct fw_memo *into, struct fw_memo *from, struct fw_memo_merged *merged,
                  struct fw_error *err);

/* Is it whole?  -1: err says what is wrong. */
int fw_memo_check(struct fw_memo *memo, struct fw_error *err);

#endif
