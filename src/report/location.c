/* location.c - see location.h. */
#include "report/location.h"

#include "trace/places.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *const fw_location_kind_names[FW_LOCATION_KIND_COUNT] = {
    [FW_LOCATION_VARIABLE] = "variable",
    [FW_LOCATION_GLOBAL] = "global",
    [FW_LOCATION_HEAP] = "heap",
    [FW_LOCATION_STACK] = "stack",
};

uint32_t fw_finding_variable(const struct fw_finding *finding)
{
    uint32_t variable = FW_NO_VARIABLE;

    for (size_t i = 0; i < finding->events.len; i++) {
        const struct fw_mark *mark = &finding->events.at[i];

        if (!fw_is_class(mark->kind, FW_CLASS_CONFLICT))
            continue;
        if (variable != FW_NO_VARIABLE && mark->target != variable)
            return FW_NO_VARIABLE;
        variable = mark->target;
    }
    return variable;
}

/* "heap:3" or "heap:3+0x8": the third allocation of the recorded program. */
static bool is_heap(struct fw_location *location)
{
    int whole = 0, part = 0;

    if (sscanf(location->name, "heap:%" SCNu64 "%n+0x%" SCNx64 "%n", &location->block, &whole,
               &location->offset, &part) < 1)
        return false;
    return !location->name[whole] || (part && !location->name[part]);
}

/* "stack:T3-0x40": below the top of a thread's stack. */
static bool is_stack(struct fw_location *location)
{
    return sscanf(location->name, "stack:%31[^-]-0x", location->thread) == 1;
}

struct fw_location fw_report_location(const struct fw_symbols *symbols,
                                      const struct fw_contexts *contexts, uint32_t variable)
{
    struct fw_location location = { .name = fw_symbols_name(symbols, FW_SPACE_VARIABLE, variable) };

    if (fw_places_variable(symbols->places, variable, &location.global))
        location.kind = FW_LOCATION_GLOBAL;
    else if (is_heap(&location))
        location.kind = FW_LOCATION_HEAP;
    else if (is_stack(&location))
        location.kind = FW_LOCATION_STACK;
    if (location.kind == FW_LOCATION_HEAP)
        location.origin = fw_contexts_alloc(contexts, variable);
    return location;
}
