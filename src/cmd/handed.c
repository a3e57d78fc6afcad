/* handed.c - see handed.h. */
#include "cmd/handed.h"

#include "cmd/cmd.h"

void fw_handed_init(struct fw_handed *handed)
{
    *handed = (struct fw_handed) { .file = { .fd = -1 } };
    fw_sections_init(&handed->sections);
}

void fw_handed_release(struct fw_handed *handed)
{
    fw_regions_file_release(&handed->file);
    fw_placements_release(&handed->placements);
    fw_sections_release(&handed->sections);
}

int fw_handed_make(struct fw_handed *handed, const char *path, const char *const *files,
                   size_t count, bool quiet)
{
    struct fw_error err;
    int placed;

    if (fw_sections_read(&handed->sections, path, &err) < 0) {
        fw_sections_init(&handed->sections);
        return fw_cmd_fail(FW_EXIT_INPUT, &err);
    }
    placed = fw_regions_place(&handed->sections, files, count, quiet, &handed->placements);
    if (placed < 0)
        return FW_EXIT_INPUT;
    if (placed == 0) {
        fw_cmd_error("no section of '%s' is in '%s'%s", path, files[0],
                     count > 1 ? " or the others" : " (others are looked into by --module)");
        return FW_EXIT_INPUT;
    }
    if (fw_regions_file_make(&handed->file, &handed->sections, &handed->placements, NULL, &err) < 0)
        return fw_cmd_fail(FW_EXIT_FAILURE, &err);
    return 0;
}
