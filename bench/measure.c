/*
 * measure.c - runs a command several times and prints what it took.
 *
 *     measure [--repeat N] [--cpu C] [--seconds S] [--wall S] [--mebibytes M] [--parts] -o FILE
 *             COMMAND...
 *
 * Prints one line: best and median processor time (user and system, in
 * seconds) of the command and of the processes that it waited for, the largest
 * peak of memory of any one of them (in KiB), and how the command ended: `exit N`
 * or `signal N`.  With --parts there follow medians of the wall time and of what
 * of the processor time was spent by the processes that the command waited for
 * (to the hundredth of a second).  A run that does not end with 0 or 66
 * (something was found) is the last.  The command's standard output goes to
 * FILE.  The command may be kept to one processor and limited in processor time
 * and in address space (each of its processes) and in wall time (--wall: all of
 * its processes are killed).  This program is small, so that its own memory does
 * not count.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAX_REPEAT   100
#define FOUND_STATUS 66

/* What one run took, in seconds. */
struct taken {
    double processor, children, wall;
};

struct options {
    long repeat, cpu, seconds, wall, mebibytes;
    bool parts;
    const char *output;
    char **command;
};

static void die(const char *what, const char *subject)
{
    fprintf(stderr, "measure: %s '%s': %s\n", what, subject, strerror(errno));
    exit(2);
}

static void usage(void)
{
    fputs("usage: measure [--repeat N] [--cpu C] [--seconds S] [--wall S] [--mebibytes M] "
          "[--parts] -o FILE COMMAND...\n",
          stderr);
    exit(2);
}

static void limit(int resource, long value)
{
    struct rlimit limits = { (rlim_t)value, (rlim_t)value };

    if (value && setrlimit(resource, &limits) < 0)
        die("cannot limit", "command");
}

/* In the child. */
static void run(const struct options *o)
{
    int output = open(o->output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    cpu_set_t set;

    setpgid(0, 0);
    if (output < 0 || dup2(output, STDOUT_FILENO) < 0)
        die("cannot write", o->output);
    if (o->cpu >= 0) {
        CPU_ZERO(&set);
        CPU_SET((size_t)o->cpu, &set);
        if (sched_setaffinity(0, sizeof set, &set) < 0)
            die("cannot keep to one processor", o->command[0]);
    }
    limit(RLIMIT_CPU, o->seconds);
    limit(RLIMIT_AS, o->mebibytes << 20);
    execvp(o->command[0], o->command);
    die("cannot run", o->command[0]);
}

static double seconds(const struct timeval *time)
{
    return (double)time->tv_sec + (double)time->tv_usec / 1e6;
}

static int by_time(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static pid_t running; /* the command's process, and the number of its process group */

static void kill_command(int signal)
{
    (void)signal;
    kill(-running, SIGKILL);
}

/* What the processes spent that an ended but not yet collected process had waited for. */
static double children_of(pid_t child)
{
    char path[64], text[1024], *rest;
    unsigned long user = 0, system = 0;
    FILE *file;

    snprintf(path, sizeof path, "/proc/%ld/stat", (long)child);
    file = fopen(path, "r");
    if (!file)
        return 0;
    rest = fgets(text, sizeof text, file) ? strrchr(text, ')') : NULL;
    fclose(file);
    if (rest)
        sscanf(rest, ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %lu %lu", &user,
               &system);
    return (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
}

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* Runs the command once; its wait status, and its memory if that is a new peak. */
static struct taken measure(const struct options *o, int *status, long *peak)
{
    struct taken taken = { 0 };
    struct rusage used;
    siginfo_t info;

    taken.wall = -now();
    running = fork();
    if (running < 0)
        die("cannot run", o->command[0]);
    if (running == 0)
        run(o);
    setpgid(running, running);
    alarm((unsigned)o->wall);
    while (waitid(P_PID, (id_t)running, &info, WEXITED | WNOWAIT) < 0)
        if (errno != EINTR)
            die("cannot wait for", o->command[0]);
    alarm(0);
    taken.wall += now();
    taken.children = children_of(running);
    if (wait4(running, status, 0, &used) < 0)
        die("cannot wait for", o->command[0]);
    if (used.ru_maxrss > *peak)
        *peak = used.ru_maxrss;
    taken.processor = seconds(&used.ru_utime) + seconds(&used.ru_stime);
    return taken;
}

static bool ended_well(int status)
{
    return WIFEXITED(status) && (!WEXITSTATUS(status) || WEXITSTATUS(status) == FOUND_STATUS);
}

static void parse(struct options *o, int argc, char **argv)
{
    static const struct option table[] = {
        { "repeat", required_argument, NULL, 'r' },
        { "cpu", required_argument, NULL, 'c' },
        { "seconds", required_argument, NULL, 's' },
        { "wall", required_argument, NULL, 'w' },
        { "mebibytes", required_argument, NULL, 'm' },
        { "parts", no_argument, NULL, 'p' },
        { NULL, 0, NULL, 0 },
    };
    int option;

    while ((option = getopt_long(argc, argv, "+o:", table, NULL)) != -1) {
        if (option == 'o')
            o->output = optarg;
        else if (option == '?')
            usage();
        else if (option == 'p')
            o->parts = true;
        else
            *(option == 'r'   ? &o->repeat
              : option == 'c' ? &o->cpu
              : option == 's' ? &o->seconds
              : option == 'w' ? &o->wall
                              : &o->mebibytes) = strtol(optarg, NULL, 10);
    }
    o->command = argv + optind;
    if (optind == argc || !o->output || o->repeat < 1 || o->repeat > MAX_REPEAT)
        usage();
}

/* The median of one member of all runs. */
static double median(const struct taken *runs, size_t count, size_t offset)
{
    double values[MAX_REPEAT];

    for (size_t i = 0; i < count; i++)
        memcpy(&values[i], (const char *)&runs[i] + offset, sizeof values[i]);
    qsort(values, count, sizeof *values, by_time);
    return values[count / 2];
}

int main(int argc, char **argv)
{
    struct options o = { .repeat = 1, .cpu = -1 };
    struct taken runs[MAX_REPEAT];
    double best = 0;
    size_t count = 0;
    int status = 0;
    long peak = 0;

    parse(&o, argc, argv);
    signal(SIGALRM, kill_command);
    do {
        runs[count] = measure(&o, &status, &peak);
        if (!count || runs[count].processor < best)
            best = runs[count].processor;
        count++;
    } while (count < (size_t)o.repeat && ended_well(status));
    printf("%.6f %.6f %ld %s %d", best, median(runs, count, offsetof(struct taken, processor)),
           peak, WIFEXITED(status) ? "exit" : "signal",
           WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
    if (o.parts)
        printf(" %.6f %.6f", median(runs, count, offsetof(struct taken, wall)),
               median(runs, count, offsetof(struct taken, children)));
    putchar('\n');
    return 0;
}
