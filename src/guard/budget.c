/* budget.c - see budget.h. */
#include "guard/budget.h"

#define SECOND UINT64_C(1000000000)
#define MICROS ((UINT64_C(1) << 40) - 1) /* of a slice: twelve days */

/* relaxed: a slice is one word, which says all */
void fw_budget_add(struct fw_budget *budget, uint64_t now, uint64_t waited)
{
    uint64_t second = now / SECOND & (UINT64_MAX >> 40);
    _Atomic uint64_t *at = &budget->slices[now / SECOND % FW_BUDGET_SECONDS];
    uint64_t was = atomic_load_explicit(at, memory_order_relaxed), next;

    do {
        uint64_t before = was >> 40 == second ? was & MICROS : 0, add = waited / 1000;

        next = second << 40 | (add < MICROS - before ? before + add : MICROS);
    } while (!atomic_compare_exchange_weak_explicit(at, &was, next, memory_order_relaxed,
                                                    memory_order_relaxed));
}

bool fw_budget_is_spent(const struct fw_budget *budget, uint64_t now, uint32_t percent,
                        uint32_t threads)
{
    uint64_t waited = 0, all = FW_BUDGET_SECONDS * UINT64_C(1000000) * (threads ? threads : 1);

    for (unsigned i = 0; i < FW_BUDGET_SECONDS; i++) {
        uint64_t slice = atomic_load_explicit(&budget->slices[i], memory_order_relaxed);
        uint64_t age = ((now / SECOND) - (slice >> 40)) & (UINT64_MAX >> 40);

        waited += age < FW_BUDGET_SECONDS ? slice & MICROS : 0;
    }
    return waited > all / 100 * percent;
}
