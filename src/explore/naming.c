/* naming.c - see naming.h. */
#include "explore/naming.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

#define FRAMES 32u

void fw_naming_init(struct fw_naming *naming, const char *const *names)
{
    size_t count = 0;

    while (names[count])
        count++;
    naming->names = names;
    naming->met = fw_xcalloc(count + 1, sizeof *naming->met);
    naming->symbolizer = fw_symbolizer_create();
}

void fw_naming_release(struct fw_naming *naming)
{
    fw_symbolizer_destroy(naming->symbolizer);
    free(naming->met);
}

bool fw_naming_fits(const char *name, const struct fw_source_frame *frame)
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

uint32_t fw_naming_classify(void *context, const char *module, const struct fw_control_site *site)
{
    const struct fw_naming *naming = context;
    uint32_t number = fw_symbolizer_module(naming->symbolizer, module, NULL, 0);
    struct fw_source_frame frames[FRAMES];
    size_t count = fw_symbolizer_frames(naming->symbolizer, number,
                                        site->offset ? site->offset - 1 : 0, frames, FRAMES);

    for (size_t i = 0; i < count; i++)
        for (const char *const *name = naming->names; *name; name++)
            if (fw_naming_fits(*name, &frames[i])) {
                ((struct fw_control_site *)site)->flags |= FW_SITE_NAMED;
                naming->met[name - naming->names] = true;
            }
    return 0;
}
