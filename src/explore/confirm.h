/*
 * confirm.h - makes the program run the witness of a finding, some times, and says what happened.
 *
 * Confirmed: in a run of the real program every step of the witness was taken as written, and at
 * its end the finding was there: the two accesses of a race next in their threads and on the same
 * memory, the cycle of a deadlock closed, the events of an order executed on the same memory.
 *
 * Then the run goes on by itself.  It is harmful if it then crashes, fails an assertion, hangs, or
 * ends or prints otherwise than runs without preemption do.  Where these differ among themselves,
 * another exit status or another output does not count.
 */
#ifndef FW_EXPLORE_CONFIRM_H
#define FW_EXPLORE_CONFIRM_H

#include "explore/turns.h"
#include "explore/witness.h"

#define FW_BASELINE_RUNS 10u

/* How the program behaves when nothing disturbs it. */
struct fw_baseline {
    struct fw_run_result results[FW_BASELINE_RUNS];
    uint64_t output; /* hash */
    unsigned runs;
    double away; /* seconds: the longest that a thread was in the kernel */
    /* From run to run, so that the schedule does not decide it: says nothing. */
    bool end_differs, output_differs;
};

struct fw_confirmation {
    unsigned runs, confirmed;
    unsigned harmful;     /* of the confirmed ones */
    char harm[96];        /* of the first harmful one: "signal 6 (Aborted)" */
    char divergence[256]; /* of the first run that was not confirmed */
    bool loosely;         /* threads were led to places, not to exact moments (witness.h) */
    int best;             /* number of the run whose steps are worth keeping; -1: none */
};

/* Two runs without preemption; the first one's end is what is expected.  More are made when a run
 * is to be judged that merely exits or prints otherwise. */
int fw_baseline_take(struct fw_session *session, struct fw_baseline *baseline,
                     struct fw_error *err);

/* Is that not how it ends otherwise?  Writes how, or "".  The session's latest run is another one
 * afterwards. */
bool fw_baseline_differs(struct fw_baseline *baseline, struct fw_session *session,
                         const struct fw_run_result *result, char how[96]);

/*
 * Runs the witness `runs` times, in variants that go on differently; and if not all of these
 * show it, as often again loosely, which counts if more of those do.  Fewer times where it goes
 * otherwise at the same step again and again.  A thread in the kernel is waited for as long as it
 * may take by what the baseline has seen, up to some seconds.  -1: it could not be tried, and err
 * says why.
 */
int fw_confirm(const struct fw_moments *moments, const struct fw_shown *witness, unsigned runs,
               struct fw_baseline *baseline, struct fw_session *session,
               struct fw_confirmation *confirmation, struct fw_error *err);

/* The steps of the run that is worth keeping as a schedule for any build; one more run is needed.
 * The schedule is initialised here, also on failure. */
int fw_confirm_script(const struct fw_moments *moments, const struct fw_shown *witness,
                      const struct fw_confirmation *confirmation, struct fw_session *session,
                      struct fw_anchors *anchors, struct fw_script *script, struct fw_error *err);

#endif
