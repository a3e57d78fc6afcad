/*
 * dwarf_data.h - the global variables of one file by address, and the parts they are made of.
 */
#ifndef FW_SYMBOL_DWARF_DATA_H
#define FW_SYMBOL_DWARF_DATA_H

#include "symbol/dwarf_code.h"

struct fw_dwarf_variable {
    uint64_t start, size; /* size 0: unknown */
    const char *name;     /* with its scopes */
    uint32_t unit;
    Dwarf_Die die;
};

struct fw_dwarf_data {
    bool read;
    uint32_t steps;
    FW_VEC(struct fw_dwarf_variable) variables; /* by start */
};

void fw_dwarf_data_release(struct fw_dwarf_data *data);

/* The name of what is at the address, cut to fit. */
bool fw_dwarf_data_name(struct fw_dwarf_data *data, struct fw_dwarf *dwarf, uint64_t address,
                        char *text, size_t size);
bool fw_dwarf_data_at(struct fw_dwarf_data *data, struct fw_dwarf *dwarf, uint64_t address,
                      struct fw_source_variable *variable);

/* For dwarf_find.c. */

/* Makes `variables`, if it was not done yet. */
void fw_dwarf_data_read(struct fw_dwarf_data *data, struct fw_dwarf *dwarf);
bool fw_dwarf_type_of(Dwarf_Die *die, Dwarf_Die *type);
/* 0: unknown. */
uint64_t fw_dwarf_size_of(Dwarf_Die *type);
/* Behind typedefs and qualifiers; false: it is to be taken as a whole (locks). */
bool fw_dwarf_peel(Dwarf_Die *type);
/* Bytes from the beginning; false: it has no place of its own (static, or worked out). */
bool fw_dwarf_member_place(Dwarf_Die *member, bool in_union, uint64_t *place, uint64_t *size);
#define FW_DWARF_DIMENSIONS 8u
/* Elements of each dimension of an array (0: unknown); returns how many dimensions. */
unsigned fw_dwarf_extents(Dwarf_Die *type, uint64_t extents[FW_DWARF_DIMENSIONS]);

#endif
