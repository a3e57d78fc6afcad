/* places.c - see places.h. */
#include "record/places.h"

#include "base/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define FOLDER ".foreweave"
#define LAST   FOLDER "/last"
#define TRACE  "trace.fwt"

/* Points `last` to the folder; whoever follows it finds the old one or the new one. */
static int point_last(const char *run, struct fw_error *err)
{
    char *fresh = fw_xasprintf("%s/.last-%ld", FOLDER, (long)getpid());
    int status = 0;

    unlink(fresh);
    if (symlink(run, fresh) < 0 || rename(fresh, LAST) < 0) {
        status = fw_error_errno(err, "cannot make the link '%s'", LAST);
        unlink(fresh);
    }
    free(fresh);
    return status;
}

int fw_place_default(char **path, struct fw_error *err)
{
    time_t now = time(NULL);
    struct tm local;
    char date[32], run[64];
    char *folder;
    int status;

    if (mkdir(FOLDER, 0777) < 0 && errno != EEXIST)
        return fw_error_errno(err, "cannot make the folder '%s'", FOLDER);
    localtime_r(&now, &local);
    strftime(date, sizeof date, "%Y%m%d-%H%M%S", &local);
    snprintf(run, sizeof run, "%s-%ld", date, (long)getpid());
    folder = fw_xasprintf("%s/%s", FOLDER, run);
    if (mkdir(folder, 0777) < 0 && errno != EEXIST)
        status = fw_error_errno(err, "cannot make the folder '%s'", folder);
    else
        status = point_last(run, err);
    if (status == 0)
        *path = fw_xasprintf("%s/%s", folder, TRACE);
    free(folder);
    return status;
}

char *fw_place_numbered(const char *path, unsigned n)
{
    size_t len = strlen(path);

    if (n == 0)
        return fw_xstrdup(path);
    if (len > 4 && strcmp(path + len - 4, ".fwt") == 0)
        return fw_xasprintf("%.*s.%u.fwt", (int)(len - 4), path, n);
    return fw_xasprintf("%s.%u", path, n);
}

int fw_place_open(const char *path, struct fw_error *err)
{
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666);
    struct stat st;

    if (fd < 0)
        return fw_error_errno(err, "cannot write '%s'", path);
    if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
        close(fd);
        return fw_error_set(err, "cannot write '%s': not a regular file", path);
    }
    if (flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK) {
        close(fd);
        return fw_error_set(err, "cannot write '%s': another recording is being written there",
                            path);
    }
    if (ftruncate(fd, 0) < 0) {
        fw_error_errno(err, "cannot write '%s'", path);
        close(fd);
        return -1;
    }
    return fd;
}
