/*
 * places.h - where the parts of an installed (or just built) Foreweave are.
 *
 * Everything is found from the program's own place, so that a tree can be moved as a whole:
 *
 *     built:      DIR/foreweave       DIR/libforeweave_rt.so                   DIR/include
 *     installed:  PREFIX/bin/foreweave  PREFIX/lib/foreweave/libforeweave_rt.so  PREFIX/include
 */
#ifndef FW_CMD_PLACES_H
#define FW_CMD_PLACES_H

#include "base/error.h"

struct fw_places {
    char *directory; /* of the runtime, absolute */
    char *runtime;   /* the library itself */
    char *atomrace;  /* the one for threads that run in parallel ... */
    char *heal;      /* ... and are healed by locks, and not watched */
    char *guard;     /* the one that learns and guards */
    char *specs;     /* what gcc is told through -specs= */
    char *include;   /* of <foreweave/annotate.h> */
};

/* 0, or -1 with err if the runtime is not where it belongs.  Release it in either case. */
int fw_places_find(struct fw_places *places, struct fw_error *err);
void fw_places_release(struct fw_places *places);

#endif
