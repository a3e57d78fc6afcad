/*
 * aba_stack: a lock-free stack of three nodes; one thread pops, another one pops twice and
 * pushes the first back.
 *
 * bug: the first node is back on top when the other thread's exchange comes, but its successor
 * is not on the stack any more (ABA)
 * fails-as: assertion
 * depth: 2 (one reads the successor before the other pops, and exchanges after it pushed)
 * preemptions: 1
 * recorded: no (the exchanges synchronise)
 */
#include <stdatomic.h>
#include "threads.h"

enum { NODES = 3, STEP = 16 }; /* top: number of the node, and changes times STEP */

static atomic_int next[NODES + 1];
static atomic_int top;
static int owners[NODES + 1];

static int changed(int old, int node)
{
    (void)old;
    return node;
}

static int pop(void)
{
    int old = atomic_load(&top); /* @bug */

    while (old % STEP != 0) {
        int below = atomic_load(&next[old % STEP]); /* @bug */

        if (atomic_compare_exchange_strong(&top, &old, changed(old, below))) /* @bug */
            return old % STEP;
    }
    return 0;
}

static void push(int node)
{
    int old = atomic_load(&top);

    do
        atomic_store(&next[node], old % STEP);
    while (!atomic_compare_exchange_strong(&top, &old, changed(old, node))); /* @bug */
}

static void *pop_one(void *unused)
{
    owners[pop()]++;
    return unused;
}

static void *pop_two(void *unused)
{
    int first = pop();
    int second = pop();

    push(first);
    owners[second]++;
    return unused;
}

int main(void)
{
    for (int i = 1; i <= NODES; i++)
        push(i);
    run2(pop_one, pop_two);
    for (int node = pop(); node != 0; node = pop())
        owners[node]++;
    for (int i = 1; i <= NODES; i++)
        assert(owners[i] == 1);
    return 0;
}
