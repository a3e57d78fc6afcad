/*
 * wsq_3: a work-stealing queue, as wsq, with two thieves.
 *
 * bug: thieves do not take the lock: two can take the same element, and what one of them claims and
 * gives back nobody takes
 * fails-as: assertion
 * depth: 2 (the thief looks before the element is there, and gives back after the owner looked
 * again)
 * preemptions: 1
 * recorded: yes
 */
#include <stdatomic.h>
#include "threads.h"

enum { ITEMS = 3 };

static atomic_int head; /* first element */
static atomic_int tail; /* behind the last element */
static atomic_int times_taken[ITEMS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int pop(void)
{
    int last = atomic_load(&tail) - 1;

    atomic_store(&tail, last);
    if (atomic_load(&head) <= last)
        return last;
    atomic_store(&tail, last + 1);
    pthread_mutex_lock(&lock);
    if (atomic_load(&head) <= last) /* @bug */
        atomic_store(&tail, last);
    else
        last = -1;
    pthread_mutex_unlock(&lock);
    return last;
}

static int steal(void)
{
    int first;

    first = atomic_load(&head);
    atomic_store(&head, first + 1); /* @bug */
    if (first >= atomic_load(&tail)) {
        atomic_store(&head, first); /* @bug */
        first = -1;
    }
    return first;
}

static void *own(void *unused)
{
    int item;

    for (int i = 0; i < ITEMS; i++)
        atomic_store(&tail, i + 1);
    while ((item = pop()) >= 0)
        atomic_fetch_add(&times_taken[item], 1);
    return unused;
}

static void *rob(void *unused)
{
    int item = steal();

    if (item >= 0)
        atomic_fetch_add(&times_taken[item], 1);
    return unused;
}

int main(void)
{
    run3(own, rob, rob);
    for (int i = 0; i < ITEMS; i++)
        assert(times_taken[i] == 1);
    return 0;
}
