/* launch.c - see launch.h. */
#include "record/launch.h"

#include "base/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const int passed_on[] = { SIGTERM, SIGHUP, SIGUSR1, SIGUSR2 };

static void ignore(int number, struct sigaction *old)
{
    struct sigaction action = { .sa_handler = SIG_IGN };

    sigaction(number, &action, old);
}

static uint64_t held; /* bits: signals that are blocked by us */

void fw_signals_hold(int signal)
{
    sigset_t set, before;

    sigemptyset(&set);
    sigaddset(&set, signal);
    sigprocmask(SIG_BLOCK, &set, &before);
    if (!sigismember(&before, signal))
        held |= 1ull << signal;
}

static void forget_held(sigset_t *mask)
{
    for (int i = 1; i < 64; i++)
        if (held & 1ull << i)
            sigdelset(mask, i);
}

int fw_signals_take(struct fw_signals *signals, bool handled, struct fw_error *err)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    for (size_t i = 0; i < sizeof passed_on / sizeof *passed_on; i++)
        if (!handled || passed_on[i] != SIGTERM)
            sigaddset(&set, passed_on[i]);
    sigprocmask(SIG_BLOCK, &set, &signals->mask);
    forget_held(&signals->mask);
    signals->fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (signals->fd < 0) {
        fw_error_errno(err, "cannot watch signals");
        sigprocmask(SIG_SETMASK, &signals->mask, NULL);
        return -1;
    }
    signals->handled = handled;
    if (!handled)
        ignore(SIGINT, &signals->interrupt);
    ignore(SIGQUIT, &signals->quit);
    ignore(SIGXFSZ, &signals->limit); /* a file that may not grow is a full disk */
    return 0;
}

/* In the recorder at the end, and in the program before it starts. */
static void restore(struct fw_signals *signals)
{
    if (!signals->handled)
        sigaction(SIGINT, &signals->interrupt, NULL);
    sigaction(SIGQUIT, &signals->quit, NULL);
    sigaction(SIGXFSZ, &signals->limit, NULL);
    sigprocmask(SIG_SETMASK, &signals->mask, NULL);
    close(signals->fd);
    signals->fd = -1;
}

/* What was held is still for us: it does not end the command when it has nothing more to switch. */
void fw_signals_give_back(struct fw_signals *signals)
{
    for (int i = 1; i < 64; i++)
        if (held & 1ull << i)
            ignore(i, NULL);
    restore(signals);
}

void fw_signals_handle(struct fw_signals *signals, pid_t pid)
{
    struct signalfd_siginfo info;

    while (read(signals->fd, &info, sizeof info) == (ssize_t)sizeof info)
        if (info.ssi_signo != SIGCHLD && pid > 0)
            kill(pid, (int)info.ssi_signo);
}

static void set_environment(const struct fw_launch *launch)
{
    const char *others = getenv("LD_PRELOAD");
    char *preload = others && *others ? fw_xasprintf("%s:%s", launch->runtime, others)
                                      : fw_xstrdup(launch->runtime);

    setenv("LD_PRELOAD", preload, 1);
    setenv("FOREWEAVE_OPTIONS", launch->options, 1);
    free(preload);
}

static void hide(const char *output)
{
    int nothing = open("/dev/null", O_RDWR);
    int file = output ? open(output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666) : -1;

    for (int fd = 0; nothing >= 0 && fd < 3; fd++)
        dup2(fd > 0 && file >= 0 ? file : nothing, fd);
}

/* In the child: executes, or says why not. */
static void execute(const struct fw_launch *launch, struct fw_signals signals, int say)
{
    ssize_t said;
    int cause;

    restore(&signals);
    if (launch->runtime)
        set_environment(launch);
    if (launch->hide)
        hide(launch->output);
    execvp(launch->argv[0], launch->argv);
    cause = errno;
    do
        said = write(say, &cause, sizeof cause);
    while (said < 0 && errno == EINTR);
    _exit(127);
}

static bool is_program(const char *path)
{
    struct stat st;

    if (stat(path, &st) < 0)
        return false;
    if (S_ISDIR(st.st_mode)) {
        errno = EISDIR;
        return false;
    }
    return access(path, X_OK) == 0;
}

static char *search_path(const char *program)
{
    const char *path = getenv("PATH"), *end;

    for (path = path ? path : "/bin:/usr/bin";; path = end + 1) {
        char *file;

        end = strchrnul(path, ':');
        file = end == path ? fw_xstrdup(program)
                           : fw_xasprintf("%.*s/%s", (int)(end - path), path, program);
        if (is_program(file))
            return file;
        free(file);
        if (!*end)
            break;
    }
    errno = ENOENT;
    return NULL;
}

char *fw_launch_path(const char *program)
{
    if (!strchr(program, '/'))
        return search_path(program);
    return is_program(program) ? fw_xstrdup(program) : NULL;
}

int fw_launch_check(const char *program, struct fw_error *err)
{
    char *path = fw_launch_path(program);

    if (!path)
        return fw_error_errno(err, "cannot run '%s'", program);
    free(path);
    return 0;
}

pid_t fw_launch(const struct fw_launch *launch, const struct fw_signals *signals,
                struct fw_error *err)
{
    int ends[2], cause = 0;
    ssize_t got;
    pid_t pid;

    if (pipe2(ends, O_CLOEXEC) < 0)
        return fw_error_errno(err, "cannot make a pipe");
    pid = fork();
    if (pid == 0)
        execute(launch, *signals, ends[1]);
    close(ends[1]);
    if (pid < 0) {
        close(ends[0]);
        return fw_error_errno(err, "cannot start '%s'", launch->argv[0]);
    }
    do
        got = read(ends[0], &cause, sizeof cause);
    while (got < 0 && errno == EINTR);
    close(ends[0]);
    if (got != (ssize_t)sizeof cause)
        return pid;
    waitpid(pid, NULL, 0);
    errno = cause;
    return fw_error_errno(err, "cannot run '%s'", launch->argv[0]);
}
