/*
 * atomic_compare_exchange_ok: a stack of nodes that grows by compare and exchange.
 *
 * expect: nothing
 */
#include "program.h"
#include <stdatomic.h>

struct node {
    struct node *next;
    int value;
};
_Atomic(struct node *) top;
int pushed;

static NOINLINE void push(int value)
{
    struct node *node = malloc(sizeof(*node));

    node->value = value;
    node->next = atomic_load_explicit(&top, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&top, &node->next, node, memory_order_release,
                                                  memory_order_relaxed))
        sched_yield();
}

static void *work(void *unused)
{
    push(1);
    push(2);
    return unused;
}

int main(void)
{
    int sum = 0;

    run2(work, work);
    for (struct node *node = atomic_load(&top), *next; node; node = next) {
        next = node->next;
        sum += node->value;
        free(node);
    }
    printf("%d %d\n", sum, pushed);
    return 0;
}
