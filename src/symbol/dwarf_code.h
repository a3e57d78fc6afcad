/*
 * dwarf_code.h - the debug information of one file: units by address, lines, functions, inlining.
 *
 * Everything is looked up on demand and bounded: walks through entries end after a number of steps
 * that no real program reaches, since a broken file may send them in circles.
 */
#ifndef FW_SYMBOL_DWARF_CODE_H
#define FW_SYMBOL_DWARF_CODE_H

#include "base/strtab.h"
#include "base/vec.h"
#include "symbol/dwarf_scopes.h"
#include "symbol/symbolizer.h"

#include <elfutils/libdw.h>

#define FW_DWARF_DEPTH 64u        /* of nested entries */
#define FW_DWARF_STEPS (1u << 26) /* entries that a walk visits */
#define FW_DWARF_BACK  16u        /* rows before one that belongs to no line, to be of their line */

/* A function of a unit: one row for each range of its code. */
struct fw_dwarf_range {
    uint64_t start, end;
    uint64_t first; /* the start of the function's first range */
    Dwarf_Die die;
};

struct fw_dwarf_unit {
    Dwarf_Die die;     /* has the lines */
    Dwarf_Die content; /* has the functions; another one if they are in a file of their own */
    const char *directory;
    bool plain; /* C and the like: names have no scopes */
    bool functions_read;
    FW_VEC(struct fw_dwarf_range) functions; /* by start */
};

struct fw_dwarf_span {
    uint64_t start, end;
    uint32_t unit;
};

struct fw_dwarf {
    Dwarf *dwarf;
    struct fw_strtab *texts; /* where names are kept */
    FW_VEC(struct fw_dwarf_unit) units;
    FW_VEC(struct fw_dwarf_span) spans; /* of units, by start */
    struct fw_dwarf_scope_units scopes; /* of units that names were asked of */
};

/* Takes the units in; a file without debug information has none. */
void fw_dwarf_init(struct fw_dwarf *dwarf, Elf *elf, struct fw_strtab *texts);
void fw_dwarf_release(struct fw_dwarf *dwarf);

bool fw_dwarf_line(struct fw_dwarf *dwarf, uint64_t address, struct fw_source *source);
bool fw_dwarf_function(struct fw_dwarf *dwarf, uint64_t address,
                       struct fw_source_function *function);
size_t fw_dwarf_frames(struct fw_dwarf *dwarf, uint64_t address, struct fw_source_frame *frames,
                       size_t most);
/* Where the compiler ran. */
const char *fw_dwarf_directory(struct fw_dwarf *dwarf, uint64_t address);

/* For dwarf_data.c. */

/* The text, kept. */
const char *fw_dwarf_keep(struct fw_dwarf *dwarf, const char *text);
/* A name with its namespaces and classes; NULL: it has none. */
const char *fw_dwarf_name(struct fw_dwarf *dwarf, const struct fw_dwarf_unit *unit, Dwarf_Die *die);
/* Where an entry is declared. */
struct fw_source fw_dwarf_declared(struct fw_dwarf *dwarf, const struct fw_dwarf_unit *unit,
                                   Dwarf_Die *die);

#endif
