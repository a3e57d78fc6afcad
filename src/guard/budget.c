/* budget.c - see budget.h. */
#include "guard/budget.h"

#define SECOND UINT64_C(1000000000)
#define MICROS ((UINT64_C(1) << 40) - 1) /* of a slice: twelve days */

/* relaxed, here and below: a slice is one word, which says all */
static void add(_Atomic uint64_t *slices, uint64_t now, uint64_t waited)
{
    uint64_t second = now / SECOND & (UINT64_MAX >> 40);
    _Atomic uint64_t *at = &slices[now / SECOND % FW_BUDGET_SECONDS];
    uint64_t was = atomic_load_explicit(at, memory_order_relaxed), next;

    do {
        uint64_t before = was >> 40 == second ? was & MICROS : 0, more = waited / 1000;

        next = second << 40 | (more < MICROS - before ? before + more : MICROS);
    } while (!atomic_compare_exchange_weak_explicit(at, &was, next, memory_order_relaxed,
                                                    memory_order_relaxed));
}

void fw_budget_add(struct fw_budget *budget, uint64_t now, uint64_t waited)
{
    uint64_t began = now > waited ? now - waited : 0;
    uint64_t told = atomic_load_explicit(&budget->told, memory_order_relaxed);

    add(budget->slices, now, waited);
    while (told < now && !atomic_compare_exchange_weak_explicit(
                             &budget->told, &told, now, memory_order_relaxed, memory_order_relaxed))
        ;
    if (told < now)
        add(budget->some, now, now - (told > began ? told : began));
}

/* Microseconds in the slices that count. */
static uint64_t lately(const _Atomic uint64_t *slices, uint64_t now)
{
    uint64_t waited = 0;

    for (unsigned i = 0; i < FW_BUDGET_SECONDS; i++) {
        uint64_t slice = atomic_load_explicit(&slices[i], memory_order_relaxed);
        uint64_t age = ((now / SECOND) - (slice >> 40)) & (UINT64_MAX >> 40);

        waited += age < FW_BUDGET_SECONDS ? slice & MICROS : 0;
    }
    return waited;
}

bool fw_budget_is_spent(const struct fw_budget *budget, uint64_t now, uint32_t percent,
                        uint32_t threads)
{
    uint64_t all = FW_BUDGET_SECONDS * UINT64_C(1000000);
    uint32_t held_up = percent > FW_BUDGET_HELD_UP ? percent : FW_BUDGET_HELD_UP;

    return lately(budget->slices, now) > all * (threads ? threads : 1) / 100 * percent ||
           lately(budget->some, now) > all / 100 * held_up;
}
