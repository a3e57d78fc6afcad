/*
 * sites.h - the access hooks of a program or library, and where in the source they are.
 *
 * A site is in a *copy* of a function: the function itself, or one that was inlined somewhere, or
 * an instance of a template.  Where the innermost function is one of the system's headers, the
 * program's own code that it is inlined into counts.  Among the sites of a copy that are in one
 * line and do the same (read or write), the ordinal tells which one it is, by address.
 *
 * Everything is borrowed from the sites and good while they live.  Not thread-safe.
 */
#ifndef FW_SECTIONS_SITES_H
#define FW_SECTIONS_SITES_H

#include "base/error.h"
#include "base/vec.h"
#include "sections/sections.h"

#include <stdbool.h>
#include <stdint.h>

struct fw_site {
    uint64_t returns; /* where the hook returns to, from the module's load base */
    bool write;
    uint64_t address;     /* what is accessed there is always this one of the module; 0: unknown */
    uint32_t size;        /* so many bytes from there; 0: unknown */
    uint32_t branches;    /* conditional jumps of the function's code that lie before it */
    const char *function; /* NULL: nothing is known but the above */
    const char *file;     /* NULL: so are file and line */
    unsigned line;
    unsigned first_line; /* of the function; 0: unknown */
    bool inlined;        /* into another function */
    uint32_t copy;       /* number of the copy, from 0, by address of its outermost function */
    uint32_t ordinal;    /* from 1 */
};

struct fw_sites;

/* NULL: err. */
struct fw_sites *fw_sites_open(const char *path, struct fw_error *err);
void fw_sites_close(struct fw_sites *sites);

/* The file, as the runtime knows it. */
const char *fw_sites_path(const struct fw_sites *sites);
uint64_t fw_sites_device(const struct fw_sites *sites);
uint64_t fw_sites_inode(const struct fw_sites *sites);

/* By address. */
size_t fw_sites_count(const struct fw_sites *sites);
const struct fw_site *fw_sites_get(const struct fw_sites *sites, size_t i);

/* The site whose hook returns to this address; NULL: there is none. */
const struct fw_site *fw_sites_at(const struct fw_sites *sites, uint64_t returns);

/* The text of the site's line, blanks squeezed; NULL: it cannot be read, or the source was changed
 * after the module was built.  Good until the next call. */
const char *fw_sites_text(struct fw_sites *sites, const struct fw_site *site);

/* The global variable at an offset of the module; NULL: there is none.  The caller frees it. */
char *fw_sites_variable(struct fw_sites *sites, uint64_t offset);

/* The site as a spot of the repository; false: its line is not known.  Its texts are the
 * caller's: fw_spot_release. */
bool fw_sites_spot(struct fw_sites *sites, const struct fw_site *site, struct fw_spot *spot);

#endif
