/* origins.c - see origins.h. */
#include "analysis/origins.h"

#include "base/bisect.h"

#define RECENT 32768u /* allocations, a power of two */

void fw_origins_release(struct fw_origins *origins)
{
    fw_vec_release(&origins->threads);
    fw_vec_release(&origins->wanted);
    fw_vec_release(&origins->found);
    free(origins->recent);
    origins->recent = NULL;
}

/* Where the origin of the variable is kept among those that are wanted, or NULL. */
static struct fw_origin *wanted_place(const struct fw_origins *origins, uint32_t variable)
{
    uint32_t at;

    if (!origins->wanted.len)
        return NULL;
    at = fw_count_below(origins->wanted.at, (uint32_t)origins->wanted.len, variable);
    return at < origins->wanted.len && origins->wanted.at[at] == variable ? &origins->found.at[at]
                                                                          : NULL;
}

static struct fw_origin *place_of(struct fw_origins *origins, const struct fw_event *event)
{
    if (event->kind == FW_FORK) {
        fw_vec_extend(&origins->threads, event->target + (size_t)1);
        return &origins->threads.at[event->target];
    }
    if (origins->wanted.len)
        return wanted_place(origins, event->target);
    if (!origins->recent)
        origins->recent = fw_xcalloc(RECENT, sizeof *origins->recent);
    return &origins->recent[event->target & (RECENT - 1)];
}

void fw_origins_note(struct fw_origins *origins, const struct fw_batch *batch, uint32_t i,
                     struct fw_context context)
{
    const struct fw_event *event = &batch->events[i];
    struct fw_origin *place = place_of(origins, event);

    if (place)
        *place = (struct fw_origin) {
            .index = fw_batch_index(batch, i),
            .known = true,
            .thread = event->thread,
            .target = event->target,
            .site = event->site,
            .context = context,
        };
}

const struct fw_origin *fw_origins_variable(const struct fw_origins *origins, uint32_t variable)
{
    const struct fw_origin *place = wanted_place(origins, variable);

    if ((!place || !place->known) && origins->recent)
        place = &origins->recent[variable & (RECENT - 1)];
    return place && place->known && place->target == variable ? place : NULL;
}
