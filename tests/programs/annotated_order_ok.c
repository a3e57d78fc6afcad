/*
 * annotated_order_ok: a flag in assembly, annotated as an order.
 *
 * expect: nothing
 */
#include "program.h"
#include <foreweave/annotate.h>

int flag, data, more;

static inline int exchange(int *word, int new_value)
{
    __asm__ volatile("xchg %0, %1" : "+r"(new_value), "+m"(*word) : : "memory");
    return new_value;
}

static void *publish(void *unused)
{
    data = 3;
    more = 4; /* @A */
    FOREWEAVE_HAPPENS_BEFORE(&flag);
    exchange(&flag, 1);
    return unused;
}

static void *consume(void *unused)
{
    int sum;

    while (!exchange(&flag, 0))
        sched_yield();
    FOREWEAVE_HAPPENS_AFTER(&flag);
    sum = data;
    sum += *(volatile int *)&more; /* @B */
    return sum > 7 ? &data : unused;
}

int main(void)
{
    run2(publish, consume);
    printf("%d %d\n", data, more);
    return 0;
}
