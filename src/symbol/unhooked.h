/*
 * unhooked.h - what a program accesses without anybody seeing it, though it was built with hooks.
 *
 * gcc has hooks for accesses of all sizes; clang for those of 1, 2, 4, 8 and 16 bytes alone.  Where
 * threads hand something over by others, a proof about what was seen is none about the program.
 * Looked for in the machine code of clang's units (unhooked_code.h) and in their types
 * (unhooked_fields.h), which only debug information tells.
 */
#ifndef FW_SYMBOL_UNHOOKED_H
#define FW_SYMBOL_UNHOOKED_H

#include "symbol/unhooked_fields.h"

/*
 * Appends what there is in a file, in words ("long double at FILE:LINE in FUNCTION"), until there
 * are `most`.  Nothing if the file is not there, is another one than was recorded, or is not
 * clang's.  build_id_size 0: any file will do.
 */
void fw_unhooked_look(struct fw_unhooked_texts *texts, const char *path,
                      const unsigned char *build_id, uint32_t build_id_size, size_t most);

#endif
