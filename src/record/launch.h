/*
 * launch.h - starts the program that is to be recorded.
 *
 * It runs as if it had been started without us: same terminal, group, folder, signals; only the
 * environment says where to send records, and the runtime is loaded first, so that programs that
 * were not built with the wrapper have their synchronisation recorded.
 */
#ifndef FW_RECORD_LAUNCH_H
#define FW_RECORD_LAUNCH_H

#include "base/error.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct fw_launch {
    char *const *argv;   /* NULL behind the last */
    const char *runtime; /* the library; NULL: none, and the environment is as it was */
    const char *options; /* FOREWEAVE_OPTIONS for it */
    bool hide;           /* no input, and its output is not shown ... */
    const char *output;  /* ... but goes to this file, unless it is NULL */
};

/*
 * While a program is recorded, signals are for the program: those of the terminal reach it by
 * themselves and are ignored here, the others are passed on.
 */
struct fw_signals {
    int fd; /* signalfd: SIGCHLD and what is to be passed on */
    sigset_t mask; /* as it was */
    bool handled;  /* INT and TERM are the caller's */
    struct sigaction interrupt, quit, limit;
};

/* A signal that the command itself wants waits from now on until fw_signals_take.  It is blocked by
 * that here, not in the program. */
void fw_signals_hold(int signal);
/* Handled: INT and TERM are not touched, the caller has handlers for them. */
int fw_signals_take(struct fw_signals *signals, bool handled, struct fw_error *err);
void fw_signals_give_back(struct fw_signals *signals);
/* Reads what has come; passes on to pid (if above 0) what is for the program. */
void fw_signals_handle(struct fw_signals *signals, pid_t pid);

/* Its file, as execvp would look for it; the caller's.  NULL and errno: there is none. */
char *fw_launch_path(const char *program);
/* Is there such a program? */
int fw_launch_check(const char *program, struct fw_error *err);

/* Starts it; -1 if it cannot be executed. */
pid_t fw_launch(const struct fw_launch *launch, const struct fw_signals *signals,
                struct fw_error *err);

#endif
