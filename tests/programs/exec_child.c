/*
 * exec_child: a thread starts another program while the others race.
 *
 * expect: race A B
 */
#include "program.h"
#include <sys/wait.h>

int result = -1;

static void *launch(void *unused)
{
    int status = 0;
    pid_t pid = fork();

    if (pid == 0) {
        execl("/bin/sh", "sh", "-c", "exit 7", (char *)NULL);
        _exit(127);
    }
    waitpid(pid, &status, 0);
    result = WEXITSTATUS(status); /* @A */
    return unused;
}

int main(void)
{
    pthread_t thread = start(launch, NULL);
    int early = *(volatile int *)&result; /* @B */

    finish(thread);
    printf("%d %d\n", result, early > 7);
    return 0;
}
