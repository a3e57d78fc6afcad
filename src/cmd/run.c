/* run.c - runs programs without showing what they print. */
#include "cmd/run.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Starts it with standard output to `out`, or nowhere (-1).  0 or an errno. */
static int start(char *const command[], int out, pid_t *child)
{
    posix_spawn_file_actions_t actions;
    int status;

    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (out < 0)
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    else
        posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    status = posix_spawnp(child, command[0], &actions, NULL, command, environ);
    posix_spawn_file_actions_destroy(&actions);
    return status;
}

static int wait_for(pid_t child)
{
    int status;

    if (waitpid(child, &status, 0) < 0)
        return -1;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int fw_run_first_line(char *const command[], char *line, size_t size)
{
    int ends[2], status;
    pid_t child;
    FILE *file;

    line[0] = '\0';
    if (pipe2(ends, O_CLOEXEC) < 0)
        return -1;
    status = start(command, ends[1], &child);
    close(ends[1]);
    file = fdopen(ends[0], "r");
    if (status == 0 && file && fgets(line, (int)size, file))
        line[strcspn(line, "\n")] = '\0';
    while (status == 0 && file && fgetc(file) != EOF)
        ; /* so that it does not die of a closed pipe */
    if (file)
        fclose(file);
    else
        close(ends[0]);
    if (status == 0)
        status = wait_for(child);
    return status == 0 && line[0] ? 0 : -1;
}

int fw_run_quietly(char *const command[])
{
    pid_t child;

    return start(command, -1, &child) == 0 ? wait_for(child) : -1;
}
