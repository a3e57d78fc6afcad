/*
 * strategy.h - how a controlled run decides who goes on.
 *
 * A strategy is asked at every point of the holder that has company, and whenever the holder cannot
 * go on.  It answers with a ready thread or with the current one.  All but at_point is called with
 * the scheduler's lock held; all draw from one generator, so that equal seeds make equal runs.
 */
#ifndef FW_RUNTIME_STRATEGY_H
#define FW_RUNTIME_STRATEGY_H

#include "runtime/control.h"

struct fw_strategy {
    void (*start)(void);                                      /* may be NULL */
    void (*born)(struct fw_thread *t);                        /* may be NULL */
    /* At a point, before pick, also when nobody else is ready; may be NULL. */
    void (*at_point)(struct fw_thread *t);
    struct fw_thread *(*pick)(struct fw_thread *current, struct fw_list *ready);
    /* Whom all others have to wait for, NULL: nobody; may be NULL. */
    struct fw_thread *(*awaited)(void);
    /* The holder cannot go on or has ended, not by our choice; may be NULL. */
    void (*away)(struct fw_thread *t, enum fw_turn_end end);
};

extern const struct fw_strategy fw_strategy_none, fw_strategy_random, fw_strategy_pct,
    fw_strategy_pct_large, fw_strategy_delay, fw_strategy_pos, fw_strategy_choices,
    fw_strategy_steps, fw_strategy_iroot;

#define FW_EACH_READY(t, ready)                                                                    \
    for (struct fw_thread *t = FW_THREAD_OF(link, (ready)->next); &t->link != (ready);             \
         t = FW_THREAD_OF(link, t->link.next))

/* Before anything is drawn. */
void fw_strategy_seed(uint64_t seed);
uint64_t fw_strategy_draw(void);
/* Below `bound`, which is not 0. */
uint64_t fw_strategy_below(uint64_t bound);

/* The ready one with the lowest number; NULL: none. */
struct fw_thread *fw_strategy_first(struct fw_list *ready);
/* Do the two pending operations not commute? */
bool fw_strategy_dependent(const struct fw_plan *a, const struct fw_plan *b);

#endif
