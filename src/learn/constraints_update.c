/* constraints_update.c - see constraints.h: what others have added to the file meanwhile stays. */
#include "learn/constraints.h"

#include "base/alloc.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#define TRIES 500 /* naps: others need a moment each */
#define NAP   10000000L

/* The folder, since the file is replaced when it is written.  -1: it cannot be locked, or somebody
 * keeps it for long: then it is written all the same. */
static int lock_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash ? fw_xasprintf("%.*s", (int)(slash - path + 1), path) : fw_xstrdup(".");
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    for (int i = 0; fd >= 0 && i < TRIES && flock(fd, LOCK_EX | LOCK_NB) < 0; i++)
        nanosleep(&(struct timespec) { 0, NAP }, NULL);
    free(folder);
    return fd;
}

static bool are_of_one_program(const struct fw_constraints *a, const struct fw_constraints *b)
{
    struct fw_error err;

    return fw_constraints_module_count(a) && fw_constraints_module_count(b) &&
           fw_constraints_are_of(b, fw_constraints_module(a, 0)->name, "", &err) == 0;
}

int fw_constraints_update(struct fw_constraints *constraints, const char *path,
                          uint64_t passed_before, uint64_t failed_before, struct fw_error *err)
{
    int lock = lock_folder(path), status;
    struct fw_error none; /* what cannot be read was not there, or is to be replaced */
    struct fw_constraints *there = fw_constraints_read(path, &none);

    if (there && are_of_one_program(constraints, there)) {
        uint64_t passed = fw_constraints_passed(there), failed = fw_constraints_failed(there);
        bool less = passed < passed_before || failed < failed_before; /* somebody began anew */

        fw_constraints_merge(constraints, there);
        /* What was read is in both. */
        fw_constraints_add_runs(constraints, -(less ? passed : passed_before),
                                -(less ? failed : failed_before));
    }
    fw_constraints_destroy(there);
    status = fw_constraints_write(constraints, path, err);
    if (lock >= 0)
        close(lock);
    return status;
}
