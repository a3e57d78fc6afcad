/*
 * exec_child_ok: a thread starts another program and hands its status over by being joined.
 *
 * expect: nothing
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

    finish(thread);
    printf("%d\n", result);
    return 0;
}
