/*
 * control_wire.h - what a controlled program and the controller outside say to each other.
 *
 * The controller makes a shared memory file and names it in FOREWEAVE_OPTIONS (mode=control,
 * control=PATH).  The first process of the run whose executable has hooks (or is the one named in
 * `program`) claims it; every other one runs as it would alone.  The controller fills in the head
 * and the steps before a run and reads the rest after it.  The tables of modules and sites are
 * kept from run to run: a site keeps its number as long as the file lives.
 *
 * A *point* is a place where the token may change hands: before an access that may be shared,
 * before a call that synchronises, before a call that may wait, at the beginning of a thread.  At a
 * point its thread has not yet done what the point is named for.
 *
 * A *site* is the place of a point in the code: module, offset of the return address, operation.
 * Points of one thread at one site are counted from 1: its ordinal.  Sites may be gathered in
 * *classes* (the controller says: same operation in the same line of the same function, whatever
 * the compiler made of it), and ordinals are counted for these as well.  The number of *blocks*
 * (basic blocks that the thread has entered since a known point) together with the site tells a
 * point exactly, as long as the program is the very same.  Sites with an empty operation stand for
 * whatever is done at their place.
 *
 * A *turn* is what a thread does between getting and losing the token.
 *
 * This header is shared by both sides and includes nothing of either.
 */
#ifndef FW_RUNTIME_CONTROL_WIRE_H
#define FW_RUNTIME_CONTROL_WIRE_H

#include <stdatomic.h>
#include <stdint.h>

#define FW_CONTROL_MAGIC   0x6c727463u /* "ctrl" */
#define FW_CONTROL_VERSION 6u
#define FW_CONTROL_NONE    UINT32_MAX

enum fw_control_strategy {
    FW_STRATEGY_NONE,   /* never preempts; who comes first goes first */
    FW_STRATEGY_RANDOM,
    FW_STRATEGY_PCT,
    FW_STRATEGY_PCT_LARGE,
    FW_STRATEGY_DELAY,
    FW_STRATEGY_POS,
    FW_STRATEGY_CHOICES, /* follows `choices`, then never preempts; tells every decision */
    FW_STRATEGY_STEPS,   /* follows `steps`, then never preempts */
    FW_STRATEGY_IROOT,   /* seeks an instance of an iRoot: `idiom`, sites with roles */
    FW_STRATEGY_COUNT,
};

enum {
    FW_CONTROL_ALL_POINTS = 1,  /* every access is a point, not only at sites known as shared */
    FW_CONTROL_SYNC_ONLY = 2,   /* no access is */
    FW_CONTROL_NAMED_ONLY = 4,  /* only sites marked FW_SITE_NAMED are, and what blocks */
    FW_CONTROL_ASK = 8,         /* a new site's class is asked for */
    FW_CONTROL_DECISIONS = 16,  /* decisions are told (FW_STRATEGY_CHOICES) */
    FW_CONTROL_VIRTUAL = 32,    /* time passes only when everybody waits for it */
    FW_CONTROL_STOP = 64,       /* raise SIGTRAP at the step marked FW_STEP_STOP */
    FW_CONTROL_STRICT = 128,    /* steps are no more followed when one of them, before the last
                                   goal, has gone otherwise: the run shows nothing any more */
    FW_CONTROL_WALK = 2048,     /* behind the last step who goes on is drawn at every point */
    FW_CONTROL_FROZEN = 1024,   /* a site that is found to be shared is marked FW_SITE_FOUND and no
                                   point yet: the run does not depend on what others have found */
    FW_CONTROL_TRAIL = 256,     /* points are told one by one */
    FW_CONTROL_OBSERVE = 4096,  /* so is what threads did to memory and locks */
    FW_CONTROL_THIN = 8192,     /* of accesses those at sites marked FW_SITE_WATCHED are points, and
                                   all others are not seen: their hooks become nothing, as do those
                                   of branches.  Not with steps, nor observed */
    FW_CONTROL_USUAL = 16384,   /* with steps: those name points of another run, so what would be no
                                   point without them is none with them */
};

enum fw_control_outcome {
    FW_OUTCOME_NOTHING,  /* it did not come to its end, or ended by itself: see its status */
    FW_OUTCOME_ENDED,    /* exit was called */
    FW_OUTCOME_DEADLOCK, /* threads wait for each other's locks; the program was killed */
    FW_OUTCOME_STUCK,    /* everybody waits and nobody can wake anybody; killed */
    FW_OUTCOME_REDUNDANT, /* everybody who could go on sleeps: another run has shown the rest */
};

/* How a turn ends; how a step says it should. */
enum fw_turn_end {
    FW_TURN_PREEMPTED, /* before the point; also if it spins there */
    FW_TURN_BLOCKED,   /* at the point: the thread waits for an object or for the kernel */
    FW_TURN_FINISHED,  /* the thread has ended */
    FW_TURN_YIELDED,   /* it gave way (sched_yield, a try in vain) */
};

enum fw_step_how {
    FW_STEP_SITE,   /* until `ordinal` at `site` */
    FW_STEP_CLASS,  /* until `ordinal` at the class `site` */
    FW_STEP_BLOCKS, /* until `ordinal` blocks have been entered since the thread's latest step of
                       kind SITE or CLASS (its start if there was none), and `site` is reached */
    FW_STEP_PLACE,  /* until it is at `site` for the `ordinal`-th time; where it stands when the
                       step begins counts */
    FW_STEP_AWAY,   /* until it cannot go on: it waits, spins or has ended */
    FW_STEP_END,    /* until it has ended */
    FW_STEP_FREE,   /* until it holds no lock, or cannot go on */
    FW_STEP_ONE,    /* one place further: executes what it stands before, or goes on with */
    FW_STEP_EXPIRES, /* until it waits with a limit, which then has passed; told: how long it was
                        (ns) as `ordinal`, and class and ordinal of where it waits */
};

enum {
    FW_STEP_GOAL = 1, /* where it stands then is told: head.goal */
    FW_STEP_STOP = 2, /* the debugger is called there */
    FW_STEP_MAY = 4,  /* if it cannot be done nothing has diverged */
};

struct fw_control_step {
    uint32_t path; /* of the thread that runs: index into the paths */
    uint8_t how;   /* enum fw_step_how */
    uint8_t flags;
    uint16_t goal; /* with FW_STEP_GOAL: its number, below FW_CONTROL_GOALS */
    uint32_t site;
    uint32_t class_; /* told by the runtime when it is reached at a point: class and ordinal */
    uint64_t ordinal, class_ordinal;
};

/* Threads by who created them: the ordinal-th (from 1) child of the thread of path `parent`.
 * Path 0 is the main thread. */
struct fw_control_path {
    uint32_t parent, ordinal;
};

enum {
    FW_SITE_SHARED = 1, /* it was seen touching memory that several threads use, one of them
                           writing */
    FW_SITE_NAMED = 2,  /* the controller wants it as a point */
    FW_SITE_ACCESS = 4, /* a plain access */
    FW_SITE_WRITES = 8,
    FW_SITE_CLASSED = 16, /* its class is known (0: it has none) */
    FW_SITE_FOUND = 256,  /* shared, found with FW_CONTROL_FROZEN */
    FW_SITE_CALLER = 32,  /* code of a header: the class is that of the call that led there */
    FW_SITE_TOLD = 512,   /* the controller's: it knows that the site was found */
    FW_SITE_WATCHED = 1024, /* for FW_CONTROL_THIN */
    FW_SITE_SPINS = 2048,   /* a thread was seen going round in circles there */
};

/* The site is the i-th access of the iRoot that is sought (FW_STRATEGY_IROOT), from 0. */
#define FW_SITE_ROLE(i) (1u << (16 + (i)))
#define FW_SITE_ROLES   (FW_SITE_ROLE(0) | FW_SITE_ROLE(1) | FW_SITE_ROLE(2) | FW_SITE_ROLE(3))

#define FW_CLASS_CALLER UINT32_MAX /* the answer that makes a site FW_SITE_CALLER */

struct fw_control_site {
    uint64_t offset; /* of the return address, from the module's base */
    uint32_t module;
    _Atomic uint32_t flags;
    uint32_t class_;
    char operation[28]; /* "read", "write", "load", "pthread_mutex_lock" ... */
};

#define FW_CONTROL_MODULES 64u
struct fw_control_module {
    char path[256];
};

#define FW_THREAD_BLOCKED 3u /* the runtime's FW_STATE_BLOCKED */

/* What is known of a thread, by its number. */
struct fw_control_thread {
    uint32_t parent, ordinal; /* as in a path, but the parent's number */
    uint32_t state;           /* enum fw_state of the runtime */
    uint32_t site;            /* of its latest point */
    uint64_t object;          /* ... and what it is about */
    uint64_t blocks;
};

/* One turn: who had it and how it ended.  Written when it ends. */
struct fw_control_turn {
    uint32_t thread;
    uint32_t end;  /* enum fw_turn_end */
    uint32_t site; /* of the point where it ended, or FW_CONTROL_NONE */
    uint32_t ordinal, class_ordinal;
    uint32_t points; /* of the turn */
    uint32_t expired; /* 1: it began because the limit of a wait had passed */
    uint64_t blocks;
    uint64_t object;
};

/* One decision (FW_CONTROL_DECISIONS): this, then `count` candidates, by number.  One candidate:
 * there was no choice. */
struct fw_control_decision {
    uint32_t count, chosen; /* chosen: index of the candidate */
    uint32_t current;       /* index of the one that could simply have gone on, or NONE */
    uint32_t reserved;
};

enum {
    FW_CANDIDATE_WRITES = 1,
    FW_CANDIDATE_GLOBAL = 2,  /* everything depends on it */
    FW_CANDIDATE_NOTHING = 4, /* nothing does */
    FW_CANDIDATE_QUIET = 8,   /* what it does is not seen by others while they run: no reason to
                                 interrupt the thread here rather than at its next point */
    FW_CANDIDATE_EXPIRES = 16, /* it waits with a limit: if it is chosen that has passed */
};

struct fw_control_candidate {
    uint32_t thread, site;
    uint64_t object; /* what its next operation touches */
    uint32_t size;
    uint32_t flags;
};

/*
 * Coverage: pairs of sites, where two threads touched the same object one after the other and one
 * of them wrote.  A pair is a number that does not depend on the order in which sites were met.
 * All that were seen since the file was made are in a table (open addressing, 0: free); those that
 * this run has added are listed.
 */
#define FW_CONTROL_PAIRS     65536u
#define FW_CONTROL_NEW_PAIRS 4096u
struct fw_control_pairs {
    uint64_t all[FW_CONTROL_PAIRS];
    uint64_t added[FW_CONTROL_NEW_PAIRS];
    uint32_t count; /* in `all` */
};

/* One point (FW_CONTROL_TRAIL), in order. */
struct fw_control_trail {
    uint32_t thread, site, class_;
    uint32_t blocks; /* the low bits */
};

/*
 * One thing done (FW_CONTROL_OBSERVE): accesses of memory that several threads use, atomic
 * accesses, locks taken and given back (and those that are waited for), memory that comes and goes.
 * What was done before anybody knew that it matters is told late.
 */
struct fw_control_seen {
    uint64_t object; /* address */
    uint64_t when;   /* grows with the run */
    uint32_t size;   /* bytes of accesses and blocks */
    uint32_t site;   /* FW_CONTROL_NONE: unknown */
    uint32_t thread;
    uint32_t kind; /* enum fw_wire_kind */
};

#define FW_CONTROL_GOALS 16u
struct fw_control_goal {
    uint32_t reached; /* 1: the step was reached */
    uint32_t thread, site;
    uint32_t size;   /* of the memory that is about to be accessed or freed, if it is known ... */
    uint64_t object; /* ... where it is; 0: not known */
};

#define FW_CONTROL_WHY 160u

/* What a program did that makes a run depend on more than its schedule. */
enum fw_control_chance {
    FW_CHANCE_PROCESSES = 1, /* other processes began, or it became another program */
    FW_CHANCE_SIGNALS = 2,   /* when a signal comes, or to whom, is not said */
    FW_CHANCE_MAPPINGS = 4,  /* memory that has, or may have, other addresses or users as well */
    FW_CHANCE_SYSTEM = 8,    /* it asked for what differs from run to run: time spent */
    /* What matters to few programs only, and hinders none from being searched. */
    FW_CHANCE_ADDRESSES = 16, /* where memory lies that threads got and gave back side by side */
    FW_CHANCE_IDS = 32,       /* ids or names that differ from run to run */
};
#define FW_CHANCES 6u

struct fw_control_head {
    uint32_t magic, version;
    uint64_t bytes; /* of the whole file */

    /* The controller's. */
    uint32_t strategy, flags;
    uint64_t seed;
    uint32_t depth;       /* pct: number of ordering constraints */
    uint32_t threads;     /* expected, for strategies that need to know */
    uint64_t length;      /* expected number of points */
    uint32_t step_count, path_count, choice_count;
    uint32_t sleep_count; /* threads behind the choices that sleep when the last one is made */
    uint32_t patience;    /* ms that a step waits for a thread in the kernel; 0: as long as usual */
    uint32_t idiom;       /* 1 to 6, for FW_STRATEGY_IROOT */
    uint32_t attempt;     /* ... and which one it is, from 0 */
    uint32_t delay;       /* ... and ms that it waits for threads in the kernel */
    uint64_t timeouts;    /* ns: waits and sleeps of at most so long are over when the strategy says
                             so; 0: none */
    char program[256];    /* claims even without hooks; may be empty */

    /* Areas: offsets from the beginning, and how many fit. */
    uint64_t modules_at, pairs_at;
    uint64_t sites_at, steps_at, paths_at, choices_at, threads_at, turns_at, decisions_at;
    uint64_t trail_at, seen_at;
    uint32_t sites_room, steps_room, paths_room, choices_room, threads_room, turns_room;
    uint32_t trail_room, seen_room;
    uint64_t decisions_room; /* bytes */

    /* Both: tables that are kept. */
    _Atomic uint32_t module_count, site_count;

    /* The runtime's, set to zero by the controller before each run. */
    _Atomic int32_t claimed; /* process id */
    uint32_t has_hooks;      /* the executable was built with them */
    uint32_t outcome;
    uint32_t thread_count;
    uint32_t running; /* number of the thread that has the token, or had it last */
    uint32_t running_expired; /* as `expired` of its turn, which has no end yet */
    uint32_t turn_count, turns_lost; /* the latter: of those before the quiet ones */
    uint32_t turns_quiet; /* from this one on all turns ended because their threads spun, and
                             nothing was changed */
    uint32_t reserved_quiet;
    uint64_t point_count;
    uint64_t decision_bytes, decisions_lost;
    uint32_t steps_done; /* reached as they say */
    uint32_t step_now;   /* number of the current one; step_count: all are behind */
    uint32_t trail_count, trail_lost;
    uint32_t seen_count;
    uint32_t seen_lost; /* 1: there was no more room, and nothing was observed from then on */
    uint32_t beyond;    /* 1: the program uses more memory, or places, than it is noted of who
                         * shares it */
    uint64_t blocks;    /* basic blocks that threads have entered which have ended */
    uint32_t played;    /* 1: what FW_STRATEGY_IROOT seeks has come about, as far as it sees */
    uint32_t reserved_played;
    uint32_t one_of_several; /* 1: of several threads that waited some were woken, first come first
                                served: who it is was no choice */
    uint32_t at_once;    /* 1: a call of a library wrote memory that is shared, or read much of it,
                            in one step; maybe before its point */
    uint32_t diverged;   /* 1 + number of the first step that went otherwise; 0: none */
    uint32_t diverged_site;
    uint32_t new_shared; /* sites that were found to be shared in this run */
    uint32_t new_pairs;  /* of sites, listed in struct fw_control_pairs */
    uint64_t digest;     /* of all points in order: thread, site, ordinal */
    uint64_t away_ns;    /* the longest that a thread was in the kernel, or until its time came */
    uint32_t returned;   /* 1: a thread came back from the kernel, or from a wait with a limit, when
                            there were others: not the choices have decided when */
    uint32_t longer;     /* 1: a thread waited with a limit that was no choice, when there were
                            others */
    uint32_t limits;     /* 1: that the limit of a wait passes was a choice */
    uint32_t fair;       /* 1: a thread that went round in circles, or whose limit had passed just
                            before, had to let others go first */
    uint32_t clocks;     /* 1: the program read a clock */
    uint32_t randoms;    /* 1: ... random numbers */
    uint32_t chances;    /* what else no schedule decides: of enum fw_control_chance */
    uint32_t reserved_chances;
    uint32_t child_deadlock; /* 1: threads of a child, which is not controlled, wait for each
                                other's locks */
    char why[FW_CONTROL_WHY]; /* of the divergence */
    struct fw_control_goal goals[FW_CONTROL_GOALS];

    /* A question of the runtime: the class of a site. */
    _Atomic uint32_t asked, answered; /* futex words: number of the question, of the answer */
    uint32_t asked_site;

    /* The server's (control_server.c): a run is ordered by adding 1 to `order`. */
    uint32_t serve;               /* the controller wants one */
    _Atomic int32_t server;       /* process id; 0: none */
    _Atomic uint32_t order, over; /* futex words: runs that were ordered, that have ended */
    int32_t child, status;        /* of the latest run; status as of waitpid */
};

#endif
