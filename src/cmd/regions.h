/*
 * regions.h - the atomic sections of a repository, placed in the files of a program, on their way
 * to the runtime (atomrace/regions_wire.h) and back: what it has counted.
 */
#ifndef FW_CMD_REGIONS_H
#define FW_CMD_REGIONS_H

#include "atomrace/regions_wire.h"
#include "sections/place.h"

FW_VEC_TYPE(fw_placements, struct fw_placement);

struct fw_regions_file {
    struct fw_regions_head *head; /* mapped, as the runtime has it */
    int fd;
    char path[64]; /* for FOREWEAVE_OPTIONS (sections=PATH), while this process lives */
};

/*
 * Places the sections in the files; those that are in none of them, and parts that are missing, are
 * told as warnings unless `quiet`.  Returns how many are placed; -1 after printing an error.
 */
int fw_regions_place(const struct fw_sections *sections, const char *const *files, size_t count,
                     bool quiet, struct fw_placements *placements);
void fw_placements_release(struct fw_placements *placements);

/* All that are placed; left_out[section] (NULL: none): not these.  -1: err.  Release it in either
 * case. */
int fw_regions_file_make(struct fw_regions_file *file, const struct fw_sections *sections,
                         const struct fw_placements *placements, const bool *left_out,
                         struct fw_error *err);
void fw_regions_file_release(struct fw_regions_file *file);

struct fw_regions_end *fw_regions_file_ends(const struct fw_regions_file *file);

#endif
