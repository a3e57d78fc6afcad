/*
 * flow.h - which event answers which, while the trace streams by.
 *
 * Locks, forks and joins are simple enough for every analysis to handle as its
 * paper does.  All other synchronisation comes through here: notify and wake,
 * post and pend, barriers, release and acquire atomics, fences.  The flow
 * turns it into a few operations on numbered *slots*; what a slot holds is the
 * analysis's business (a vector clock, a set of transactions).
 *
 *     on every event, in this order:
 *         fw_flow_receive(flow, batch, i, &ops, me)   before the event happens
 *         ... the event itself ...
 *         fw_flow_send(flow, batch, i, &ops, me)      after it
 *
 * An analysis needs to call these only for the kinds that fw_flow_listens
 * names (plain writes among them: they end a release sequence).
 *
 * Slots are dense and used again; a slot is cleared before it is used for
 * something new.  Memory follows live objects: unanswered posts, notifies that
 * a waiting thread may still answer, atomic variables.  A wake whose rf reaches
 * back over more than 2^16 notifies of its condition answers all of the older
 * ones at once.
 */
#ifndef FW_ORDER_FLOW_H
#define FW_ORDER_FLOW_H

#include "trace/batch.h"

struct fw_flow_ops {
    /* What is in the slot comes into the present event. */
    void (*receive)(void *me, uint32_t slot);
    /* The present event goes into the slot; keep: beside what is there, else in its place. */
    void (*send)(void *me, uint32_t slot, bool keep);
    /* The contents of one slot go into another one, beside or in place of what is there. */
    void (*copy)(void *me, uint32_t from, uint32_t to, bool keep);
    /* The slot is empty. */
    void (*clear)(void *me, uint32_t slot);
};

struct fw_flow;

struct fw_flow *fw_flow_create(void);
void fw_flow_destroy(struct fw_flow *flow);

bool fw_flow_listens(unsigned kind);

/* The variable will not be met again: another one has its name now. */
void fw_flow_forget(struct fw_flow *flow, uint32_t variable, const struct fw_flow_ops *ops,
                    void *me);

/* Of event i of the batch. */
void fw_flow_receive(struct fw_flow *flow, const struct fw_batch *batch, uint32_t i,
                     const struct fw_flow_ops *ops, void *me);
void fw_flow_send(struct fw_flow *flow, const struct fw_batch *batch, uint32_t i,
                  const struct fw_flow_ops *ops, void *me);

#endif
