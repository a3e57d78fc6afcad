/*
 * handed.h - internal to commands that run programs with a repository of sections: reads it, finds
 * the places in the program's files, and makes what the runtime reads (regions.h).
 */
#ifndef FW_CMD_HANDED_H
#define FW_CMD_HANDED_H

#include "cmd/regions.h"

struct fw_handed {
    struct fw_sections sections;
    struct fw_placements placements;
    struct fw_regions_file file;
};

void fw_handed_init(struct fw_handed *handed);
void fw_handed_release(struct fw_handed *handed);

/* Files: the program, and libraries that it loads.  Sections that have no place are warned of,
 * unless quiet.  0, or the exit status after printing an error. */
int fw_handed_make(struct fw_handed *handed, const char *path, const char *const *files,
                   size_t count, bool quiet);

#endif
