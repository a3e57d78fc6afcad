/*
 * dwarf_find.h - from names and lines to addresses: the other way round.
 */
#ifndef FW_SYMBOL_DWARF_FIND_H
#define FW_SYMBOL_DWARF_FIND_H

#include "symbol/dwarf_data.h"

/* As fw_symbolizer_find_variable and fw_symbolizer_find_line say. */
size_t fw_dwarf_find_variable(struct fw_dwarf_data *data, struct fw_dwarf *dwarf, const char *name,
                              struct fw_symbol_ranges *ranges, struct fw_suggestion *near);
size_t fw_dwarf_find_line(struct fw_dwarf *dwarf, const char *file, unsigned line,
                          struct fw_symbol_ranges *ranges, unsigned *nearest);

#endif
