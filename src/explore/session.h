/*
 * session.h - runs one program under control, again and again.
 *
 * A session owns the shared memory of runtime/control_wire.h.  Sites that one run has met keep
 * their numbers in the next.  What the program prints is kept (standard output and error as one
 * text), not shown, unless the setup says otherwise.  A run that does not end within the limit is
 * killed, with all processes it has started.
 *
 * Not thread-safe; several sessions are independent of each other.
 */
#ifndef FW_EXPLORE_SESSION_H
#define FW_EXPLORE_SESSION_H

#include "base/error.h"
#include "base/vec.h"
#include "explore/escort.h"
#include "runtime/control_wire.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define FW_SESSION_STEPS (1u << 20) /* of a run, at most */
#define FW_SESSION_PATHS 4096u      /* threads that steps can name */

struct fw_leftover;

struct fw_session_setup {
    char *const *argv;   /* NULL behind the last */
    const char *runtime; /* the library */
    double limit;        /* seconds of a run; 0: 10 */
    bool virtual_time;   /* sleeping takes no time */
    uint64_t timeouts;   /* ns: waits of at most so long are over when the schedule says so */
    bool show;           /* the program's output is shown and not kept */
    int input;           /* a file that each run reads from where it stands; 0: none (`serve`) */
    bool serve;          /* the program is loaded once and copied for every run, if it can be */
    struct fw_escort_commands escort; /* what goes with every run */
    const char *gdb;     /* commands: the program is run by gdb, which is told these; or NULL */
    double until;        /* by fw_session_now: no run goes on for longer; 0: any */
    const atomic_int *stop; /* set: nor then; NULL: never */
    const struct fw_leftover *leftover; /* what a run leaves behind is killed; NULL: of its own
                                           process group alone */
};

/* What a run shall do.  Arrays are borrowed. */
struct fw_run_order {
    enum fw_control_strategy strategy;
    uint32_t flags; /* FW_CONTROL_* */
    uint64_t seed;
    uint32_t depth;
    uint64_t length;
    const struct fw_control_step *steps;
    uint32_t step_count;
    const struct fw_control_path *paths; /* [0] is the main thread's */
    uint32_t path_count;
    const uint32_t *choices;
    uint32_t choice_count, sleep_count; /* threads that sleep stand behind the choices */
    uint32_t idiom, attempt; /* FW_STRATEGY_IROOT; roles are flags of sites */
    uint32_t delay; /* ... ms that it waits for threads in the kernel */
    uint32_t patience; /* ms that a step waits for a thread in the kernel; 0: as long as usual */
};

enum fw_run_end {
    FW_RUN_EXITED,   /* with `code` */
    FW_RUN_SIGNAL,   /* killed by signal `code`, not by us */
    FW_RUN_DEADLOCK, /* these were found by the runtime, and ended */
    FW_RUN_STUCK,
    FW_RUN_TIMEOUT,  /* the limit has passed */
    FW_RUN_DRIVER,   /* it ended well, but the command that drives it has failed with `code` */
    FW_RUN_OVER,     /* the session was over before; says nothing about the program */
};

struct fw_run_result {
    enum fw_run_end end;
    int code;
    bool controlled; /* false: the program did not load the runtime, or was not built with it */
    bool moves;      /* FW_RUN_TIMEOUT: up to the end its threads came by points */
    double seconds;
};

struct fw_session;

/* NULL: no shared memory, or the program cannot be run. */
struct fw_session *fw_session_create(const struct fw_session_setup *setup, struct fw_error *err);
void fw_session_destroy(struct fw_session *session);
/* Seconds on a clock that only goes forward. */
double fw_session_now(void);
/* Seconds that there are for runs, by setup.until and setup.stop. */
double fw_session_left(const struct fw_session *session);

/* Called when a run meets a site that has no class yet (orders with FW_CONTROL_ASK); returns it,
 * or FW_CLASS_CALLER. */
typedef uint32_t (*fw_classify)(void *context, const char *module,
                                const struct fw_control_site *site);
void fw_session_classify(struct fw_session *session, fw_classify classify, void *context);
/* Has a site classified that a run has met already. */
void fw_session_ask(struct fw_session *session, uint32_t site);
/* No site has a class any more. */
void fw_session_forget_classes(struct fw_session *session);

/* The shared memory, as other processes of this user can open it while the session lives. */
const char *fw_session_file(const struct fw_session *session);
/* FOREWEAVE_OPTIONS of the program. */
void fw_session_options(const struct fw_session *session, char options[128]);

/* -1: there are too many for a run. */
int fw_session_fits(size_t steps, size_t paths, struct fw_error *err);

/* The program is run by somebody else, with this file as control=FILE: what it shall do then. */
int fw_session_order(struct fw_session *session, const struct fw_run_order *order,
                     struct fw_error *err);

/* For an order's steps, when undisturbed threads were in the kernel for so many seconds. */
uint32_t fw_patience_ms(double away);

/* -1: it could not be started. */
int fw_session_run(struct fw_session *session, const struct fw_run_order *order,
                   struct fw_run_result *result, struct fw_error *err);

/* --- after a run ----------------------------------------------------------------------------- */

const struct fw_control_head *fw_session_head(const struct fw_session *session);
const struct fw_control_turn *fw_session_turns(const struct fw_session *session);
/* How many of them matter: not those at the end of a run that hangs in which all threads spin. */
uint32_t fw_session_turn_count(const struct fw_session *session);
/* The steps of the order, with what was told about them. */
const struct fw_control_step *fw_session_steps(const struct fw_session *session);
/* All points (orders with FW_CONTROL_TRAIL): head.trail_count. */
const struct fw_control_trail *fw_session_trail(const struct fw_session *session);
/* What threads did (orders with FW_CONTROL_OBSERVE): head.seen_count. */
struct fw_control_seen *fw_session_seen(const struct fw_session *session);
const struct fw_control_thread *fw_session_threads(const struct fw_session *session);
struct fw_control_site *fw_session_site(const struct fw_session *session, uint32_t site);
const char *fw_session_module(const struct fw_session *session, uint32_t module);
/* Pairs of sites that met for the first time in this session: head.new_pairs. */
const uint64_t *fw_session_new_pairs(const struct fw_session *session);
/* Decisions, one behind the other: head.decision_bytes bytes. */
const char *fw_session_decisions(const struct fw_session *session);
/* The site with this module, offset and operation ("" for any), made if there is none. */
uint32_t fw_session_add_site(struct fw_session *session, const char *module, uint64_t offset,
                             const char *operation);
/* Processes that outlived their runs (setup.leftover). */
unsigned fw_session_left_behind(const struct fw_session *session);
/* The process that waits for the next run; 0: there is none. */
pid_t fw_session_process(const struct fw_session *session);
/* What the program printed, and its hash. */
const char *fw_session_output(const struct fw_session *session, size_t *bytes);
uint64_t fw_session_output_hash(const struct fw_session *session);
/* A file that other processes can read it from, as long as this one lives. */
const char *fw_session_output_file(const struct fw_session *session);

/* How a run ended, in words: "exit 1", "signal 6 (Aborted)", "deadlock" ... */
const char *fw_run_text(const struct fw_run_result *result, char text[64]);

#endif
