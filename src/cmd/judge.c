/* judge.c - see judge.h. */
#include "cmd/judge.h"

#include "base/alloc.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void ask(const char *ok, int status, const char *output)
{
    char *number =
        fw_xasprintf("%d", WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));

    setenv("FOREWEAVE_STATUS", number, 1);
    setenv("FOREWEAVE_OUTPUT", output, 1);
    execl("/bin/sh", "sh", "-c", ok, (char *)NULL);
    _exit(127);
}

bool fw_judge(const char *ok, int status, const char *output)
{
    pid_t pid;
    int answer = -1;

    if (!ok || (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL))
        return WIFEXITED(status) && WEXITSTATUS(status) == 0;
    pid = fork();
    if (pid == 0)
        ask(ok, status, output);
    while (pid > 0 && waitpid(pid, &answer, 0) < 0 && errno == EINTR)
        continue;
    return WIFEXITED(answer) && WEXITSTATUS(answer) == 0;
}
