/*
 * given.c - memory that a call gives away by what it does, and other threads that learn of it from
 * the system alone: "mkstemp", "terminal", "limit".  With "early" they do not wait.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/resource.h>
#include <termios.h>
#include <unistd.h>

static int fd, early;
static char path[] = "made/XXXXXX";
static struct rlimit limit;
static struct termios settings;

static void check(int good)
{
    if (!good)
        abort();
}

static void *file_seen(void *unused)
{
    char events[4096];

    check(early || read(fd, events, sizeof events) > 0);
    path[0] = '#';
    return unused;
}

static void *limit_seen(void *unused)
{
    struct rlimit now;

    do
        getrlimit(RLIMIT_CORE, &now);
    while (!early && now.rlim_cur != 4096);
    limit.rlim_cur = 0;
    return unused;
}

static void *terminal_seen(void *unused)
{
    struct termios now;

    do
        tcgetattr(fd, &now);
    while (!early && now.c_lflag & ECHO);
    settings.c_lflag = 0;
    return unused;
}

static pthread_t start(void *(*function)(void *))
{
    pthread_t thread;

    check(pthread_create(&thread, NULL, function, NULL) == 0);
    return thread;
}

static void make_file(void)
{
    pthread_t thread;

    check((fd = inotify_init()) >= 0 && inotify_add_watch(fd, "made", IN_CREATE) >= 0);
    thread = start(file_seen);
    check(mkstemp(path) >= 0);
    pthread_join(thread, NULL);
    path[0] = 'm';
    unlink(path);
}

static void set_limit(void)
{
    pthread_t thread;

    getrlimit(RLIMIT_CORE, &limit);
    limit.rlim_cur = 4096;
    thread = start(limit_seen);
    check(prlimit(0, RLIMIT_CORE, &limit, NULL) == 0);
    pthread_join(thread, NULL);
}

static void set_terminal(void)
{
    int master = posix_openpt(O_RDWR | O_NOCTTY);
    pthread_t thread;

    check(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0);
    check((fd = open(ptsname(master), O_RDWR | O_NOCTTY)) >= 0);
    tcgetattr(fd, &settings);
    settings.c_lflag &= ~(tcflag_t)ECHO;
    thread = start(terminal_seen);
    check(tcsetattr(fd, TCSANOW, &settings) == 0);
    pthread_join(thread, NULL);
}

int main(int count, char **words)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } kinds[] = { { "mkstemp", make_file }, { "limit", set_limit }, { "terminal", set_terminal } };

    early = count > 2;
    for (unsigned i = 0; count > 1 && i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(words[1], kinds[i].name) == 0)
            kinds[i].run();
    puts("done");
    return 0;
}
