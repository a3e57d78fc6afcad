/*
 * campaign.h - many runs of one program, until a budget is spent.
 *
 * Runs are numbered from 1.  The first is not preempted at all and shows which places are shared
 * and how long a run is; all others follow the strategy.  They are made in *rounds*: what a round
 * does depends on what the rounds before it have shown, and not on what happens in it.  So several
 * workers can share its runs, and the same seed gives the same campaign with any number of them.
 * Results are taken in the order of the numbers, and budgets are exact: behind the run that ends
 * the campaign nothing counts.
 *
 * Not thread-safe; the campaign has threads of its own.  Callbacks come from the caller's thread.
 */
#ifndef FW_EXPLORE_CAMPAIGN_H
#define FW_EXPLORE_CAMPAIGN_H

#include "explore/hunt.h"
#include "explore/ledger.h"
#include "explore/profiling.h"
#include "explore/proposals.h"
#include "explore/trial.h"
#include "iroot/observe.h"

enum fw_explore_strategy {
    FW_EXPLORE_RANDOM,
    FW_EXPLORE_PCT,
    FW_EXPLORE_PCT_LARGE,
    FW_EXPLORE_DELAY,
    FW_EXPLORE_POS,
    FW_EXPLORE_CHESS,
    FW_EXPLORE_PREDICT, /* what was predicted first, then pct */
    FW_EXPLORE_IROOT,   /* what the setup's hunt says */
    FW_EXPLORE_NONE,    /* nobody is preempted: all runs are the same */
    FW_EXPLORE_STRATEGIES,
};

#define FW_ANY_PREEMPTIONS UINT32_MAX

/* A failure: all failing runs with the same text. */
struct fw_failure {
    const char *text, *message; /* the campaign's */
    struct fw_run_result result;
    uint64_t first, count; /* number of the first run, and how many */
    uint64_t seed;         /* of the first one */
    char *schedule;        /* a file that replays it, or NULL; the campaign's */
    const char *unkept;    /* why there is no such file, or NULL */
    unsigned tried;        /* runs that a schedule was to be made of */
    struct fw_iroot sought; /* what runs were to expose: of the first that has, else of the first
                               that sought something; idiom 0: none did */
    uint64_t seeker;       /* number of that run */
    bool reached;          /* it has exposed it */
    char *timeouts;        /* which waits time out in the schedule, or NULL; the campaign's */
};

FW_VEC_TYPE(fw_failure_vec, struct fw_failure);

enum fw_campaign_end {
    FW_CAMPAIGN_RUNS,      /* all were made */
    FW_CAMPAIGN_TIME,      /* the time is over */
    FW_CAMPAIGN_FIRST,     /* a failure was found, which was to end it */
    FW_CAMPAIGN_IDLE,      /* nothing new for long enough */
    FW_CAMPAIGN_EXHAUSTED, /* every schedule that the search asks for was run */
    FW_CAMPAIGN_STOPPED,   /* by the caller: session.stop */
    FW_CAMPAIGN_BROKEN,    /* something went wrong that is not the program's fault */
};

/* What is known so far. */
struct fw_campaign_state {
    uint64_t runs;      /* that count */
    uint64_t known;     /* of these, made before this campaign began */
    uint64_t recorded;  /* runs besides, which were recorded, not controlled: budgets have them */
    uint64_t failing;   /* runs */
    uint64_t redundant; /* that were cut short: another one has shown the same */
    uint64_t diverged;  /* runs that did not follow their choices */
    uint64_t partly;    /* runs that were searched up to some point */
    uint64_t returned;  /* runs in which the kernel has decided when threads went on */
    uint64_t limits;    /* runs in which it was a choice that limits of waits pass */
    uint64_t longer;    /* runs with waits whose limits were too long to be a choice */
    uint64_t fair;      /* runs in which threads that went round in circles were held back */
    uint64_t clock;     /* runs that read a clock */
    uint64_t random;    /* runs that read random numbers */
    uint64_t chances[FW_CHANCES]; /* runs by what else of them no schedule decides */
    uint64_t several;   /* runs in which it was no choice who of several was woken */
    uint64_t at_once;   /* runs in which calls of libraries used shared memory in one step */
    uint64_t beyond;    /* runs with more memory than it is noted of who shares it */
    uint64_t cut;       /* runs that were still on their way when their limit had passed */
    uint64_t left;      /* processes that outlived their run and were killed */
    uint64_t quiet;     /* since something was new */
    uint64_t length;    /* points of the longest one that came to an end, if one did */
    bool ended;         /* one did */
    uint64_t blocks;    /* basic blocks that the longest one has entered */
    uint32_t threads;   /* most */
    double away;        /* seconds that a thread was in the kernel when nobody was held back */
    uint64_t unseen;    /* runs that were not observed to their end */
    size_t shared, pairs;
    uint32_t exposed[FW_IDIOMS + 1]; /* iRoots, by idiom; [0] is nothing */
    uint32_t controlled[FW_IDIOMS + 1]; /* the same by the runs that count alone */
    bool blind; /* no access to memory was seen: the program was not built for it */
    struct fw_failure_vec failures;
    enum fw_campaign_end end;
    double seconds; /* of this campaign, without what was known and without profiles */
};

struct fw_campaign_setup {
    struct fw_session_setup session;
    enum fw_explore_strategy strategy;
    uint32_t depth, preemptions;
    uint32_t points; /* FW_CONTROL_ALL_POINTS and the like; 0: shared ones */
    const char *const *names; /* with FW_CONTROL_NAMED_ONLY: of points; NULL behind the last */
    struct fw_proposals proposals; /* predict: what comes first */
    uint64_t seed;
    uint64_t runs, idle; /* 0: any */
    uint64_t recorded;   /* runs that were made before; those of the profiling come on top */
    double seconds;      /* 0: any */
    bool until_first;
    uint32_t jobs;
    struct fw_observe_options observe;
    struct fw_coverage *coverage; /* what was exposed before counts; NULL: nothing was */
    struct fw_hunt *hunt;         /* iroot: what to test ... */
    struct fw_profiling *profiling; /* ... and what tells it, if that is not over; or NULL */
    struct fw_ledger ledger;
    const char *ok;      /* a command that judges, or NULL */
    const char *journal; /* a file, or NULL */
    const char *folder;  /* of schedules; NULL: none are kept */
    const char *about;   /* for the journal: what makes two campaigns the same */

    void *context;
    /* Before the first schedule is written: the folder, where setup has none; NULL: none. */
    const char *(*place)(void *context);
    void (*progress)(void *context, const struct fw_campaign_state *state); /* after each round */
};

struct fw_campaign;

/* NULL: the program cannot be run, or the journal cannot be read. */
struct fw_campaign *fw_campaign_create(const struct fw_campaign_setup *setup,
                                       struct fw_error *err);
/* 0, or -1: something went wrong that is not the program's fault; what runs have shown before that
 * is in the state. */
int fw_campaign_run(struct fw_campaign *campaign, struct fw_error *err);
const struct fw_campaign_state *fw_campaign_state(const struct fw_campaign *campaign);
void fw_campaign_destroy(struct fw_campaign *campaign);

/* The seed of a run. */
uint64_t fw_campaign_seed(uint64_t seed, uint64_t number);
/* Has a run come by the place of setup.names[name]?  True also if no run was made. */
bool fw_campaign_has_met(const struct fw_campaign *campaign, size_t name);
/* Is it the runtime that is missing?  True if no run was under control. */
bool fw_campaign_is_uncontrolled(const struct fw_campaign *campaign);

#endif
