/*
 * annotated_lock: a lock of the program's own, in assembly and annotated; one access is outside.
 *
 * expect: race A B
 */
#include "program.h"
#include <foreweave/annotate.h>

int lock, value;

static inline int exchange(int *word, int new_value)
{
    __asm__ volatile("xchg %0, %1" : "+r"(new_value), "+m"(*word) : : "memory");
    return new_value;
}

static void take(void)
{
    while (exchange(&lock, 1))
        sched_yield();
    FOREWEAVE_LOCK_ACQUIRED(&lock);
}

static void give(void)
{
    FOREWEAVE_LOCK_RELEASED(&lock);
    exchange(&lock, 0);
}

static void *one(void *unused)
{
    take();
    give();
    value += 1; /* @A */
    return unused;
}

static void *two(void *unused)
{
    take();
    value += 2; /* @B */
    give();
    return unused;
}

int main(void)
{
    FOREWEAVE_LOCK_CREATED(&lock);
    run2(one, two);
    FOREWEAVE_LOCK_DESTROYED(&lock);
    printf("%d\n", value > 0);
    return 0;
}
