/*
 * faults.c - what calls do with arguments that are wrong, with nothing to do, and when a signal
 * comes, is what they do alone: errors stay errors, and nobody waits who would not have.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>
#include <wchar.h>

static int p[2];

static void show(const char *what, long result)
{
    printf("%s %ld %s\n", what, result, result < 0 ? strerrorname_np(errno) : "");
    fflush(stdout);
    errno = 0;
}

#define SHOW(call) show(#call, (long)(call))

/* --- streams ---------------------------------------------------------------------------------- */

static void empty(void)
{
    FILE *in = fdopen(p[0], "r");
    char text[8] = "";

    SHOW(fread(text, 1, 0, in));
    SHOW(fread(text, 0, 5, in));
    SHOW(fgets(text, 1, in) == text);
}

static void ring(int number) { }

#define INTERRUPTED(call)                                                                          \
    setitimer(ITIMER_REAL, &soon, NULL);                                                           \
    SHOW(call)

/* One signal for each: who waited again afterwards would wait for ever. */
static void interrupted(void)
{
    FILE *in = fdopen(p[0], "r");
    struct sigaction action = { .sa_handler = ring };
    struct itimerval soon = { .it_value.tv_usec = 30000 };
    char text[8] = "", *line = NULL;
    size_t room = 0;

    sigaction(SIGALRM, &action, NULL);
    INTERRUPTED(fgets(text, sizeof text, in) ? 0 : -1);
    INTERRUPTED(fgetc(in));
    INTERRUPTED(fread(text, 1, 4, in) == 0 ? -1 : 0);
    INTERRUPTED(getline(&line, &room, in));
    INTERRUPTED(fscanf(in, "%s", text));
}

static void *later(void *context)
{
    usleep(30000);
    write(p[1], "wide\n", 5);
    return context;
}

/* Who waits for the first character does not decide what kind of stream it is. */
static void wide(void)
{
    FILE *in = fdopen(p[0], "r");
    wchar_t line[9] = L"";
    pthread_t thread;

    pthread_create(&thread, NULL, later, NULL);
    SHOW(fgetwc(in));
    SHOW(fgetws(line, 9, in) == line);
    SHOW(fwide(in, 0) > 0);
    SHOW(line[3] == L'\n');
    pthread_join(thread, NULL);
}

/* ---------------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    void (*show)(void);
} all[] = {
    { "empty", empty },
    { "interrupted", interrupted },
    { "wide", wide },
};

int main(int count, char **arguments)
{
    if (count < 2 || pipe(p) != 0)
        return 1;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(all[i].name, arguments[1]) == 0)
            all[i].show();
    return 0;
}
