/* places.c - finds the parts of Foreweave from /proc/self/exe. */
#include "cmd/places.h"

#include "base/alloc.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RUNTIME "libforeweave_rt.so"

/* The program's directory, links resolved. */
static int own_directory(char path[PATH_MAX], struct fw_error *err)
{
    ssize_t len = readlink("/proc/self/exe", path, PATH_MAX - 1);

    if (len < 0)
        return fw_error_set(err, "cannot find the program's own place: /proc/self/exe: %s",
                            strerror(errno));
    path[len] = '\0';
    *strrchr(path, '/') = '\0';
    return 0;
}

/* PREFIX of PREFIX/bin; the directory itself if it has another name. */
static char *prefix_of(const char *directory)
{
    const char *last = strrchr(directory, '/');

    if (last && strcmp(last, "/bin") == 0)
        return fw_xstrndup(directory, (size_t)(last - directory));
    return fw_xasprintf("%s/..", directory);
}

static void fill(struct fw_places *places, char *directory, char *include)
{
    places->directory = directory;
    places->include = include;
    places->runtime = fw_xasprintf("%s/" RUNTIME, directory);
    places->atomrace = fw_xasprintf("%s/atomrace/" RUNTIME, directory);
    places->heal = fw_xasprintf("%s/heal/" RUNTIME, directory);
    places->guard = fw_xasprintf("%s/guard/" RUNTIME, directory);
    places->specs = fw_xasprintf("%s/gcc.specs", directory);
}

int fw_places_find(struct fw_places *places, struct fw_error *err)
{
    char own[PATH_MAX], *prefix;

    memset(places, 0, sizeof *places);
    if (own_directory(own, err) < 0)
        return -1;
    fill(places, fw_xstrdup(own), fw_xasprintf("%s/include", own));
    if (access(places->runtime, R_OK) == 0)
        return 0;
    fw_places_release(places);
    prefix = prefix_of(own);
    fill(places, fw_xasprintf("%s/lib/foreweave", prefix), fw_xasprintf("%s/include", prefix));
    free(prefix);
    if (access(places->runtime, R_OK) == 0)
        return 0;
    return fw_error_set(err, "cannot read the runtime library '%s': %s; install Foreweave again",
                        places->runtime, strerror(errno));
}

void fw_places_release(struct fw_places *places)
{
    free(places->directory);
    free(places->runtime);
    free(places->atomrace);
    free(places->heal);
    free(places->guard);
    free(places->specs);
    free(places->include);
    memset(places, 0, sizeof *places);
}
