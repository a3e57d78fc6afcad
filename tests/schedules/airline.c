/*
 * airline: agents sell the seats of one flight.
 *
 * bug: whether there is a seat is asked before it is sold: the last one can be sold twice
 * fails-as: exit 1
 * depth: AGENTS (all others ask before one of them sells, who asks before another one does)
 * preemptions: 1
 * recorded: yes
 * variants: AGENTS=3 AGENTS=8
 */
#include <stdatomic.h>
#include "threads.h"

enum { SEATS = AGENTS - 1 };

static atomic_int sold;
static atomic_int refused;

static void *sell(void *unused)
{
    if (atomic_load_explicit(&sold, memory_order_relaxed) < SEATS) /* @bug */
        atomic_fetch_add_explicit(&sold, 1, memory_order_relaxed); /* @bug */
    else
        atomic_fetch_add(&refused, 1);
    return unused;
}

int main(void)
{
    pthread_t threads[AGENTS];

    for (int i = 0; i < AGENTS; i++)
        threads[i] = start(sell, NULL);
    for (int i = 0; i < AGENTS; i++)
        finish(threads[i]);
    return sold == SEATS && refused == 1 ? 0 : 1;
}
