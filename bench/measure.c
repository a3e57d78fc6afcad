/*
 * measure.c - runs a command several times and prints what it took.
 *
 *     measure [--repeat N] [--cpu C] [--seconds S] [--mebibytes M] -o FILE COMMAND...
 *
 * Prints one line: best and median processor time (user and system, in
 * seconds), the largest peak of memory (in KiB), and how the command ended:
 * `exit N` or `signal N`.  A run that does not end with 0 or 66 (something was
 * found) is the last.  The command's standard output goes to FILE.  The command
 * may be kept to one processor and limited in processor time and in address
 * space.  This program is small, so that its own memory does not count.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_REPEAT   100
#define FOUND_STATUS 66

struct options {
    long repeat, cpu, seconds, mebibytes;
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
    fputs("usage: measure [--repeat N] [--cpu C] [--seconds S] [--mebibytes M] -o FILE "
          "COMMAND...\n",
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

/* Runs the command once; its time, its wait status, and its memory if that is a new peak. */
static double measure(const struct options *o, int *status, long *peak)
{
    struct rusage used;
    pid_t child = fork();

    if (child < 0)
        die("cannot run", o->command[0]);
    if (child == 0)
        run(o);
    while (wait4(child, status, 0, &used) < 0)
        if (errno != EINTR)
            die("cannot wait for", o->command[0]);
    if (used.ru_maxrss > *peak)
        *peak = used.ru_maxrss;
    return seconds(&used.ru_utime) + seconds(&used.ru_stime);
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
        { "mebibytes", required_argument, NULL, 'm' },
        { NULL, 0, NULL, 0 },
    };
    int option;

    while ((option = getopt_long(argc, argv, "+o:", table, NULL)) != -1) {
        if (option == 'o')
            o->output = optarg;
        else if (option == '?')
            usage();
        else
            *(option == 'r'   ? &o->repeat
              : option == 'c' ? &o->cpu
              : option == 's' ? &o->seconds
                              : &o->mebibytes) = strtol(optarg, NULL, 10);
    }
    o->command = argv + optind;
    if (optind == argc || !o->output || o->repeat < 1 || o->repeat > MAX_REPEAT)
        usage();
}

int main(int argc, char **argv)
{
    struct options o = { .repeat = 1, .cpu = -1 };
    double times[MAX_REPEAT];
    size_t count = 0;
    int status = 0;
    long peak = 0;

    parse(&o, argc, argv);
    do
        times[count++] = measure(&o, &status, &peak);
    while (count < (size_t)o.repeat && ended_well(status));
    qsort(times, count, sizeof *times, by_time);
    printf("%.6f %.6f %ld %s %d\n", times[0], times[count / 2], peak,
           WIFEXITED(status) ? "exit" : "signal",
           WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
    return 0;
}
