/*
 * final_order.c - see final_state.h: what happens before what, by annotations and through the
 * kernel.
 *
 * BEFORE is a release and AFTER an acquire on a variable of their own.  An acquire hangs on the one
 * release that it saw, in every other order of the run too; so each thread that releases has its
 * own variable, and an acquire looks at those of all.  Objects with very many such threads are
 * collected now and then: who has acquired all of them releases for them.
 */
#include "record/final_state.h"

#define MOST_SENDERS 32u

void fw_final_orders_destroy(struct fw_final *f)
{
    for (size_t i = 0; i < f->orders.len; i++)
        fw_vec_release(&f->orders.at[i].senders);
    fw_vec_release(&f->orders);
    fw_addrmap_release(&f->order_of);
}

static struct final_order *find_order(struct fw_final *f, uint32_t variable)
{
    const uint64_t *known = fw_addrmap_find(&f->order_of, (uint64_t)variable + 1);

    if (known)
        return &f->orders.at[*known];
    fw_addrmap_set(&f->order_of, (uint64_t)variable + 1, f->orders.len);
    fw_vec_push(&f->orders, ((struct final_order) { 0 }));
    return &f->orders.at[f->orders.len - 1];
}

/* The current thread's, as one that releases. */
static struct final_sender *find_sender(struct fw_final *f, struct final_order *order,
                                        uint32_t variable)
{
    struct final_sender sender = { .thread = f->thread->number, .variable = variable };

    for (size_t i = 0; i < order->senders.len; i++)
        if (order->senders.at[i].thread == sender.thread)
            return &order->senders.at[i];
    if (order->senders.len || order->collected)
        sender.variable =
            fw_final_fresh_id(f, FW_SPACE_VARIABLE,
                              fw_symbols_name(f->symbols, FW_SPACE_VARIABLE, variable));
    fw_vec_push(&order->senders, sender);
    return &order->senders.at[order->senders.len - 1];
}

static void release(struct fw_final *f, struct final_order *order, uint32_t variable, uint64_t pc)
{
    struct final_sender *sender = find_sender(f, order, variable);

    fw_final_event(f, FW_ATOMIC_RMW, sender->variable, pc, FW_ORDER_RELEASE, 0);
    sender->sent = true;
}

void fw_final_before_after(struct fw_final *f, const struct fw_wire_unit *record, bool before)
{
    uint32_t variable = fw_final_object(f, FW_SPACE_VARIABLE, fw_wire_operand(record));
    struct final_order *order = find_order(f, variable);
    uint32_t self = f->thread->number;
    uint64_t pc = fw_wire_pc(record);

    fw_final_before(f, pc, false);
    if (before) {
        release(f, order, variable, pc);
        return;
    }
    if (!order->senders.len)
        fw_final_event(f, FW_ATOMIC_LOAD, variable, pc, FW_ORDER_ACQUIRE, 0);
    for (size_t i = 0; i < order->senders.len; i++) {
        struct final_sender *sender = &order->senders.at[i];
        bool again = sender->thread == self || (sender->reader == self + 1 && !sender->sent);

        if (again && order->senders.len > 1)
            continue;
        fw_final_event(f, FW_ATOMIC_LOAD, sender->variable, pc, FW_ORDER_ACQUIRE, 0);
        sender->reader = self + 1;
        sender->sent = false;
    }
    if (order->senders.len <= MOST_SENDERS)
        return;
    order->senders.len = 0;
    order->collected = true;
    release(f, order, variable, pc);
}
