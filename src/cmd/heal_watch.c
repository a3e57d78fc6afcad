/*
 * heal_watch.c - beside the program while it runs; see heal.h.
 */
#include "cmd/heal.h"

#include "base/alloc.h"
#include "record/launch.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#define TICK_MS 50 /* between looks at the log and the file */

int fw_heal_wire_make(struct fw_heal_run *run, struct fw_error *err)
{
    run->wire_fd = memfd_create("foreweave-heal", MFD_CLOEXEC);
    if (run->wire_fd < 0 || ftruncate(run->wire_fd, sizeof *run->wire) < 0)
        return fw_error_errno(err, "cannot make shared memory");
    run->wire =
        mmap(NULL, sizeof *run->wire, PROT_READ | PROT_WRITE, MAP_SHARED, run->wire_fd, 0);
    if (run->wire == MAP_FAILED) {
        run->wire = NULL;
        return fw_error_errno(err, "cannot map shared memory");
    }
    run->wire->magic = FW_HEAL_MAGIC;
    return 0;
}

void fw_heal_wire_release(struct fw_heal_run *run)
{
    if (run->wire)
        munmap(run->wire, sizeof *run->wire);
    if (run->wire_fd >= 0)
        close(run->wire_fd);
    run->wire = NULL;
    run->wire_fd = -1;
}

static void switch_off(struct fw_heal_run *run, const char *why)
{
    uint32_t on = FW_HEAL_ON;

    if (atomic_compare_exchange_strong(&run->wire->off, &on, FW_HEAL_OFF_ASKED))
        fw_heal_log_say(run->log, why);
}

/* USR1 is for us, what else can be caught is for the program. */
static void take_signals(struct fw_heal_run *run, struct fw_signals *signals, pid_t pid)
{
    struct signalfd_siginfo info;

    while (read(signals->fd, &info, sizeof info) == (ssize_t)sizeof info) {
        if (info.ssi_signo == SIGUSR1)
            switch_off(run, "a signal came: healing is off");
        else if (info.ssi_signo != SIGCHLD)
            kill(pid, (int)info.ssi_signo);
    }
}

static void look_for_file(struct fw_heal_run *run)
{
    if (run->off_file && access(run->off_file, F_OK) == 0)
        switch_off(run, "the file is there: healing is off");
}

static void watch(struct fw_heal_run *run, struct fw_signals *signals, pid_t pid, int *status)
{
    while (waitpid(pid, status, WNOHANG) != pid) {
        struct pollfd ready = { .fd = signals->fd, .events = POLLIN };

        fw_heal_log_drain(run->log, run->wire);
        look_for_file(run);
        if (poll(&ready, 1, TICK_MS) > 0)
            take_signals(run, signals, pid);
    }
    fw_heal_log_drain(run->log, run->wire);
}

int fw_heal_run(struct fw_heal_run *run, int *status, struct fw_error *err)
{
    char *options = fw_xasprintf("mode=atomrace:heal=/proc/%d/fd/%d:%s", (int)getpid(),
                                 run->wire_fd, run->options);
    struct fw_launch launch = { .argv = run->argv, .runtime = run->runtime, .options = options };
    struct fw_signals signals;
    pid_t pid = -1;

    look_for_file(run);
    if (fw_signals_take(&signals, false, err) == 0) {
        pid = fw_launch(&launch, &signals, err);
        if (pid > 0)
            watch(run, &signals, pid, status);
        fw_signals_give_back(&signals);
    }
    free(options);
    return pid > 0 ? 0 : -1;
}
