/* order.c - the question itself, as a predictor with one suspect: can these events come so? */
#include "predict/suspect.h"

struct order {
    const struct fw_predict_options *options;
    bool done;
};

static void *order_create(const struct fw_core *core, const struct fw_predict_options *options)
{
    struct order *order = fw_xcalloc(1, sizeof *order);

    (void)core;
    order->options = options;
    order->done = options->order_count == 0;
    return order;
}

static bool order_next(void *state, struct fw_unit *unit)
{
    struct order *order = state;
    uint32_t count = order->options->order_count;
    bool more = !order->done;

    fw_vec_clear(&unit->events);
    fw_vec_clear(&unit->suspects);
    unit->left = unit->refuted = 0;
    order->done = true;
    if (!more)
        return false;
    for (uint32_t i = 0; i < count; i++)
        fw_vec_push(&unit->events, order->options->order[i]);
    fw_vec_push(
        &unit->suspects,
        ((struct fw_suspect) { .count = count, .variable = FW_NO_EVENT, .claim = FW_CLAIM_ORDER }));
    return true;
}

const struct fw_predictor fw_predictor_order = {
    .name = "order",
    .claim = FW_CLAIM_ORDER,
    .create = order_create,
    .next = order_next,
    .destroy = free,
};
