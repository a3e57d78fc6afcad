/*
 * bluetooth_3: the last one to leave a driver releases its resources.
 *
 * bug: whether it is the last one is looked up after counting down: two can both be the last
 * fails-as: exit 1
 * depth: 2 (one counts down before the other looks, in both directions)
 * preemptions: 1
 * recorded: yes
 */
#include <stdatomic.h>
#include "threads.h"

static atomic_int users = 2;
static atomic_int releases;

static void *leave(void *unused)
{
    atomic_fetch_sub(&users, 1); /* @bug */
    if (atomic_load(&users) == 0) /* @bug */
        atomic_fetch_add(&releases, 1);
    return unused;
}

int main(void)
{
    run2(leave, leave);
    return atomic_load(&releases) == 1 ? 0 : 1;
}
