/*
 * airline_ok: agents sell the seats of one flight.
 *
 * mended: asked and sold at once
 * variants: AGENTS=3 AGENTS=8
 */
#include <stdatomic.h>
#include "threads.h"

enum { SEATS = AGENTS - 1 };

static atomic_int sold;
static atomic_int refused;

static void *sell(void *unused)
{
    int before = atomic_load(&sold);

    while (before < SEATS && !atomic_compare_exchange_weak(&sold, &before, before + 1))
        continue;
    if (before == SEATS)
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
