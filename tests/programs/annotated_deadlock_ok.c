/*
 * annotated_deadlock_ok: two annotated locks in the same order.
 *
 * expect: nothing
 */
#include "program.h"
#include <foreweave/annotate.h>

int first, second, value;

static inline int exchange(int *word, int new_value)
{
    __asm__ volatile("xchg %0, %1" : "+r"(new_value), "+m"(*word) : : "memory");
    return new_value;
}

#define TAKE(lock)                                                                                 \
    do {                                                                                           \
        while (exchange(lock, 1))                                                                  \
            sched_yield();                                                                         \
        FOREWEAVE_LOCK_ACQUIRED(lock);                                                             \
    } while (0)

static void give(int *lock)
{
    FOREWEAVE_LOCK_RELEASED(lock);
    exchange(lock, 0);
}

static void *forward(void *unused)
{
    TAKE(&first);
    TAKE(&second); /* @A */
    value++;
    give(&second);
    give(&first);
    return unused;
}

static void *backward(void *unused)
{
    step_aside();
    TAKE(&first);
    TAKE(&second); /* @B */
    value++;
    give(&first);
    give(&second);
    return unused;
}

int main(void)
{
    run2(forward, backward);
    printf("%d\n", value);
    return 0;
}
