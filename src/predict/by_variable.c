/* by_variable.c - see by_variable.h. */
#include "predict/by_variable.h"

void fw_by_variable_gather(struct fw_by_variable *by, const struct fw_trace *trace, uint32_t cap)
{
    by->gather = fw_gather_create(trace, cap);
    by->cap = cap ? cap : FW_PREDICT_CAP;
}

bool fw_by_variable_take(struct fw_by_variable *by)
{
    const uint32_t *row = fw_row(by->rows, by->next);
    uint32_t count = fw_row_count(by->rows, by->next++);

    by->work += 1 + count / 64;
    return by->sort(by->context, row, count);
}

bool fw_by_variable_is_tired(struct fw_by_variable *by)
{
    bool tired = by->work >= FW_MATCH_SLICE;

    if (tired)
        by->work = 0;
    return tired;
}

static void open_next(struct fw_by_variable *by)
{
    by->open = fw_by_variable_take(by);
    by->lane = 0;
    by->budget = fw_match_budget(fw_row_count(by->rows, fw_by_variable_present(by)));
}

static void match_present(struct fw_by_variable *by)
{
    while (by->work < FW_MATCH_SLICE)
        if (!by->match(by->context, by->lane++)) {
            fw_gather_close(by->gather, fw_by_variable_present(by));
            by->open = false;
            return;
        }
}

bool fw_by_variable_next(struct fw_by_variable *by, struct fw_unit *unit)
{
    while (!fw_gather_next(by->gather, unit, false) && !fw_by_variable_is_tired(by)) {
        if (by->open)
            match_present(by);
        else if (fw_by_variable_has_more(by))
            open_next(by);
        else
            return false;
    }
    return true;
}

uint32_t fw_by_variable_bin(struct fw_by_variable *by, const struct fw_gather_key *key,
                            const uint32_t *sites, bool any_order)
{
    if (!by->budget.lanes)
        return FW_GATHER_NONE;
    return fw_gather_bin_of_sites(by->gather, key, sites, key->width, any_order,
                                  fw_by_variable_present(by));
}

void fw_by_variable_pair(struct fw_by_variable *by, uint32_t bin, struct fw_match *pair,
                         const uint64_t *known)
{
    uint64_t all = (uint64_t)pair->span_count * pair->point_count, open = all;

    if (bin == FW_GATHER_NONE) {
        fw_gather_skip(by->gather, all);
        return;
    }
    by->budget.lanes--;
    pair->all_below = by->cap;
    pair->budget = &by->budget;
    pair->work = &by->work;
    if (!fw_gather_full(by->gather, bin))
        open = fw_match(pair);
    if (known)
        open -= *known < open ? *known : open;
    fw_gather_count(by->gather, bin, all, open);
}
