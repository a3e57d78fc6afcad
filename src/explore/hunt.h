/*
 * hunt.h - tests iRoots that were predicted and that no run has exposed, one attempt a run.
 *
 * Which ones, and in which order, is the memo database's to say: first what has a witness, then the
 * others; idiom by idiom, the program's own code first; what several campaigns share is tested by
 * one of them.  A candidate with a witness is led along it; if a run goes otherwise the next one
 * follows exactly up to the last step that matched, and from there loosely, by places.  For all
 * others threads are held at the iRoot's accesses (runtime/strategy_iroot.c), in the first attempt
 * with the priorities of threads in the order of their creation, in the second in the opposite one.
 * Where runs are long these attempts are *thin* (FW_CONTROL_THIN): places that have nothing to do
 * with the iRoot are not seen and cost next to nothing.  Those are watched that are accesses of the
 * iRoot, that share memory in a function of one of them, or where threads have been seen spinning.
 * Such a run proves nothing; who makes it looks again (campaign_trial.c).
 *
 *     for each round:
 *         fw_hunt_plan(hunt, size, sure, &count, err);
 *         for each slot: fw_hunt_order(...), run it
 *         for each slot, in order: fw_hunt_learn(...)
 *
 * Orders may be made by several threads at once; everything else is for one thread.
 */
#ifndef FW_EXPLORE_HUNT_H
#define FW_EXPLORE_HUNT_H

#include "explore/coverage.h"
#include "explore/trial.h"
#include "explore/watcher.h"
#include "explore/witness.h"

enum fw_thin {
    FW_THIN_AUTO, /* where a run enters many basic blocks */
    FW_THIN_ALWAYS,
    FW_THIN_NEVER,
};

struct fw_hunt_setup {
    struct fw_memo *memo; /* entered; borrowed */
    unsigned idioms;      /* bit i: idiom i; 0: all */
    uint64_t attempts;    /* of each; 0: 2 */
    double limit;         /* seconds that a run may take */
    uint32_t delay;       /* ms that threads in the kernel are waited for */
    enum fw_thin thin;
    bool infeasible;      /* also what is proved not to happen */
    bool own_only;        /* only the program's own code */
};

/* What became of the attempts. */
struct fw_hunt_counts {
    uint64_t attempts, exposed; /* ... of these with what they sought */
    uint64_t thin, again;       /* thin ones, and those of them that were looked at again */
    uint64_t repairs, repaired; /* attempts from where one along a witness had gone astray, and
                                   those of them with what they sought */
    uint64_t witnessed[FW_IDIOMS + 1], reached[FW_IDIOMS + 1]; /* iRoots with a witness, exposed */
};

struct fw_hunt;

struct fw_hunt *fw_hunt_create(const struct fw_hunt_setup *setup, struct fw_coverage *coverage);
void fw_hunt_destroy(struct fw_hunt *hunt);

/* A witness for the iRoot, whose accesses are numbered by the coverage; all is borrowed. */
void fw_hunt_add(struct fw_hunt *hunt, const struct fw_iroot *iroot,
                 const struct fw_moments *moments, const struct fw_shown *witness);

/* A recorded run that failed: it comes first, to be made once more and kept. */
void fw_hunt_repeat(struct fw_hunt *hunt, const struct fw_moments *moments,
                    const struct fw_shown *run);

/* How many runs the next round has, at most `most`; 0: nothing is left.  Sure: only for what is
 * known to be possible.  -1: err. */
int fw_hunt_plan(struct fw_hunt *hunt, size_t most, bool sure, size_t *count,
                 struct fw_error *err);
/* Makes the order of a run; the steps are put into `steps` and `paths`.  `blocks`: that a run of
 * the program enters. */
void fw_hunt_order(struct fw_hunt *hunt, size_t slot, struct fw_session *session,
                   struct fw_watcher *watcher, struct fw_steps *steps, struct fw_paths *paths,
                   uint64_t blocks, struct fw_run_order *order);
/* The run's claim, for recording it; NULL: none. */
const struct fw_memo_claim *fw_hunt_claim(const struct fw_hunt *hunt, size_t slot);
/* The run was made.  True: it has exposed what it sought. */
bool fw_hunt_learn(struct fw_hunt *hunt, size_t slot, const struct fw_trial *trial);
/* Claims that were not used up. */
int fw_hunt_give_back(struct fw_hunt *hunt, struct fw_error *err);

struct fw_hunt_counts fw_hunt_counts(const struct fw_hunt *hunt);

#endif
