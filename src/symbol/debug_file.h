/*
 * debug_file.h - finds the files that describe a module: the module itself, and a separate file
 * with debug information if it has none.
 */
#ifndef FW_SYMBOL_DEBUG_FILE_H
#define FW_SYMBOL_DEBUG_FILE_H

#include "symbol/elf_file.h"

struct fw_debug_files {
    struct fw_elf *file;  /* the module; NULL: not found, or not the one that was recorded */
    struct fw_elf *debug; /* with debug information; the module itself, another file, or NULL */
    char complaint[512];  /* why there is no file; empty: there is, or it is not there at all */
};

/* build_id_size 0: any file at the path will do. */
void fw_debug_files_open(struct fw_debug_files *files, const char *path,
                         const unsigned char *build_id, uint32_t build_id_size);
void fw_debug_files_close(struct fw_debug_files *files);

#endif
