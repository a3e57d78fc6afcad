/* starved.c - see starved.h. */
#include "explore/starved.h"

#include "explore/session_state.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#define TIMES 30.0 /* the limit: as much may be added, ... */
#define LEAST 0.02 /* ... and so much of it is worth it */

/* What the kernel says of one thread: ns run, ns waited, turns. */
static struct fw_executed look_at(pid_t process, const char *thread)
{
    struct fw_executed executed = { 0, 0 };
    char path[64];
    FILE *file;

    snprintf(path, sizeof path, "/proc/%d/task/%.16s/schedstat", (int)process, thread);
    file = fopen(path, "re");
    if (!file)
        return executed;
    if (fscanf(file, "%lf %lf", &executed.ran, &executed.waited) != 2)
        executed.ran = executed.waited = 0;
    fclose(file);
    return executed;
}

struct fw_executed fw_executed(pid_t process)
{
    struct fw_executed all = { 0, 0 };
    const struct dirent *entry;
    char path[64];
    DIR *folder;

    snprintf(path, sizeof path, "/proc/%d/task", (int)process);
    folder = opendir(path);
    if (!folder)
        return all;
    while ((entry = readdir(folder))) {
        struct fw_executed one = { 0, 0 };

        if (entry->d_name[0] != '.')
            one = look_at(process, entry->d_name);
        all.ran += one.ran / 1e9;
        all.waited += one.waited / 1e9;
    }
    closedir(folder);
    return all;
}

static double least(double a, double b)
{
    return a < b ? a : b;
}

double fw_session_grace(struct fw_session *session)
{
    double limit = session->limit, more;
    struct fw_executed executed;

    if (limit < session->setup.limit || session->head->claimed <= 0)
        return 0; /* the budget is over, or nobody knows who runs */
    executed = fw_executed(session->head->claimed);
    more = least(executed.waited, TIMES * limit) - session->granted;
    more = least(least(more, limit - executed.ran), fw_session_left(session));
    if (more < LEAST * limit)
        return 0;
    session->granted += more;
    return more;
}
