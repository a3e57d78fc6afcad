/*
 * annotated_dynamic_ok: a lock in assembly, annotated by dynamic annotations.
 *
 * expect: nothing
 */
#include "program.h"

void AnnotateRWLockAcquired(const char *file, int line, const volatile void *lock,
                            long is_writer) __attribute__((weak));
void AnnotateRWLockReleased(const char *file, int line, const volatile void *lock,
                            long is_writer) __attribute__((weak));

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
    if (AnnotateRWLockAcquired)
        AnnotateRWLockAcquired(__FILE__, __LINE__, &lock, 1);
}

static void give(void)
{
    if (AnnotateRWLockReleased)
        AnnotateRWLockReleased(__FILE__, __LINE__, &lock, 1);
    exchange(&lock, 0);
}

static void *one(void *unused)
{
    take();
    value += 1; /* @A */
    give();
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
    run2(one, two);
    printf("%d\n", value);
    return 0;
}
