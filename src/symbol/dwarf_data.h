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

#endif
