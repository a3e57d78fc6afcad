/*
 * race_if_mine_ok: loops that look at another thread's variables if they are told to, and are not.
 *
 * expect: nothing
 */
#include "program.h"

int total, steps;
volatile int mine = 0;

NOINLINE static int add_up(int count, int whether)
{
    int sum = 0;

    for (int i = 0; i < count; i++) {
        if (whether)
            sum += total; /* @A */
        sum ^= i;
    }
    return sum;
}

NOINLINE static int count_up(int count, int whether)
{
    int sum = 0;

    for (int i = 0; i < count; i++) {
        if (whether)
            steps++; /* @B */
        sum ^= i;
    }
    return sum;
}

static void *own(void *unused)
{
    for (int i = 0; i < 10; i++) {
        total = i; /* @C */
        steps = i; /* @D */
    }
    return unused;
}

int main(void)
{
    pthread_t owner = start(own, NULL);
    int sum = add_up(30, mine) + count_up(30, mine);

    finish(owner);
    printf("%d\n", sum != -1);
    return 0;
}
