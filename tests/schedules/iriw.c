/*
 * iriw: two independent writers and two readers that compare which write they saw first.
 * (That they agree holds for sequentially consistent memory.)
 *
 * bug: the second reader reads in the same order as the first one, and concludes as if in the
 * opposite
 * fails-as: assertion
 * depth: 4 (its first read before x, x before the other's first, the other's second before y, y
 * before its second)
 * preemptions: 1
 * recorded: no (it takes two changes of order at once)
 */
#include <stdatomic.h>
#include "threads.h"

static atomic_int x;
static atomic_int y;
static int x_then_not_y;
static int y_then_not_x;

static void *write_x(void *unused)
{
    atomic_store(&x, 1);
    return unused;
}

static void *write_y(void *unused)
{
    atomic_store(&y, 1);
    return unused;
}

static void *read_one(void *unused)
{
    int seen_x = atomic_load(&x);
    int seen_y = atomic_load(&y);

    x_then_not_y = seen_x && !seen_y;
    return unused;
}

static void *read_two(void *unused)
{
    int seen_x = atomic_load(&x);
    int seen_y = atomic_load(&y);

    y_then_not_x = seen_y && !seen_x;
    return unused;
}

int main(void)
{
    pthread_t one = start(write_x, NULL);
    pthread_t two = start(write_y, NULL);
    pthread_t three = start(read_one, NULL);
    pthread_t four = start(read_two, NULL);

    finish(one);
    finish(two);
    finish(three);
    finish(four);
    assert(!(x_then_not_y && y_then_not_x));
    return 0;
}
