/*
 * use_before_init: one thread makes a table, another one uses it.
 *
 * bug: nothing but the order in which they are started says who comes first
 * fails-as: exit 1
 * depth: 1 (it is used before it is made)
 * preemptions: 0
 * recorded: yes
 */
#include "threads.h"

static int storage[4];
static int *table;

static void *make(void *unused)
{
    table = storage; /* @bug */
    return unused;
}

static void *use(void *unused)
{
    int *seen = table; /* @bug */

    if (seen == NULL)
        exit(1);
    seen[0]++;
    return unused;
}

int main(void)
{
    run2(make, use);
    return 0;
}
