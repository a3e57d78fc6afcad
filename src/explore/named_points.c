/* named_points.c - see named_points.h. */
#include "explore/named_points.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

#define FRAMES 32u

void fw_named_points_init(struct fw_named_points *points, const char *const *names)
{
    size_t count = 0;

    while (names[count])
        count++;
    points->names = names;
    points->met = fw_xcalloc(count + 1, sizeof *points->met);
    points->symbolizer = fw_symbolizer_create();
}

void fw_named_points_release(struct fw_named_points *points)
{
    fw_symbolizer_destroy(points->symbolizer);
    free(points->met);
}

bool fw_named_points_fits(const char *name, const struct fw_source_frame *frame)
{
    const char *colon = strrchr(name, ':'), *file = frame->at.file;
    size_t length, all;

    if (frame->function && strcmp(name, frame->function) == 0)
        return true;
    if (!colon || !file || strtoul(colon + 1, NULL, 10) != frame->at.line)
        return false;
    length = (size_t)(colon - name);
    all = strlen(file);
    return length && length <= all && memcmp(file + all - length, name, length) == 0 &&
           (length == all || file[all - length - 1] == '/');
}

uint32_t fw_named_points_classify(void *context, const char *module,
                                  const struct fw_control_site *site)
{
    const struct fw_named_points *points = context;
    uint32_t number = fw_symbolizer_module(points->symbolizer, module, NULL, 0);
    struct fw_source_frame frames[FRAMES];
    size_t count = fw_symbolizer_frames(points->symbolizer, number,
                                        site->offset ? site->offset - 1 : 0, frames, FRAMES);

    for (size_t i = 0; i < count; i++)
        for (const char *const *name = points->names; *name; name++)
            if (fw_named_points_fits(*name, &frames[i])) {
                ((struct fw_control_site *)site)->flags |= FW_SITE_NAMED;
                points->met[name - points->names] = true;
            }
    return 0;
}
