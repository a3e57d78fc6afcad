/* trialrun.c - see trialrun.h. */
#include "cmd/trialrun.h"

#include "record/launch.h"

#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static uint64_t now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000u + (uint64_t)time.tv_nsec / 1000000u;
}

static void take_signals(const struct fw_trialrun *run, struct fw_signals *signals, pid_t pid)
{
    struct signalfd_siginfo info;

    while (read(signals->fd, &info, sizeof info) == (ssize_t)sizeof info)
        if (info.ssi_signo != SIGCHLD &&
            !(run->takes && run->takes((int)info.ssi_signo, run->context)))
            kill(pid, (int)info.ssi_signo);
}

static void watch(const struct fw_trialrun *run, struct fw_signals *signals, pid_t pid,
                  int *status)
{
    uint64_t end = run->limit ? now() + run->limit * 1000u : UINT64_MAX;
    bool asked = false;

    while (waitpid(pid, status, WNOHANG) != pid) {
        struct pollfd ready = { .fd = signals->fd, .events = POLLIN };

        if (run->tick)
            run->tick(run->context);
        if (now() >= end)
            kill(pid, SIGKILL);
        if (run->stop && atomic_load(run->stop) && !asked) {
            kill(pid, SIGTERM);
            asked = true;
            end = now() + 2000u;
        }
        if (poll(&ready, 1, FW_TRIALRUN_TICK) > 0)
            take_signals(run, signals, pid);
    }
    if (run->tick)
        run->tick(run->context);
}

int fw_trialrun(const struct fw_trialrun *run, int *status, struct fw_error *err)
{
    struct fw_launch launch = { .argv = run->argv,
                                .runtime = run->runtime,
                                .options = run->options,
                                .hide = run->output != NULL,
                                .output = run->output };
    struct fw_signals signals;
    pid_t pid = -1;

    if (fw_signals_take(&signals, run->stop != NULL, err) == 0) {
        pid = fw_launch(&launch, &signals, err);
        if (pid > 0)
            watch(run, &signals, pid, status);
        fw_signals_give_back(&signals);
    }
    return pid > 0 ? 0 : -1;
}
