/* leftover.c - see leftover.h. */
#include "explore/leftover.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#define GENERATIONS 16u /* whose parents were killed before them */
#define PAUSE_MS    5   /* between looks at those who were asked to end ... */
#define LOOKS       100 /* ... so many */

/* Those of one thread; each thread has its own list. */
static void add_children(struct fw_pids *children, const char *thread)
{
    char path[64];
    FILE *file;
    int pid;

    snprintf(path, sizeof path, "/proc/self/task/%.16s/children", thread);
    file = fopen(path, "re");
    while (file && fscanf(file, "%d", &pid) == 1)
        fw_vec_push(children, (pid_t)pid);
    if (file)
        fclose(file);
}

static void list_children(struct fw_pids *children)
{
    DIR *threads = opendir("/proc/self/task");
    const struct dirent *thread;

    while (threads && (thread = readdir(threads)))
        if (thread->d_name[0] != '.')
            add_children(children, thread->d_name);
    if (threads)
        closedir(threads);
}

void fw_leftover_init(struct fw_leftover *leftover)
{
    *leftover = (struct fw_leftover) { 0 };
    list_children(&leftover->before);
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
}

void fw_leftover_release(struct fw_leftover *leftover)
{
    fw_vec_release(&leftover->before);
}

static bool has(const struct fw_pids *pids, pid_t pid)
{
    for (size_t i = 0; i < pids->len; i++)
        if (pids->at[i] == pid)
            return true;
    return false;
}

/* True: it was killed, here or with the group of its run. */
static bool bury(pid_t pid)
{
    int status = 0;
    pid_t got = waitpid(pid, &status, WNOHANG);

    if (got == 0) {
        kill(pid, SIGKILL);
        while ((got = waitpid(pid, &status, 0)) < 0 && errno == EINTR)
            ;
    }
    return got == pid && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
}

/* Asks the ones that are left to end, or (signal 0) only buries those who have; returns how many
 * run. */
static unsigned ask(const struct fw_leftover *leftover, int signal)
{
    struct fw_pids children = { 0 };
    unsigned running = 0;

    list_children(&children);
    for (size_t i = 0; i < children.len; i++)
        if (!has(&leftover->before, children.at[i]) &&
            waitpid(children.at[i], NULL, WNOHANG) == 0) {
            kill(children.at[i], signal);
            running++;
        }
    fw_vec_release(&children);
    return running;
}

unsigned fw_leftover_end(const struct fw_leftover *leftover)
{
    struct timespec pause = { 0, PAUSE_MS * 1000000L };
    unsigned asked = ask(leftover, SIGTERM);

    for (int i = 0; i < LOOKS && ask(leftover, 0); i++)
        nanosleep(&pause, NULL);
    fw_leftover_kill(leftover, &(struct fw_pids) { 0 });
    return asked;
}

unsigned fw_leftover_kill(const struct fw_leftover *leftover, const struct fw_pids *own)
{
    unsigned killed = 0;
    bool some = true;

    for (unsigned i = 0; some && i < GENERATIONS; i++) {
        struct fw_pids children = { 0 };

        some = false;
        list_children(&children);
        for (size_t j = 0; j < children.len; j++) {
            if (has(&leftover->before, children.at[j]) || has(own, children.at[j]))
                continue;
            killed += bury(children.at[j]);
            some = true;
        }
        fw_vec_release(&children);
    }
    return killed;
}
