/* host.c - see internal.h. */
#include "base/bug.h"
#include "memo/internal.h"

#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

static void read_line(const char *path, char *line, int size)
{
    FILE *file = fopen(path, "re");

    if (!file || !fgets(line, size, file))
        *line = '\0';
    if (file)
        fclose(file);
    line[strcspn(line, "\n")] = '\0';
}

/* Numbers of processes mean the same where all three are equal. */
char *fw_host_name(void)
{
    char name[256] = "", boot[64], space[64] = "";

    gethostname(name, sizeof name - 1);
    read_line("/proc/sys/kernel/random/boot_id", boot, sizeof boot);
    if (readlink("/proc/self/ns/pid", space, sizeof space - 1) < 0)
        *space = '\0';
    return fw_xasprintf("%s %s %s", name, boot, space);
}

int64_t fw_host_started(int64_t pid)
{
    char path[64], line[1024];
    const char *at;

    snprintf(path, sizeof path, "/proc/%lld/stat", (long long)pid);
    read_line(path, line, sizeof line);
    at = strrchr(line, ')'); /* the name before it may have blanks */
    if (!at || at[1] != ' ' || at[2] == 'Z' || at[2] == 'X')
        return 0;
    for (int field = 2; at && field < 22; field++)
        at = strchr(at + 1, ' ');
    return at ? strtoll(at, NULL, 10) : 0;
}

void fw_host_random(void *bytes, size_t count)
{
    if (getrandom(bytes, count, 0) != (ssize_t)count)
        FW_BUG("the system has no random numbers");
}
