/*
 * symbolizer.h - what an address of a program stands for in its source.
 *
 *     code  → file and line, function, and the functions it is inlined into
 *     data  → a global variable, and the element or field of it
 *
 * Addresses are offsets from the load base of a module, as traces have them.  A module is a path
 * and the build id that was recorded with it: a file whose id differs is another program and not
 * used. Debug information comes from the file itself or from a separate debug file (by build id, by
 * debug link); without it the symbol table gives names, and nothing gives lines.
 *
 * Files are opened when an address in them is asked for first.  Broken ones are as good as none.
 * Texts are borrowed from the symbolizer and good while it lives.  Not thread-safe.
 */
#ifndef FW_SYMBOL_SYMBOLIZER_H
#define FW_SYMBOL_SYMBOLIZER_H

#include "base/suggest.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fw_symbolizer;

/* A place in the source; file is NULL and line 0 if unknown. */
struct fw_source {
    const char *file; /* as the compiler was given it; relative to where it ran */
    unsigned line;
};

/* One function that is active at an address. */
struct fw_source_frame {
    const char *function; /* NULL: unknown */
    struct fw_source at;  /* where it is, or where it calls the frame before this one */
    bool inlined;         /* into the next frame */
    unsigned first_line;  /* of the function; 0: unknown */
    uint64_t copy;        /* the same for all addresses of one copy of the function in its outermost
                             one, and for no others there; 0: unknown */
};

/* The function that covers an address. */
struct fw_source_function {
    const char *name;
    uint64_t start; /* its first address: the same for all of its addresses */
};

struct fw_source_variable {
    const char *name;   /* of what is at the address: accounts[3].balance */
    const char *object; /* the whole variable: accounts */
    uint64_t size;      /* of the whole variable; 0: unknown */
    struct fw_source declared;
};

struct fw_symbolizer *fw_symbolizer_create(void);
void fw_symbolizer_destroy(struct fw_symbolizer *symbolizer);

/* The number of a module; the same for the same arguments.  build_id_size 0: any file will do. */
uint32_t fw_symbolizer_module(struct fw_symbolizer *symbolizer, const char *path,
                              const unsigned char *build_id, uint32_t build_id_size);

/* Why a module is of no use ("... has been rebuilt"), once its file was looked at; else NULL. */
const char *fw_symbolizer_complaint(const struct fw_symbolizer *symbolizer, uint32_t module);
uint32_t fw_symbolizer_count(const struct fw_symbolizer *symbolizer);

/* Where the code at the address is written. */
bool fw_symbolizer_line(struct fw_symbolizer *symbolizer, uint32_t module, uint64_t address,
                        struct fw_source *source);

/* The function whose code it is, not what is inlined into it. */
bool fw_symbolizer_function(struct fw_symbolizer *symbolizer, uint32_t module, uint64_t address,
                            struct fw_source_function *function);

/* Innermost first; returns how many, at most `most`. */
size_t fw_symbolizer_frames(struct fw_symbolizer *symbolizer, uint32_t module, uint64_t address,
                            struct fw_source_frame *frames, size_t most);

/* The folder that the compiler ran in; NULL: unknown. */
const char *fw_symbolizer_directory(struct fw_symbolizer *symbolizer, uint32_t module,
                                    uint64_t address);

/* What is at an address of data; a lock and its like as a whole, not the fields it is made of. */
bool fw_symbolizer_variable(struct fw_symbolizer *symbolizer, uint32_t module, uint64_t address,
                            struct fw_source_variable *variable);

#define FW_SYMBOL_NAME 1024 /* longest name of a variable, cut beyond */

/* Only its name, for many variables: nothing is kept. */
bool fw_symbolizer_variable_name(struct fw_symbolizer *symbolizer, uint32_t module,
                                 uint64_t address, char name[FW_SYMBOL_NAME]);

/* --- the other way round ------------------------------------------------------------------- */

struct fw_symbol_range {
    uint64_t start, end;
};

FW_VEC_TYPE(fw_symbol_ranges, struct fw_symbol_range);

/* Does it have debug information?  Nothing is found without. */
bool fw_symbolizer_has_debug(struct fw_symbolizer *symbolizer, uint32_t module);

/* Appends where the global variables of this name are, or the part of them that it names; returns
 * how many.  Scopes may be left out: "total" is also bank::total, if nothing is called so.  A
 * variable that a compiler has taken to pieces (total.0, total.b) has no place in the debug
 * information: the symbols of its pieces are taken.  All names go to `near`. */
size_t fw_symbolizer_find_variable(struct fw_symbolizer *symbolizer, uint32_t module,
                                   const char *name, struct fw_symbol_ranges *ranges,
                                   struct fw_suggestion *near);

/* Appends the code of a line; returns how many ranges.  *nearest becomes the nearest line of that
 * file with code, if it is nearer than what was there (0: none). */
size_t fw_symbolizer_find_line(struct fw_symbolizer *symbolizer, uint32_t module, const char *file,
                               unsigned line, struct fw_symbol_ranges *ranges, unsigned *nearest);

#endif
