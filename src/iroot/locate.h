/*
 * locate.h - where a static access is in the source: from the place of a hook or call in a module.
 *
 * Reads and writes are numbered within their line by the hooks of the code (sections/sites.h);
 * calls, of locks, of free, of memcpy, among the calls of the line in their copy of the function.
 * Atomic operations are not numbered: those of one line that do the same are one.
 * Of code that is inlined from a header of the system, the line of the program that it is inlined
 * into counts.
 *
 * Modules are read when something in them is asked for first.  Texts are borrowed from the locator
 * and good while it lives.  Not thread-safe.
 */
#ifndef FW_IROOT_LOCATE_H
#define FW_IROOT_LOCATE_H

#include "iroot/iroot.h"

struct fw_locator;

struct fw_locator *fw_locator_create(void);
void fw_locator_destroy(struct fw_locator *locator);

struct fw_located {
    struct fw_access access;
    const char *file; /* NULL: not known */
    unsigned line;
    bool own; /* the program's own code, not the system's */
};

/* `returns`: where the hook or call returns to, from the base of the module at `path`. */
struct fw_located fw_locate(struct fw_locator *locator, const char *path, uint64_t returns,
                            enum fw_iroot_does does);

#endif
