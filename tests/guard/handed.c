/*
 * handed.c - a thread takes what its maker has written for it, and has looked at once more itself:
 * it comes behind the maker's read, not its write.  A second thread counts on from where it ended.
 * Nothing is ever wrong; a guard that does not watch the maker's second look, or has forgotten what
 * the second thread read since it wrote the same at once, takes it for something new.
 *
 *   handed                takes it
 *   handed switched LOG   has its parent, a guard with this log, switched off and on before that
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE 20000 /* ms */

static struct {
    int *volatile base;
    int sum, takers;
} shared;

static void *work(void *unused)
{
    shared.sum = *shared.base + 1;
    shared.takers++;
    return unused;
}

static int says(const char *path, const char *text)
{
    FILE *log = fopen(path, "r");
    char line[512];
    int found = 0;

    while (log && !found && fgets(line, sizeof line, log))
        found = strstr(line, text) != NULL;
    if (log)
        fclose(log);
    return found;
}

static void have_switched(int signal, const char *path, const char *text)
{
    kill(getppid(), signal);
    for (int i = 0; i < PATIENCE && !says(path, text); i++)
        nanosleep(&(struct timespec) { 0, 1000000 }, NULL);
}

int main(int argc, char **argv)
{
    pthread_t thread;
    int base = 41;

    shared.base = &base;
    if (!shared.base)
        return 2;
    if (argc > 2) {
        have_switched(SIGUSR1, argv[2], "the guard is off");
        have_switched(SIGUSR2, argv[2], "the guard is on");
    }
    for (int i = 0; i < 2; i++) {
        pthread_create(&thread, NULL, work, NULL);
        pthread_join(thread, NULL);
    }
    puts(shared.sum == 42 && shared.takers == 2 ? "right" : "wrong");
    return shared.sum != 42 || shared.takers != 2;
}
