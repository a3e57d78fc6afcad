/*
 * unhooked_fields.h - bit-fields that clang's code accesses without hooks.
 *
 * clang accesses a bit-field by reading and writing all of the bit-fields that lie next to it at
 * once: in 1, 2, 4, 8 or 16 bytes if there is room for so many up to what follows, else in just as
 * many as they fill.  Then the access has no hook (unhooked_code.h).  The machine code that remains
 * of it may touch some of these bytes only and look like any other access; so it is the types that
 * tell.
 *
 * Which bit-fields lie together: those that follow each other bit by bit (LLVM's
 * CGRecordLayoutBuilder).  Debug information leaves out bit-fields without a name, which belong to
 * them as well; where there is a gap that could be one, both ways count.  From clang 19 on a run is
 * cut after 8 bytes: what is said here is then said too often rather than too rarely.  A bit-field
 * as wide as its type looks like any other member and is taken for one.
 */
#ifndef FW_SYMBOL_UNHOOKED_FIELDS_H
#define FW_SYMBOL_UNHOOKED_FIELDS_H

#include "symbol/dwarf_code.h"

FW_VEC_TYPE(fw_unhooked_texts, char *); /* owned */

/* Appends "bit-fields of struct NAME at FILE:LINE" for types of the unit that have such, until
 * there are `most`.  Types of the system's own headers do not count: nearly every program has some,
 * and their functions have no hooks anyway. */
void fw_unhooked_fields(struct fw_dwarf *dwarf, const struct fw_dwarf_unit *unit,
                        unsigned clang_version, struct fw_unhooked_texts *texts, size_t most);

#endif
