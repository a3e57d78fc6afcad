/*
 * plan_value.c - variables: their types, where they live, what is written.
 *
 * A write without a value gets one: what a read that sees it is said to have
 * read, else a value of its own, the event's position plus one.
 */
#include "base/alloc.h"
#include "tiddle/plan.h"

/* What a variable's values need. */
struct range {
    int64_t least, most;
    uint32_t access_size; /* the largest size= of an access, 0 if none was given */
    uint32_t freed_by;    /* position plus 1 */
};

static const struct fw_attr *attr_of(const struct fw_trace *trace, uint32_t event)
{
    return &trace->attrs[trace->events[event].attr];
}

static bool has_value(const struct fw_trace *trace, uint32_t event)
{
    return attr_of(trace, event)->has & FW_ATTR_VALUE;
}

static bool is_access(unsigned kind)
{
    return fw_is_class(kind, FW_CLASS_READ | FW_CLASS_WRITE);
}

/* Whether the program can do this to the variable now; notes how the variable is used. */
static int use_variable(struct fw_plan *plan, uint32_t at, struct range *range,
                        struct fw_error *err)
{
    const struct fw_event *event = &plan->trace->events[at];
    const struct fw_attr *attr = attr_of(plan->trace, at);
    struct fw_plan_variable *variable = &plan->variables[event->target];
    char text[256];

    if (range->freed_by)
        return fw_error_set(err,
                            "%s comes after event %llu has freed the variable: what a C program "
                            "does then is undefined",
                            fw_plan_event_text(plan, at, text, sizeof text),
                            (unsigned long long)fw_trace_index(plan->trace, range->freed_by - 1));
    variable->plain |= event->kind == FW_READ || event->kind == FW_WRITE;
    variable->atomic |= is_access(event->kind) && fw_is_class(event->kind, FW_CLASS_ATOMIC);
    variable->heap |= event->kind == FW_ALLOC || event->kind == FW_FREE;
    variable->allocated |= event->kind == FW_ALLOC;
    if (event->kind == FW_ALLOC)
        variable->size = attr->size;
    if (event->kind == FW_FREE)
        range->freed_by = at + 1;
    if (is_access(event->kind) && attr->size > range->access_size)
        range->access_size = attr->size;
    if (attr->has & FW_ATTR_VALUE) {
        range->least = attr->value < range->least ? attr->value : range->least;
        range->most = attr->value > range->most ? attr->value : range->most;
    }
    return 0;
}

/* The smallest type of at least the size that was given (else an int) that holds the values. */
static void choose_type(struct fw_plan_variable *variable, const struct range *range)
{
    uint8_t bytes = 4;

    if (range->access_size == 1 || range->access_size == 2)
        bytes = (uint8_t)range->access_size;
    else if (range->access_size == 8)
        bytes = 8;
    for (; bytes < 8; bytes *= 2) {
        int64_t half = (int64_t)1 << (8 * bytes - 1);

        if (range->least >= -half && range->most < half)
            break;
        variable->is_unsigned = range->least >= 0 && range->most < 2 * half;
        if (variable->is_unsigned)
            break;
    }
    variable->bytes = bytes;
    if (variable->size < bytes)
        variable->size = bytes;
}

/* A value of the write's own, 0 excepted: that is what variables begin with. */
static int64_t distinct_value(const struct fw_plan_variable *variable, uint32_t at)
{
    if (variable->bytes == 1)
        return at % INT8_MAX + 1;
    if (variable->bytes == 2)
        return at % INT16_MAX + 1;
    return variable->bytes == 4 ? (int64_t)at % INT32_MAX + 1 : (int64_t)at + 1;
}

static void choose_values(struct fw_plan *plan)
{
    const struct fw_trace *trace = plan->trace;
    bool *known = fw_xcalloc(trace->count, sizeof *known);

    plan->value = fw_xcalloc(trace->count, sizeof *plan->value);
    for (uint32_t i = 0; i < trace->count; i++) {
        const struct fw_event *event = &trace->events[i];
        uint32_t writer = plan->index->partner[i];

        if (!is_access(event->kind))
            continue;
        if (fw_is_write(event->kind) && has_value(trace, i)) {
            plan->value[i] = attr_of(trace, i)->value;
            known[i] = true;
        } else if (fw_is_write(event->kind)) {
            plan->value[i] = distinct_value(&plan->variables[event->target], i);
        } else if (has_value(trace, i) && writer != FW_NO_EVENT && !known[writer]) {
            plan->value[writer] = attr_of(trace, i)->value;
            known[writer] = true;
        }
    }
    free(known);
}

int fw_plan_variables(struct fw_plan *plan, struct fw_error *err)
{
    const struct fw_trace *trace = plan->trace;
    uint32_t count = fw_symbols_count(trace->symbols, FW_SPACE_VARIABLE);
    struct range *ranges = fw_xcalloc(count, sizeof *ranges);
    int result = 0;

    plan->variables = fw_xcalloc(count, sizeof *plan->variables);
    for (uint32_t i = 0; i < trace->count && result == 0; i++)
        if (fw_kind_info[trace->events[i].kind].space == FW_SPACE_VARIABLE)
            result = use_variable(plan, i, &ranges[trace->events[i].target], err);
    for (uint32_t i = 0; i < count; i++) {
        choose_type(&plan->variables[i], &ranges[i]);
        if (plan->variables[i].heap)
            plan->variables[i].slot = plan->heap_count++;
    }
    free(ranges);
    if (result == 0)
        choose_values(plan);
    return result;
}
