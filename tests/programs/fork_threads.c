/*
 * fork_threads: a program with threads forks while two of them race.
 *
 * expect: race A A
 */
#include "program.h"
#include <sys/wait.h>

int count;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *add(void *unused)
{
    count++; /* @A */
    return unused;
}

static NOINLINE int child(void)
{
    int mine = 0;

    for (int i = 0; i < 10; i++)
        mine += i;
    return mine;
}

int main(void)
{
    pthread_t one = start(add, NULL);
    pthread_t two = start(add, NULL);
    int status = 0;
    pid_t pid = fork();

    if (pid == 0)
        _exit(child());
    waitpid(pid, &status, 0);
    finish(one);
    finish(two);
    printf("%d %d\n", count > 0, WEXITSTATUS(status));
    return 0;
}
