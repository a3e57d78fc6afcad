/*
 * wsq_3_ok: a work-stealing queue, as wsq, with two thieves.
 *
 * mended: one thief at a time
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
    if (atomic_load(&head) <= last)
        atomic_store(&tail, last);
    else
        last = -1;
    pthread_mutex_unlock(&lock);
    return last;
}

static int steal(void)
{
    int first;

    pthread_mutex_lock(&lock);
    first = atomic_load(&head);
    atomic_store(&head, first + 1);
    if (first >= atomic_load(&tail)) {
        atomic_store(&head, first);
        first = -1;
    }
    pthread_mutex_unlock(&lock);
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
