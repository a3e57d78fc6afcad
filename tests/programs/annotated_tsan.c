/*
 * annotated_tsan: a lock in assembly, annotated by ThreadSanitizer's functions; one access is
 * outside.
 *
 * expect: race A B
 */
#include "program.h"

void __tsan_mutex_pre_lock(void *lock, unsigned flags) __attribute__((weak));
void __tsan_mutex_post_lock(void *lock, unsigned flags, int depth) __attribute__((weak));
int __tsan_mutex_pre_unlock(void *lock, unsigned flags) __attribute__((weak));
void __tsan_mutex_post_unlock(void *lock, unsigned flags) __attribute__((weak));

int lock, value;

static inline int exchange(int *word, int new_value)
{
    __asm__ volatile("xchg %0, %1" : "+r"(new_value), "+m"(*word) : : "memory");
    return new_value;
}

static void take(void)
{
    if (__tsan_mutex_pre_lock)
        __tsan_mutex_pre_lock(&lock, 0);
    while (exchange(&lock, 1))
        sched_yield();
    if (__tsan_mutex_post_lock)
        __tsan_mutex_post_lock(&lock, 0, 0);
}

static void give(void)
{
    if (__tsan_mutex_pre_unlock)
        __tsan_mutex_pre_unlock(&lock, 0);
    exchange(&lock, 0);
    if (__tsan_mutex_post_unlock)
        __tsan_mutex_post_unlock(&lock, 0);
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
    run2(one, two);
    printf("%d\n", value > 0);
    return 0;
}
