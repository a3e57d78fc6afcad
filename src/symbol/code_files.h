/*
 * code_files.h - the files whose machine code is read, each opened once; for loops.c and operand.c.
 *
 * A file that cannot be opened, or is not of x86-64, stays in the set without its ELF, so that it
 * is tried once.  Files are numbered from 0 in the order in which they were asked for, and stay
 * where they are: users keep what they know of a file by that number.  The set owns all of it.
 */
#ifndef FW_SYMBOL_CODE_FILES_H
#define FW_SYMBOL_CODE_FILES_H

#include "symbol/operand_flow.h"

struct fw_code_file {
    uint32_t number;
    char *path;
    struct fw_elf *elf; /* NULL: nothing is known of it */
    struct fw_outliers outliers;
};

struct fw_code_files {
    csh handle;
    bool usable; /* there is a disassembler */
    FW_VEC(struct fw_code_file *) all;
    struct fw_code_file *latest;
};

void fw_code_files_open(struct fw_code_files *files);
void fw_code_files_close(struct fw_code_files *files);

/* NULL: there are too many, or no disassembler. */
struct fw_code_file *fw_code_files_find(struct fw_code_files *files, const char *path);

/* Appends the function's own range and then those of its outlying parts, each once. */
void fw_code_file_ranges(const struct fw_code_file *file, const struct fw_elf_symbol *function,
                         struct fw_ranges *ranges);

#endif
