/* escort.c - see escort.h. */
#include "explore/escort.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* What the escort tells; in memory that it shares with us. */
struct fw_escort_told {
    atomic_bool driven; /* `drive` has exited ... */
    int status;         /* ... with this */
    atomic_bool over;   /* the program has ended: its number may be another one's */
    atomic_bool told_to_end; /* it may end by SIGTERM */
};

static void be_quiet(int output)
{
    int nothing = open("/dev/null", O_RDONLY);

    if (nothing >= 0)
        dup2(nothing, STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
}

static int status_of(int status)
{
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* With the shell; returns its status. */
static int shell(const char *command)
{
    pid_t pid = fork();
    int status = 0;

    if (pid == 0) {
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    if (pid < 0)
        return 127;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return 127;
    return status_of(status);
}

/* Seconds since then. */
static double passed(const struct timespec *start)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - start->tv_sec) + (double)(now.tv_nsec - start->tv_nsec) / 1e9;
}

/* True: it has ended in time. */
static bool await(pid_t pid, double limit, int *status)
{
    const struct timespec pause = { 0, 1000000 };
    struct timespec start;

    clock_gettime(CLOCK_MONOTONIC, &start);
    for (;;) {
        pid_t ended = waitpid(pid, status, WNOHANG);

        if (ended == pid || (ended < 0 && errno != EINTR))
            return true;
        if (passed(&start) > limit)
            return false;
        nanosleep(&pause, NULL);
    }
}

int fw_escort_prepare(const struct fw_escort_commands *commands, double limit, int output,
                      struct fw_error *err)
{
    pid_t pid;
    int status = 0;

    if (!commands->setup)
        return 0;
    pid = fork();
    if (pid < 0)
        return fw_error_errno(err, "cannot start '%s'", commands->setup);
    if (pid == 0) {
        setpgid(0, 0);
        be_quiet(output);
        execl("/bin/sh", "sh", "-c", commands->setup, (char *)NULL);
        _exit(127);
    }
    setpgid(pid, pid); /* whoever comes first */
    if (!await(pid, limit, &status)) {
        kill(-pid, SIGKILL);
        while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
            ;
        return fw_error_set(err, "the setup command '%s' takes longer than %g seconds (--limit)",
                            commands->setup, limit);
    }
    if (status)
        return fw_error_set(err, "the setup command '%s' failed with status %d", commands->setup,
                            status_of(status));
    return 0;
}

/* --- the escort itself ----------------------------------------------------------------------- */

static pid_t await_program(const _Atomic int32_t *program)
{
    const struct timespec pause = { 0, 1000000 };

    while (!*program)
        nanosleep(&pause, NULL);
    return *program;
}

static void go_along(const struct fw_escort *escort, const _Atomic int32_t *number_at)
{
    pid_t program = await_program(number_at);
    char number[16];

    snprintf(number, sizeof number, "%d", (int)program);
    setenv("FOREWEAVE_PID", number, 1);
    escort->told->status = shell(escort->commands->drive);
    escort->told->driven = true;
    if (!escort->told->over) {
        escort->told->told_to_end = true;
        if (escort->commands->teardown)
            shell(escort->commands->teardown);
        else
            kill(program, SIGTERM);
    }
    _exit(0);
}

int fw_escort_start(struct fw_escort *escort, const struct fw_escort_commands *commands,
                    const _Atomic int32_t *program, int output, struct fw_error *err)
{
    *escort = (struct fw_escort) { .commands = commands };
    if (!commands->drive)
        return 0;
    escort->told = mmap(NULL, sizeof *escort->told, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (escort->told == MAP_FAILED)
        return fw_error_errno(err, "cannot map memory");
    escort->process = fork();
    if (escort->process == 0) {
        setpgid(0, 0);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        be_quiet(output);
        go_along(escort, program);
    }
    if (escort->process < 0) {
        fw_error_errno(err, "cannot start '%s'", commands->drive);
        munmap(escort->told, sizeof *escort->told);
        escort->process = 0;
        return -1;
    }
    setpgid(escort->process, escort->process);
    return 0;
}

bool fw_escort_await(struct fw_escort *escort, double seconds, const atomic_int *stop)
{
    const struct timespec pause = { 0, 1000000 };
    struct timespec start;

    if (!escort->process)
        return true;
    escort->told->over = true;
    clock_gettime(CLOCK_MONOTONIC, &start);
    while (!escort->told->driven && passed(&start) <= seconds) {
        if (stop && *stop)
            return false;
        nanosleep(&pause, NULL);
    }
    escort->awaited = true;
    return escort->told->driven;
}

int fw_escort_end(struct fw_escort *escort, bool *ended)
{
    pid_t pid = escort->process;
    int status;

    *ended = false;
    if (!pid)
        return 0;
    kill(-pid, SIGKILL);
    kill(pid, SIGKILL); /* if it has no group of its own yet */
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
    /* What it has started is our child now, and none of the program's. */
    while (waitpid(-pid, NULL, 0) > 0 || errno == EINTR)
        ;
    *ended = escort->told->told_to_end;
    status = escort->told->driven ? escort->told->status : escort->awaited ? FW_ESCORT_LATE : 0;
    munmap(escort->told, sizeof *escort->told);
    escort->process = 0;
    return status;
}
