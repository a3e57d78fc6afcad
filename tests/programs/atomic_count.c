/*
 * atomic_count: one thread counts with plain accesses where the other one is atomic.
 *
 * expect: race A B
 * overlap: no, one of the accesses is atomic
 */
#include "program.h"

char c;
short s;
int i;
long l;

static NOINLINE void count(void)
{
    __atomic_fetch_add(&c, 1, __ATOMIC_RELAXED);
    __atomic_add_fetch(&s, 2, __ATOMIC_ACQUIRE);
    __atomic_fetch_sub(&i, 3, __ATOMIC_RELEASE); /* @A */
    __atomic_fetch_or(&l, 4, __ATOMIC_ACQ_REL);
    __atomic_fetch_xor(&l, 0, __ATOMIC_SEQ_CST);
    __atomic_fetch_and(&l, 7, __ATOMIC_RELAXED);
}

static void *atomic(void *unused)
{
    count();
    return unused;
}

static void *plain(void *unused)
{
    i -= 3; /* @B */
    return unused;
}

int main(void)
{
    run2(plain, atomic);
    printf("%d %d %d %ld\n", c, s, i < 0, l);
    return 0;
}
