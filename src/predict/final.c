/*
 * final.c - see final.h.
 *
 * As if every variable were read once more behind the last event.  Only the
 * last write of a thread can be the last of all; one that must precede another
 * thread's last write cannot.
 */
#include "predict/final.h"

#include "predict/core.h"
#include "predict/gather.h"

/* The last write of the group. */
static uint32_t last_of(const struct fw_core *core, const struct fw_group *group)
{
    return core->writes.items[group[1].first - 1];
}

static bool can_be_last(const struct fw_core *core, uint32_t variable, uint32_t write)
{
    for (uint32_t g = core->writes.start[variable]; g < core->writes.start[variable + 1]; g++) {
        uint32_t other = last_of(core, &core->writes.groups[g]);

        if (other != write && fw_core_must_precede(core, write, other))
            return false;
    }
    return true;
}

static bool same_value(const struct fw_trace *trace, uint32_t a, uint32_t b)
{
    const struct fw_attr *x = &trace->attrs[trace->events[a].attr];
    const struct fw_attr *y = &trace->attrs[trace->events[b].attr];

    return x->has & y->has & FW_ATTR_VALUE && x->value == y->value;
}

static void add_variable(const struct fw_core *core, bool values, uint32_t variable,
                         struct fw_unit *unit)
{
    uint32_t from = core->writes.start[variable], to = core->writes.start[variable + 1];
    uint32_t last = 0;

    if (fw_variable_is_order(core->trace->symbols, variable))
        return;
    for (uint32_t g = from; g < to; g++)
        if (last_of(core, &core->writes.groups[g]) > last)
            last = last_of(core, &core->writes.groups[g]);
    for (uint32_t g = from; g < to; g++) {
        uint32_t write = last_of(core, &core->writes.groups[g]);
        struct fw_suspect suspect = { .count = 1,
                                      .variable = variable,
                                      .claim = FW_CLAIM_FINAL,
                                      .label = "final value" };

        if (write != last && !(values && same_value(core->trace, write, last)) &&
            can_be_last(core, variable, write))
            fw_unit_add(unit, &suspect, &write);
    }
}

bool fw_final_next(const struct fw_core *core, bool values, uint32_t *variable,
                   struct fw_unit *unit)
{
    fw_unit_clear(unit);
    while (*variable < core->writes.objects && unit->suspects.len == 0)
        add_variable(core, values, (*variable)++, unit);
    return unit->suspects.len > 0;
}
