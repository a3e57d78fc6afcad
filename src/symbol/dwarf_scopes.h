/*
 * dwarf_scopes.h - the namespaces, classes and functions that an entry of debug information stands
 * in, which the entry itself does not say.
 *
 * The scopes of a unit are taken in by one walk when the first is asked for.  An entry's scope is
 * the innermost one whose part of the section it lies in.
 */
#ifndef FW_SYMBOL_DWARF_SCOPES_H
#define FW_SYMBOL_DWARF_SCOPES_H

#include "base/vec.h"

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

struct fw_dwarf_scope {
    uint64_t begin, end; /* offsets: its own entry to behind its last one */
    uint32_t parent;     /* its place in the list plus 1; 0: none */
    Dwarf_Die die;
};

/* Of one unit, by begin: who contains others stands before them. */
struct fw_dwarf_scopes {
    const Dwarf_CU *unit;
    FW_VEC(struct fw_dwarf_scope) list;
};

FW_VEC_TYPE(fw_dwarf_scope_units, struct fw_dwarf_scopes *);

bool fw_dwarf_is_scope(Dwarf_Die *die);

/* Those that the entry stands in, innermost first, itself not included; how many of them there
 * are, at most `most`. */
size_t fw_dwarf_scopes_of(struct fw_dwarf_scope_units *units, Dwarf_Die *die, Dwarf_Die *scopes,
                          size_t most);

void fw_dwarf_scopes_release(struct fw_dwarf_scope_units *units);

#endif
